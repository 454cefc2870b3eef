//! Replies that come after their handler's end, from elsewhere.
//!
//! A [`Delegated`] and its [`ReplyTo`] share a junction: whoever comes to it second joins the
//! answer with its way back.
//!
//! # Invariants
//!
//! - **J1.** The end in a [`Link`] is of a slot for an `Outcome<S::Ok, S::Err>` of the shape `S`
//!   that its `post` was made for.

use std::fmt;
use std::sync::Arc;
use std::task::Waker;

use super::context::Context;
use super::exit::ExitReason;
use super::heir::{Asker, Heir};
use super::origin::Origin;
use super::shape::{Flat, Shape};
use super::traits::Sealed;
use super::way::WayTo;
use crate::contain::contain;
use crate::reply::{Junction, ReplyEnd, Watch, WatchKey, Way};

/// What a method returns whose reply is given later, by a [`ReplyTo`].
///
/// The handler ends, and the actor goes on with its next message; its asker waits until the
/// [`ReplyTo`] is used, by a task, another actor, or a later message:
///
/// ```
/// use greenroom::{Delegated, ReplyTo, actor};
///
/// #[actor]
/// struct Pairing {
///     waiting: Option<(String, ReplyTo<String>)>,
/// }
///
/// #[actor]
/// impl Pairing {
///     /// Waits for a partner.
///     fn join(&mut self, name: String) -> Delegated<String> {
///         if let Some((partner, reply)) = self.waiting.take() {
///             let _ = reply.send(name); // whose asker may have gone
///             return Delegated::ready(partner);
///         }
///         let (reply, later) = Delegated::new();
///         self.waiting = Some((name, reply));
///         later
///     }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let pairing = Pairing { waiting: None }.spawn();
/// let (first, second) = tokio::join!(pairing.join("ann".into()), pairing.join("bob".into()));
/// assert_eq!((first?.as_str(), second?.as_str()), ("bob", "ann"));
/// # Ok(()) }
/// ```
///
/// The asker sees no difference: it gets a `T`, and of a `Delegated<Result<T, E>>` the `E` as
/// [`AskError::Handler`](crate::AskError::Handler). Its limit, and the loss of it, hold until the
/// reply is given. A hand-written [`Handler`](crate::Handler) has the `Shape` [`Deferred`].
///
/// `#[actor]` knows it by the last name of the return type, `Delegated`.
pub struct Delegated<T>(State<T>);

enum State<T> {
    Now(T),
    Later(HandlersSide<T>),
    Handed(Box<dyn Heir>),
}

/// The right to answer one ask, for the method of an actor that returned the [`Delegated`] beside
/// it.
///
/// Dropped unused, it tells the asker so, by [`AskError::Interrupted`](crate::AskError). It does
/// not keep the actor running, and answers also when that has ended.
#[must_use = "the asker is told that there is no reply when this is dropped"]
pub struct ReplyTo<T>(Arc<Meeting<T>>);

type Meeting<T> = Junction<T, Link<T>>;

impl<T: Send + 'static> Delegated<T> {
    /// A reply that is to come, and the right to give it.
    pub fn new() -> (ReplyTo<T>, Self) {
        let junction = Arc::new(Junction::new());
        let later = HandlersSide(Arc::clone(&junction));
        (ReplyTo(junction), Self(State::Later(later)))
    }
}

impl<T> Delegated<T> {
    /// A reply that is there already.
    #[must_use]
    pub fn ready(reply: T) -> Self {
        Self(State::Now(reply))
    }

    /// It comes from whoever takes the asker over.
    pub(super) fn handed(heir: Box<dyn Heir>) -> Self {
        Self(State::Handed(heir))
    }
}

impl<T: Send + 'static> ReplyTo<T> {
    /// Answers.
    ///
    /// # Errors
    ///
    /// Gives the reply back if nobody waits for it any more. Without an error, it may still happen
    /// that the asker goes before it reads the reply.
    pub fn send(self, reply: T) -> Result<(), T> {
        match self.0.answer(reply) {
            Ok(None) => Ok(()),
            Ok(Some((link, reply))) => link.post(reply),
            Err(reply) => Err(reply),
        }
    }

    /// Whether somebody waits for the reply: `false` once the asker has gone, by itself or by its
    /// limit, and if the message was told.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.0.is_wanted()
    }

    /// Says that the actor of this context is to answer, and nobody else: for the search for
    /// [deadlocks](crate::Deadlock) the asker waits for it from now on. Without it nobody knows for
    /// whom, and no circle is seen.
    ///
    /// Whoever is given the reply later may say so, too, or takes this back by
    /// [`held_elsewhere`](ReplyTo::held_elsewhere).
    pub fn held_by<A>(&self, ctx: &Context<A>) {
        self.0.hold(Some(ctx.id().as_u64()));
    }

    /// Takes back what [`held_by`](ReplyTo::held_by) has said, before the reply goes to a task.
    pub fn held_elsewhere(&self) {
        self.0.hold(None);
    }

    /// Waits until nobody waits for the reply any more.
    ///
    /// ```
    /// # use greenroom::{Delegated, actor};
    /// # #[actor] struct Store;
    /// # async fn search(word: &str) -> Vec<String> { vec![] }
    /// #[actor]
    /// impl Store {
    ///     fn find(&self, word: String) -> Delegated<Vec<String>> {
    ///         let (mut reply, later) = Delegated::new();
    ///         tokio::spawn(async move {
    ///             tokio::select! {
    ///                 () = reply.asker_gone() => {}
    ///                 found = search(&word) => drop(reply.send(found)),
    ///             }
    ///         });
    ///         later
    ///     }
    /// }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// It may be dropped and called again.
    pub async fn asker_gone(&mut self) {
        self.0.watch().await;
    }
}

