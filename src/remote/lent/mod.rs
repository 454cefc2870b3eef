//! Handles that are sent in messages.

mod book;
mod passage;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use bytes::Bytes;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::any_of::{AnyOf, AnyPlace};
use super::frame::TargetId;
use super::handle::RemoteHandle;
use super::handler::RemoteActor;
use super::schema::{Schema, Wire};
use crate::actor::{Declared, Handle, Local};
pub(super) use book::Book;
pub(super) use passage::Passage;
use passage::Token;

/// A handle as part of a message, or of a reply, to another process.
///
/// Whoever receives it asks the actor by it, over the session that it came by, as if it had been
/// looked up. Given back to the process that the actor is in, it is a handle of that process again.
///
/// ```
/// use greenroom::actor;
/// use greenroom::remote::{Lent, MemoryNetwork, Node};
///
/// #[actor]
/// pub struct Guest {
///     heard: Vec<String>,
/// }
///
/// #[actor(remote)]
/// impl Guest {
///     pub fn hear(&mut self, text: String) {
///         self.heard.push(text);
///     }
///
///     pub fn heard(&self) -> Vec<String> {
///         self.heard.clone()
///     }
/// }
///
/// #[actor]
/// pub struct Room;
///
/// #[actor(remote)]
/// impl Room {
///     pub async fn greet(&mut self, guest: Lent<Guest>) {
///         guest.hear("welcome".into()).await.ok(); // over the wire, and back
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let network = MemoryNetwork::new();
/// let server = Node::builder().build();
/// server.export("room", &Room.spawn())?;
/// let address = server.listen(network.address("server")).await?;
///
/// let client = Node::builder().build(); // in another process
/// let room = client.connect(address).await?.lookup::<Room>("room").await?;
/// let guest = Guest { heard: Vec::new() }.spawn();
/// room.greet(Lent::of(&guest)).await?;
/// assert_eq!(guest.heard().await?, ["welcome"]);
/// # Ok(()) }
/// ```
///
/// # What it gives
///
/// The right to ask this one actor, to the peer of this one session: it ends with the session, and
/// is not passed on to a third process (such a message is handed back). Numbers stand for actors on
/// the wire, in a table of what the peer was lent, so one that it makes up stands for nobody.
///
/// It keeps the actor running as long as it is in this process. **What was sent does not**: once
/// its own process has dropped all handles, the actor ends, and who asks is told so. While it is
/// held there, it counts among the peer's [`targets`](super::Limits::targets); at that bound no
/// more are sent, and their messages are handed back. It is given back when the last there is
/// dropped.
/// One in a message or reply that was given up on its way counts until the session ends.
///
/// It is encoded as part of messages alone: other formats of serde's refuse it.
pub struct Lent<A: Declared>(A::Handle<AnyOf>);

/// As a peer holds it.
type Remote<A> = RemoteHandle<A>;

impl<A: Declared> Lent<A> {
    /// Of an actor of this process.
    #[must_use]
    pub fn of(handle: &Handle<A>) -> Self {
        Self(handle.any_of())
    }

    /// Of an actor of the process that it is sent to.
    #[must_use]
    pub fn back(handle: &super::Handle<A>) -> Self {
        Self(handle.any_of())
    }

    /// The handle.
    #[must_use]
    pub fn into_handle(self) -> A::Handle<AnyOf> {
        self.0
    }

    /// The handle, if the actor is in this process.
    #[must_use]
    pub fn local(&self) -> Option<A::Handle<Local>> {
        match &*self.0 {
            AnyPlace::Local(handle) => Some(A::wrap::<Local>(handle.clone())),
            AnyPlace::Remote(_) => None,
        }
    }
}

impl<A: Declared> Deref for Lent<A> {
    type Target = A::Handle<AnyOf>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<A: Declared> Clone for Lent<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A: Declared> PartialEq for Lent<A> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<A: Declared> Eq for Lent<A> {}

impl<A: Declared> Hash for Lent<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<A: Declared> fmt::Debug for Lent<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lent").field(&self.0).finish()
    }
}

impl<A: RemoteActor> Serialize for Lent<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let token = match &*self.0 {
            AnyPlace::Local(handle) => Passage::lend(handle),
            AnyPlace::Remote(handle) => Passage::give_back(handle),
        };
        let token = token.map_err(S::Error::custom)?;
        (token.is_yours, token.target.0, token.catalog).serialize(serializer)
    }
}

impl<'de, A: RemoteActor> Deserialize<'de> for Lent<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (is_yours, target, catalog) = <(bool, u32, Bytes)>::deserialize(deserializer)?;
        let target = TargetId(target);
        let handle = if is_yours {
            let handle = Passage::own::<A>(target).map_err(D::Error::custom)?;
            handle.any_of()
        } else {
            let token = Token {
                is_yours,
                target,
                catalog,
            };
            let handle = Passage::take::<A>(&token).map_err(D::Error::custom)?;
            handle.any_of()
        };
        Ok(Self(handle))
    }
}

/// Any handle is like any other: what its actor understands is compared when it comes.
impl<A: RemoteActor> Wire for Lent<A> {
    fn describe(schema: &mut Schema<'_>) {
        schema.kind("handle");
        schema.lends();
    }
}
