//! What each side of a session tells the other about its bounds when the session begins.

use crate::remote::limits::Limits;

/// What this node takes from its peer, as it goes into the handshake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    pub(crate) asks: u32,
    pub(crate) in_flight_bytes: u64,
    pub(crate) payload_bytes: u64,
    pub(crate) targets: u32,
    pub(crate) monitors: u32,
}
impl Terms {
    /// Bytes that [`Terms::put`] writes.
    pub(crate) const BYTES: usize = 28;

    /// What a node with these limits says.
    pub(crate) fn of(limits: &Limits) -> Self {
        Self {
            asks: limits.asks,
            in_flight_bytes: limits.in_flight_bytes,
            payload_bytes: limits.payload_bytes,
            targets: limits.targets,
            monitors: limits.monitors,
        }
    }

    /// The terms as bytes, little-endian, in the order of the fields.
    pub(crate) fn put(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0..4].copy_from_slice(&self.asks.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.in_flight_bytes.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.targets.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.monitors.to_le_bytes());
        bytes
    }

    /// What [`Terms::put`] wrote; `None` if a value is out of the range that a [`Limits`] allows.
    pub(crate) fn take(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let word = |at: usize| {
            bytes[at..]
                .first_chunk()
                .map(|word| u32::from_le_bytes(*word))
        };
        let long = |at: usize| {
            bytes[at..]
                .first_chunk()
                .map(|long| u64::from_le_bytes(*long))
        };
        let terms = Self {
            asks: word(0)?,
            in_flight_bytes: long(4)?,
            payload_bytes: long(12)?,
            targets: word(20)?,
            monitors: word(24)?,
        };
        let as_limits = Limits::new()
            .asks(terms.asks)
            .in_flight_bytes(terms.in_flight_bytes)
            .payload_bytes(terms.payload_bytes)
            .targets(terms.targets)
            .monitors(terms.monitors);
        (Self::of(&as_limits) == terms).then_some(terms)
    }
}

#[cfg(test)]
mod attempt;
#[cfg(test)]
mod tests;
