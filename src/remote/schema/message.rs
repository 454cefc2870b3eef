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
}

/// The fingerprint of a message: of its fields, then of its reply.
pub(crate) fn fingerprint<M: Wire>(reply: fn(&mut Schema<'_>)) -> Fingerprint {
    let mut tracer = Tracer::default();
    let (hash, _) = tracer.root(|schema| {
        M::describe(schema);
        schema.kind("reply");
        reply(schema);
    });
    Fingerprint(hash)
}
