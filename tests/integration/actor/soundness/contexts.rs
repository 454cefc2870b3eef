//! A handler has its context by `&mut`, and may swap it for that of another actor of its type.

use std::cell::Cell;
use std::sync::Arc;

use greenroom::{Builder, Context, ExitReason, WeakHandle, actor};

use crate::actor::support::{on_thread, within};

scoped_tls::scoped_thread_local!(static OUTER: Cell<Context<Swapper>>);

/// Runs another actor of its kind on its own stack, and swaps contexts with it.
#[actor]
struct Swapper {
    states: Arc<()>,
}

type Host = Arc<tokio::runtime::Runtime>;

#[actor]
impl Swapper {
    fn outer(&mut self, ctx: &mut Context<Self>, host: Host, other: SwapperHandle) {
        tokio::task::block_in_place(|| {
            OUTER.set(Cell::from_mut(ctx), || {
                host.block_on(within(other.inner())).unwrap();
            });
        });
    }

    fn inner(&mut self, ctx: &mut Context<Self>) -> usize {
        OUTER.with(|outer| outer.swap(Cell::from_mut(ctx)));
        Arc::strong_count(&self.states)
    }

    fn myself(&mut self, ctx: &mut Context<Self>) -> (String, SwapperHandle) {
        (ctx.name().to_owned(), ctx.handle())
    }
}

struct Swapped {
    first_host: Host,
    second_host: Host,
    first: SwapperHandle,
    second: SwapperHandle,
    states: Arc<()>,
}

/// Two actors, each on its host, with each other's context.
fn swapped() -> Swapped {
    let states = Arc::new(());
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let first_host = Arc::new(builder.worker_threads(1).enable_all().build().unwrap());
    // This one runs on whatever thread blocks on it.
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let second_host = Arc::new(builder.enable_all().build().unwrap());
    let spawn = |host: &Host, name: &str| {
        let _inside = host.enter();
        let states = Arc::clone(&states);
        Builder::new(Swapper { states }).name(name).spawn()
    };
    let first = spawn(&first_host, "first");
    let second = spawn(&second_host, "second");
    let outer = first.outer(Arc::clone(&second_host), second.clone());
    outer.blocking().unwrap();
    Swapped {
        first_host,
        second_host,
        first,
        second,
        states,
    }
}

/// Ends the actor, and says what is left of it: a handle that reaches it.
fn end(host: &Host, actor: SwapperHandle) -> WeakHandle<Swapper> {
    let weak = actor.downgrade();
    actor.stop();
    drop(actor);
    let reason = host.block_on(within(weak.join()));
    assert!(matches!(reason, ExitReason::Stopped), "{reason:?}");
    weak
}

#[test]
fn contexts_swapped_between_two_actors_lead_to_each_other_and_harm_neither() {
    on_thread(|| {
        let pair = swapped();
        let (name, handle) = pair
            .first_host
            .block_on(within(pair.first.myself()))
            .unwrap();
        assert_eq!((&*name, handle == pair.second), ("second", true));
        drop(handle);
        let ask = within(pair.second.myself());
        let (name, handle) = pair.second_host.block_on(ask).unwrap();
        assert_eq!((&*name, handle == pair.first), ("first", true));
        drop(handle);
        drop(end(&pair.second_host, pair.second));
        drop(end(&pair.first_host, pair.first));
        assert_eq!(Arc::strong_count(&pair.states), 1);
    });
}

#[test]
fn a_swapped_context_keeps_the_cell_of_an_actor_that_ended_first() {
    on_thread(|| {
        for second_first in [false, true] {
            let pair = swapped();
            let mut ends = [
                (pair.first_host, pair.first, "second"),
                (pair.second_host, pair.second, "first"),
            ];
            if second_first {
                ends.reverse();
            }
            let [(early_host, early, _), (late_host, late, early_name)] = ends;
            // No handle of any kind is left, but for the other's context.
            drop(end(&early_host, early));
            drop(early_host);
            let (name, handle) = late_host.block_on(within(late.myself())).unwrap();
            assert_eq!(name, early_name);
            assert!(handle.is_stopped());
            assert!(handle.myself().try_tell().is_err());
            drop(handle);
            drop(end(&late_host, late));
            assert_eq!(Arc::strong_count(&pair.states), 1);
        }
    });
}
