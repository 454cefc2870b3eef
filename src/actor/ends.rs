//! The ends of several actors, for who is none.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_core::Stream;

use super::down::{AnyActor, Down};
use super::handle::Handle;
use super::weak::WeakHandle;
use crate::contain::contain;
use crate::ending::{Key, Order};
use crate::sync::Mutex;

/// The ends of several actors, as they come: what [`Context::monitor`](crate::Context::monitor) is
/// to an actor, for a task or a test. It is a stream of them, too.
///
/// Each watch tells once, when nothing is left of its actor but the announcement to those who
/// join: its state was dropped, and its name is free. A restart is no end. It keeps no actor
/// running. When no watch is left to tell, there is no next.
///
/// ```
/// # use greenroom::{Ends, actor};
/// # #[actor] struct Reader;
/// # #[actor] impl Reader {}
/// # #[actor] struct Writer;
/// # #[actor] impl Writer { fn write(&mut self) { panic!("the disk is full") } }
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (reader, writer) = (Reader.spawn(), Writer.spawn());
/// let mut ends = Ends::new();
/// ends.watch(&reader);
/// ends.watch(&writer);
/// writer.write().tell().await?;
/// while let Some(down) = ends.next().await {
///     println!("{down}");
///     reader.stop(); // the first end is that of all
/// }
/// # Ok(()) }
/// ```
#[must_use = "it is told of ends, and tells them when it is asked for the next"]
pub struct Ends {
    told: Arc<Told>,
    last: u64,
    /// Those that have yet to tell, or have told what was not taken.
    live: HashMap<u64, Watch>,
}

struct Watch {
    target: WeakHandle<AnyActor>,
    /// `None` if it told at once.
    key: Option<Key>,
}

/// What was told and not taken. No user code runs under the lock.
#[derive(Default)]
struct Told(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    downs: VecDeque<(u64, Down)>,
    waker: Option<Waker>,
}

impl Told {
    fn tell(&self, number: u64, down: Down) {
        let mut inner = self.0.lock();
        inner.downs.push_back((number, down));
        let waker = inner.waker.take();
        drop(inner);
        if let Some(waker) = waker {
            contain(|| waker.wake());
        }
    }
}

impl Ends {
    /// Of nobody yet.
    pub fn new() -> Self {
        Self {
            told: Arc::default(),
            last: 0,
            live: HashMap::new(),
        }
    }

    /// Tells of the end of this actor as well; at once if it has ended. Watched twice, it is told
    /// of twice.
    pub fn watch<A>(&mut self, actor: &Handle<A>) {
        self.last += 1;
        let number = self.last;
        let told = Arc::clone(&self.told);
        let farewell = actor.head().on_end(Order::Link, move |identity, reason| {
            told.tell(number, Down::new(identity, reason));
        });
        if let Err(reason) = &farewell {
            let down = Down::new(&actor.identity(), reason);
            self.told.tell(number, down);
        }
        let watch = Watch {
            target: actor.downgrade().erase(),
            key: farewell.ok(),
        };
        self.live.insert(number, watch);
    }

    /// How many ends are still to be taken, be they told or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether there is no end to be taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// The next end. `None` when all were taken.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is done, it has taken none.
    pub async fn next(&mut self) -> Option<Down> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Down>> {
        if self.live.is_empty() {
            return Poll::Ready(None);
        }
        let waker = cx.waker().clone();
        let mut inner = self.told.0.lock();
        if let Some((number, down)) = inner.downs.pop_front() {
            drop(inner);
            self.live.remove(&number);
            return Poll::Ready(Some(down));
        }
        let old = inner.waker.replace(waker);
        drop(inner);
        contain(|| drop(old));
        Poll::Pending
    }
}

impl Stream for Ends {
    type Item = Down;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Down>> {
        self.poll(cx)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len(), Some(self.len()))
    }
}

impl Default for Ends {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        for watch in self.live.values() {
            if let Some(key) = watch.key {
                watch.target.head().take_back(key);
            }
        }
    }
}

impl fmt::Debug for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ends").field("len", &self.len()).finish()
    }
}
