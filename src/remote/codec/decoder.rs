//! Bytes as values.

use bytes::{Buf, Bytes};
use serde::de::{Deserializer, Visitor};

use super::elements::Elements;
use super::error::CodecError;
use super::variant::Variant;
use super::varint::{take_64, take_128, unzigzag_64, unzigzag_128};
use crate::limits::PAYLOAD_NESTING_MAX;

/// Takes values off the front of some bytes.
pub(super) struct Decoder {
    input: Bytes,
    /// Where the rest begins.
    at: usize,
    levels: u32,
}

impl Decoder {
    pub(super) fn new(input: Bytes) -> Self {
        Self {
            input,
            at: 0,
            levels: 0,
        }
    }

    fn rest(&self) -> &[u8] {
        &self.input[self.at..]
    }

    fn left(&self) -> usize {
        self.input.len() - self.at
    }

    /// Has something taken off the front.
    fn read<T>(
        &mut self,
        read: impl FnOnce(&mut &[u8]) -> Result<T, CodecError>,
    ) -> Result<T, CodecError> {
        let mut rest = self.rest();
        let value = read(&mut rest)?;
        self.at = self.input.len() - rest.len();
        Ok(value)
    }

    /// Nothing is left.
    pub(super) fn finish(self) -> Result<(), CodecError> {
        match self.rest() {
            [] => Ok(()),
            _ => Err(CodecError::Invalid("bytes are left behind it")),
        }
    }

    fn take(&mut self, count: usize) -> Result<&[u8], CodecError> {
        let start = self.at;
        if count > self.left() {
            return Err(CodecError::End);
        }
        self.at += count;
        Ok(&self.input[start..self.at])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let taken = *self.rest().first_chunk().ok_or(CodecError::End)?;
        self.at += N;
        Ok(taken)
    }

    pub(super) fn number<T: TryFrom<u64>>(&mut self, bits: u32) -> Result<T, CodecError> {
        fit(self.read(|input| take_64(input, bits))?)
    }

    fn signed<T: TryFrom<i64>>(&mut self, bits: u32) -> Result<T, CodecError> {
        fit(unzigzag_64(self.read(|input| take_64(input, bits))?))
    }

    /// A number of things that have at least a byte each.
    fn count(&mut self) -> Result<usize, CodecError> {
        let count: usize = self.number(64)?;
        if count > self.left() {
            return Err(CodecError::Invalid("more elements than bytes"));
        }
        Ok(count)
    }

    fn bytes(&mut self) -> Result<&[u8], CodecError> {
        let count = self.count()?;
        self.take(count)
    }

    fn text(&mut self) -> Result<&str, CodecError> {
        let invalid = |_| CodecError::Invalid("text is not UTF-8");
        str::from_utf8(self.bytes()?).map_err(invalid)
    }

    /// One of two.
    fn choice(&mut self) -> Result<bool, CodecError> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [_] => Err(CodecError::Invalid("a choice of two is neither")),
        }
    }

    /// One level further in.
    pub(super) fn within<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> Result<T, CodecError>,
    ) -> Result<T, CodecError> {
        if self.levels == PAYLOAD_NESTING_MAX {
            return Err(CodecError::TooDeep);
        }
        self.levels += 1;
        let value = f(self)?;
        self.levels -= 1;
        Ok(value)
    }

    pub(super) fn sequence<'de, V: Visitor<'de>>(
        &mut self,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        self.elements(left, |elements| visitor.visit_seq(elements))
    }

    /// So many elements, which have at least a byte each on the whole: else a list of lists could
    /// count the bytes behind it again and again.
    fn counted<T>(
        &mut self,
        count: usize,
        visit: impl FnOnce(&mut Elements<'_>) -> Result<T, CodecError>,
    ) -> Result<T, CodecError> {
        let before = self.left();
        let value = self.elements(count, visit)?;
        if count > before - self.left() {
            return Err(CodecError::Invalid("more elements than bytes"));
        }
        Ok(value)
    }

    /// So many parts, of which none may be left.
    fn elements<T>(
        &mut self,
        left: usize,
        visit: impl FnOnce(&mut Elements<'_>) -> Result<T, CodecError>,
    ) -> Result<T, CodecError> {
        self.within(|decoder| {
            let mut elements = Elements { decoder, left };
            let value = visit(&mut elements)?;
            match elements.left {
                0 => Ok(value),
                _ => Err(CodecError::Invalid("elements are left")),
            }
        })
    }
}

fn fit<T: TryFrom<N>, N>(number: N) -> Result<T, CodecError> {
    T::try_from(number).map_err(|_| CodecError::Invalid("a number is too large"))
}

/// Deserializes each of these as a number.
macro_rules! numbers {
    ($($method:ident $visit:ident $by:ident $bits:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
            let value = self.$by($bits)?;
            visitor.$visit(value)
        }
    )*};
}

/// What only a self-describing format has.
macro_rules! without {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, CodecError> {
            Err(CodecError::Invalid("its type asks what comes next, which the format does not say"))
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Decoder {
    type Error = CodecError;

    numbers! {
        deserialize_u16 visit_u16 number 16;
        deserialize_u32 visit_u32 number 32;
        deserialize_u64 visit_u64 number 64;
        deserialize_i16 visit_i16 signed 16;
        deserialize_i32 visit_i32 signed 32;
        deserialize_i64 visit_i64 signed 64;
    }

    without!(deserialize_any deserialize_identifier deserialize_ignored_any);

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_u128(self.read(|input| take_128(input, 128))?)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_i128(unzigzag_128(self.read(|input| take_128(input, 128))?))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_bool(self.choice()?)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_u8(u8::from_le_bytes(self.array()?))
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_i8(i8::from_le_bytes(self.array()?))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_f32(f32::from_le_bytes(self.array()?))
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_f64(f64::from_le_bytes(self.array()?))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        let mut chars = self.text()?.chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => visitor.visit_char(char),
            _ => Err(CodecError::Invalid("a character is none")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_bytes(self.bytes()?)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        let count = self.count()?;
        if count < self.left() {
            return visitor.visit_bytes(self.take(count)?);
        }
        let mut last = std::mem::take(&mut self.input);
        last.advance(std::mem::take(&mut self.at));
        visitor.visit_byte_buf(last.into())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        match self.choice()? {
            false => visitor.visit_none(),
            true => self.within(|decoder| visitor.visit_some(decoder)),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        self.within(|decoder| visitor.visit_newtype_struct(decoder))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        let count = self.count()?;
        self.counted(count, |elements| visitor.visit_seq(elements))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        self.sequence(count, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        self.sequence(count, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        let count = self.count()?;
        self.counted(count, |entries| visitor.visit_map(entries))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        self.sequence(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        visitor.visit_enum(Variant(self))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}
