//! Futures of handlers, and what they give, that panic when they are dropped.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use greenroom::{AskError, ExitReason, Handler, Plain, actor};

use crate::actor::support::{assert_at_rest, on_each_runtime, within};

/// Panics whenever it is dropped, even while another panic unwinds.
struct Powder {
    name: &'static str,
    drops: Arc<AtomicUsize>,
}

impl Drop for Powder {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        panic!("{}", self.name);
    }
}

/// Is ready at once, with powder in its output and in itself.
struct Fuse(Powder);

impl Future for Fuse {
    type Output = Powder;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Powder> {
        let drops = Arc::clone(&self.0.drops);
        Poll::Ready(Powder {
            name: "the output",
            drops,
        })
    }
}

#[actor]
struct Cellar;

#[actor]
impl Cellar {
    fn ping(&mut self) {}
}

struct Light(Arc<AtomicUsize>);

impl Handler<Light> for Cellar {
    type Reply = Powder;
    type Shape = Plain;

    fn handle(
        &mut self,
        Light(drops): Light,
        _: &mut greenroom::Context<Self>,
    ) -> impl Future<Output = Powder> + Send {
        let name = "the future";
        Fuse(Powder { name, drops })
    }
}

#[test]
fn a_handler_whose_future_and_output_both_panic_when_dropped_ends_its_actor_alone() {
    on_each_runtime(|| async {
        for asked in [true, false] {
            let (cellar, drops) = (Cellar.spawn(), Arc::<AtomicUsize>::default());
            if asked {
                let error = within(cellar.ask(Light(Arc::clone(&drops)))).await.err();
                assert!(matches!(error, Some(AskError::Interrupted(_))), "{error:?}");
            } else {
                let told = within(cellar.tell(Light(Arc::clone(&drops)))).await;
                told.unwrap();
            }
            let ExitReason::Panicked(crash) = within(cellar.join()).await else {
                panic!("it has fallen")
            };
            assert_eq!(crash.text(), "the future");
            assert_eq!(drops.load(Ordering::SeqCst), 2);
            assert_at_rest(&cellar);
            within(Cellar.spawn().ping()).await.unwrap();
            within(greenroom::spawn(async {})).await.unwrap();
        }
    });
}
