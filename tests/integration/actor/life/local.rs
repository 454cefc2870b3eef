//! Actors that need not be `Send`: made, run and dropped on one thread.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, ThreadId};

use greenroom::{
    AskError, Builder, Child, Delegated, Down, Ends, ExitReason, Group, Handle, LocalContext,
    OnPanic, OneThread, Pool, ResumeAfterPanic, Supervisor, Vacancy, actor, registry,
};
use tokio::task::yield_now;

use crate::actor::support::{Flavor, Gate, on_each_runtime, on_thread, within};

/// Says on which thread it is made, touched and dropped. It is not `Send`.
struct Witness {
    log: Sender<(&'static str, ThreadId)>,
    _here: Rc<()>,
}

impl Witness {
    fn new(log: &Sender<(&'static str, ThreadId)>) -> Self {
        let witness = Self {
            log: log.clone(),
            _here: Rc::default(),
        };
        witness.say("made");
        witness
    }

    fn say(&self, word: &'static str) {
        let _ = self.log.send((word, thread::current().id()));
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.say("dropped");
    }
}

#[actor(local, mailbox = 8)]
struct Canvas {
    shapes: Rc<RefCell<Vec<u32>>>,
    borrowed: Cell<u32>,
    witness: Witness,
}

type Log = (
    Sender<(&'static str, ThreadId)>,
    Receiver<(&'static str, ThreadId)>,
);

fn canvas(log: &Sender<(&'static str, ThreadId)>) -> Canvas {
    Canvas {
        shapes: Rc::default(),
        borrowed: Cell::new(0),
        witness: Witness::new(log),
    }
}

#[actor(local)]
impl Canvas {
    #[on(start)]
    async fn begin(&mut self) {
        let here = Rc::clone(&self.shapes);
        yield_now().await;
        here.borrow_mut().push(0);
        self.witness.say("started");
    }

    async fn draw(&mut self, shape: u32) -> Vec<u32> {
        let shapes = Rc::clone(&self.shapes);
        yield_now().await;
        shapes.borrow_mut().push(shape);
        self.witness.say("drawn");
        shapes.borrow().clone()
    }

    fn len(&self) -> usize {
        self.shapes.borrow().len()
    }

    /// Is suspended with what is not `Send`, until the gate opens.
    async fn hold(&mut self, gate: Gate) {
        let _guest = Witness::new(&self.witness.log);
        let _here = Rc::clone(&self.shapes);
        gate.pass().await;
    }

    #[message(reentrant)]
    async fn beside(&self, gate: Gate) -> u32 {
        let here = Rc::clone(&self.shapes);
        self.borrowed.set(self.borrowed.get() + 1);
        gate.pass().await;
        drop(here);
        self.borrowed.get()
    }

    fn later(&mut self, ctx: &LocalContext<Self>) -> Delegated<usize> {
        match self.shapes.borrow().len() {
            1 => ctx.stash(CanvasLater {}).unwrap(),
            len => Delegated::ready(len),
        }
    }

    fn unstash(&mut self, ctx: &LocalContext<Self>) {
        self.shapes.borrow_mut().push(9);
        ctx.unstash();
    }

    fn rows(&mut self) -> impl futures::Stream<Item = u32> {
        let shapes = Rc::clone(&self.shapes);
        futures::stream::iter((0..3).map(move |n| n + shapes.borrow()[0]))
    }

    async fn ask_other(&mut self, other: CanvasHandle) -> usize {
        let len = other.len().await.unwrap();
        len + self.shapes.borrow().len()
    }

    fn fall(&mut self) {
        panic!("off the easel")
    }

    #[on(stop)]
    async fn end(&mut self) {
        let here = Rc::clone(&self.shapes);
        yield_now().await;
        self.witness.say("stopped");
        drop(here);
    }

    #[on(panic)]
    fn crashed(&mut self) -> OnPanic<Self> {
        self.witness.say("crashed");
        OnPanic::stop()
    }
}

impl ResumeAfterPanic for Canvas {}

/// All that was said, which was said on one thread, and not on this.
#[track_caller]
fn words(log: Log) -> Vec<&'static str> {
    drop(log.0);
    let said: Vec<_> = log.1.iter().collect();
    let threads = said.iter().map(|said| said.1);
    assert!(
        threads.clone().all(|thread| thread == said[0].1),
        "{said:?}"
    );
    assert_ne!(said[0].1, thread::current().id());
    said.into_iter().map(|said| said.0).collect()
}

#[test]
fn a_local_actor_is_made_runs_and_is_dropped_on_its_thread() {
    on_each_runtime(|| async {
        let log = mpsc::channel();
        let sender = log.0.clone();
        let canvas = Canvas::spawn(move || canvas(&sender));
        assert_eq!(within(canvas.draw(1)).await.unwrap(), [0, 1]);
        assert_eq!(within(canvas.len()).await.unwrap(), 2);
        let reason = within(Handle::shutdown(&canvas)).await;
        assert!(matches!(reason, ExitReason::Stopped));
        let lived = ["made", "started", "drawn", "stopped", "dropped"];
        assert_eq!(words(log), lived);
    });
}

#[test]
fn a_local_actor_that_is_killed_drops_its_handler_and_its_state_on_its_thread() {
    on_each_runtime(|| async {
        let log = mpsc::channel();
        let sender = log.0.clone();
        let canvas = Builder::local(move || canvas(&sender))
            .name("easel")
            .spawn();
        let gate = Gate::shut();
        let held = within(canvas.hold(gate.clone()).enqueue()).await.unwrap();
        let queued = within(canvas.draw(1).enqueue()).await.unwrap();
        gate.reached().await;
        canvas.kill();
        assert!(matches!(within(canvas.join()).await, ExitReason::Killed));
        assert!(matches!(within(held).await, Err(AskError::Interrupted(_))));
        assert!(matches!(within(queued).await, Err(AskError::NotHandled(_))));
        assert_eq!(
            words(log),
            ["made", "started", "made", "dropped", "dropped"]
        );
    });
}

#[test]
fn the_end_of_its_runtime_drops_a_local_actor_on_its_thread() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let log = mpsc::channel();
            let sender = log.0.clone();
            let runtime = flavor.build();
            let (canvas, gate) = runtime.block_on(async move {
                let canvas = Canvas::spawn(move || self::canvas(&sender));
                let gate = Gate::shut();
                canvas.hold(gate.clone()).try_tell().unwrap();
                gate.reached().await;
                (canvas, gate)
            });
            drop(runtime);
            let elsewhere = Flavor::ALL[0].build();
            let reason = elsewhere.block_on(within(canvas.join()));
            assert!(matches!(reason, ExitReason::RuntimeGone));
            drop((canvas, gate));
            assert_eq!(
                words(log),
                ["made", "started", "made", "dropped", "dropped"]
            );
        });
    }
}

