//! Replies as bytes.

use bytes::Bytes;

use super::codec::{decode, encode};
use super::schema::{Schema, Wire};
use crate::actor::{Crossing, Deferred, Delegated, Fallible, Flat, Plain, Shape};

/// A shape of replies that can be sent: of what is known by [`Wire`], error included.
#[diagnostic::on_unimplemented(
    message = "the reply `{Reply}` can't be sent to another process",
    note = "its type, and its error's, must be `Wire`; replies that stream are local"
)]
pub trait WireShape<Reply>: Shape<Reply> {
    #[doc(hidden)]
    fn describe(schema: &mut Schema<'_>);

    /// What the asker gets, its handler's own error included.
    ///
    /// # Errors
    ///
    /// When it has too many bytes, or can't be encoded.
    #[doc(hidden)]
    fn encode(result: &Result<Self::Ok, Self::Err>, limit: usize) -> Result<Bytes, Crossing>;

    /// The reverse.
    ///
    /// # Errors
    ///
    /// When it can't be decoded.
    #[doc(hidden)]
    fn decode(payload: Bytes) -> Result<Result<Self::Ok, Self::Err>, Crossing>;
}

impl<T: Wire + Send> WireShape<T> for Plain {
    fn describe(schema: &mut Schema<'_>) {
        schema.part::<T>();
    }

    fn encode(result: &Result<T, Self::Err>, limit: usize) -> Result<Bytes, Crossing> {
        match result {
            Ok(reply) => encode(reply, limit),
            Err(never) => match *never {},
        }
    }

    fn decode(payload: Bytes) -> Result<Result<T, Self::Err>, Crossing> {
        decode(payload).map(Ok)
    }
}

impl<T: Wire + Send, E: Wire + Send> WireShape<Result<T, E>> for Fallible {
    fn describe(schema: &mut Schema<'_>) {
        schema.part::<Result<T, E>>();
    }

    fn encode(result: &Result<T, E>, limit: usize) -> Result<Bytes, Crossing> {
        encode(result, limit)
    }

    fn decode(payload: Bytes) -> Result<Result<T, E>, Crossing> {
        decode(payload)
    }
}

/// As one that is there at once.
impl<T: Send + 'static, S: Flat<T> + WireShape<T>> WireShape<Delegated<T>> for Deferred<S> {
    fn describe(schema: &mut Schema<'_>) {
        S::describe(schema);
    }

    fn encode(result: &Result<S::Ok, S::Err>, limit: usize) -> Result<Bytes, Crossing> {
        S::encode(result, limit)
    }

    fn decode(payload: Bytes) -> Result<Result<S::Ok, S::Err>, Crossing> {
        S::decode(payload)
    }
}
