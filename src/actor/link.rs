//! Actors that end together.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::cause::Cause;
use super::context::Context;
use super::down::{AnyActor, Down};
use super::exit::ExitReason;
use super::handle::Handle;
use super::weak::WeakHandle;
use crate::ending::{Key, Order};
use crate::id::Id;
use crate::sync::Mutex;

/// The end of an actor that another was linked with: see [`ExitReason::Linked`].
#[derive(Clone)]
pub struct LinkedEnd(Arc<Down>);

impl LinkedEnd {
    /// Who ended, and why.
    #[must_use]
    pub fn down(&self) -> &Down {
        &self.0
    }
}

impl fmt::Display for LinkedEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it was linked with {}", self.0.actor)
    }
}

impl fmt::Debug for LinkedEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for LinkedEnd {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.reason.source()
    }
}

/// The links of an actor with others of higher ids, by these. So a pair has one place, whichever of
/// the two asks; its lock is never held with another.
pub(super) type Links = Mutex<HashMap<Id, Arc<Link>>>;

/// A link: a farewell at each end, of which the first that is said takes the other back.
pub(super) struct Link {
    ends: [WeakHandle<AnyActor>; 2],
    /// `None` once it has been cut. No user code runs under this lock.
    keys: Mutex<Option<[Option<Key>; 2]>>,
}

/// Links two actors; not again if they are.
fn link(one: WeakHandle<AnyActor>, other: WeakHandle<AnyActor>) {
    let ends = match one.id().cmp(&other.id()) {
        std::cmp::Ordering::Less => [one, other],
        std::cmp::Ordering::Equal => return,
        std::cmp::Ordering::Greater => [other, one],
    };
    let keys = Mutex::new(Some([None, None]));
    let link = Arc::new(Link { ends, keys });
    let [low, high] = &link.ends;
    let old = {
        let mut links = low.head().extras_or_make().links.lock();
        let old = links.get(&high.id());
        if old.is_some_and(|old| old.keys.lock().is_some()) {
            return;
        }
        links.insert(high.id(), Arc::clone(&link))
    };
    drop(old);
    for (index, end) in link.ends.iter().enumerate() {
        let said = Arc::clone(&link);
        let added = end.head().on_end(Order::Link, move |identity, reason| {
            said.said(index, Down::new(identity, reason));
        });
        match added {
            Ok(key) => link.keep(index, key),
            Err(reason) => link.said(index, Down::new(&end.identity(), &reason)),
        }
    }
}

/// Takes a link back, if there is one.
fn unlink(one: &WeakHandle<AnyActor>, other: &WeakHandle<AnyActor>) {
    let (low, high) = match one.id() < other.id() {
        true => (one, other),
        false => (other, one),
    };
    let extras = low.head().extras();
    let link = extras.and_then(|extras| extras.links.lock().get(&high.id()).cloned());
    if let Some(link) = link {
        link.cut();
    }
}

impl Link {
    fn keep(&self, index: usize, key: Key) {
        let is_cut = match &mut *self.keys.lock() {
            Some(keys) => {
                keys[index] = Some(key);
                false
            }
            None => true,
        };
        if is_cut {
            self.ends[index].head().take_back(key);
        }
    }

    /// Ends the link; false if it has ended.
    fn cut(&self) -> bool {
        let Some(keys) = self.keys.lock().take() else {
            return false;
        };
        for (end, key) in self.ends.iter().zip(keys) {
            if let Some(key) = key {
                end.head().take_back(key);
            }
        }
        if let Some(extras) = self.ends[0].head().extras() {
            let mut links = extras.links.lock();
            let id = self.ends[1].id();
            let is_this = links
                .get(&id)
                .is_some_and(|link| std::ptr::eq(&**link, self));
            let entry = is_this.then(|| links.remove(&id));
            drop(links);
            drop(entry);
        }
        true
    }

    /// The actor at one end has ended.
    fn said(&self, index: usize, down: Down) {
        let is_over = matches!(down.reason, ExitReason::RuntimeGone);
        if !self.cut() || is_over || down.reason.is_normal() {
            return;
        }
        let other = &self.ends[1 - index];
        let reason = ExitReason::Linked(LinkedEnd(Arc::new(down)));
        other.head().ending.foretell(reason);
        other.close(Cause::Linked);
    }
}

/// # Links
impl<A> Handle<A> {
    /// Links the actor with another: if one of them ends abnormally, by a reason of which
    /// [`ExitReason::is_normal`] is false, the other ends too, as by a [`kill`](Handle::kill), with
    /// [`ExitReason::Linked`]. A normal end only ends the link.
    ///
    /// If one of them has ended already, that counts as ending now. A restart is no end, and links
    /// outlive it. Two actors have one link at most. An actor that only wants to know
    /// [monitors](crate::Context::monitor) the other.
    ///
    /// ```
    /// # use greenroom::{ExitReason, Handle, actor};
    /// # #[actor] struct Reader;
    /// # #[actor] impl Reader {}
    /// # #[actor] struct Writer;
    /// # #[actor] impl Writer {}
    /// # #[tokio::main] async fn main() {
    /// let (reader, writer) = (Reader.spawn(), Writer.spawn());
    /// Handle::link(&reader, &writer);
    /// writer.kill();
    /// assert!(matches!(reader.join().await, ExitReason::Linked(_)));
    /// # }
    /// ```
    pub fn link<B>(&self, other: &Handle<B>) {
        link(self.downgrade().erase(), other.downgrade().erase());
    }

    /// Takes the link back, from either side. Nothing happens if there is none.
    pub fn unlink<B>(&self, other: &Handle<B>) {
        unlink(&self.downgrade().erase(), &other.downgrade().erase());
    }
}

/// # Links
impl<A> Context<A> {
    /// Links this actor with another, as [`Handle::link`].
    pub fn link<B>(&self, other: &Handle<B>) {
        link(self.weak(), other.downgrade().erase());
    }

    /// Takes the link back, as [`Handle::unlink`].
    pub fn unlink<B>(&self, other: &Handle<B>) {
        unlink(&self.weak(), &other.downgrade().erase());
    }

    fn weak(&self) -> WeakHandle<AnyActor> {
        WeakHandle::new(self.unit())
    }
}
