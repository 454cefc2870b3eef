//! Actors for tokio programs: annotate a struct with [`macro@actor`], get a typed handle, `await`
//! its ask.

#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// So that the crate's own tests and examples can use its attributes.
extern crate self as greenroom;

// Under `--cfg greenroom_loom` only the protocols between threads compile: each further module
// that is not one of them says `#[cfg(not(greenroom_loom))]`.
#[cfg(not(greenroom_loom))]
mod actor;
mod contain;
#[cfg(not(greenroom_loom))]
mod error;
mod exec;
mod id;
pub mod limits;
#[allow(unsafe_code)] // byte envelopes and waiter nodes; invariants Q1, Q2 and W1 to W3
mod mailbox;
#[allow(unsafe_code)] // raw blocks; invariant P1
mod pool;
#[cfg(not(greenroom_loom))]
#[doc(hidden)]
pub mod private;
#[allow(unsafe_code)] // slots that two ends share; table at its head and invariant R1
mod reply;
mod ring;
mod rng;
mod sync;
mod task;
#[cfg(not(greenroom_loom))]
mod trace;

#[cfg(not(greenroom_loom))]
pub use actor::{
    Actor, AskError, AskResult, Builder, Carries, Context, Crash, Declared, During, ExitReason,
    Fallible, Handle, Handler, Identity, Interrupted, Local, NotHandled, Plain, Recipient, Refusal,
    Request, Route, Shape, SpawnError, SpawnErrorKind, StartError, Tell, TellError, Timed, Timeout,
    WeakHandle,
};
#[cfg(not(greenroom_loom))]
pub use error::{BoxError, Error};
#[cfg(not(greenroom_loom))]
pub use exec::runtime::{self, Runtime};
#[cfg(not(greenroom_loom))]
pub use exec::spawn;
#[cfg(feature = "macros")]
pub use greenroom_macros::{actor, main, test};
pub use id::Id;
#[cfg(not(greenroom_loom))]
#[doc(hidden)]
pub use private as __private;
pub use task::{AbortHandle, JoinError, JoinHandle, YieldNow, yield_now};