#[test]
fn a_restart_makes_the_next_state_of_a_local_actor_on_the_same_thread() {
    on_each_runtime(|| async {
        let log = mpsc::channel();
        let sender = log.0.clone();
        let canvas = Builder::local_restartable(move || self::canvas(&sender))
            .on_panic(|_| OnPanic::restart())
            .spawn();
        assert_eq!(within(canvas.draw(1)).await.unwrap(), [0, 1]);
        Handle::restart(&canvas).unwrap();
        assert_eq!(within(canvas.draw(2)).await.unwrap(), [0, 2]);
        assert!(within(canvas.fall()).await.is_err());
        assert_eq!(within(canvas.draw(3)).await.unwrap(), [0, 3]);
        assert_eq!(Handle::incarnation(&canvas), 3);
        within(Handle::shutdown(&canvas)).await;
        drop(canvas);
        let life = ["made", "started", "drawn"];
        let ends = [
            &["stopped", "dropped"][..],
            &["dropped"],
            &["stopped", "dropped"],
        ];
        let all: Vec<_> = ends
            .iter()
            .flat_map(|end| life.iter().chain(*end))
            .copied()
            .collect();
        assert_eq!(words(log), all);
    });
}

#[test]
fn a_panic_in_a_local_actor_or_its_factory_ends_it_on_its_thread() {
    on_each_runtime(|| async {
        let log = mpsc::channel();
        let sender = log.0.clone();
        let fallen = Canvas::spawn(move || canvas(&sender));
        assert!(within(fallen.fall()).await.is_err());
        assert!(matches!(
            within(fallen.join()).await,
            ExitReason::Panicked(_)
        ));
        assert_eq!(words(log), ["made", "started", "crashed", "dropped"]);
        let unmade = Canvas::spawn(|| panic!("no canvas"));
        assert!(matches!(
            within(unmade.len()).await,
            Err(AskError::NotHandled(_))
        ));
        let reason = within(unmade.join()).await.to_string();
        assert!(reason.contains("in its start hook: no canvas"), "{reason}");
    });
}

