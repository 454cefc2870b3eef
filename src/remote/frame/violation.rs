//! What a peer may not do.

use std::error::Error;
use std::fmt;

/// How a peer broke the protocol or a bound of it; its session is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Violation {
    /// A frame says that it is longer than may be, or too short for its head.
    FrameLength,
    /// Bytes that are no record, or that end in the middle of one.
    Garbled,
    /// A payload is longer than may be.
    PayloadLength,
    /// Records are missing before a frame.
    Gap,
    /// More was acknowledged than has been sent, or less than before.
    Acknowledgement,
    /// A number that no table of this session has room for, or that is in use.
    Name,
    /// An answer to what was not asked, or credit for what was not sent.
    Unasked,
    /// More was sent than the window allows.
    Window,
    /// More large records at a time than may be, or a chunk that belongs to none.
    Partial,
    /// Cancels, look-ups, pings or empty frames beyond their rate.
    Flood,
    /// A frame or a large record stands still half-way.
    Stalled,
}

impl Violation {
    /// The number that tells the peer, in `Close`; smaller ones are reasons of the link's.
    pub(crate) fn code(self) -> u32 {
        match self {
            Self::FrameLength => 101,
            Self::Garbled => 102,
            Self::PayloadLength => 103,
            Self::Gap => 104,
            Self::Acknowledgement => 105,
            Self::Name => 106,
            Self::Unasked => 107,
            Self::Window => 108,
            Self::Partial => 109,
            Self::Flood => 110,
            Self::Stalled => 111,
        }
    }

    /// What a peer's `Close` says that we did, if it says that.
    pub(crate) fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            101 => Self::FrameLength,
            102 => Self::Garbled,
            103 => Self::PayloadLength,
            104 => Self::Gap,
            105 => Self::Acknowledgement,
            106 => Self::Name,
            107 => Self::Unasked,
            108 => Self::Window,
            109 => Self::Partial,
            110 => Self::Flood,
            111 => Self::Stalled,
            _ => return None,
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FrameLength => "a frame of a length that is not allowed",
            Self::Garbled => "bytes that are no record",
            Self::PayloadLength => "a payload longer than allowed",
            Self::Gap => "records are missing before a frame",
            Self::Acknowledgement => "an acknowledgement of what was not sent",
            Self::Name => "a number that is out of range or in use",
            Self::Unasked => "an answer to what was not asked",
            Self::Window => "more under way than the window allows",
            Self::Partial => "a chunk that belongs to no large record",
            Self::Flood => "too many cancels, look-ups, pings or empty frames",
            Self::Stalled => "a frame or a large record stands still half-way",
        })
    }
}

impl Error for Violation {}
