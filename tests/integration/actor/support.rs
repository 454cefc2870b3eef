//! What the tests of actors share: a ledger of messages, gates, and runtimes to run on.

use std::cell::Cell;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, mpsc};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use greenroom::{Actor, Builder, Handle, Runtime};
use tokio::sync::Semaphore;
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Subscriber};

/// Far more than any test takes: it tells a hang from an answer, and measures nothing.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// The sender of what keeps an actor busy.
pub(crate) const BUSY: u32 = u32::MAX;

/// What has become of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Nothing yet: it is with its sender, or queued.
    Open,
    Handled,
    Returned,
    Withdrawn,
    Lost,
    /// It went to a hook on undelivered messages.
    Reported,
    Discarded,
}

struct Entry {
    fate: Fate,
    withdrawing: bool,
    dropped: bool,
}

#[derive(Default)]
struct Book {
    entries: Vec<Entry>,
    /// Sender and index of the handled, in the order of their handling.
    journal: Vec<(u32, u32)>,
    faults: Vec<String>,
}

impl Book {
    fn decide(&mut self, id: usize, fate: Fate) {
        let old = std::mem::replace(&mut self.entries[id].fate, fate);
        if old != Fate::Open {
            self.faults
                .push(format!("message {id}: {old:?}, then {fate:?}"));
        }
    }
}

/// Keeps account of every message made: each is exactly one of handled, handed back, withdrawn by
/// its sender, lost with the crash of its handler, reported to a hook as undelivered, discarded at
/// an end that says so, or open; and each is dropped once.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Book>>);

/// How many messages met each fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) handled: usize,
    pub(crate) returned: usize,
    pub(crate) withdrawn: usize,
    pub(crate) lost: usize,
    pub(crate) reported: usize,
    pub(crate) discarded: usize,
    pub(crate) open: usize,
}

impl Ledger {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a message.
    pub(crate) fn note(&self, sender: u32, index: u32) -> Note {
        let mut book = self.book();
        book.entries.push(Entry {
            fate: Fate::Open,
            withdrawing: false,
            dropped: false,
        });
        Note {
            ledger: self.clone(),
            id: book.entries.len() - 1,
            sender,
            index,
        }
    }

    /// Makes the only message of its sender.
    pub(crate) fn single(&self) -> Note {
        let made = self.book().entries.len();
        self.note(u32::MAX - 1 - made as u32, 0)
    }

    /// Drops the future that message `id` is in: if that drops the message, it was withdrawn.
    pub(crate) fn withdraw<F>(&self, id: usize, sending: F) {
        self.book().entries[id].withdrawing = true;
        drop(sending);
        self.book().entries[id].withdrawing = false;
    }

    /// The account so far. Fails if a message met two fates.
    pub(crate) fn tally(&self) -> Tally {
        let book = self.book();
        assert!(book.faults.is_empty(), "{:?}", book.faults);
        let mut tally = Tally::default();
        for entry in &book.entries {
            *match entry.fate {
                Fate::Open => &mut tally.open,
                Fate::Handled => &mut tally.handled,
                Fate::Returned => &mut tally.returned,
                Fate::Withdrawn => &mut tally.withdrawn,
                Fate::Lost => &mut tally.lost,
                Fate::Reported => &mut tally.reported,
                Fate::Discarded => &mut tally.discarded,
            } += 1;
        }
        tally
    }

    /// The account at the end: besides, every message was dropped, and handled in the order of
    /// its sender.
    pub(crate) fn settle(&self) -> Tally {
        let tally = self.tally();
        assert_eq!(tally.open, 0, "messages without a fate: {tally:?}");
        let book = self.book();
        let leaked = book.entries.iter().filter(|entry| !entry.dropped).count();
        assert_eq!(leaked, 0, "messages that were never dropped");
        let mut last = HashMap::new();
        for &(sender, index) in &book.journal {
            let before = last.insert(sender, index);
            assert!(
                before < Some(index),
                "sender {sender}: {index} after {before:?}"
            );
        }
        tally
    }

    /// How many messages of this sender were handled; fails if there is a gap among them.
    pub(crate) fn handled_without_gaps(&self, sender: u32) -> u32 {
        let book = self.book();
        let indexes = book.journal.iter().filter(|note| note.0 == sender);
        let mut count = 0;
        for &(_, index) in indexes {
            assert_eq!(index, count, "a gap in what sender {sender} had accepted");
            count += 1;
        }
        count
    }

    /// Sender and index of the handled, in the order of their handling.
    pub(crate) fn journal(&self) -> Vec<(u32, u32)> {
        self.book().journal.clone()
    }
}

/// A message that the ledger knows.
pub(crate) struct Note {
    ledger: Ledger,
    pub(crate) id: usize,
    pub(crate) sender: u32,
    pub(crate) index: u32,
}

impl Note {
    /// Its handler has begun.
    pub(crate) fn handled(&self) {
        let mut book = self.ledger.book();
        book.decide(self.id, Fate::Handled);
        book.journal.push((self.sender, self.index));
    }

    /// Its handler is about to crash.
    pub(crate) fn lost(&self) {
        self.ledger.book().decide(self.id, Fate::Lost);
    }

