//! Actors for tokio programs: annotate a struct, get a typed handle, `await` its ask.
//!
//! ```
//! use greenroom::actor;
//!
//! #[actor]
//! pub struct Counter {
//!     count: u64,
//! }
//!
//! #[actor]
//! impl Counter {
//!     /// Adds `n`, returns the new count.
//!     pub async fn add(&mut self, n: u64) -> u64 {
//!         self.count += n;
//!         self.count
//!     }
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), greenroom::Error> {
//!     let counter = Counter { count: 0 }.spawn(); // a `CounterHandle`
//!     assert_eq!(counter.add(2).await?, 2); // an ask: waits for the reply
//!     counter.add(3).tell().await?; // one way: waits for a slot in the mailbox
//!     assert_eq!(counter.ask(CounterAdd { n: 1 }).await?, 6); // by message value
//!     Ok(())
//! }
//! ```
//!
//! # Where to look
//!
//! | for | see |
//! | --- | --- |
//! | what an actor may look like | [`macro@actor`], [`Handler`], [`Context`] |
//! | spawning with a name, a capacity, a typed error | [`Builder`] |
//! | a handle before its actor is there | [`Vacancy`], [`Child::prepare`] |
//! | a handle whose messages a test answers | the module `testing` (feature `test-util`) |
//! | asking, telling, limits, blocking code | [`Request`], [`Tell`], [`Timed`] |
//! | many tells at once | [`Handle::tell_all`], [`TellAll`] |
//! | an actor as a sink, or as a service of tower's | [`TellSink`]; [`AskRecipient`] |
//! | slots that are held ahead of their messages | [`Handle::reserve`], [`Permit`], [`Permits`] |
//! | many asks at once; an ask in two steps | [`ask_all`], [`first_of`], [`quorum`]; [`Enqueue`] |
//! | replies that come later, or as a stream | [`Delegated`], [`ReplyTo`]; [`ReplyStream`] |
//! | handlers that run beside each other | [Beside each other](guarantees#beside-each-other) |
//! | asks that run on their asker's stack | [Around a handler](guarantees#around-a-handler) |
//! | timers, streams, futures and tasks of an actor's own | [`Context`], [`Timer`], [`Attached`] |
//! | hearing of another's end | [`Context::monitor`], [`Down`]; [`Ends`] |
//! | ending with another | [`Handle::link`] |
//! | going on after a panic; restarts by hand | [`OnPanic`], [`Builder::restartable`] |
//! | messages that are put aside, or left to another actor | [Stash, forwarding](Context) |
//! | stopping, killing, waiting for the end | [`Handle`], [`WeakHandle`], [`ExitReason`] |
//! | what an actor's end does to what; what keeps one | [`guarantees::life`] |
//! | actors that are restarted when they fail | [`supervise`], [`Supervisor`], [`Child`] |
//! | actors by name | [`fn@registry`], [`Builder::register`], [`Handle::register`] |
//! | actors of one type that are told together | [`fn@group`], [`Group`] |
//! | no more actors than there is room for | [`set_resource_policy`], [`PressureMonitor`] |
//! | actors of other processes | the module `remote` (feature `remote`) |
//! | workers that share the work | [`Pool`], [`WorkQueue`] |
//! | publish and subscribe | [`Topic`], [`Subscriber`], [`TopicStream`] |
//! | a handle that says which message, not which actor | [`Recipient`], [`AskRecipient`] |
//! | lanes, full mailboxes, what is dropped | [No room](guarantees#no-room), [`MailboxMetrics`] |
//! | what became of a message | [`AskError`], [`TellError`], [`Undelivered`] |
//! | order, delivery, cancel safety, each with the test that holds it | [`guarantees`] |
//! | tasks on the same scheduler | [`fn@spawn`], [`JoinHandle`], [`JoinSet`], [`yield_now`] |
//! | tasks with a name or a priority, their ids | [`TaskBuilder`], [`Priority`], [`fn@id`] |
//! | code that blocks | [`spawn_blocking`], [`block_in_place`] |
//! | runtimes, attaching to one, tokio's options under their names here | [`runtime`] |
//! | numbers about a runtime, and what is left of one | [`Metrics`], [`Shutdown`] |
//! | an app's tokio tasks on this scheduler, its sources unchanged | the crate greenroom-tokio |
//! | every bound and its reason | [`limits`] |
//!
//! [`Metrics`]: runtime::Metrics
//! [`Shutdown`]: runtime::Shutdown
//!
//! # The executor
//!
//! Actors and spawned tasks run on a work-stealing scheduler that is a guest of a tokio runtime:
//! each worker of it is driven by a future on tokio, which polls a bounded batch and yields. So
//! everything of tokio works inside a handler: timers, sockets, `tokio::spawn`, `spawn_blocking`,
//! `block_in_place` (but not inline for an asker in a `LocalSet`). The first spawn inside a runtime
//! attaches the executor to it, with no set-up; [`Runtime::builder`] builds one with options. It
//! ends with its runtime: tasks and states are dropped, no stop hook runs, and asks fail with
//! [`ExitReason::RuntimeGone`]. Await [`Handle::shutdown`] before `main` returns to end an actor in
//! order.
//!
//! # Futures that are not `Send`
//!
//! Tasks and actors move between threads, so their futures are [`Send`]. One that is not runs where
//! tokio runs it, beside them: as the future of [`Runtime::block_on`], which is also that of an
//! async `main`; in a `tokio::task::LocalSet` inside of that; or on a thread of
//! `tokio_util::task::LocalPoolHandle`. From each it asks actors, and spawns and awaits tasks.
//!
//! ```
//! # use std::rc::Rc;
//! # fn main() -> Result<(), greenroom::Error> {
//! let runtime = greenroom::Runtime::new()?;
//! let local = tokio::task::LocalSet::new();
//! let sum = runtime.block_on(local.run_until(async {
//!     let here = Rc::new(1);
//!     let task = tokio::task::spawn_local(async move {
//!         let there = greenroom::spawn(async { 2 }).await.expect("it does not panic");
//!         *here + there
//!     });
//!     task.await.expect("it does not panic")
//! }));
//! assert_eq!(sum, 3);
//! # Ok(()) }
//! ```
//!
//! # Tracing
//!
//! | target | level | what |
//! | --- | --- | --- |
//! | `greenroom::actor` | INFO | span `actor`: from spawn to end, with `name` and `id` |
//! | `greenroom::message` | TRACE | span `message`: one message, its type as `name` |
//! | `greenroom::actor` | ERROR | event: a panic in a handler, a hook, or a drop |
//! | `greenroom::task` | ERROR | event: a task panicked, with `id`, and `name` if it has one |
//! | `greenroom::actor` | WARN | event: a handler returned an error to a tell, so nobody reads it |
//! | `greenroom::actor` | WARN | event: an actor has too many timers, so one is not set |
//! | `greenroom::actor` | DEBUG | event: a reply found its asker gone |
//! | `greenroom::remote` | WARN | event: a peer was refused, with the reason |
//! | `greenroom::remote` | DEBUG | event: a session with another process ended, with the reason |
//! | `greenroom::runtime` | WARN | event: a poll lasts beyond [`limits::POLL_MAX`]; once per poll |
//! | `greenroom::runtime` | ERROR | event: a panic in a hook of a runtime, named by `hook` |
//!
//! Handlers and hooks run inside these spans. An actor's span has no parent; it follows from the
//! spawner's. The event about a poll comes while it lasts, from a thread of greenroom's own: it
//! names the actor and its message, or the task and its future, and has `id`, `worker` and `ms`. An
//! ask that runs inline counts as a part of who asks. There is no such event on current-thread
//! runtimes, nor for polls inside [`block_in_place`] or [`Request::blocking`].
//!
//! # Features
//!
//! | feature | default | what it brings |
//! | --- | --- | --- |
//! | `macros` | yes | the attributes `actor`, `main`, `test`; without it there are only tasks |
//! | `rt-multi-thread` | yes | multi-thread runtimes by [`Runtime::builder`]; [`block_in_place`] |
//! | `test-util` | no | a clock that starts paused (`start_paused`); stubs of actors (`testing`) |
//! | `hyper` | no | [`runtime::Handle`] is an executor for hyper's servers and clients |
//! | `signal` | yes | [`run_until_signal`], which ends actors when the process is told to end |
//! | `world` | no | the module `world`: forkable state, savepoints, sessions; actors in worlds |
//! | `remote` | no | the module `remote`: asks of actors in other processes |
//! | `tower` | no | handles, and [`AskRecipient`]s, are services of tower's |

#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// So that the crate's own tests and examples can use its attributes.
extern crate self as greenroom;

// Under `--cfg greenroom_loom` only the protocols between threads compile: each further module
// that is not one of them says `#[cfg(not(greenroom_loom))]`.
#[cfg(not(greenroom_loom))]
mod actor;
#[cfg(not(greenroom_loom))]
mod admission;
mod contain;
#[allow(unsafe_code)] // reads what requests keep; invariants D1, D2
mod edges;
mod ending;
#[cfg(not(greenroom_loom))]
mod error;
mod exec;
#[cfg(not(greenroom_loom))]
mod group;
#[cfg(not(greenroom_loom))]
pub mod guarantees;
mod id;
pub mod limits;
#[allow(unsafe_code)] // byte envelopes, nodes and waiters; invariants Q1, Q2, N1, N2, A1, W1 to W4
mod mailbox;
#[allow(unsafe_code)] // raw blocks; invariant P1
mod pool;
#[cfg(not(greenroom_loom))]
#[doc(hidden)]
pub mod private;
#[cfg(not(greenroom_loom))]
mod registry;
#[cfg(all(feature = "remote", not(greenroom_loom)))]
pub mod remote;
#[allow(unsafe_code)] // slots that two ends share; table at its head and invariant R1
mod reply;
mod ring;
mod rng;
#[cfg(not(greenroom_loom))]
pub mod shutdown;
#[cfg(not(greenroom_loom))]
pub mod supervise;
mod sync;
mod task;
#[cfg(all(not(greenroom_loom), feature = "test-util"))]
pub mod testing;
#[cfg(not(greenroom_loom))]
mod topic;
#[cfg(not(greenroom_loom))]
mod trace;
#[cfg(not(greenroom_loom))]
mod workers;
#[cfg(feature = "world")]
pub mod world;

#[cfg(not(greenroom_loom))]
pub use actor::{
    Actor, ActorInfo, Ask, AskAll, AskError, AskRecipient, AskResult, Builder, CapacityError,
    Carries, Context, Crash, Deadlock, Declared, Deferred, Delegated, During, Ends, Enqueue,
    ExitReason, Fallible, FirstOf, GaveUp, Handle, Handler, Hop, Identity, Interrupted, Local,
    NoQuorum, NoState, NotHandled, NotRestartable, OnPanic, Permit, Permits, Plain, Quorum,
    Recipient, RecipientAsk, RecipientTell, Refusal, Reply, ReplyStream, ReplyTo, Request, Reserve,
    ReserveError, Rest, ResumeAfterPanic, Route, Shape, SpawnError, SpawnErrorKind, StartError,
    Stopped, Tell, TellAll, TellAllError, TellError, TellSink, Timed, Timeout, TimeoutState,
    Undelivered, UndeliveredReason, Vacancy, WeakHandle, ask_all, first_of, quorum,
};
#[cfg(not(greenroom_loom))]
pub use actor::{
    AnyActor, AnyHandle, Attached, Down, Gives, LinkedEnd, LocalActor, LocalContext, LocalDeclared,
    LocalHandler, Monitor, OneThread, StashFull, Timer, Timers,
};
#[cfg(not(greenroom_loom))]
pub use admission::{
    MonitorError, Overload, Pressure, PressureBuilder, PressureMonitor, ResourcePolicy,
    SpawnRequest, set_resource_policy,
};
#[cfg(not(greenroom_loom))]
pub use error::{BoxError, Error};
#[cfg(all(not(greenroom_loom), feature = "rt-multi-thread"))]
pub use exec::block_in_place;
#[cfg(not(greenroom_loom))]
pub use exec::runtime::{self, Runtime};
#[cfg(not(greenroom_loom))]
pub use exec::{JoinSet, TaskBuilder, spawn, spawn_blocking};
#[cfg(feature = "macros")]
pub use greenroom_macros::{actor, main, test};
#[cfg(not(greenroom_loom))]
pub use group::{Broadcast, Change, Changes, Group, GroupError, group};
pub use id::Id;
#[cfg(not(greenroom_loom))]
pub use mailbox::MailboxMetrics;
#[cfg(not(greenroom_loom))]
#[doc(hidden)]
pub use private as __private;
#[cfg(not(greenroom_loom))]
pub use registry::{LookupError, RegisterError, Registration, Registry, WaitFor, registry};
#[cfg(all(not(greenroom_loom), feature = "signal"))]
pub use shutdown::{run_until, run_until_signal};
#[cfg(not(greenroom_loom))]
pub use supervise::{
    AutoShutdown, Backoff, Child, ChildError, ChildInfo, ChildKey, ChildState, Intensity, Prepared,
    Restart, Shutdown, Strategy, Supervised, Supervisor, SupervisorBuilder, SupervisorHandle, Tree,
};
pub use task::{AbortHandle, JoinError, JoinHandle, Priority, YieldNow, id, try_id, yield_now};
#[cfg(not(greenroom_loom))]
pub use topic::{Lag, Published, SubscribeError, Subscriber, Subscription, Topic, TopicStream};
#[cfg(not(greenroom_loom))]
pub use workers::{
    Discard, JobError, JobResult, Pool, PoolBuilder, PoolError, QueueBuilder, QueueError,
    QueueRefusal, QueueStats, Routing, WhenFull, WorkQueue,
};

// The examples of the README are tests.
#[cfg(all(doctest, feature = "macros"))]
#[doc = include_str!("../README.md")]
struct Readme;
