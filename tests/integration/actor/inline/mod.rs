//! Asks that run their handler on the asker's stack.

mod around;
mod askers;
mod bounds;
mod contexts;
mod ends;
mod faults;
mod order;
mod races;
mod runs;
mod spans;

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use greenroom::actor;

use super::support::Gate;

thread_local! {
    /// Marked asks that are being polled on this thread.
    static ASKS: Cell<u32> = const { Cell::new(0) };
}

/// An ask whose polls can be seen from inside.
pub(crate) struct Marked<F>(Pin<Box<F>>);

pub(crate) fn marked<F: Future>(ask: F) -> Marked<F> {
    Marked(Box::pin(ask))
}

impl<F: Future> Future for Marked<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        ASKS.set(ASKS.get() + 1);
        let polled = self.0.as_mut().poll(cx);
        ASKS.set(ASKS.get() - 1);
        polled
    }
}

/// Marked asks on this thread's stack.
fn on_the_stack_of() -> u32 {
    ASKS.get()
}

/// Says whether its handlers run on an asker's stack.
#[actor(mailbox = 8)]
struct Probe {
    handled: Vec<u32>,
}

#[actor]
impl Probe {
    #[message(inline = always)]
    fn always(&mut self, n: u32) -> bool {
        self.handled.push(n);
        on_the_stack_of() > 0
    }

    #[message(inline = always)]
    async fn always_async(&mut self, n: u32) -> bool {
        self.handled.push(n);
        on_the_stack_of() > 0
    }

    #[message(inline = never)]
    fn never(&mut self, n: u32) -> bool {
        self.handled.push(n);
        on_the_stack_of() > 0
    }

    #[message(inline = always)]
    async fn wait(&mut self, n: u32, gate: Gate) -> bool {
        let inline = on_the_stack_of() > 0;
        gate.pass().await;
        self.handled.push(n);
        inline
    }

    #[message(inline = always)]
    fn large(&mut self, padding: [u8; 4096]) -> bool {
        std::hint::black_box(padding);
        on_the_stack_of() > 0
    }

    #[message(inline = never)]
    fn order(&mut self) -> Vec<u32> {
        self.handled.clone()
    }
}

fn probe() -> ProbeHandle {
    Probe {
        handled: Vec::new(),
    }
    .spawn()
}
