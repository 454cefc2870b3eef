//! What messages are made of, as numbers that two programs compare.

mod fnv;
mod foreign;
mod message;
mod tracer;

use std::any::TypeId;

use serde::Serialize;
use serde::de::DeserializeOwned;

use fnv::Fnv;
pub(crate) use message::{WireMessage, message};
use tracer::Tracer;

/// What can be part of a message to another process.
///
/// `#[derive(Wire)]` implements it beside serde's two:
///
/// ```
/// use greenroom::remote::Wire;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Wire)]
/// pub struct Order {
///     item: String,
///     amounts: Vec<u32>,
///     /// Of a crate that knows nothing of `Wire`: who changes it changes the text.
///     #[wire(version = "1")]
///     level: std::cmp::Reverse<u8>,
/// }
/// ```
///
/// # Fingerprints
///
/// A message's fingerprint is a number of 128 bits, by FNV-1a, of all that its two sides must agree
/// upon: the names, order and types of its fields, recursively, then of its reply and its error.
/// Names of fields and variants count, as what is meant by them does; so do serde's attributes, by
/// their text. Names of *types* do not: they are not sent, and renaming one breaks nobody.
/// A `Box` is what it holds; a newtype is not. Where two programs have different
/// fingerprints of a message, it is refused: [`SchemaMismatch`](super::SchemaMismatch).
///
/// It tells versions of a program apart. It is no proof against who wants to deceive: what a peer
/// sends is decoded within bounds, whatever it says that it is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be part of a message to another process",
    label = "no `#[derive(Wire)]` on its type",
    note = "derive `Serialize`, `Deserialize` and `Wire`; for a field of a foreign type say \
            `#[wire(version = \"1\")]`"
)]
pub trait Wire: Serialize + DeserializeOwned + 'static {
    /// Tells what it is made of.
    #[doc(hidden)]
    fn describe(schema: &mut Schema<'_>);

    /// Whose description that is.
    #[doc(hidden)]
    fn described() -> TypeId {
        TypeId::of::<Self>()
    }
}

/// The description of a type, as it is told.
///
/// Each call hashes a tag and texts with their lengths, so that two descriptions which differ never
/// are the same bytes.
#[derive(Debug)]
pub struct Schema<'t> {
    hash: Fnv,
    tracer: &'t mut Tracer,
    /// The outermost of the types that are being described which this one leads back to.
    lowest: usize,
}

/// What comes next.
#[derive(Clone, Copy)]
enum Tag {
    Kind = 1,
    Field,
    Part,
    Variant,
    Version,
    Note,
    Back,
}

impl Schema<'_> {
    fn tag(&mut self, tag: Tag) {
        self.hash.write(&[tag as u8]);
    }

    fn text(&mut self, text: &str) {
        self.hash.write(&(text.len() as u64).to_le_bytes());
        self.hash.write(text.as_bytes());
    }

    /// What kind of type it is: `"struct"`, or a name of its own.
    pub fn kind(&mut self, kind: &str) {
        self.tag(Tag::Kind);
        self.text(kind);
    }

    /// The variant whose fields come next.
    pub fn variant(&mut self, name: &str) {
        self.tag(Tag::Variant);
        self.text(name);
    }

    /// A field with a name.
    pub fn field<T: Wire>(&mut self, name: &str) {
        self.tag(Tag::Field);
        self.text(name);
        self.ty::<T>();
    }

    /// A field or parameter without a name.
    pub fn part<T: Wire>(&mut self) {
        self.tag(Tag::Part);
        self.ty::<T>();
    }

    /// A field of a foreign type, by what its user says.
    pub fn version(&mut self, name: &str, version: &str) {
        self.tag(Tag::Version);
        self.text(name);
        self.text(version);
    }

    /// What else is said of what comes next.
    pub fn note(&mut self, text: &str) {
        self.tag(Tag::Note);
        self.text(text);
    }

    /// A value of this type has handles in it.
    pub(super) fn lends(&mut self) {
        self.tracer.lends = true;
    }

    fn ty<T: Wire>(&mut self) {
        let id = T::described();
        if let Some(at) = self.tracer.open(id) {
            let distance = self.tracer.depth() - at;
            self.lowest = self.lowest.min(at);
            self.tag(Tag::Back);
            self.hash.write(&(distance as u64).to_le_bytes());
            return;
        }
        let (hash, lowest) = self.tracer.describe(id, T::describe);
        self.lowest = self.lowest.min(lowest);
        self.hash.write(&hash.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
