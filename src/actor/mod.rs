//! Actors: the traits behind `#[actor]`, the cell that runs one, and the handles that reach it.
//!
//! From the bottom: `traits`, `exit`, `identity` and `error` say what there is; an `envelope`
//! carries a message; the `cell` holds an actor, and `activation` runs it by the rights of
//! `running`; `strong` keeps it; `sending`, `local` and `route` bring messages to it; an
//! `incarnation` is what `timers`, `tasks` and streams that `attach` end with; `request`,
//! `enqueue`, `fan_out`, `timed`, `handle`, `weak`, `recipient`, `context`, `forward`, `stash` and
//! `builder` are the face.

#[cfg(feature = "remote")]
mod accepts;
#[allow(unsafe_code)] // takes the run right, and opens slots; E1, C1
mod activation;
mod around;
#[allow(unsafe_code)] // knows its asks' actor again
mod ask_recipient;
#[allow(unsafe_code)] // lends what its count reaches; C5
mod attach;
mod beside;
mod blocking;
#[allow(unsafe_code)] // undoes a spawn that was refused
mod builder;
#[allow(unsafe_code)] // closes the cell that its caller has a count of
mod cause;
#[allow(unsafe_code)] // the allocation; invariants C1 to C5
mod cell;
#[allow(unsafe_code)] // reaches the cell that it lies in
mod context;
#[allow(unsafe_code)] // signals the cell that its handle has a count of; C5
mod control;
#[cfg(feature = "remote")]
mod crossing;
mod dead_letters;
#[allow(unsafe_code)] // answers by an end whose slot's type it has lost; J1
mod delegated;
mod down;
mod ends;
#[allow(unsafe_code)] // pins one field, and reads reply slots by E2
mod enqueue;
#[allow(unsafe_code)] // messages as bytes; invariants E1, E2
mod envelope;
mod error;
#[allow(unsafe_code)] // moves the state out of the cell that it claims; C4
mod estate;
mod exit;
mod extras;
#[allow(unsafe_code)] // pins the parts of a slice
mod fan_out;
#[allow(unsafe_code)] // answers by an end whose slot's type it knows; E2
mod forward;
mod gauge;
mod handle;
mod heir;
mod identity;
mod idle;
mod incarnation;
#[allow(unsafe_code)] // takes the run right, and lends its stack; C1, E2, E3
mod inline;
#[allow(unsafe_code)] // rests when there is no task
mod judgement;
#[allow(unsafe_code)] // writes to its asker's stack; E2, E3
mod landing;
#[allow(unsafe_code)] // builds states in stages without one; C4
mod life;
mod link;
#[allow(unsafe_code)] // pins one field, and reads reply slots by E2
mod local;
mod local_actor;
mod monitor;
mod nesting;
#[allow(unsafe_code)] // keeps what is not `Send` on its thread; T1, T2
mod one_thread;
#[allow(unsafe_code)] // reaches the cell that it has a count of
mod origin;
mod outcome;
#[allow(unsafe_code)] // lends the state to a hook; C1, C4
mod panics;
#[allow(unsafe_code)] // reads reply slots by E2
mod permit;
#[cfg(feature = "world")]
mod place;
#[allow(unsafe_code)] // drops what a mailbox dropped; E1
mod policy;
mod recipient;
#[allow(unsafe_code)] // pins one field
mod request;
mod reserve;
mod route;
#[allow(unsafe_code)] // erases the lifetimes of a handler's borrows; C1, C3
mod running;
#[allow(unsafe_code)] // keeps a waiter in place; invariant S1
mod sending;
#[cfg(feature = "tower")]
mod service;
mod shape;
mod sink;
mod sizes;
#[allow(unsafe_code)] // keeps a waiter in place; invariants V1, V2
mod slots;
mod spawn_error;
mod stash;
mod stream;
#[allow(unsafe_code)] // counts handles; C5
mod strong;
#[cfg(feature = "test-util")]
mod stub;
mod survey;
mod tasks;
#[allow(unsafe_code)] // moves sealed messages in; E1
mod tell_all;
mod timed;
mod timeout;
mod timers;
mod traits;
mod undelivered;
mod vacancy;
#[allow(unsafe_code)] // tells the table of waits what to read; invariant D1
mod waits;
#[allow(unsafe_code)] // answers by an end whose slot's type it knows; E2
mod way;
#[allow(unsafe_code)] // upgrades; C5
mod weak;

