//! What serde's traits are told when a value can't be encoded or decoded.

use std::fmt;

use crate::actor::Crossing;
use crate::limits::PAYLOAD_NESTING_MAX;

/// Why not.
#[derive(Debug)]
pub(super) enum CodecError {
    /// It would have more bytes than it may.
    TooLarge,
    /// Its levels are too many.
    TooDeep,
    /// The bytes end before the value does.
    End,
    /// What the format has not, or what the bytes must not be.
    Invalid(&'static str),
    /// The type says so.
    Custom(String),
}

impl CodecError {
    pub(super) fn into_encoding(self, limit: usize) -> Crossing {
        match self {
            Self::TooLarge => Crossing::TooLarge { limit: Some(limit) },
            other => Crossing::NotEncodable(other.to_string().into()),
        }
    }

    pub(super) fn into_decoding(self) -> Crossing {
        Crossing::NotDecodable(self.to_string().into())
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("it has too many bytes"),
            Self::TooDeep => write!(f, "it has more than {PAYLOAD_NESTING_MAX} levels"),
            Self::End => f.write_str("its bytes end before it does"),
            Self::Invalid(why) => f.write_str(why),
            Self::Custom(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for CodecError {}

impl serde::ser::Error for CodecError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::Custom(text.to_string())
    }
}

impl serde::de::Error for CodecError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::Custom(text.to_string())
    }
}
