//! What a child keeps through its restarts: its name, its groups and subscriptions, its thread, and
//! what it has put aside or not yet begun.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use greenroom::limits::OWN_THREADS_MAX;
use greenroom::{
    Backoff, Builder, Child, Context, Delegated, ExitReason, Group, Handle, Intensity,
    SpawnErrorKind, Strategy, Supervisor, Topic, actor, registry,
};

use super::scene::{Scene, Worker, millis, pass};
use crate::actor::support::{Gate, on_each_runtime, until, within};

#[derive(Clone)]
struct Word(u32);

type Book = Arc<Mutex<Vec<u32>>>;

#[actor(mailbox = 16)]
struct Scribe {
    book: Book,
    is_open: bool,
}

#[actor]
impl Scribe {
    fn open(&mut self, ctx: &Context<Self>) {
        self.is_open = true;
        ctx.unstash();
    }

    fn write(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<u32> {
        if !self.is_open {
            return ctx.stash(ScribeWrite { n }).unwrap();
        }
        self.book.lock().unwrap().push(n);
        Delegated::ready(n)
    }

    #[message(reentrant)]
    async fn read(&self, gate: Gate) -> usize {
        gate.pass().await;
        self.book.lock().unwrap().len()
    }

    #[message]
    fn on_word(&mut self, word: Word) {
        self.book.lock().unwrap().push(word.0);
    }

    fn thread(&self) -> ThreadId {
        thread::current().id()
    }

    fn crash(&mut self) {
        panic!("the pen broke")
    }
}

fn scribe(book: &Book) -> Child<Scribe> {
    let book = book.clone();
    Child::new(move || Scribe {
        book: book.clone(),
        is_open: false,
    })
    .name("scribe")
}

#[test]
fn a_child_keeps_its_registered_name_its_groups_and_subscriptions_through_restarts() {
    on_each_runtime(|| async {
        let (book, group, topic) = (Book::default(), Group::new(), Topic::new());
        let supervisor = Supervisor::builder()
            .child(scribe(&book).register("chronicle"))
            .spawn();
        let scribe = within(registry().wait_for::<Scribe>("chronicle"))
            .await
            .unwrap();
        assert_eq!(Handle::name(&scribe), "scribe");
        group.join(&scribe).unwrap();
        let subscription = topic.subscribe(&scribe).unwrap();
        for life in 1..=3 {
            assert_eq!(registry().get::<Scribe>("chronicle").unwrap(), scribe);
            let thief = Builder::new(Scribe {
                book: book.clone(),
                is_open: true,
            });
            let thief = thief.register("chronicle").try_spawn();
            let taken = SpawnErrorKind::NameTaken {
                by: scribe.identity(),
            };
            assert_eq!(thief.unwrap_err().kind(), taken);
            assert_eq!(group.len(), 1);
            assert_eq!(topic.publish(Word(life)).reached, 1);
            within(scribe.open()).await.unwrap();
            assert!(subscription.is_active());
            assert!(within(scribe.crash()).await.is_err());
        }
        until(|| Handle::incarnation(&scribe) == 4).await;
        assert_eq!(*book.lock().unwrap(), [1, 2, 3]);
        within(supervisor.shutdown()).await;
        assert!(registry().get::<Scribe>("chronicle").is_err());
        assert!(!subscription.is_active() && group.is_empty());
    });
}

#[test]
fn a_child_whose_name_is_taken_fails_to_start_until_it_is_free() {
    on_each_runtime(|| async {
        let book = Book::default();
        let owner = Builder::new(Scribe {
            book: book.clone(),
            is_open: true,
        });
        let owner = owner.register("chronicle").spawn();
        let child = scribe(&book).register("chronicle");
        let child = child.backoff(Backoff::exponential(millis(1), millis(1)));
        let supervisor = Supervisor::builder()
            .intensity(Intensity::unlimited())
            .child(child)
            .spawn();
        let failure = async {
            loop {
                let info = within(supervisor.children()).await.unwrap().remove(0);
                match info.last_failure {
                    Some(failure) => return failure.to_string(),
                    None => tokio::task::yield_now().await,
                }
            }
        };
        let failure = within(failure).await;
        assert!(failure.contains("its name is taken by"), "{failure}");
        assert_eq!(registry().get::<Scribe>("chronicle").unwrap(), owner);
        within(Handle::shutdown(&owner)).await;
        let scribe = within(registry().wait_for::<Scribe>("chronicle"))
            .await
            .unwrap();
        assert_eq!(Handle::name(&scribe), "scribe");
        let another = self::scribe(&book).name("another").register("chronicle");
        let error = within(supervisor.add(another)).await.unwrap_err();
        assert!(
            error.to_string().contains("its name is taken by"),
            "{error}"
        );
        within(supervisor.shutdown()).await;
    });
}

#[test]
fn a_supervisor_whose_child_never_gets_its_name_gives_up() {
    on_each_runtime(|| async {
        let book = Book::default();
        let owner = Builder::new(Scribe {
            book: book.clone(),
            is_open: true,
        });
        let _owner = owner.register("chronicle").spawn();
        let supervisor = Supervisor::builder()
            .intensity(Intensity::new(2, millis(60_000)))
            .child(scribe(&book).register("chronicle"))
            .spawn();
        let reason = within(supervisor.join()).await;
        let ExitReason::GaveUp(failure) = &reason else {
            panic!("{reason}")
        };
        assert!(failure.to_string().contains("taken"), "{failure}");
    });
}

#[test]
fn a_blocking_child_keeps_its_thread_through_restarts_and_gives_it_back() {
    on_each_runtime(|| async {
        let book = Book::default();
        for _ in 0..OWN_THREADS_MAX + 1 {
            let child = scribe(&book).blocking();
            let supervisor = Supervisor::builder().child(child).spawn();
            let scribe = within(supervisor.child::<Scribe>("scribe")).await.unwrap();
            let first = within(scribe.thread()).await.unwrap();
            assert_ne!(first, thread::current().id());
            assert!(within(scribe.crash()).await.is_err());
            assert_eq!(within(scribe.thread()).await.unwrap(), first);
            within(supervisor.shutdown()).await;
        }
    });
}

#[test]
fn a_child_for_which_there_is_no_thread_fails_to_start() {
    on_each_runtime(|| async {
        let book = Book::default();
        let make = || Scribe {
            book: Book::default(),
            is_open: true,
        };
        let mut all = vec![];
        for _ in 0..OWN_THREADS_MAX {
            all.push(Builder::new(make()).blocking().spawn());
        }
        let supervisor = Supervisor::builder()
            .intensity(Intensity::new(0, millis(60_000)))
            .child(scribe(&book).blocking())
            .spawn();
        let reason = within(supervisor.join()).await;
        assert!(matches!(reason, ExitReason::GaveUp(_)), "{reason}");
        for blocker in all {
            within(Handle::shutdown(&blocker)).await;
        }
    });
}

#[actor(blocking)]
struct Press;

#[actor]
impl Press {
    fn thread(&self) -> ThreadId {
        thread::current().id()
    }
}

#[test]
fn an_actor_whose_type_says_so_has_a_thread_of_its_own_wherever_it_is_spawned() {
    on_each_runtime(|| async {
        let here = thread::current().id();
        let supervisor = Supervisor::builder()
            .child(Child::new(|| Press).name("press"))
            .spawn();
        let child = within(supervisor.child::<Press>("press")).await.unwrap();
        let (one, other) = (Press.spawn(), Builder::restartable(|| Press).spawn());
        let mut threads = HashSet::from([here]);
        for press in [&one, &other, &child] {
            let first = within(press.thread()).await.unwrap();
            assert!(threads.insert(first), "a thread of its own");
            assert_eq!(within(press.thread()).await.unwrap(), first);
        }
    });
}

#[test]
fn what_was_put_aside_or_waits_comes_first_in_the_next_life_whatever_ended_the_last() {
    let strategies = [Strategy::OneForOne, Strategy::OneForAll];
    for strategy in strategies {
        on_each_runtime(move || async move {
            let book = Book::default();
            let supervisor = Supervisor::builder()
                .strategy(strategy)
                .child(scribe(&book))
                .spawn();
            let scribe = within(supervisor.child::<Scribe>("scribe")).await.unwrap();
            let first = within(scribe.write(1).enqueue()).await.unwrap();
            let second = within(scribe.write(2).enqueue()).await.unwrap();
            until(|| scribe.free_slots() == 16).await;
            // It reads, and beside it nothing that runs alone begins.
            let gate = Gate::shut();
            let read = within(scribe.read(gate.clone()).enqueue()).await.unwrap();
            gate.reached().await;
            let crash = within(scribe.crash().enqueue()).await.unwrap();
            let open = within(scribe.open().enqueue()).await.unwrap();
            let third = within(scribe.write(3).enqueue()).await.unwrap();
            gate.open();
            assert_eq!(within(read).await.unwrap(), 0);
            assert!(within(crash).await.is_err());
            within(open).await.unwrap();
            for (reply, n) in [(first, 1), (second, 2), (third, 3)] {
                assert_eq!(within(reply).await.unwrap(), n);
            }
            assert_eq!(*book.lock().unwrap(), [1, 2, 3]);
            assert_eq!(Handle::incarnation(&scribe), 2);
            within(supervisor.shutdown()).await;
        });
    }
}

#[test]
fn a_message_that_is_held_back_by_those_that_run_beside_each_other_outlives_their_end() {
    on_each_runtime(|| async {
        let book = Book::default();
        let supervisor = Supervisor::builder().child(scribe(&book)).spawn();
        let scribe = within(supervisor.child::<Scribe>("scribe")).await.unwrap();
        let gate = Gate::shut();
        let read = within(scribe.read(gate.clone()).enqueue()).await.unwrap();
        gate.reached().await;
        let open = within(scribe.open().enqueue()).await.unwrap();
        let write = within(scribe.write(1).enqueue()).await.unwrap();
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        scribe.kill();
        assert!(within(read).await.is_err());
        within(open).await.unwrap();
        assert_eq!(within(write).await.unwrap(), 1);
        assert_eq!(Handle::incarnation(&scribe), 2);
        within(supervisor.shutdown()).await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_child_that_is_halted_handles_what_it_accepted_when_its_supervisor_is_told_to_stop() {
    for is_late in [false, true] {
        let scene = Scene::default();
        let supervisor = Supervisor::builder()
            .strategy(Strategy::OneForAll)
            .child(scene.worker("a"))
            .child(scene.worker("b"))
            .spawn();
        supervisor.wait_launched().await.unwrap();
        let [a, b] = ["a", "b"].map(|name| supervisor.child::<Worker>(name));
        let (a, b) = (a.await.unwrap(), b.await.unwrap());
        let gate = Gate::shut();
        b.hold(gate.clone()).tell().await.unwrap();
        within(gate.reached()).await;
        let queued = b.count().enqueue().await.unwrap();
        assert!(a.crash().await.is_err());
        if is_late {
            pass(1).await; // it is to come back, once it is done
        }
        Handle::stop(&supervisor);
        pass(1).await;
        gate.open();
        assert_eq!(within(queued).await.unwrap(), 1);
        assert!(within(supervisor.join()).await.is_normal());
        let log = scene.log();
        let of_b = log.iter().filter(|line| line.ends_with(" b"));
        assert!(of_b.eq(["start b", "stop b", "drop b"].iter()), "{log:?}");
        assert!(matches!(b.exit_reason(), Some(ExitReason::Stopped)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_child_that_waits_for_its_restart_has_nothing_that_could_be_killed_and_comes_back() {
    let scene = Scene::default();
    let child = scene.worker("a");
    let child = child.backoff(Backoff::exponential(millis(100), millis(100)));
    let supervisor = Supervisor::builder().child(child).spawn();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    assert!(worker.crash().await.is_err());
    let queued = worker.count().enqueue().await.unwrap();
    pass(1).await;
    worker.kill();
    pass(1).await;
    assert!(!worker.is_stopped());
    let late = worker.count().enqueue().await.unwrap();
    assert_eq!((queued.await.unwrap(), late.await.unwrap()), (1, 2));
    assert_eq!(supervisor.children().await.unwrap()[0].restarts, 1);
}
