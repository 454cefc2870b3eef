//! Records out of bytes that nobody vouches for.

use bytes::Bytes;

use super::ids::{AskId, KindId, LookUpId, MonitorId, TargetId};
use super::record::{Part, Record};
use super::tag;
use super::varint::{take_short, take_varint};
use super::violation::Violation;
use crate::remote::limits::{CHUNK_BYTES, CONTROL_BYTES};

/// Records one after the other. Payloads are slices of the bytes that they lie in: nothing is
/// allocated.
#[derive(Debug)]
pub(crate) struct Records {
    bytes: Bytes,
    at: usize,
    payload_max: u64,
}

impl Records {
    /// Reads `bytes` from `at` on; payloads of messages and their answers are `payload_max` long
    /// at most.
    pub(crate) fn new(bytes: Bytes, at: usize, payload_max: u64) -> Self {
        Self {
            bytes,
            at,
            payload_max,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next record; there must be one.
    #[inline]
    pub(crate) fn take(&mut self) -> Result<Record, Violation> {
        let tag = *self.bytes.get(self.at).ok_or(Violation::Garbled)?;
        self.at += 1;
        Ok(match tag {
            tag::ASK | tag::ASK_BY => Record::Ask {
                ask: AskId(self.short()?),
                target: TargetId(self.short()?),
                kind: KindId(self.short()?),
                deadline_ms: if tag == tag::ASK {
                    None
                } else {
                    Some(self.short()?)
                },
                payload: self.message()?,
            },
            tag::TELL => Record::Tell {
                target: TargetId(self.short()?),
                kind: KindId(self.short()?),
                payload: self.message()?,
            },
            tag::REPLY => Record::Reply {
                ask: AskId(self.short()?),
                payload: self.message()?,
            },
            tag::ERROR => Record::Error {
                ask: AskId(self.short()?),
                code: self.short()?,
                payload: self.message()?,
            },
            tag::CANCEL => Record::Cancel {
                ask: AskId(self.short()?),
            },
            tag::ENDED => Record::Ended {
                ask: AskId(self.short()?),
            },
            tag::CREDIT => Record::Credit {
                target: TargetId(self.short()?),
                records: self.short()?,
                bytes: self.long()?,
            },
            _ => self.seldom(tag)?,
        })
    }

    fn seldom(&mut self, tag: u8) -> Result<Record, Violation> {
        Ok(match tag {
            tag::WINDOW => Record::Window {
                target: TargetId(self.short()?),
                asks: self.short()?,
                records: self.short()?,
                bytes: self.long()?,
            },
            tag::LOOK_UP => Record::LookUp {
                look_up: LookUpId(self.short()?),
                payload: self.control()?,
            },
            tag::FOUND => Record::Found {
                look_up: LookUpId(self.short()?),
                target: Some(TargetId(self.short()?)),
                payload: self.control()?,
            },
            tag::NOT_FOUND => Record::Found {
                look_up: LookUpId(self.short()?),
                target: None,
                payload: self.control()?,
            },
            tag::MONITOR => Record::Monitor {
                monitor: MonitorId(self.short()?),
                target: TargetId(self.short()?),
            },
            tag::UNMONITOR => Record::Unmonitor {
                monitor: MonitorId(self.short()?),
            },
            tag::DOWN => Record::Down {
                monitor: MonitorId(self.short()?),
                payload: self.control()?,
            },
            tag::RELEASE => Record::Release {
                target: TargetId(self.short()?),
                count: self.short()?,
            },
            tag::PING => Record::Ping {
                token: self.long()?,
            },
            tag::PONG => Record::Pong {
                token: self.long()?,
            },
            tag::CLOSE => Record::Close {
                code: self.short()?,
            },
            _ => self.part(tag)?,
        })
    }

    /// Parts of large records.
    fn part(&mut self, tag: u8) -> Result<Record, Violation> {
        Ok(match tag {
            tag::CHUNK_FIRST => {
                let partial = self.short()?;
                let part = Part::First {
                    total: self.long()?,
                };
                Record::Chunk {
                    partial,
                    part,
                    payload: self.chunk()?,
                }
            }
            tag::CHUNK_MORE => {
                let partial = self.short()?;
                Record::Chunk {
                    partial,
                    part: Part::More,
                    payload: self.chunk()?,
                }
            }
            tag::CHUNK_ABANDON => Record::Chunk {
                partial: self.short()?,
                part: Part::Abandon,
                payload: Bytes::new(),
            },
            _ => return Err(Violation::Garbled),
        })
    }

    #[inline]
    fn short(&mut self) -> Result<u32, Violation> {
        take_short(&self.bytes, &mut self.at)
    }

    #[inline]
    fn long(&mut self) -> Result<u64, Violation> {
        take_varint(&self.bytes, &mut self.at)
    }

    fn message(&mut self) -> Result<Bytes, Violation> {
        self.payload(self.payload_max)
    }

    fn control(&mut self) -> Result<Bytes, Violation> {
        self.payload(u64::from(CONTROL_BYTES))
    }

    fn chunk(&mut self) -> Result<Bytes, Violation> {
        self.payload(u64::from(CHUNK_BYTES))
    }

    #[inline]
    fn payload(&mut self, max: u64) -> Result<Bytes, Violation> {
        let len = self.long()?;
        if len > max {
            return Err(Violation::PayloadLength);
        }
        let left = self.bytes.len() - self.at;
        let len = usize::try_from(len).map_err(|_| Violation::PayloadLength)?;
        if len > left {
            return Err(Violation::Garbled);
        }
        let payload = self.bytes.slice(self.at..self.at + len);
        self.at += len;
        Ok(payload)
    }
}
