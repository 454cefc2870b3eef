use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;
use serde::de::{DeserializeOwned, Deserializer};
use serde::ser::{Error, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use super::{decode, encode, encode_into};
use crate::actor::Crossing;
use crate::limits::PAYLOAD_NESTING_MAX;

const AMPLE: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct All {
    small: (u8, i8, bool, char),
    unsigned: (u16, u32, u64, u128, usize),
    signed: (i16, i32, i64, i128),
    floats: (f32, f64),
    text: String,
    option: Option<Box<str>>,
    map: BTreeMap<String, Vec<u16>>,
    array: [u8; 3],
    unit: (),
    choice: Choice,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Choice {
    Nothing,
    One(u32),
    Two(u8, String),
    Named { of: i64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct List(Option<Box<List>>);

fn list(length: usize) -> List {
    (0..length).fold(List(None), |rest, _| List(Some(Box::new(rest))))
}

/// It is what it was before, and as others have it.
fn crosses<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let ours = encode(value, AMPLE).expect("it can be encoded");
    assert_eq!(ours, postcard::to_stdvec(value).expect("theirs"));
    assert_eq!(
        &decode::<T>(ours.clone()).expect("it can be decoded"),
        value
    );
    assert_eq!(&postcard::from_bytes::<T>(&ours).expect("theirs"), value);
}

fn choice() -> impl Strategy<Value = Choice> {
    prop_oneof![
        Just(Choice::Nothing),
        any::<u32>().prop_map(Choice::One),
        any::<(u8, String)>().prop_map(|(n, text)| Choice::Two(n, text)),
        any::<i64>().prop_map(|of| Choice::Named { of }),
    ]
}

fn all() -> impl Strategy<Value = All> {
    let numbers = (
        any::<(u8, i8, bool, char)>(),
        any::<(u16, u32, u64, u128, usize)>(),
        any::<(i16, i32, i64, i128)>(),
        (-1e9_f32..1e9, -1e99_f64..1e99),
    );
    let rest = (
        any::<String>(),
        any::<Option<String>>(),
        any::<BTreeMap<String, Vec<u16>>>(),
        any::<[u8; 3]>(),
        choice(),
    );
    (numbers, rest).prop_map(|(numbers, (text, option, map, array, choice))| All {
        small: numbers.0,
        unsigned: numbers.1,
        signed: numbers.2,
        floats: numbers.3,
        text,
        option: option.map(String::into),
        map,
        array,
        unit: (),
        choice,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_comes_back_as_it_was_and_is_written_as_postcard_does(value in all()) {
        crosses(&value);
    }

    #[test]
    fn garbage_is_an_error_or_a_value_that_is_encoded_again(bytes: Vec<u8>) {
        let bytes = Bytes::from(bytes);
        if let Ok(value) = decode::<All>(bytes.clone()) {
            prop_assert!(encode(&value, AMPLE).is_ok());
        }
        let _ = decode::<Vec<HashMap<u8, Choice>>>(bytes.clone());
        let _ = decode::<List>(bytes);
    }

    #[test]
    fn a_value_cut_short_is_an_error(value in all(), share in 0.0..1.0) {
        let bytes = encode(&value, AMPLE).expect("it can be encoded");
        let length = (bytes.len() as f64 * share) as usize;
        prop_assert!(decode::<All>(bytes.slice(..length)).is_err());
    }
}

fn not_decodable<T: DeserializeOwned + Debug>(bytes: &[u8]) -> String {
    match decode::<T>(Bytes::copy_from_slice(bytes)) {
        Err(Crossing::NotDecodable(why)) => why.into_owned(),
        other => panic!("{other:?}"),
    }
}

fn not_encodable<T: Serialize>(value: &T) -> String {
    match encode(value, AMPLE) {
        Err(Crossing::NotEncodable(why)) => why.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_value_is_as_deep_as_the_bound_and_no_deeper_on_either_side() {
    // Each link of it is a newtype and an option.
    let deepest = PAYLOAD_NESTING_MAX as usize / 2 - 1;
    crosses(&list(deepest));
    assert!(not_encodable(&list(deepest + 1)).contains("levels"));
    let mut theirs = vec![1; 100_000];
    theirs.push(0);
    assert!(not_decodable::<List>(&theirs).contains("levels"));
}

#[test]
fn elements_without_bytes_are_refused_on_either_side() {
    let count = postcard::to_stdvec(&u64::MAX).expect("a number");
    for bytes in [&count[..], &[2]] {
        assert_eq!(not_decodable::<Vec<()>>(bytes), "more elements than bytes");
        assert_eq!(not_decodable::<Vec<u8>>(bytes), "more elements than bytes");
        assert_eq!(
            not_decodable::<HashMap<(), ()>>(bytes),
            "more elements than bytes"
        );
        assert_eq!(not_decodable::<String>(bytes), "more elements than bytes");
    }
    assert!(not_encodable(&vec![(); 2]).contains("without bytes"));
    crosses(&Vec::<()>::new());
}

#[test]
fn bytes_that_are_left_or_lack_are_refused() {
    assert!(not_decodable::<u8>(&[1, 2]).contains("left"));
    assert!(not_decodable::<(u8, u8)>(&[1]).contains("end"));
    assert!(not_decodable::<bool>(&[2]).contains("choice"));
    assert!(not_decodable::<Option<u8>>(&[7, 1]).contains("choice"));
    assert!(not_decodable::<u16>(&[0xff, 0xff, 0x04]).contains("too large"));
    assert!(not_decodable::<u64>(&[0xff; 11]).contains("too large"));
    assert!(not_decodable::<String>(&[1, 0xff]).contains("UTF-8"));
    assert!(not_decodable::<char>(&[2, b'a', b'b']).contains("character"));
}

#[test]
fn a_limit_is_kept_to_the_byte_and_leaves_the_buffer_as_it_was() {
    let mut out = BytesMut::from(&b"before"[..]);
    assert_eq!(encode_into("seven", &mut out, 6), Ok(()));
    assert_eq!(&out[..], b"before\x05seven");
    let limit = Some(5);
    assert_eq!(
        encode_into("seven", &mut out, 5),
        Err(Crossing::TooLarge { limit })
    );
    assert_eq!(&out[..], b"before\x05seven");
}

/// Writes something, and then fails or panics.
struct Half {
    panics: bool,
}

impl Serialize for Half {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(2))?;
        seq.serialize_element(&1_u8)?;
        assert!(!self.panics, "no second half");
        Err(S::Error::custom("no second half"))
    }
}

#[derive(Debug)]
struct Panics;

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("not today")
    }
}

#[test]
fn what_a_type_does_wrong_is_its_own_error_and_leaves_the_buffer_as_it_was() {
    let mut out = BytesMut::from(&b"before"[..]);
    for panics in [false, true] {
        let error = encode_into(&Half { panics }, &mut out, AMPLE).expect_err("half");
        assert!(error.to_string().contains("no second half"), "{error}");
        assert_eq!(&out[..], b"before");
        assert!(not_encodable(&Half { panics }).contains("no second half"));
    }
    assert!(not_decodable::<Panics>(&[]).contains("not today"));
    crosses(&7_u8);
}

#[test]
fn bytes_go_at_once() {
    let value = bytes::Bytes::from(vec![7; 1 << 16]);
    crosses(&value);
    assert_eq!(
        encode(&value, AMPLE).expect("it can be encoded").len(),
        (1 << 16) + 3
    );
}

/// Encodes another value on the way.
struct Nested;

impl Serialize for Nested {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inner = encode("inner", AMPLE).map_err(S::Error::custom)?;
        serializer.serialize_bytes(&inner)
    }
}

#[test]
fn a_value_may_encode_another_as_it_is_encoded() {
    let payload = encode(&Nested, AMPLE).expect("it can be encoded");
    assert_eq!(&payload[..], b"\x06\x05inner");
}

/// Counts what is made of it.
#[derive(Debug)]
struct Nothing;

thread_local! {
    static NOTHINGS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<'de> Deserialize<'de> for Nothing {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        NOTHINGS.set(NOTHINGS.get() + 1);
        Ok(Self)
    }
}

#[test]
fn lists_of_nothing_in_a_list_take_no_more_time_than_their_bytes() {
    // A thousand lists, each of as many elements as bytes follow at most.
    let mut bytes = postcard::to_stdvec(&1000_u64).expect("a number");
    bytes.extend([100; 1000]);
    bytes.extend([0; 100]);
    let why = not_decodable::<Vec<Vec<Nothing>>>(&bytes);
    assert!(why.contains("more elements than bytes"), "{why}");
    let made = NOTHINGS.get();
    assert!(made <= bytes.len(), "{made} of {} bytes", bytes.len());
}

#[test]
fn bytes_at_the_end_get_the_buffer_that_they_came_in_unless_it_is_shared() {
    let value = (7_u8, Bytes::from(vec![1; 10_000]));
    let payload = Bytes::from(encode(&value, AMPLE).expect("it can be encoded").to_vec());
    let shared: (u8, Bytes) = decode(payload.clone()).expect("it can be decoded");
    assert_eq!(shared, value);
    let place = payload.as_ptr();
    assert_ne!(shared.1.as_ptr(), place);
    let alone: (u8, Bytes) = decode(payload).expect("it can be decoded");
    assert_eq!(alone, value);
    assert_eq!(alone.1.as_ptr(), place);
    let longer = encode(&(value.1, 7_u8), AMPLE).expect("it can be encoded");
    assert!(decode::<Bytes>(longer).is_err(), "something is behind them");
}