    /// The sender has it back.
    pub(crate) fn returned(self) {
        self.ledger.book().decide(self.id, Fate::Returned);
    }

    /// It was not delivered, and a hook has it.
    pub(crate) fn reported(self) {
        self.ledger.book().decide(self.id, Fate::Reported);
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let mut book = self.ledger.book();
        let entry = &mut book.entries[self.id];
        let twice = std::mem::replace(&mut entry.dropped, true);
        match (entry.fate, entry.withdrawing) {
            (Fate::Open, true) => entry.fate = Fate::Withdrawn,
            (Fate::Open, false) => entry.fate = Fate::Discarded,
            _ => {}
        }
        if twice {
            book.faults
                .push(format!("message {}: dropped twice", self.id));
        }
    }
}

/// All slots are free, and nobody waits for one.
#[track_caller]
pub(crate) fn assert_at_rest<A>(handle: &Handle<A>) {
    assert_eq!(
        handle.free_slots(),
        handle.capacity(),
        "slots that nobody gave back"
    );
    assert_eq!(handle.waiting_senders(), 0, "senders that wait");
}

/// Where a handler waits until the test lets it go on.
#[derive(Clone)]
pub(crate) struct Gate(Arc<GateParts>);

struct GateParts {
    arrivals: Semaphore,
    passes: Semaphore,
}

impl Gate {
    pub(crate) fn shut() -> Self {
        let parts = GateParts {
            arrivals: Semaphore::new(0),
            passes: Semaphore::new(0),
        };
        Self(Arc::new(parts))
    }

    /// Says that it is here, and waits until the gate is opened.
    pub(crate) async fn pass(&self) {
        self.0.arrivals.add_permits(1);
        if let Ok(pass) = self.0.passes.acquire().await {
            pass.forget();
        }
    }

    /// Waits until somebody is at the gate; each arrival counts once.
    pub(crate) async fn reached(&self) {
        within(self.0.arrivals.acquire())
            .await
            .expect("never closed")
            .forget();
    }

    /// Lets all go on, now and later.
    pub(crate) fn open(&self) {
        self.0.passes.close();
    }
}

/// Fails if the future hangs.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(LIMIT, future).await.expect("a hang")
}

/// Polls once.
pub(crate) async fn poll_once<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await
}

/// Lets others run until the condition holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    within(async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Makes this the subscriber of the thread until the guard is dropped.
///
/// As long as a process has one subscriber alone, tracing has the thread at hand say for all
/// whether a callsite is of interest, and keeps the answer, also when that thread belongs to
/// another test and has none. So here there are always more.
pub(crate) fn observe(subscriber: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    static OTHERS: LazyLock<[Dispatch; 2]> =
        LazyLock::new(|| [(); 2].map(|()| Dispatch::new(NoSubscriber::new())));
    LazyLock::force(&OTHERS);
    tracing::subscriber::set_default(subscriber)
}

/// A kind of runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    OneThread,
    TwoWorkers,
}

thread_local! {
    /// The actors that a test spawns on this thread by way of [`seated`] have threads of their own.
    static OWN_THREADS: Cell<bool> = const { Cell::new(false) };
}

/// The actor is to run where those of the runtime do that this test is on.
pub(crate) fn seated<A: Actor>(builder: Builder<A>) -> Builder<A> {
    if OWN_THREADS.get() {
        builder.blocking()
    } else {
        builder
    }
}

impl Flavor {
    pub(crate) const ALL: [Self; 2] = [Self::OneThread, Self::TwoWorkers];

    pub(crate) fn build(self) -> Runtime {
        let builder = Runtime::builder();
        let builder = match self {
            Self::OneThread => builder.current_thread(),
            Self::TwoWorkers => builder.multi_thread().worker_threads(2),
        };
        builder.build().expect("a runtime")
    }
}

/// Runs a test on a runtime of each kind, which then shuts down.
pub(crate) fn on_each_runtime<F>(test: impl Fn() -> F + Clone + Send + 'static)
where
    F: Future<Output = ()>,
{
    for flavor in Flavor::ALL {
        on_runtime(flavor, test.clone());
    }
}

/// As [`on_each_runtime`], and again with each actor that is [`seated`] on a thread of its own.
pub(crate) fn on_each_seat<F>(test: impl Fn() -> F + Clone + Send + 'static)
where
    F: Future<Output = ()>,
{
    on_each_runtime(test.clone());
    on_thread(move || {
        OWN_THREADS.set(true);
        Flavor::TwoWorkers.build().block_on(test());
    });
}

/// Runs a test on a runtime of this kind, which then shuts down.
pub(crate) fn on_runtime<F>(flavor: Flavor, test: impl Fn() -> F + Send + 'static)
where
    F: Future<Output = ()>,
{
    on_thread(move || {
        let runtime = flavor.build();
        runtime.block_on(test());
    });
}

/// Runs a test on a thread of its own, and fails if it hangs.
pub(crate) fn on_thread(test: impl FnOnce() + Send + 'static) {
    let (done, finished) = mpsc::channel::<()>();
    let thread = thread::spawn(move || {
        test();
        drop(done);
    });
    if finished.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
        panic!("a hang");
    }
    let _: () = thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// A small generator for choices that a test repeats (xorshift).
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
