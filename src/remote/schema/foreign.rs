//! `Wire` for the types that everybody has.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CString, OsString};
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8,
    NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize, Wrapping,
};
use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Schema, Wire};

/// Types that are told by a name.
macro_rules! named {
    ($($ty:ty: $name:literal,)*) => {$(
        impl Wire for $ty {
            fn describe(schema: &mut Schema<'_>) {
                schema.kind($name);
            }
        }
    )*};
}

named! {
    (): "unit", bool: "bool", char: "char", String: "string", Box<str>: "string",
    u8: "u8", u16: "u16", u32: "u32", u64: "u64", u128: "u128", usize: "usize",
    i8: "i8", i16: "i16", i32: "i32", i64: "i64", i128: "i128", isize: "isize",
    f32: "f32", f64: "f64",
    NonZeroU8: "nonzero u8", NonZeroU16: "nonzero u16", NonZeroU32: "nonzero u32",
    NonZeroU64: "nonzero u64", NonZeroU128: "nonzero u128", NonZeroUsize: "nonzero usize",
    NonZeroI8: "nonzero i8", NonZeroI16: "nonzero i16", NonZeroI32: "nonzero i32",
    NonZeroI64: "nonzero i64", NonZeroI128: "nonzero i128", NonZeroIsize: "nonzero isize",
    Bytes: "bytes", BytesMut: "bytes",
    Duration: "duration", SystemTime: "time", PathBuf: "path", OsString: "os string",
    CString: "c string", IpAddr: "ip", Ipv4Addr: "ip v4", Ipv6Addr: "ip v6",
    SocketAddr: "socket", SocketAddrV4: "socket v4", SocketAddrV6: "socket v6",
}

/// Types that are a name and what they hold.
macro_rules! holders {
    ($($ty:ty, $($param:ident $(: $bound:path)?),+: $name:literal;)*) => {$(
        impl<$($param: Wire $(+ $bound)?),+> Wire for $ty {
            fn describe(schema: &mut Schema<'_>) {
                schema.kind($name);
                $(schema.part::<$param>();)+
            }
        }
    )*};
}

holders! {
    Option<T>, T: "option";
    Vec<T>, T: "sequence";
    VecDeque<T>, T: "sequence";
    LinkedList<T>, T: "sequence";
    Box<[T]>, T: "sequence";
    BTreeSet<T>, T: Ord: "set";
    BinaryHeap<T>, T: Ord: "sequence";
    BTreeMap<K, V>, K: Ord, V: "map";
    Result<T, E>, T, E: "result";
    Wrapping<T>, T: "wrapping";
    std::cmp::Reverse<T>, T: "reverse";
    Range<T>, T: "range";
    RangeInclusive<T>, T: "range inclusive";
    RangeFrom<T>, T: "range from";
    RangeTo<T>, T: "range to";
    Bound<T>, T: "bound";
}

impl<T: Wire + Eq + Hash, S: BuildHasher + Default + 'static> Wire for HashSet<T, S> {
    fn describe(schema: &mut Schema<'_>) {
        schema.kind("set");
        schema.part::<T>();
    }
}

impl<K: Wire + Eq + Hash, V: Wire, S: BuildHasher + Default + 'static> Wire for HashMap<K, V, S> {
    fn describe(schema: &mut Schema<'_>) {
        schema.kind("map");
        schema.part::<K>();
        schema.part::<V>();
    }
}

impl<T: ?Sized + 'static> Wire for PhantomData<T> {
    fn describe(schema: &mut Schema<'_>) {
        schema.kind("unit");
    }
}

/// As what it holds.
impl<T: Wire> Wire for Box<T> {
    fn describe(schema: &mut Schema<'_>) {
        T::describe(schema);
    }

    fn described() -> TypeId {
        T::described()
    }
}

impl<T: ToOwned<Owned: Wire> + Serialize + ?Sized + 'static> Wire for Cow<'static, T> {
    fn describe(schema: &mut Schema<'_>) {
        T::Owned::describe(schema);
    }

    fn described() -> TypeId {
        T::Owned::described()
    }
}

impl<T: Wire, const N: usize> Wire for [T; N]
where
    [T; N]: Serialize + DeserializeOwned,
{
    fn describe(schema: &mut Schema<'_>) {
        schema.kind("array");
        schema.note(&N.to_string());
        schema.part::<T>();
    }
}

/// Tuples of all lengths that serde knows.
macro_rules! tuples {
    ($first:ident) => { tuples!(@ $first); };
    ($first:ident $($rest:ident)+) => {
        tuples!(@ $first $($rest)+);
        tuples!($($rest)+);
    };
    (@ $($part:ident)+) => {
        impl<$($part: Wire),+> Wire for ($($part,)+) {
            fn describe(schema: &mut Schema<'_>) {
                schema.kind("tuple");
                $(schema.part::<$part>();)+
            }
        }
    };
}

tuples!(A B C D E F G H I J K L M N O P);
