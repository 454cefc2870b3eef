//! An enum that is decoded.

use serde::de::value::U32Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, IntoDeserializer, VariantAccess, Visitor};

use super::decoder::Decoder;
use super::error::CodecError;

/// One variant of an enum, by its number.
pub(super) struct Variant<'a>(pub(super) &'a mut Decoder);

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = CodecError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), CodecError> {
        let index: u32 = self.0.number(32)?;
        let index: U32Deserializer<CodecError> = index.into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = CodecError;

    fn unit_variant(self) -> Result<(), CodecError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, CodecError> {
        self.0.within(|decoder| seed.deserialize(decoder))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        self.0.sequence(count, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        self.0.sequence(fields.len(), visitor)
    }
}
