//! Which task is running.

use std::future::pending;
use std::sync::mpsc;

use greenroom::{JoinSet, actor, id, spawn, spawn_blocking, try_id, yield_now};

use super::support::{Notes, both, single, within};

#[actor]
struct Sayer;

#[actor]
impl Sayer {
    async fn say(&mut self) -> Option<greenroom::Id> {
        yield_now().await;
        try_id()
    }
}

#[test]
fn a_task_knows_its_id_and_so_do_its_handles() {
    for runtime in both() {
        runtime.block_on(async {
            let task = spawn(async {
                let before = id();
                yield_now().await;
                let inner = spawn(async { id() });
                let other = inner.id();
                assert_eq!(inner.await.unwrap(), other);
                (before, try_id().unwrap(), other)
            });
            let (known, abort) = (task.id(), task.abort_handle().id());
            let (before, after, other) = within("the task", task).await.unwrap();
            assert_eq!([before, after, abort], [known; 3]);
            assert_ne!(other, known);
            let task = spawn(async { panic!("on purpose") });
            let known = task.id();
            let error: Result<(), _> = task.await;
            assert_eq!(error.unwrap_err().id(), known);
        });
    }
}

#[test]
fn a_blocking_job_has_an_id_too() {
    single().block_on(async {
        let job = spawn_blocking(|| {
            let outer = id();
            // What it spawns is another task.
            assert_ne!(spawn(async {}).id(), outer);
            outer
        });
        let known = job.id();
        assert_eq!(within("the job", job).await.unwrap(), known);
    });
}

#[test]
fn the_id_is_there_while_the_future_is_dropped() {
    struct Tell(mpsc::Sender<Option<greenroom::Id>>);
    impl Drop for Tell {
        fn drop(&mut self) {
            self.0.send(try_id()).unwrap();
        }
    }
    single().block_on(async {
        let (tell, told) = mpsc::channel();
        let tell = Tell(tell);
        let task = spawn(async move {
            let _tell = tell;
            pending::<()>().await
        });
        yield_now().await;
        task.abort();
        let id = task.id();
        let _ = task.await;
        assert_eq!(told.recv().unwrap(), Some(id));
    });
}

#[test]
fn outside_of_our_tasks_there_is_no_id() {
    assert_eq!(try_id(), None);
    single().block_on(async {
        assert_eq!(try_id(), None);
        assert_eq!(tokio::spawn(async { try_id() }).await.unwrap(), None);
        let error = tokio::spawn(async { id() }).await.unwrap_err();
        let text = error.into_panic().downcast::<&str>().unwrap();
        assert_eq!(
            *text,
            "greenroom::id: this is not inside a task of greenroom's"
        );
    });
}

#[test]
fn an_actor_that_runs_by_itself_has_an_id_of_its_own() {
    single().block_on(async {
        let sayer = Sayer.spawn();
        let said = sayer.ask(SayerSay {}).await.unwrap();
        assert_eq!(said, Some(sayer.identity().id()));
    });
}

#[test]
fn ids_are_never_used_again() {
    single().block_on(async {
        let mut set = JoinSet::new();
        let mut ids: Vec<_> = (0..100).map(|_| set.spawn(async {}).id()).collect();
        set.join_all().await;
        ids.extend((0..100).map(|_| spawn(async {}).id()));
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    });
}

#[test]
fn a_name_is_in_handles_and_in_the_event_about_a_panic() {
    let notes = Notes::default();
    let _guard = tracing::subscriber::set_default(notes.clone());
    single().block_on(async {
        let named = greenroom::TaskBuilder::new().name("sweeper");
        let task = named.clone().spawn(async { panic!("on purpose") });
        let id = task.id();
        let shown = format!("{task:?} {:?}", task.abort_handle());
        assert_eq!(
            shown,
            format!(
                "JoinHandle {{ id: {id:?}, name: \"sweeper\" }} \
                 AbortHandle {{ id: {id:?}, name: \"sweeper\" }}"
            )
        );
        let ended: Result<(), _> = task.await;
        assert!(ended.unwrap_err().is_panic());
        let nameless = spawn(async { panic!("again") });
        assert_eq!(
            format!("{nameless:?}"),
            format!("JoinHandle {{ id: {:?} }}", nameless.id())
        );
        let ended: Result<(), _> = nameless.await;
        assert!(ended.unwrap_err().is_panic());
        let [first, second] = &notes.all()[..] else {
            panic!("two events, not {:?}", notes.all());
        };
        assert_eq!(first.target, "greenroom::task");
        assert_eq!(first.fields["message"], "panicked: on purpose");
        assert_eq!(first.fields["name"], "sweeper");
        assert_eq!(first.fields["id"], id.as_u64().to_string());
        assert_eq!(second.fields.get("name"), None);
        let job = named.spawn_blocking(|| ());
        assert!(format!("{job:?}").contains("sweeper"));
        within("the job", job).await.unwrap();
    });
}
