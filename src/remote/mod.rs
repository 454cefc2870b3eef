//! Actors of other processes: the same asks across a wire.
//!
//! `#[actor(remote)]` on its main impl block lets an actor take messages from other processes. The
//! handle of one there has the same methods as a local one, and its errors say the same, and what a
//! network adds: [`Refusal::Crossing`](crate::Refusal) of a message that did not come across, which
//! is handed back, and [`AskError::OutcomeUnknown`](crate::AskError).
//!
//! A [`Node`] exports actors by name and listens; another one connects and looks them up:
//!
//! ```no_run
//! use greenroom::actor;
//! use greenroom::remote::Node;
//!
//! #[actor]
//! pub struct Counter {
//!     count: u64,
//! }
//!
//! #[actor(remote)]
//! impl Counter {
//!     pub fn add(&mut self, n: u64) -> u64 {
//!         self.count += n;
//!         self.count
//!     }
//! }
//!
//! async fn serve() -> Result<Node, greenroom::Error> {
//!     let node = Node::builder().build();
//!     node.export("counter", &Counter { count: 0 }.spawn())?;
//!     node.listen("unix:/run/user/1000/counter.sock").await?;
//!     Ok(node) // it serves until it is closed, or dropped
//! }
//!
//! async fn ask() -> Result<u64, greenroom::Error> {
//!     let link = Node::builder().build().connect("unix:/run/user/1000/counter.sock").await?;
//!     let counter = link.lookup::<Counter>("counter").await?; // a `RemoteHandle<Counter>`
//!     counter.add(1).tell().await?; // one way: done when it is accepted for sending
//!     Ok(counter.add(2).await?)
//! }
//! ```
//!
//! # What holds
//!
//! | what | holds |
//! | --- | --- |
//! | an ask or a tell is executed | once while the session lives, however many connections it has |
//! | when the session ends | what was sent has an unknown outcome, what was not is handed back |
//! | order | of one link to one actor: that of the first polls of its requests |
//! | many asks at a time | leave together, and are answered as they are done, in any order |
//! | an ask that is dropped, or late | is cancelled there, queued or running; no reply is sent |
//! | an ask without a limit | is given up [`limits::ASK_LIMIT`] after it was sent |
//! | one that waits for room | is handed back once nothing went to its actor for so long |
//! | an actor that takes nothing | holds up its own senders, and nobody else |
//! | a peer that breaks the protocol, or a [limit](limits) | loses its session, alone |
//! | messages that both sides know differently | are refused, each for itself: [`SchemaMismatch`] |
//!
//! Other machines are reached over TLS, by the feature `remote-tls`, or by nodes that say that they
//! are [insecure](NodeBuilder::insecure). Not there yet: streams of replies.

mod any_of;
mod ask;
mod by_value;
mod carry;
mod catalog;
mod codec;
mod connect;
mod crowd;
mod driver;
mod exports;
mod failure;
mod frame;
mod handle;
mod handler;
mod handshake;
mod lease;
mod lent;
pub mod limits;
mod link;
mod link_end;
mod metrics;
mod node;
mod outlet;
mod peer;
mod policy;
mod recipient;
mod remote_end;
mod reply;
mod route;
mod schema;
mod serve;
mod session;
mod share;
mod target;
#[cfg(feature = "remote-tls")]
mod tls;
mod tls_failure;
mod token;
mod transport;

#[cfg(feature = "macros")]
pub use greenroom_macros::Wire;

pub use crate::actor::{Crossing, Fingerprint, OutcomeUnknown, SchemaMismatch};
pub use any_of::{AnyOf, AnyPlace};
pub use connect::ConnectError;
pub use exports::ExportError;
pub use frame::Violation;
pub use handle::{Handle, RemoteHandle};
pub use handler::{Entry, Kind, RemoteActor, RemoteHandler};
pub use handshake::Refused;
pub use lent::Lent;
pub use limits::Limits;
pub use link::{Link, LookupError};
pub use link_end::LinkEnd;
pub use metrics::Metrics;
pub use node::{ListenError, Node, NodeBuilder};
pub use peer::Peer;
pub use remote_end::RemoteEnd;
pub use reply::WireShape;
pub use route::Remote;
pub use schema::{Schema, Wire};
/// The crate that encodes, so that derives need no dependency of one's own:
/// `#[serde(crate = "greenroom::remote::serde")]`.
pub use serde;
#[cfg(feature = "remote-tls")]
pub use tls::{Tls, TlsBuilder, TlsError};
pub use tls_failure::TlsFailure;
pub use token::{Token, TokenError};
pub use transport::{Address, MemoryAddress, MemoryNetwork};

#[cfg(test)]
mod tests;
