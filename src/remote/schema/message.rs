//! Messages as the two sides of a link know them.

use super::tracer::Tracer;
use super::{Schema, Wire};
use crate::actor::Fingerprint;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireMessage {
    /// Its name on the wire.
    pub(crate) name: &'static str,
    pub(crate) fingerprint: Fingerprint,
    /// Handles are part of it, or of its reply.
    pub(crate) lends: bool,
}

/// A message of that name, with its fingerprint: of its fields, then of its reply.
pub(crate) fn message<M: Wire>(name: &'static str, reply: fn(&mut Schema<'_>)) -> WireMessage {
    let mut tracer = Tracer::default();
    let (hash, _) = tracer.root(|schema| {
        M::describe(schema);
        schema.kind("reply");
        reply(schema);
    });
    WireMessage {
        name,
        fingerprint: Fingerprint(hash),
        lends: tracer.lends,
    }
}
