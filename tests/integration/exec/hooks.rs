//! Hooks hear of each task and actor once at its spawn and once at its end, in that order.

use std::future::pending;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use greenroom::runtime::{self, Builder, TaskKind, TaskMeta};
use greenroom::{Handle, Id, Runtime, SpawnErrorKind, actor, yield_now};

use super::support::{Note, Notes, tokio_multi, tokio_single, within};
use crate::actor::support::observe;
use crate::allocator::allocations;

#[actor]
struct Singer {
    songs: u32,
}

#[actor]
impl Singer {
    fn sing(&mut self) -> u32 {
        self.songs += 1;
        self.songs
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Heard {
    Spawn(Id, TaskKind, Option<String>),
    End(Id),
}

/// What the hooks heard.
#[derive(Clone, Default)]
struct Log {
    heard: Arc<Mutex<Vec<Heard>>>,
    places: Arc<Mutex<Vec<&'static Location<'static>>>>,
}

impl Log {
    fn hooks(&self, builder: Builder) -> Builder {
        let (first, second) = (self.clone(), self.clone());
        builder
            .on_task_spawn(move |task: &TaskMeta<'_>| {
                let name = task.name().map(str::to_owned);
                first.push(Heard::Spawn(task.id(), task.kind(), name));
                first.places.lock().unwrap().push(task.spawned_at());
            })
            .on_task_terminate(move |task| second.push(Heard::End(task.id())))
    }

    fn push(&self, heard: Heard) {
        self.heard.lock().unwrap().push(heard);
    }

    fn all(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// The line that was spawned from last.
    fn line(&self) -> u32 {
        let places = self.places.lock().unwrap();
        let place = places.last().unwrap();
        assert_eq!(place.file(), file!());
        place.line()
    }
}

fn builders() -> [Builder; 2] {
    [
        Runtime::builder().current_thread(),
        Runtime::builder().worker_threads(2),
    ]
}

fn task(id: Id) -> Heard {
    Heard::Spawn(id, TaskKind::Task, None)
}

#[test]
fn the_hooks_hear_of_tasks_however_they_end() {
    for builder in builders() {
        let log = Log::default();
        let runtime = log.hooks(builder).build().unwrap();
        let ids = runtime.block_on(async {
            let done = greenroom::spawn(yield_now());
            let (first, second) = (done.id(), greenroom::spawn(pending::<()>()));
            within("the end", done).await.unwrap();
            assert_eq!(log.all().last(), Some(&Heard::End(first)));
            second.abort();
            let aborted = second.id();
            within("the end", second).await.unwrap_err();
            assert_eq!(log.all().last(), Some(&Heard::End(aborted)));
            let third = greenroom::spawn(async { panic!("no luck") });
            let panicked = third.id();
            within("the end", third).await.unwrap_err();
            [first, aborted, panicked]
        });
        let last = runtime.spawn(pending::<()>()).id();
        drop(runtime);
        let all = log.all();
        for id in ids.into_iter().chain([last]) {
            let spawn = all.iter().position(|heard| *heard == task(id)).unwrap();
            let end = all.iter().position(|heard| *heard == Heard::End(id));
            assert!(spawn < end.unwrap(), "{all:?}");
        }
        assert_eq!(all.len(), 8);
    }
}

#[test]
fn the_hooks_hear_of_actors_by_name() {
    for builder in builders() {
        let log = Log::default();
        let runtime = log.hooks(builder).build().unwrap();
        let ids = runtime.block_on(async {
            let plain = Singer { songs: 0 }.spawn();
            let named = greenroom::Builder::new(Singer { songs: 0 })
                .name("alto")
                .spawn();
            let ids = [Handle::id(&plain), Handle::id(&named)];
            // Messages are no tasks.
            assert_eq!(within("the song", plain.sing()).await.unwrap(), 1);
            within("the end", plain.shutdown()).await;
            assert_eq!(log.all().last(), Some(&Heard::End(ids[0])));
            ids
        });
        drop(runtime);
        let actor = |id, name: &str| Heard::Spawn(id, TaskKind::Actor, Some(name.into()));
        let ends = ids.map(Heard::End);
        assert_eq!(
            log.all(),
            [
                actor(ids[0], "Singer"),
                actor(ids[1], "alto"),
                ends[0].clone(),
                ends[1].clone()
            ]
        );
    }
}

#[test]
fn the_hooks_learn_which_line_spawned() {
    let log = Log::default();
    let runtime = log
        .hooks(Runtime::builder().current_thread())
        .build()
        .unwrap();
    drop(runtime.spawn(async {}));
    assert_eq!(log.line(), line!() - 1);
    drop(runtime.handle().spawn(async {}));
    assert_eq!(log.line(), line!() - 1);
    drop(runtime.handle().try_spawn(async {}));
    assert_eq!(log.line(), line!() - 1);
    let _guard = runtime.enter();
    drop(greenroom::spawn(async {}));
    assert_eq!(log.line(), line!() - 1);
    drop(Singer { songs: 0 }.spawn());
    assert_eq!(log.line(), line!() - 1);
    drop(greenroom::Builder::new(Singer { songs: 0 }).try_spawn());
    assert_eq!(log.line(), line!() - 1);
}

#[test]
fn an_attached_scheduler_has_hooks_too() {
    for host in [tokio_single(), tokio_multi(1)] {
        let log = Log::default();
        let builder = log.hooks(Runtime::builder());
        let handle = builder.clone().attach(host.handle()).unwrap();
        // The same hooks are no other options.
        builder.attach(host.handle()).unwrap();
        let other = Runtime::builder().on_task_terminate(|_| {});
        let error = other.attach(host.handle()).unwrap_err();
        assert_eq!(error.option(), Some("on_task_spawn"));
        let task = handle.spawn(async {});
        let id = task.id();
        host.block_on(within("the end", task)).unwrap();
        assert_eq!(log.all().last(), Some(&Heard::End(id)));
    }
}

#[test]
fn a_hook_that_panics_is_reported_and_the_task_runs() {
    let notes = Notes::default();
    let _guard = observe(notes.clone());
    let runtime = Runtime::builder()
        .current_thread()
        .on_task_spawn(|_| panic!("no spawn"))
        .on_task_terminate(|_| panic!("no end"))
        .build()
        .unwrap();
    let answer = runtime.block_on(async {
        let singer = Singer { songs: 0 }.spawn();
        let song = within("the song", singer.sing()).await.unwrap();
        singer.shutdown().await;
        greenroom::spawn(async move { song }).await.unwrap()
    });
    assert_eq!(answer, 1);
    let note = |hook: &str, text: &str| Note {
        target: "greenroom::runtime",
        fields: [
            ("hook", hook.to_owned()),
            ("message", format!("panicked: {text}")),
        ]
        .into(),
    };
    let spawn = note("on_task_spawn", "no spawn");
    let end = note("on_task_terminate", "no end");
    assert_eq!(notes.all(), [spawn.clone(), end.clone(), spawn, end]);
}

#[test]
fn hooks_may_use_the_runtime() {
    for builder in builders() {
        let spawned = Arc::new(Mutex::new(Vec::new()));
        let (once, kept) = (Arc::new(Mutex::new(true)), Arc::clone(&spawned));
        let runtime = builder
            .on_task_spawn(move |_| {
                let handle = runtime::Handle::current();
                if std::mem::take(&mut *once.lock().unwrap()) {
                    let task = handle.spawn(async { 7 });
                    kept.lock().unwrap().push(task);
                }
            })
            .on_task_terminate(|task| {
                let live = runtime::Handle::current().metrics().live;
                assert!(live < 100, "{task:?}");
            })
            .build()
            .unwrap();
        runtime.block_on(async {
            within("the end", greenroom::spawn(async {})).await.unwrap();
            let inner = spawned.lock().unwrap().pop().unwrap();
            assert_eq!(within("the answer", inner).await.unwrap(), 7);
        });
    }
}

/// Spawns an actor when it is dropped, in vain.
struct Late;

impl Drop for Late {
    fn drop(&mut self) {
        let error = greenroom::Builder::new(Singer { songs: 3 })
            .try_spawn()
            .unwrap_err();
        assert_eq!(error.kind(), SpawnErrorKind::RuntimeGone);
    }
}

#[test]
fn a_spawn_that_is_refused_has_ended_at_once() {
    for builder in builders() {
        let log = Log::default();
        let runtime = log.hooks(builder).build().unwrap();
        let handle = runtime.handle().clone();
        let late = Late;
        let first = runtime.spawn(async move {
            let _late = late;
            pending::<()>().await;
        });
        drop(runtime);
        let all = log.all();
        let refused = |at: usize| match &all[at..at + 2] {
            [Heard::Spawn(id, kind, _), Heard::End(end)] if id == end => *kind,
            other => panic!("{other:?}"),
        };
        assert_eq!(all[0], task(first.id()));
        assert_eq!(refused(1), TaskKind::Actor);
        assert_eq!(all[3..], [Heard::End(first.id())]);

        let second = handle.spawn(async {}).id();
        handle.try_spawn(async {}).unwrap_err();
        let all = log.all();
        assert_eq!(all[4..6], [task(second), Heard::End(second)]);
        let [Heard::Spawn(third, ..), Heard::End(end)] = &all[6..] else {
            panic!("{all:?}");
        };
        assert_eq!(third, end);
    }
}

#[test]
fn hooks_cost_no_allocation() {
    let counted = |builder: Builder| {
        let runtime = builder.build().unwrap();
        let task = runtime.spawn(async {
            let spawn = || greenroom::spawn(async {});
            for _ in 0..100 {
                spawn().await.unwrap();
            }
            let before = allocations();
            for _ in 0..100 {
                spawn().await.unwrap();
            }
            allocations() - before
        });
        runtime.block_on(task).unwrap()
    };
    let single = || Runtime::builder().current_thread();
    let hooked = single().on_task_spawn(|_| {}).on_task_terminate(|_| {});
    assert_eq!(counted(hooked), counted(single()));
}
