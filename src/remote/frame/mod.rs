//! Frames and records: how what is said becomes bytes, and how bytes are read. No I/O, no time.
//!
//! What comes from a peer is read within bounds that this side names: a length is looked at before
//! anything is done by it, payloads are slices of what has arrived, and a [`Violation`] says what
//! was wrong. `docs/wire.md` has the layout of each record.

mod decode;
mod encode;
mod frames;
mod ids;
mod record;
mod tag;
#[cfg(test)]
mod tests;
mod varint;
mod violation;

pub(crate) use decode::Records;
pub(crate) use encode::RECORD_HEAD_MAX;
pub(crate) use frames::{FRAME_HEAD_MAX, Frame};
pub(crate) use ids::{AskId, AskKey, KindId, LookUpId, MonitorId, TargetId};
pub(crate) use record::{Part, Record};
pub use violation::Violation;
