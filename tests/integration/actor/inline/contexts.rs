//! Contexts that are swapped between an inline handler and the handler that asked.

use std::cell::Cell;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};

use greenroom::{Builder, Context, ExitReason, actor};

use crate::actor::support::{on_each_runtime, within};

scoped_tls::scoped_thread_local!(static OUTER: Cell<Context<Swapper>>);

#[actor]
struct Swapper {
    states: Arc<()>,
}

#[actor]
impl Swapper {
    /// Asks the other inline, while its own context can be reached.
    #[message(inline = always)]
    fn outer(&mut self, ctx: &mut Context<Self>, other: SwapperHandle, crash: bool) -> bool {
        OUTER.set(Cell::from_mut(ctx), || {
            let mut ask = Box::pin(other.inner(crash));
            let poll = ask
                .as_mut()
                .poll(&mut TaskContext::from_waker(Waker::noop()));
            match poll {
                Poll::Ready(answer) => answer.is_ok(),
                Poll::Pending => panic!("it did not run inline"),
            }
        })
    }

    #[message(inline = always)]
    fn inner(&mut self, ctx: &mut Context<Self>, crash: bool) -> usize {
        OUTER.with(|outer| outer.swap(Cell::from_mut(ctx)));
        assert!(!crash, "crashed with the context of another");
        Arc::strong_count(&self.states)
    }

    #[message(inline = always)]
    fn name(&mut self, ctx: &mut Context<Self>) -> String {
        ctx.name().to_owned()
    }

    #[message(inline = always)]
    fn halt(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
    }
}

#[test]
fn contexts_swapped_inline_lead_to_each_other_and_each_actor_ends_once() {
    for crash in [false, true] {
        on_each_runtime(move || async move {
            let states = Arc::new(());
            let spawn = |name| {
                let states = Arc::clone(&states);
                Builder::new(Swapper { states }).name(name).spawn()
            };
            let (first, second) = (spawn("first"), spawn("second"));
            let answered = within(first.outer(second.clone(), crash)).await.unwrap();
            assert_eq!(answered, !crash);
            assert_eq!(within(first.name()).await.unwrap(), "second");
            if crash {
                assert!(matches!(
                    within(second.join()).await,
                    ExitReason::Panicked(_)
                ));
                drop(second);
                first.stop();
            } else {
                assert_eq!(within(second.name()).await.unwrap(), "first");
                // Stops the other.
                within(first.halt()).await.unwrap();
                within(second.join()).await;
                assert!(!first.is_stopped());
                drop(second);
                assert_eq!(within(first.name()).await.unwrap(), "second");
                first.stop();
            }
            within(first.join()).await;
            drop(first);
            assert_eq!(Arc::strong_count(&states), 1);
        });
    }
}
