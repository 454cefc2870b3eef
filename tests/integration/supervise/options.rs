//! What a supervisor and its children are told, where no other test would miss it, and what is
//! taken to be told where nothing is.

use std::io;

use greenroom::{
    AskError, AutoShutdown, Backoff, Child, ChildError, ChildState, Context, Down, ExitReason,
    Intensity, Restart, Shutdown, Supervisor, SupervisorHandle, actor,
};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::scene::{Scene, Worker, WorkerHandle, millis, pass};
use crate::actor::support::{Gate, within};

#[tokio::test(start_paused = true)]
async fn each_state_that_a_child_can_be_in_is_shown() {
    let scene = Scene::default();
    scene.fail_starts("delayed", 1);
    let (starts, stops) = (scene.gate_start("starting"), scene.gate_stop("ending"));
    let wait = Backoff::exponential(millis(1_000), millis(1_000));
    let supervisor = Supervisor::builder()
        .child(scene.worker("up"))
        .child(scene.worker("delayed").backoff(wait))
        .child(scene.worker("ending").shutdown(Shutdown::Unlimited))
        .child(scene.worker("resting"))
        .child(scene.worker("starting"))
        .child(scene.worker("waiting"))
        .spawn();
    starts.reached().await;
    supervisor.terminate("resting").await.unwrap();
    let ending = supervisor.terminate("ending");
    tokio::pin!(ending);
    tokio::select! {
        biased;
        result = &mut ending => panic!("{result:?}"),
        () = stops.reached() => {}
    }
    pass(400).await;
    let children = supervisor.children().await.unwrap();
    let states: Vec<_> = children.into_iter().map(|child| child.state).collect();
    let [
        ChildState::Up(up),
        ChildState::Delayed(left),
        ChildState::Ending,
        ChildState::Terminated,
        ChildState::Starting,
        ChildState::Waiting,
    ] = states[..]
    else {
        panic!("{states:?}");
    };
    assert_eq!((up.as_millis() / 10, left.as_millis() / 10), (40, 60));
    starts.open();
    stops.open();
    within(ending).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_state_may_take_a_while_to_be_made_and_its_mailbox_takes_messages_meanwhile() {
    let scene = Scene::default();
    let (gate, log) = (Gate::shut(), scene.clone());
    let gates = gate.clone();
    let child = Child::future(move || {
        let (gate, scene) = (gates.clone(), log.clone());
        async move {
            gate.pass().await;
            Ok::<_, io::Error>(Writer { scene })
        }
    });
    let (writer, child) = child.prepare().unwrap();
    let supervisor = Supervisor::builder()
        .child(child)
        .child(scene.worker("after"))
        .spawn();
    gate.reached().await;
    writer.write(1).tell().await.unwrap();
    pass(1).await;
    assert_eq!(scene.log(), [""; 0], "the next child waits as well");
    gate.open();
    within(supervisor.wait_launched()).await.unwrap();
    assert_eq!(within(writer.write(2)).await.unwrap(), 2);
    let log = scene.log();
    assert!(log.contains(&"wrote 1".to_owned()), "{log:?}");
}

#[actor]
struct Writer {
    scene: Scene,
}

#[actor]
impl Writer {
    fn write(&mut self, word: u32) -> u32 {
        self.scene.note(format!("wrote {word}"));
        word
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_that_can_not_be_made_is_a_failed_start() {
    let later = Child::future(|| async { Err::<Writer, _>(io::Error::other("no ink")) });
    let now = Child::fallible(|| Err::<Writer, _>(io::Error::other("no ink")));
    for child in [later, now] {
        let supervisor = Supervisor::builder().child(child).spawn();
        let reason = within(supervisor.join()).await;
        let ExitReason::GaveUp(failure) = &reason else {
            panic!("{reason:?}");
        };
        assert!(matches!(failure.last_failure(), ExitReason::StartFailed(_)));
        assert!(reason.to_string().contains("no ink"), "{reason}");
        // Three restarts within five seconds, where nothing else is said.
        assert_eq!(failure.restarts(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn unless_it_says_otherwise_a_child_has_five_seconds_to_end_and_is_restarted_at_once() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder().child(scene.worker("a")).spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    let began = Instant::now();
    let _ = a.crash().await;
    a.count().await.unwrap();
    a.finish().await.unwrap();
    pass(1).await;
    a.count().await.unwrap();
    assert!(began.elapsed() < millis(10), "{:?}", began.elapsed());
    let _gate = scene.gate_stop("a");
    let began = Instant::now();
    within(supervisor.shutdown()).await;
    assert_eq!(began.elapsed().as_millis() / 10, 500);
}

#[tokio::test(start_paused = true)]
async fn a_backoff_grows_to_its_limit_and_no_further() {
    let scene = Scene::default();
    scene.fail_starts("a", 5);
    let backoff = Backoff::exponential(millis(100), millis(350));
    let child = scene
        .worker("a")
        .backoff(backoff)
        .intensity(Intensity::unlimited());
    let began = Instant::now();
    let supervisor = Supervisor::builder().child(child).spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    a.count().await.unwrap();
    let expected = 100 + 200 + 350 + 350 + 350;
    assert_eq!(began.elapsed().as_millis() / 10, expected / 10);
}

/// Asks for something when a child has ended: as soon as its supervisor hears of that.
#[actor]
struct Watcher {
    supervisor: SupervisorHandle,
    refused: Option<oneshot::Sender<Option<ChildError>>>,
}

#[actor]
impl Watcher {
    fn watch(&mut self, worker: WorkerHandle, ctx: &mut Context<Self>) {
        ctx.monitor(&worker);
    }

    #[message]
    async fn on_down(&mut self, _down: Down) {
        let error = self.supervisor.delete("b").await.unwrap_err();
        let refused = self.refused.take().expect("one child ends");
        let _ = refused.send(match error {
            AskError::Handler(error) => Some(error),
            _ => None,
        });
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_of_a_supervisor_that_has_decided_to_end_is_refused() {
    let scene = Scene::default();
    let child = scene.worker("a").restart(Restart::Transient).significant();
    let supervisor = Supervisor::builder()
        .auto_shutdown(AutoShutdown::AnySignificant)
        .child(child)
        .child(scene.worker("b"))
        .spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    supervisor.wait_launched().await.unwrap();
    let (refused, refusal) = oneshot::channel();
    let watcher = Watcher {
        supervisor,
        refused: Some(refused),
    };
    let watcher = watcher.spawn();
    watcher.watch(a.clone()).await.unwrap();
    a.finish().await.unwrap();
    // It comes behind the report of the end, and before the end of the supervisor.
    assert_eq!(within(refusal).await.unwrap(), Some(ChildError::Closing));
}