#[cfg(feature = "remote")]
pub(crate) use accepts::Accepts;
pub(crate) use {
    cause::Signal,
    cell::Head,
    life::{Exit, Factory, Manner, Overseer, Verdict},
};
#[cfg(any(feature = "remote", feature = "world"))]
pub(crate) use {enqueue::Enqueued, identity::Name, traits::Sealed, waits::Watch};
#[cfg(feature = "remote")]
pub(crate) use {
    enqueue::FarReply,
    local::handlers_deadline,
    recipient::{FarAsk, FarAsks, FarTell, FarTo},
    timed::Due as Expiry,
    traits::{ErrOf, OkOf},
};
#[cfg(feature = "world")]
pub(crate) use {place::Place, timed::Due as Limit};

pub use ask_recipient::{AskRecipient, RecipientAsk};
pub use attach::Attached;
pub use beside::runs_beside;
pub use builder::{Builder, spawn, spawn_local};
pub use context::Context;
pub use control::{NotRestartable, Stopped};
#[cfg(feature = "remote")]
pub use crossing::{Crossing, Fingerprint, OutcomeUnknown, SchemaMismatch};
pub use delegated::{Deferred, Delegated, ReplyTo};
pub use down::{AnyActor, AnyHandle, Down};
pub use ends::Ends;
pub use enqueue::{Enqueue, Reply};
pub(crate) use envelope::Source;
pub(crate) use envelope::{Due, Visit};
pub use error::{AskError, Interrupted, NotHandled, Refusal, TellError};
pub use estate::NoState;
pub use exit::{Crash, During, ExitReason, GaveUp, StartError};
pub use fan_out::{Ask, AskAll, FirstOf, NoQuorum, Quorum, ask_all, first_of, quorum};
pub use forward::Gives;
pub use handle::Handle;
pub use identity::Identity;
pub use link::LinkedEnd;
pub use local_actor::{LocalActor, LocalContext, LocalDeclared, LocalHandler};
pub use monitor::Monitor;
pub use one_thread::OneThread;
pub use panics::{OnPanic, ResumeAfterPanic};
pub use permit::{Permit, Permits};
pub use recipient::{Recipient, RecipientTell};
pub use request::{Request, Tell};
pub use reserve::{Reserve, ReserveError};
pub use route::{Carries, Local, Route};
#[cfg(feature = "remote")]
pub(crate) use shape::Flat;
pub use shape::{Fallible, Plain, Shape};
pub use sink::TellSink;
pub use sizes::{Room, Slot};
pub use spawn_error::{CapacityError, SpawnError, SpawnErrorKind};
pub use stash::StashFull;
pub use stream::{Feed, ReplyStream, Streamed};
#[cfg(feature = "test-util")]
pub use stub::{ByHand, Given, Letter, StreamFeed, Stub, Unexpected, stub};
pub use survey::ActorInfo;
pub(crate) use survey::Found;
pub use tell_all::{Rest, TellAll, TellAllError};
pub use timed::{Limited, Timed};
pub use timeout::{Timeout, TimeoutState};
pub use timers::{Timer, Timers};
pub use traits::{Actor, AskResult, Declared, Handler, Inline, Options, StartOutcome};
pub use undelivered::{Undelivered, UndeliveredReason};
pub use vacancy::Vacancy;
pub use waits::{Deadlock, Hop};
pub use weak::WeakHandle;
