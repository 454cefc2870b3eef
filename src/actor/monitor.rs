//! Actors that are told of another's end.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use super::context::Context;
use super::down::{AnyActor, Down};
use super::envelope::Source;
use super::handle::Handle;
use super::identity::Identity;
use super::incarnation::Incarnation;
use super::traits::Handler;
use super::weak::WeakHandle;
use crate::ending::{Key, Order};
use crate::sync::Mutex;

/// The monitors of an incarnation. They go with it: the next one hears of no end that it did not
/// ask for, and who is watched keeps nothing of a watcher that has gone.
#[derive(Default)]
pub(super) struct Monitors {
    /// No user code runs under this lock.
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    last: u64,
    live: HashMap<u64, Watch>,
}

struct Watch {
    target: WeakHandle<AnyActor>,
    /// `None` until the farewell is known.
    key: Option<Key>,
    source: Source<Down>,
}

impl Watch {
    /// From now on nothing is delivered, be it queued.
    fn end(self) {
        drop(self.source.close());
        if let Some(key) = self.key {
            self.target.head().take_back(key);
        }
    }
}

impl Monitors {
    fn add(&self, watch: Watch) -> u64 {
        let mut inner = self.inner.lock();
        inner.last += 1;
        let number = inner.last;
        inner.live.insert(number, watch);
        number
    }

    fn take(&self, number: u64) -> Option<Watch> {
        self.inner.lock().live.remove(&number)
    }

    pub(super) fn end(&self) {
        let live = std::mem::take(&mut self.inner.lock().live);
        for watch in live.into_values() {
            watch.end();
        }
    }
}

/// A monitor that an actor has set: to take it back by. Dropped, it stays.
pub struct Monitor {
    incarnation: Weak<Incarnation>,
    number: u64,
    target: Identity,
    source: Source<Down>,
}

impl Monitor {
    /// Whose end it tells of.
    #[must_use]
    pub fn target(&self) -> &Identity {
        &self.target
    }

    /// Takes the monitor back. No notice of it is handled after this, even if one is queued.
    pub fn cancel(self) {
        drop(self.source.close());
        let incarnation = self.incarnation.upgrade();
        let watch = incarnation.and_then(|incarnation| incarnation.monitors.take(self.number));
        if let Some(watch) = watch {
            watch.end();
        }
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Monitor").field(&self.target).finish()
    }
}

/// # Monitors
impl<A> Context<A> {
    /// Has this actor told of the end of another, by a [`Down`], exactly once; at once if it has
    /// ended already. Each call makes a monitor of its own.
    ///
    /// The notice stands behind all that the other has sent here, needs no slot of the mailbox, and
    /// comes when nothing is left of the other: its hooks have run, its state was dropped, its name
    /// is free. A restart is no end. The monitor keeps neither actor running, and ends when this
    /// one does, or is restarted.
    ///
    /// ```
    /// use greenroom::{Context, Down, Handler, Monitor, actor};
    /// # #[actor] struct Worker;
    /// # #[actor] impl Worker { fn work(&mut self) {} }
    ///
    /// #[actor]
    /// struct Boss {
    ///     worker: WorkerHandle,
    /// }
    ///
    /// #[actor]
    /// impl Boss {
    ///     #[on(start)]
    ///     fn hire(&mut self, ctx: &mut Context<Self>) {
    ///         ctx.monitor(&self.worker);
    ///     }
    ///
    ///     #[message]
    ///     fn on_down(&mut self, down: Down, ctx: &mut Context<Self>) {
    ///         println!("{down}");
    ///         ctx.stop();
    ///     }
    /// }
    ///
    /// # #[tokio::main] async fn main() {
    /// let worker = Worker.spawn();
    /// let boss = Boss { worker: worker.clone() }.spawn();
    /// worker.kill();
    /// boss.join().await;
    /// # }
    /// ```
    pub fn monitor<B>(&self, handle: &Handle<B>) -> Monitor
    where
        A: Handler<Down>,
    {
        let incarnation = self.belongings();
        let source = Source::<Down>::of(self);
        let number = incarnation.monitors.add(Watch {
            target: handle.downgrade().erase(),
            key: None,
            source: source.clone(),
        });
        let monitor = Monitor {
            incarnation: Arc::downgrade(&incarnation),
            number,
            target: handle.identity(),
            source: source.clone(),
        };
        let watcher = Arc::downgrade(&incarnation);
        let said = handle.head().on_end(Order::Link, move |identity, reason| {
            tell(&watcher, number, &source, Down::new(identity, reason));
        });
        match said {
            Ok(key) => {
                // It may have been said already.
                if let Some(watch) = incarnation.monitors.inner.lock().live.get_mut(&number) {
                    watch.key = Some(key);
                }
            }
            Err(reason) => {
                let down = Down::new(&monitor.target, &reason);
                tell(&monitor.incarnation, number, &monitor.source, down);
            }
        }
        monitor
    }
}

/// The last that a monitor does.
fn tell(watcher: &Weak<Incarnation>, number: u64, source: &Source<Down>, down: Down) {
    let watch = watcher
        .upgrade()
        .and_then(|watcher| watcher.monitors.take(number));
    if watch.is_some() {
        // An actor that takes nothing any more needs no notice.
        drop(source.send(down));
    }
}
