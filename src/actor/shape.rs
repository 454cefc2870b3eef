//! How an ask shows a reply: which of it is the value, which the error, and when it is there.

use std::convert::Infallible;

use super::origin::Origin;
use super::traits::Sealed;
use super::way::WayTo;

/// How an ask shows a reply.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` reply can't be split into ok and error",
    note = "`#[message(plain)]` keeps the reply as it is"
)]
pub trait Shape<Reply>: Sealed {
    /// The ask's value.
    type Ok: Send + 'static;
    /// The ask's own error, beside those of sending.
    type Err: Send + 'static;

    /// What a reply is fed by that goes out before its handler runs.
    #[doc(hidden)]
    type Feed: Send;

    /// Whether replies may come after their handler's end.
    #[doc(hidden)]
    const LATE: bool = false;

    /// The ask's result.
    ///
    /// # Errors
    ///
    /// Gives back a reply that is still to come.
    #[doc(hidden)]
    fn now(reply: Reply) -> Result<Result<Self::Ok, Self::Err>, Reply>;

    /// Nobody asked for a reply that is still to come.
    #[doc(hidden)]
    fn told(reply: Reply) {
        drop(reply);
    }

    /// Leads a reply that is still to come to its asker.
    #[doc(hidden)]
    fn link(reply: Reply, way: WayTo<Self::Ok, Self::Err>) {
        let _ = (reply, way);
        unreachable!("every reply of this shape is there")
    }

    /// Makes a reply that goes out before its handler runs.
    #[doc(hidden)]
    fn open(origin: Origin) -> (Reply, Self::Feed) {
        let _ = origin;
        unreachable!("no reply of this shape goes out before its handler runs")
    }
}

/// The shape of replies that are there: they can be split, and put together again.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` reply can't be split into ok and error",
    note = "`#[message(plain)]` keeps the reply as it is"
)]
pub trait Flat<Reply>: Shape<Reply> {
    /// The ask's result.
    ///
    /// # Errors
    ///
    /// The reply's own error.
    fn split(reply: Reply) -> Result<Self::Ok, Self::Err>;

    /// The reply of a result.
    fn join(result: Result<Self::Ok, Self::Err>) -> Reply;
}

/// The reply is the ask's value.
#[derive(Debug)]
pub enum Plain {}

impl Sealed for Plain {}

impl<T: Send + 'static> Shape<T> for Plain {
    type Ok = T;
    type Err = Infallible;
    type Feed = ();

    #[inline]
    fn now(reply: T) -> Result<Result<T, Infallible>, T> {
        Ok(Ok(reply))
    }
}

impl<T: Send + 'static> Flat<T> for Plain {
    fn split(reply: T) -> Result<T, Infallible> {
        Ok(reply)
    }

    fn join(result: Result<T, Infallible>) -> T {
        match result {
            Ok(reply) => reply,
            Err(never) => match never {},
        }
    }
}

/// The reply is a `Result`; its error becomes [`AskError::Handler`](crate::AskError::Handler).
#[derive(Debug)]
pub enum Fallible {}

impl Sealed for Fallible {}

impl<T: Send + 'static, E: Send + 'static> Shape<Result<T, E>> for Fallible {
    type Ok = T;
    type Err = E;
    type Feed = ();

    #[inline]
    fn now(reply: Result<T, E>) -> Result<Result<T, E>, Result<T, E>> {
        Ok(reply)
    }
}

impl<T: Send + 'static, E: Send + 'static> Flat<Result<T, E>> for Fallible {
    fn split(reply: Result<T, E>) -> Result<T, E> {
        reply
    }

    fn join(result: Result<T, E>) -> Result<T, E> {
        result
    }
}
