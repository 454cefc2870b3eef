//! Who enters a world against who quiesces, forks, commits or ends it, under every interleaving.

use std::future::poll_fn;
use std::task::Poll;

use loom::future::block_on;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread::{self, JoinHandle};

use super::{Entry, Gate};

/// A world that is a count of what was written to it, and an actor's state.
///
/// The state is written and read by relaxed operations: what is seen of it is what the gate orders.
struct Model {
    gate: Gate<usize, ()>,
    state: AtomicUsize,
}

impl Model {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            gate: Gate::new(0, ()),
            state: AtomicUsize::new(0),
        })
    }

    /// Waits at the gate. False if the world has ended.
    fn enter(&self, is_inside: bool) -> bool {
        block_on(poll_fn(|cx| {
            match self.gate.enter(is_inside, Some(cx.waker()), |()| ()) {
                Entry::Wait => Poll::Pending,
                Entry::Refused => Poll::Ready(false),
                Entry::In(()) => Poll::Ready(true),
            }
        }))
    }

    fn land(&self) {
        self.gate.land(|()| ());
    }

    fn write(&self, state: usize) {
        self.state.store(state, Ordering::Relaxed);
    }

    fn state(&self) -> usize {
        self.state.load(Ordering::Relaxed)
    }

    /// A handler that writes in two steps.
    fn handle(&self) -> bool {
        let is_in = self.enter(false);
        if is_in {
            self.write(1);
            self.write(2);
            self.land();
        }
        is_in
    }

    /// The world, once nothing is in flight. None if it has ended.
    fn quiesce(&self) -> Option<usize> {
        let world = block_on(poll_fn(|cx| self.gate.poll_close(cx)));
        block_on(poll_fn(|cx| self.gate.poll_settled(cx)));
        assert!(self.gate.is_settled());
        world
    }

    fn open(&self, world: usize) {
        self.gate.open(world, |(), _| ());
    }
}

fn beside<T: 'static>(
    model: &Arc<Model>,
    act: impl FnOnce(&Model) -> T + 'static,
) -> JoinHandle<T> {
    let model = model.clone();
    thread::spawn(move || act(&model))
}

/// Explores the interleavings with three preemptions: all take hours where three threads wait.
fn bounded(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

#[test]
fn a_quiet_world_has_all_that_a_handler_did_or_nothing_and_lets_none_begin() {
    loom::model(|| {
        let model = Model::new();
        let handler = beside(&model, Model::handle);
        let world = model.quiesce().expect("it lives");
        let saved = model.state();
        assert!(saved == 0 || saved == 2, "{saved}");
        thread::yield_now();
        assert_eq!(model.state(), saved);
        model.open(world);
        assert!(handler.join().expect("no panic"));
        assert_eq!(model.state(), 2);
    });
}

#[test]
fn what_is_sent_from_inside_is_let_in_and_waited_for() {
    loom::model(|| {
        let model = Model::new();
        let relay = {
            let model = model.clone();
            thread::spawn(move || {
                assert!(model.enter(false));
                // A message to another actor; this one does not wait for it.
                assert!(model.enter(true));
                model.write(1);
                let other = beside(&model, |model| {
                    model.write(2);
                    model.land();
                });
                model.land();
                other.join().expect("no panic");
            })
        };
        let world = model.quiesce().expect("it lives");
        let saved = model.state();
        assert!(saved == 0 || saved == 2, "{saved}");
        model.open(world);
        relay.join().expect("no panic");
        assert_eq!(model.state(), 2);
    });
}

#[test]
fn of_those_who_want_a_world_each_has_it_by_itself_and_none_waits_for_ever() {
    bounded(|| {
        let model = Model::new();
        let others = [(), ()].map(|()| {
            beside(&model, |model| {
                let world = model.quiesce().expect("it lives");
                model.open(world + 1);
            })
        });
        let world = model.quiesce().expect("it lives");
        model.open(world + 1);
        for other in others {
            other.join().expect("no panic");
        }
        assert_eq!(model.quiesce(), Some(3));
    });
}

#[test]
fn who_does_not_wait_has_the_world_or_leaves_it_to_others() {
    bounded(|| {
        let model = Model::new();
        let handler = beside(&model, Model::handle);
        let other = beside(&model, |model| match model.gate.try_close(|()| ()) {
            Ok(world) => {
                let saved = model.state();
                assert!(saved == 0 || saved == 2, "{saved}");
                model.open(world.expect("it lives") + 1);
                1
            }
            Err(()) => 0,
        });
        let world = model.quiesce().expect("it lives");
        model.open(world);
        assert!(handler.join().expect("no panic"));
        let taken = other.join().expect("no panic");
        assert_eq!(model.quiesce(), Some(taken));
    });
}

#[test]
fn who_waits_at_the_gate_of_a_world_that_ends_is_refused() {
    loom::model(|| {
        let model = Model::new();
        let handler = beside(&model, Model::handle);
        let other = beside(&model, |model| {
            let world = model.quiesce();
            model.open(world.unwrap_or_default());
        });
        let (world, ()) = model.gate.end(|()| ());
        assert!(matches!(world, None | Some(0)));
        let was_let_in = handler.join().expect("no panic");
        assert_eq!(model.state() == 2, was_let_in);
        other.join().expect("no panic");
        assert!(!model.handle() && model.gate.is_settled());
        assert!(model.gate.with(|(), has_ended| has_ended));
    });
}
