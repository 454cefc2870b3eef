//! Integers of seven bits a byte, the lowest first, as postcard has them.

use super::error::CodecError;

/// Both directions for one width.
macro_rules! varint {
    (
        $ty:ty, $signed:ty, $bytes:literal,
        $write:ident, $take:ident, $zigzag:ident, $unzigzag:ident
    ) => {
        /// The bytes of a number, and how many there are.
        pub(super) fn $write(mut value: $ty) -> ([u8; $bytes], usize) {
            let mut bytes = [0; $bytes];
            let mut length = 0;
            while value >= 0x80 {
                bytes[length] = (value & 0x7f) as u8 | 0x80;
                value >>= 7;
                length += 1;
            }
            bytes[length] = value as u8;
            (bytes, length + 1)
        }

        /// Takes a number of at most `bits` bits off the input.
        pub(super) fn $take(input: &mut &[u8], bits: u32) -> Result<$ty, CodecError> {
            let mut value = 0;
            for shift in (0..bits).step_by(7) {
                let (&byte, rest) = input.split_first().ok_or(CodecError::End)?;
                *input = rest;
                let low = <$ty>::from(byte & 0x7f);
                let room = bits - shift;
                if room < 7 && low >> room != 0 {
                    break;
                }
                value |= low << shift;
                if byte & 0x80 == 0 {
                    return Ok(value);
                }
            }
            Err(CodecError::Invalid("a number is too large"))
        }

        /// Small numbers of either sign as small ones without.
        pub(super) fn $zigzag(value: $signed) -> $ty {
            ((value << 1) ^ (value >> (<$ty>::BITS - 1))).cast_unsigned()
        }

        /// The reverse.
        pub(super) fn $unzigzag(value: $ty) -> $signed {
            (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
        }
    };
}

varint!(u64, i64, 10, write_64, take_64, zigzag_64, unzigzag_64);
varint!(
    u128,
    i128,
    19,
    write_128,
    take_128,
    zigzag_128,
    unzigzag_128
);
