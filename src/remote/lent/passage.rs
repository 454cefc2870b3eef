//! The session that a message goes by, or has come by, while it is encoded or decoded.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::super::carry::Port;
use super::super::catalog::{self, Catalog};
use super::super::frame::TargetId;
use super::super::handle::{Handle as FarHandle, handle_of};
use super::super::handler::{Answer, Asked, BoxAsked, RemoteActor, messages};
use super::super::outlet::{Hold, Outlet};
use super::super::target;
use crate::actor::Handle;

/// What an actor of another process is called here that nobody has looked up: as its type.
fn short_name<A>() -> &'static str {
    let name = std::any::type_name::<A>();
    let plain = name.split('<').next().unwrap_or(name);
    plain.rsplit("::").next().unwrap_or(plain)
}

/// One session, for the length of a message.
#[derive(Clone)]
pub(crate) struct Passage {
    /// By what handles that come are held.
    hold: Hold,
    /// What was lent in the message that is encoded.
    lent: Vec<TargetId>,
}

thread_local! {
    /// That of the innermost message. Not borrowed while user code runs.
    static CURRENT: RefCell<Option<Passage>> = const { RefCell::new(None) };
}

/// Puts back what was before, also after a panic.
struct Restore(Option<Passage>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// What an actor of the sender's is, on the wire.
pub(super) struct Token {
    /// It is one of the receiver's own, that comes back.
    pub(super) is_yours: bool,
    pub(super) target: TargetId,
    /// Empty for one that comes back.
    pub(super) catalog: bytes::Bytes,
}

/// An ask whose answer may lend handles.
struct Followed {
    passage: Passage,
    asked: BoxAsked,
}

impl Future for Followed {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let Self { passage, asked } = &mut *self;
        let (polled, lent) = passage.clone().pass(|| asked.as_mut().poll(cx));
        if !lent.is_empty() && !matches!(polled, Poll::Ready(Answer::Reply(_))) {
            passage.hold.shared().take_back(lent);
        }
        polled
    }
}

impl Asked for Followed {
    fn is_taken(&self) -> bool {
        self.asked.is_taken()
    }
}

impl Passage {
    pub(in crate::remote) fn new(hold: Hold) -> Self {
        let lent = Vec::new();
        Self { hold, lent }
    }

    /// Encodes or decodes a message. Gives what was lent in it, too.
    pub(in crate::remote) fn pass<R>(self, code: impl FnOnce() -> R) -> (R, Vec<TargetId>) {
        let _restore = Restore(CURRENT.replace(Some(self)));
        let result = code();
        let lent = CURRENT.with_borrow_mut(|current| current.take().map(|passage| passage.lent));
        (result, lent.unwrap_or_default())
    }

    /// Decodes and encodes all that an ask does. What was lent in an answer that failed is taken
    /// back.
    pub(in crate::remote) fn follow(self, asked: BoxAsked) -> BoxAsked {
        Box::pin(Followed {
            passage: self,
            asked,
        })
    }

    fn current() -> Result<Hold, &'static str> {
        let hold = CURRENT.with_borrow(|current| current.as_ref().map(|it| it.hold.clone()));
        hold.ok_or("a handle is only sent within a message to another process")
    }

    /// Lends an actor of this process to the peer.
    pub(super) fn lend<A: RemoteActor>(handle: &Handle<A>) -> Result<Token, &'static str> {
        let hold = Self::current()?;
        let lent = target::lent::<A>(handle);
        let catalog = catalog::encode(lent.messages());
        let given = hold.shared().lend(&handle.identity(), lent);
        let target = given.ok_or("the peer holds as many actors as it may")?;
        CURRENT.with_borrow_mut(|current| {
            if let Some(passage) = current {
                passage.lent.push(target);
            }
        });
        Ok(Token {
            is_yours: false,
            target,
            catalog,
        })
    }

    /// Gives an actor of the peer's back to it.
    pub(super) fn give_back<A>(handle: &FarHandle<A>) -> Result<Token, &'static str> {
        let hold = Self::current()?;
        let target = handle.port().carry().target_in(hold.shared());
        Ok(Token {
            is_yours: true,
            target: target.ok_or("a handle is not passed on to a third process")?,
            catalog: bytes::Bytes::new(),
        })
    }

    /// An actor of this process that comes back.
    pub(super) fn own<A: RemoteActor>(target: TargetId) -> Result<Handle<A>, &'static str> {
        let hold = Self::current()?;
        let found = hold.shared().lent(target).and_then(|lent| lent.actor());
        let found = found.and_then(|actor| actor.downcast::<Handle<A>>().ok());
        found
            .map(|handle| *handle)
            .ok_or("nobody of that kind was lent")
    }

    /// An actor that the peer lends.
    pub(super) fn take<A: RemoteActor>(token: &Token) -> Result<super::Remote<A>, &'static str> {
        let hold = Self::current()?;
        let claim = hold.shared().borrow(token.target);
        let claim = claim.ok_or("the session holds no actor of that number")?;
        let catalog = Catalog::decode(&token.catalog);
        let kinds = messages::<A>()
            .iter()
            .map(|ours| catalog.known(ours))
            .collect();
        let identity = claim.identity(short_name::<A>());
        let outlet = Outlet::new(claim, hold, kinds);
        Ok(handle_of::<A>(Port::new(Arc::new(outlet), identity)))
    }
}
