//! What macro expansions may name. Not part of the public interface.

pub use crate::actor::{
    Actor, Carries, Context, Crash, Declared, Deferred, ExitReason, Fallible, Feed, Handle,
    Handler, Inline, Limited, Local, LocalActor, LocalContext, LocalDeclared, LocalHandler,
    OnPanic, OneThread, Options, Plain, ReplyStream, Request, Room, Route, Shape, Slot,
    StartOutcome, Streamed, Undelivered, runs_beside, spawn, spawn_local,
};
pub use crate::error::BoxError;
pub use crate::exec::runtime::Runtime;
pub use crate::mailbox::{Lane, Overflow};
#[cfg(feature = "remote")]
pub use crate::remote::{Entry, Kind, RemoteActor, RemoteHandler, Schema, Wire};
#[cfg(feature = "world")]
pub use crate::world::{ForkActor, Grade};
#[cfg(feature = "remote")]
pub use serde;
