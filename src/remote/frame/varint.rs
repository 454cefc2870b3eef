//! Whole numbers in seven bits a byte, the lowest first; a set top bit says that more follow.

use super::violation::Violation;

/// Bytes that a number takes at most.
pub(super) const VARINT_BYTES_MAX: usize = 10;

/// Bytes that `value` takes.
#[cfg(test)]
pub(super) fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// Writes `value` at `at`, returns where it ends.
#[inline]
pub(super) fn put_varint(into: &mut [u8], mut at: usize, mut value: u64) -> usize {
    while value >= 0x80 {
        into[at] = value as u8 | 0x80;
        value >>= 7;
        at += 1;
    }
    into[at] = value as u8;
    at + 1
}

/// Reads a number at `at`, and moves `at` behind it. There is one way to write each number.
#[inline]
pub(super) fn take_varint(from: &[u8], at: &mut usize) -> Result<u64, Violation> {
    let byte = *from.get(*at).ok_or(Violation::Garbled)?;
    *at += 1;
    if byte < 0x80 {
        return Ok(u64::from(byte));
    }
    take_long(from, at, byte)
}

fn take_long(from: &[u8], at: &mut usize, first: u8) -> Result<u64, Violation> {
    let mut value = u64::from(first & 0x7f);
    for shift in (7..).step_by(7).take(VARINT_BYTES_MAX - 1) {
        let byte = *from.get(*at).ok_or(Violation::Garbled)?;
        *at += 1;
        if shift == 63 && byte > 1 {
            break;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            let canonical = byte != 0;
            return if canonical {
                Ok(value)
            } else {
                Err(Violation::Garbled)
            };
        }
    }
    Err(Violation::Garbled)
}

/// The same for numbers of 32 bits.
#[inline]
pub(super) fn take_short(from: &[u8], at: &mut usize) -> Result<u32, Violation> {
    u32::try_from(take_varint(from, at)?).map_err(|_| Violation::Garbled)
}