#[test]
fn a_local_actor_does_what_others_do() {
    on_each_runtime(|| async {
        let log = mpsc::channel();
        let made = log.0.clone();
        let canvas = Builder::local(move || self::canvas(&made))
            .register("easel")
            .spawn();
        assert_eq!(
            registry().get::<OneThread<Canvas>>("easel").unwrap(),
            canvas
        );
        let gates = [Gate::shut(), Gate::shut()];
        let mut beside = vec![];
        for gate in &gates {
            beside.push(within(canvas.beside(gate.clone()).enqueue()).await.unwrap());
        }
        for gate in &gates {
            gate.reached().await;
        }
        gates.iter().for_each(Gate::open);
        for reply in beside {
            assert_eq!(within(reply).await.unwrap(), 2);
        }
        let later = within(canvas.later().enqueue()).await.unwrap();
        within(canvas.unstash()).await.unwrap();
        assert_eq!(within(later).await.unwrap(), 2);
        let rows = within(canvas.rows()).await.unwrap();
        let rows: Vec<_> = futures::StreamExt::collect(rows).await;
        assert_eq!(
            rows.into_iter().map(Result::unwrap).collect::<Vec<_>>(),
            [0, 1, 2]
        );
        let (sum, other) = (mpsc::channel(), log.0.clone());
        let other = Canvas::spawn(move || self::canvas(&other));
        assert_eq!(within(other.ask_other(canvas.clone())).await.unwrap(), 3);
        let mut ends = Ends::new();
        ends.watch(&canvas);
        Handle::link(&canvas, &other);
        other.kill();
        let Down { reason, .. } = within(Ends::next(&mut ends)).await.unwrap();
        assert!(matches!(reason, ExitReason::Linked(_)));
        drop::<Log>(sum);
    });
}

#[test]
fn supervisors_pools_groups_and_vacancies_take_local_actors() {
    on_each_runtime(|| async {
        let log = mpsc::channel();
        let sender = log.0.clone();
        let child = Child::new(move || OneThread::new(canvas(&sender))).name("canvas");
        let supervisor = Supervisor::builder().child(child).spawn();
        let canvas = within(supervisor.child::<OneThread<Canvas>>("canvas"))
            .await
            .unwrap();
        within(canvas.draw(1)).await.unwrap();
        assert!(within(canvas.fall()).await.is_err());
        assert_eq!(within(canvas.draw(2)).await.unwrap(), [0, 2]);
        let group = Group::<OneThread<Canvas>>::new();
        group.join(&canvas).unwrap();
        assert_eq!(group.len(), 1);
        within(Handle::shutdown(&supervisor)).await;
        let (canvas_of_log, place) = Vacancy::<OneThread<Canvas>>::open().unwrap();
        let early = within(canvas_of_log.draw(3).enqueue()).await.unwrap();
        let sender = log.0.clone();
        assert!(
            place
                .fill_with(move || OneThread::new(self::canvas(&sender)))
                .is_ok()
        );
        assert_eq!(within(early).await.unwrap(), [0, 3]);
        let pool = Pool::builder(move || OneThread::new(self::canvas(&log.0)))
            .size(2)
            .spawn()
            .unwrap();
        assert_eq!(within(pool.pick().draw(4)).await.unwrap(), [0, 4]);
    });
}

#[test]
fn handles_and_requests_of_local_actors_may_go_anywhere() {
    fn assert_send<T: Send>(_: &T) {}
    fn assert_sync<T: Sync>(_: &T) {}
    on_thread(|| {
        Flavor::TwoWorkers.build().block_on(async {
            let log = mpsc::channel();
            let canvas = Canvas::spawn(move || canvas(&log.0));
            assert_send(&canvas);
            assert_sync(&canvas);
            assert_send(&canvas.draw(1));
            assert_send(&canvas.downgrade());
            let other = canvas.clone();
            let task = greenroom::spawn(async move { other.draw(1).await.unwrap() });
            assert_eq!(within(task).await.unwrap(), [0, 1]);
            let other = canvas.clone();
            let thread = thread::spawn(move || other.len().blocking().unwrap());
            assert_eq!(thread.join().unwrap(), 2);
        });
    });
}

#[test]
fn a_local_state_that_was_made_elsewhere_is_never_reached() {
    on_each_runtime(|| async {
        let log = mpsc::channel();
        // Here, and not in a factory on its thread.
        let canvas = Builder::new(OneThread::new(canvas(&log.0))).spawn();
        let error = within(canvas.len()).await.unwrap_err();
        assert!(matches!(error, AskError::NotHandled(_)), "{error:?}");
        let reason = within(canvas.join()).await.to_string();
        assert!(reason.contains("make it in a factory"), "{reason}");
        drop(log.0);
        let said: Vec<_> = log.1.try_iter().collect();
        assert_eq!(said, [("made", thread::current().id())], "it is leaked");
    });
}
