//! Payloads: values as bytes, and back.
//!
//! The encoding is [postcard's](https://postcard.jamesmunns.com/wire-format): compact, specified,
//! and the same since its first release. Of serde's binary formats that are kept well it is the
//! smallest and quickest; but no implementation of one bounds what a hostile payload can ask for
//! in the two ways that count here, and neither bound can be put round it from outside:
//!
//! - **Nesting.** A list of lists is as deep as its bytes say, and decoding it takes stack for each
//!   level. Here a value has at most `PAYLOAD_NESTING_MAX` levels: a sequence, map, tuple, struct,
//!   option, newtype, or variant with fields is one.
//! - **Elements.** Where elements have no bytes, such as those of a `Vec<()>`, ten bytes may stand
//!   for 2^64 of them. Here a sequence or map has at most as many elements as bytes follow its
//!   length, and that is looked at before anything is allocated.
//!
//! So the format is read and written here, and tests hold it against the `postcard` crate. The
//! encoder keeps to the same bounds: what it writes can be read.
//!
//! Whatever a user's `Serialize` or `Deserialize` does, a panic included, is an error of that value
//! alone: the buffer that it was to be written to is as it was before.

mod decoder;
mod elements;
mod encoder;
mod error;
mod variant;
mod varint;

use std::cell::Cell;

use bytes::{Bytes, BytesMut};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::actor::Crossing;
use crate::contain::{Payload, catch, discard, text_of};
use crate::limits::PAYLOAD_BLOCK_BYTES;
use decoder::Decoder;
use encoder::Encoder;
use error::CodecError;

/// Appends a value's encoding of at most `limit` bytes, or nothing.
pub(crate) fn encode_into<T: Serialize + ?Sized>(
    value: &T,
    out: &mut BytesMut,
    limit: usize,
) -> Result<(), Crossing> {
    let start = out.len();
    let mut encoder = Encoder::new(out, limit);
    let encoded = match catch(|| value.serialize(&mut encoder)) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.into_encoding(limit),
        Err(panic) => Crossing::NotEncodable(panicked(panic).into()),
    };
    out.truncate(start);
    Err(encoded)
}

/// A value's encoding of at most `limit` bytes.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T, limit: usize) -> Result<Bytes, Crossing> {
    thread_local! {
        /// What small payloads are cut from. Taken while a value is encoded, as what it does may
        /// encode another.
        static BLOCK: Cell<BytesMut> = Cell::new(BytesMut::new());
    }
    let mut block = BLOCK.take();
    if block.capacity() == 0 {
        block.reserve(PAYLOAD_BLOCK_BYTES);
    }
    let encoded = encode_into(value, &mut block, limit);
    let payload = encoded.map(|()| block.split().freeze());
    if block.capacity() <= PAYLOAD_BLOCK_BYTES {
        BLOCK.set(block);
    }
    payload
}

/// The value that is encoded by all of these bytes.
///
/// Where they end with a byte string, as of a `Bytes` or serde's byte buffers, and nobody else
/// holds them, their buffer becomes that.
pub(crate) fn decode<T: DeserializeOwned>(payload: Bytes) -> Result<T, Crossing> {
    let decoded = catch(|| {
        let mut decoder = Decoder::new(payload);
        let value = T::deserialize(&mut decoder)?;
        decoder.finish()?;
        Ok::<_, CodecError>(value)
    });
    match decoded {
        Ok(decoded) => decoded.map_err(CodecError::into_decoding),
        Err(panic) => Err(Crossing::NotDecodable(panicked(panic).into())),
    }
}

fn panicked(panic: Payload) -> String {
    let text = format!("its type panicked: {}", text_of(&panic));
    discard(panic);
    text
}

#[cfg(test)]
mod tests;