impl<T> Drop for ReplyTo<T> {
    fn drop(&mut self) {
        if let Some(link) = self.0.give_up() {
            link.abandon();
        }
    }
}

/// The handler's side of a junction. Dropped before it has handed a way back over, it says that
/// nobody waits.
struct HandlersSide<T>(Arc<Meeting<T>>);

impl<T> Drop for HandlersSide<T> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A way back, as somebody knows it who does not know whose it is.
struct Link<T> {
    end: ReplyEnd,
    origin: Origin,
    /// `# Safety`: [`post`].
    post: unsafe fn(ReplyEnd, Origin, Posted<T>) -> Option<T>,
}

/// An answer, or why there is none.
enum Posted<T> {
    Reply(T),
    Abandoned(Option<ExitReason>),
}

impl<T> Way for Link<T> {
    fn watch(&mut self, key: &mut WatchKey, waker: Waker) -> Watch {
        self.end.watch(key, waker)
    }

    fn unwatch(&mut self, key: &WatchKey) -> Watch {
        self.end.unwatch(key)
    }

    fn is_left(&self) -> bool {
        self.end.is_left()
    }

    fn hold(&self, holder: Option<u64>) {
        self.end.hold(holder);
    }
}

impl<T> Link<T> {
    fn post(self, reply: T) -> Result<(), T> {
        // SAFETY: J1.
        match unsafe { (self.post)(self.end, self.origin, Posted::Reply(reply)) } {
            None => Ok(()),
            Some(reply) => Err(reply),
        }
    }

    /// There will be no answer.
    fn abandon(self) {
        let reason = self.origin.end();
        // SAFETY: J1.
        let unread = unsafe { (self.post)(self.end, self.origin, Posted::Abandoned(reason)) };
        debug_assert!(unread.is_none(), "there was no reply to give back");
    }
}

/// The `Shape` of a [`Delegated`] reply: that of the reply when it comes, [`Plain`] or
/// [`Fallible`].
///
/// [`Plain`]: crate::Plain
/// [`Fallible`]: crate::Fallible
#[derive(Debug)]
pub struct Deferred<S>(std::convert::Infallible, std::marker::PhantomData<S>);

impl<S> Sealed for Deferred<S> {}

impl<T: Send + 'static, S: Flat<T>> Shape<Delegated<T>> for Deferred<S> {
    type Ok = S::Ok;
    type Err = S::Err;
    type Feed = ();

    const LATE: bool = true;

    fn now(reply: Delegated<T>) -> Result<Result<S::Ok, S::Err>, Delegated<T>> {
        match reply.0 {
            State::Now(reply) => Ok(S::split(reply)),
            State::Later(side) => match side.0.take_answer() {
                Some(reply) => Ok(S::split(reply)),
                None => Err(Delegated(State::Later(side))),
            },
            handed @ State::Handed(_) => Err(Delegated(handed)),
        }
    }

    fn told(reply: Delegated<T>) {
        let State::Handed(heir) = reply.0 else { return };
        heir.inherit(None);
    }

    fn link(reply: Delegated<T>, way: WayTo<S::Ok, S::Err>) {
        let side = match reply.0 {
            State::Later(side) => side,
            State::Now(reply) => {
                let _ = way.answer(S::split(reply));
                return;
            }
            State::Handed(heir) => return heir.inherit(Some(Asker::of(way))),
        };
        let (end, origin) = way.into_parts();
        end.pass_on();
        let link = Link {
            end,
            origin,
            post: post::<T, S>,
        };
        match side.0.link(link) {
            None => {}
            Some((link, Some(reply))) => contain(|| drop(link.post(reply))),
            Some((link, None)) => link.abandon(),
        }
    }
}

/// Gives the reply back if nobody will read it.
///
/// # Safety
///
/// - The end is of a slot for an `Outcome<S::Ok, S::Err>`.
unsafe fn post<T: Send + 'static, S: Flat<T>>(
    end: ReplyEnd,
    origin: Origin,
    posted: Posted<T>,
) -> Option<T> {
    // SAFETY: the caller.
    let way = unsafe { WayTo::<S::Ok, S::Err>::from_parts(end, origin) };
    match posted {
        Posted::Reply(reply) => way.answer(S::split(reply)).map(S::join),
        Posted::Abandoned(reason) => {
            way.interrupt(reason);
            None
        }
    }
}

impl<T> fmt::Debug for Delegated<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delegated").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ReplyTo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyTo").finish_non_exhaustive()
    }
}
