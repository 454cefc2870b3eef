//! The first byte of each record. A tag that is not here ends the session: what is new comes with
//! a new version, which both sides agree on first.

pub(super) const ASK: u8 = 1;
/// An ask with a limit.
pub(super) const ASK_BY: u8 = 2;
pub(super) const TELL: u8 = 3;
pub(super) const REPLY: u8 = 4;
pub(super) const ERROR: u8 = 5;
pub(super) const CANCEL: u8 = 6;
pub(super) const ENDED: u8 = 7;
pub(super) const CREDIT: u8 = 8;
pub(super) const WINDOW: u8 = 9;
pub(super) const LOOK_UP: u8 = 10;
pub(super) const FOUND: u8 = 11;
/// `Found` without a target.
pub(super) const NOT_FOUND: u8 = 12;
pub(super) const MONITOR: u8 = 13;
pub(super) const UNMONITOR: u8 = 14;
pub(super) const DOWN: u8 = 15;
pub(super) const RELEASE: u8 = 16;
pub(super) const PING: u8 = 17;
pub(super) const PONG: u8 = 18;
pub(super) const CHUNK_FIRST: u8 = 19;
pub(super) const CHUNK_MORE: u8 = 20;
pub(super) const CHUNK_ABANDON: u8 = 21;
pub(super) const CLOSE: u8 = 22;
