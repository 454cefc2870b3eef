//! Values as bytes.

use bytes::BytesMut;
use serde::Serialize;
use serde::ser::{self, Serializer};

use super::error::CodecError;
use super::varint::{write_64, write_128, zigzag_64, zigzag_128};
use crate::limits::PAYLOAD_NESTING_MAX;

/// Appends values to a buffer, within a limit.
pub(super) struct Encoder<'a> {
    out: &'a mut BytesMut,
    /// How long the buffer may get.
    end: usize,
    levels: u32,
}

type Encoded = Result<(), CodecError>;

impl<'a> Encoder<'a> {
    pub(super) fn new(out: &'a mut BytesMut, limit: usize) -> Self {
        let end = out.len().saturating_add(limit);
        Self {
            out,
            end,
            levels: 0,
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Encoded {
        if bytes.len() > self.end - self.out.len() {
            return Err(CodecError::TooLarge);
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn number(&mut self, value: u64) -> Encoded {
        let (bytes, length) = write_64(value);
        self.put(&bytes[..length])
    }

    fn wide(&mut self, value: u128) -> Encoded {
        let (bytes, length) = write_128(value);
        self.put(&bytes[..length])
    }

    fn string(&mut self, bytes: &[u8]) -> Encoded {
        self.number(bytes.len() as u64)?;
        self.put(bytes)
    }

    fn enter(&mut self) -> Encoded {
        if self.levels == PAYLOAD_NESTING_MAX {
            return Err(CodecError::TooDeep);
        }
        self.levels += 1;
        Ok(())
    }

    /// A value one level further in.
    fn within<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
        self.enter()?;
        value.serialize(&mut *self)?;
        self.levels -= 1;
        Ok(())
    }

    /// What has parts: `counted`, if their number is not the type's.
    fn parts(&mut self, counted: Option<usize>) -> Result<Parts<'_, 'a>, CodecError> {
        self.enter()?;
        if let Some(count) = counted {
            self.number(count as u64)?;
        }
        Ok(Parts {
            start: self.out.len(),
            left: counted,
            count: counted.unwrap_or(0),
            encoder: self,
        })
    }
}

/// Serializes each of these as a number.
macro_rules! numbers {
    ($($method:ident($ty:ty) $by:ident $as:expr;)*) => {$(
        fn $method(self, value: $ty) -> Encoded {
            self.$by($as(value))
        }
    )*};
}

impl<'e, 'a> Serializer for &'e mut Encoder<'a> {
    type Ok = ();
    type Error = CodecError;
    type SerializeSeq = Parts<'e, 'a>;
    type SerializeTuple = Parts<'e, 'a>;
    type SerializeTupleStruct = Parts<'e, 'a>;
    type SerializeTupleVariant = Parts<'e, 'a>;
    type SerializeMap = Parts<'e, 'a>;
    type SerializeStruct = Parts<'e, 'a>;
    type SerializeStructVariant = Parts<'e, 'a>;

    numbers! {
        serialize_u16(u16) number u64::from;
        serialize_u32(u32) number u64::from;
        serialize_u64(u64) number u64::from;
        serialize_u128(u128) wide u128::from;
        serialize_i16(i16) number |value| zigzag_64(i64::from(value));
        serialize_i32(i32) number |value| zigzag_64(i64::from(value));
        serialize_i64(i64) number zigzag_64;
        serialize_i128(i128) wide zigzag_128;
    }

    fn serialize_bool(self, value: bool) -> Encoded {
        self.put(&[u8::from(value)])
    }

    fn serialize_u8(self, value: u8) -> Encoded {
        self.put(&[value])
    }

    fn serialize_i8(self, value: i8) -> Encoded {
        self.put(&value.to_le_bytes())
    }

    fn serialize_f32(self, value: f32) -> Encoded {
        self.put(&value.to_le_bytes())
    }

    fn serialize_f64(self, value: f64) -> Encoded {
        self.put(&value.to_le_bytes())
    }

    fn serialize_char(self, value: char) -> Encoded {
        self.string(value.encode_utf8(&mut [0; 4]).as_bytes())
    }

    fn serialize_str(self, value: &str) -> Encoded {
        self.string(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Encoded {
        self.string(value)
    }

    fn serialize_none(self) -> Encoded {
        self.put(&[0])
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Encoded {
        self.put(&[1])?;
        self.within(value)
    }

    fn serialize_unit(self) -> Encoded {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Encoded {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Encoded {
        self.number(index.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Encoded {
        self.within(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Encoded {
        self.number(index.into())?;
        self.within(value)
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Parts<'e, 'a>, CodecError> {
        let unknown = CodecError::Invalid("a sequence does not know its length before its end");
        self.parts(Some(count.ok_or(unknown)?))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'e, 'a>, CodecError> {
        self.parts(None)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'e, 'a>, CodecError> {
        self.parts(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'e, 'a>, CodecError> {
        self.number(index.into())?;
        self.parts(None)
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Parts<'e, 'a>, CodecError> {
        let unknown = CodecError::Invalid("a map does not know its length before its end");
        self.parts(Some(count.ok_or(unknown)?))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'e, 'a>, CodecError> {
        self.parts(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Parts<'e, 'a>, CodecError> {
        self.number(index.into())?;
        self.parts(None)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The parts of a value, one after the other.
pub(super) struct Parts<'e, 'a> {
    encoder: &'e mut Encoder<'a>,
    /// Where the first begins.
    start: usize,
    /// How many of a stated number are to come.
    left: Option<usize>,
    count: usize,
}

impl Parts<'_, '_> {
    fn part<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
        value.serialize(&mut *self.encoder)
    }

    /// One of a stated number.
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
        let wrong = CodecError::Invalid("a sequence is longer than it said");
        let left = self
            .left
            .and_then(|left| left.checked_sub(1))
            .ok_or(wrong)?;
        self.left = Some(left);
        self.part(value)
    }

    fn finish(self) -> Encoded {
        if self.left.is_some_and(|left| left > 0) {
            return Err(CodecError::Invalid("a sequence is shorter than it said"));
        }
        if self.count > self.encoder.out.len() - self.start {
            let why = "elements without bytes can't be counted by who reads them";
            return Err(CodecError::Invalid(why));
        }
        self.encoder.levels -= 1;
        Ok(())
    }
}

/// Implements a trait of parts by one of the methods above.
macro_rules! parts {
    ($($of:ident: $method:ident(&mut self $(, $key:ident)?) $by:ident;)*) => {$(
        impl ser::$of for Parts<'_, '_> {
            type Ok = ();
            type Error = CodecError;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: &'static str,)?
                value: &T,
            ) -> Encoded {
                $(let _ = $key;)?
                self.$by(value)
            }

            fn end(self) -> Encoded {
                self.finish()
            }
        }
    )*};
}

parts! {
    SerializeSeq: serialize_element(&mut self) element;
    SerializeTuple: serialize_element(&mut self) part;
    SerializeTupleStruct: serialize_field(&mut self) part;
    SerializeTupleVariant: serialize_field(&mut self) part;
    SerializeStruct: serialize_field(&mut self, key) part;
    SerializeStructVariant: serialize_field(&mut self, key) part;
}

impl ser::SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = CodecError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Encoded {
        self.element(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Encoded {
        self.part(value)
    }

    fn end(self) -> Encoded {
        self.finish()
    }
}
