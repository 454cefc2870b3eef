//! Handlers that run beside each other.

mod ends;
mod runs;
mod turns;
mod waits;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use greenroom::limits::REENTRANT_MAX;
use greenroom::{AskError, Builder, Context, actor};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::support::Gate;

/// What a hall has seen, in order.
#[derive(Clone, Default)]
pub(crate) struct Book(Arc<Mutex<Vec<&'static str>>>);

impl Book {
    fn note(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }

    fn read(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

/// Counts those inside, also where they are dropped at their await.
struct Inside<'a>(&'a Hall);

impl<'a> Inside<'a> {
    fn enter(hall: &'a Hall) -> Self {
        hall.inside.fetch_add(1, Ordering::Relaxed);
        Self(hall)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::Relaxed);
        self.0.book.note("left");
    }
}

/// Many may be inside, or one alone.
#[actor(mailbox = 8)]
pub(crate) struct Hall {
    inside: AtomicUsize,
    book: Book,
}

#[actor]
impl Hall {
    #[message(reentrant)]
    async fn visit(&self, gate: Gate) -> usize {
        let _inside = Inside::enter(self);
        gate.pass().await;
        self.inside.load(Ordering::Relaxed)
    }

    #[message(reentrant, inline = always)]
    async fn visit_inline(&self, gate: Gate) -> usize {
        self.visit(gate).await
    }

    #[message(reentrant)]
    fn count(&self) -> usize {
        self.inside.load(Ordering::Relaxed)
    }

    /// Runs alone.
    async fn sweep(&mut self, gate: Gate) {
        assert_eq!(*self.inside.get_mut(), 0, "it is not alone");
        self.book.note("sweeps");
        gate.pass().await;
        assert_eq!(*self.inside.get_mut(), 0, "it is not alone any more");
        self.book.note("swept");
    }

    #[message(reentrant)]
    async fn visit_within(&self, gate: Gate, ctx: &Context<Self>) -> Option<Instant> {
        gate.pass().await;
        ctx.deadline()
    }

    #[message(reentrant)]
    async fn wait_for_asker(&self, gate: Gate, what: &'static str, ctx: &Context<Self>) {
        let gone = ctx.asker_gone();
        tokio::join!(gate.pass(), gone);
        self.book.note(what);
    }

    #[message(reentrant)]
    async fn fall(&self, gate: Gate) {
        gate.pass().await;
        panic!("it falls");
    }

    /// Asks the other to ask back: for a look inside, or to sweep.
    #[message(reentrant)]
    async fn call(
        &self,
        other: HallHandle,
        sweeps: bool,
        gate: Gate,
        ctx: &Context<Self>,
    ) -> Result<(), AskError> {
        match other.call_back(ctx.handle(), sweeps, gate).await {
            Err(AskError::Handler(error)) => Err(error),
            called => {
                called.expect("it answers");
                Ok(())
            }
        }
    }

    /// Runs alone, and asks back.
    #[message(inline = never)]
    async fn call_back(
        &mut self,
        other: HallHandle,
        sweeps: bool,
        gate: Gate,
    ) -> Result<(), AskError> {
        gate.pass().await;
        match sweeps {
            true => other.sweep(open()).await,
            false => other.count().await.map(drop),
        }
    }

    /// Asks its own actor.
    #[message(reentrant)]
    async fn ask_itself(&self, sweeps: bool, ctx: &Context<Self>) -> Result<(), AskError> {
        match sweeps {
            true => ctx.handle().sweep(open()).await,
            false => ctx.handle().visit(open()).await.map(drop),
        }
    }
}

fn hall(book: &Book) -> HallHandle {
    named("hall", book)
}

fn named(name: &str, book: &Book) -> HallHandle {
    let hall = Hall {
        inside: AtomicUsize::new(0),
        book: book.clone(),
    };
    Builder::new(hall)
        .name(name)
        .mailbox(2 * REENTRANT_MAX)
        .spawn()
}

/// A gate that is open.
fn open() -> Gate {
    let gate = Gate::shut();
    gate.open();
    gate
}

/// Asks for a visit, and returns when the visitor is inside.
async fn visitor(hall: &HallHandle) -> (Gate, JoinHandle<Result<usize, AskError>>) {
    let gate = Gate::shut();
    let visit = tokio::spawn(hall.visit(gate.clone()).into_owned());
    gate.reached().await;
    (gate, visit)
}
