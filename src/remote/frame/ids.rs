//! The names that records give to things: small numbers, each in a table of its own.

use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) u32);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

ids! {
    /// An ask, named by who asks; free again when the other side has answered or ended it.
    AskId
    /// What one side of a session gave the other to ask: an export, named by who exports it.
    /// It means something in its session alone, whose table holds what that peer was given.
    TargetId
    /// A kind of message: a place in the table that came with the target.
    KindId
    /// A look-up by name; free again with its answer.
    LookUpId
    /// A watch over a target's end; free again with `Down`.
    MonitorId
}

macro_rules! indices {
    ($($name:ident)*) => {$(
        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

indices! { AskId TargetId KindId }

/// An [`AskId`] together with the turn of its place, so that what is held too long names nothing
/// rather than the next ask. Only the id goes over the wire.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AskKey {
    pub(crate) ask: AskId,
    pub(crate) turn: u32,
}

impl AskKey {
    /// The place in a table as wide as the window; unique among the asks that are open.
    pub(crate) fn index(self) -> usize {
        self.ask.index()
    }
}
