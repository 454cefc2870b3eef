use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{Schema, Wire, message};
use crate::actor::Fingerprint;

fn of<T: Wire>() -> Fingerprint {
    message::<T>("", |_: &mut Schema<'_>| {}).fingerprint
}

/// Declares a type with the derives; gives its fingerprint.
macro_rules! print {
    ($($item:tt)*) => {{
        #[derive(Serialize, Deserialize, greenroom_macros::Wire)]
        #[wire(crate = "crate")]
        $($item)*
        of::<It>()
    }};
}

/// The fingerprints of some types, each in braces.
macro_rules! prints {
    ($({ $($item:tt)* })*) => { [$(print!($($item)*)),*] };
}

/// No two are the same.
fn differ(prints: &[Fingerprint]) {
    for (nth, one) in prints.iter().enumerate() {
        for (other, two) in prints.iter().enumerate().skip(nth + 1) {
            assert_ne!(one, two, "{nth} and {other}");
        }
    }
}

#[derive(Serialize, Deserialize, greenroom_macros::Wire)]
#[wire(crate = "crate")]
struct Inner {
    n: u32,
}

#[derive(Serialize, Deserialize, greenroom_macros::Wire)]
#[wire(crate = "crate")]
struct Renamed {
    n: u32,
}

#[derive(Serialize, Deserialize, greenroom_macros::Wire)]
#[wire(crate = "crate")]
struct Changed {
    n: u64,
}

#[test]
fn names_order_and_types_of_fields_make_a_difference() {
    let structs = prints! {
        { struct It { a: u32, b: u32 } }
        { struct It { b: u32, a: u32 } }
        { struct It { a: u32, c: u32 } }
        { struct It { a: u32 } }
        { struct It { a: u32, b: u64 } }
        { struct It { a: u32, b: i32 } }
        { struct It { a: u32, b: Option<u32> } }
        { struct It { a: u32, b: Vec<u32> } }
        { struct It { a: u32, b: [u32; 1] } }
        { struct It { a: u32, b: [u32; 2] } }
        { struct It { a: u32, b: (u32,) } }
        { struct It { a: u32, #[serde(with = "b")] b: u32 } }
        { struct It(u32, u32); }
        { struct It(u32); }
        { struct It; }
        { struct It {} }
    };
    let others = [of::<u32>(), of::<(u32, u32)>()];
    differ(&[&structs[..], &others].concat());
}

/// Of the field under `serde(with)`.
mod b {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(b: &u32, s: S) -> Result<S::Ok, S::Error> {
        b.serialize(s)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u32, D::Error> {
        u32::deserialize(d)
    }
}

#[test]
fn names_order_and_fields_of_variants_make_a_difference() {
    differ(&prints! {
        { enum It { A, B } }
        { enum It { B, A } }
        { enum It { A, C } }
        { enum It { A } }
        { enum It { A, B, C } }
        { enum It { A, B() } }
        { enum It { A, B(u8) } }
        { enum It { A, B(u8, u8) } }
        { enum It { A, B { n: u8 } } }
        { enum It { A, B { m: u8 } } }
        { enum It { A, B(u16) } }
    });
}

#[test]
fn a_change_deep_inside_makes_a_difference() {
    differ(&prints! {
        { struct It { a: Vec<Option<BTreeMap<String, Inner>>> } }
        { struct It { a: Vec<Option<BTreeMap<String, Changed>>> } }
        { struct It { a: Vec<BTreeMap<String, Inner>> } }
        { struct It { a: Vec<Option<Option<BTreeMap<String, Inner>>>> } }
        { struct It { a: Vec<Option<BTreeMap<u8, Inner>>> } }
        { struct It { a: Result<Inner, Changed> } }
        { struct It { a: Result<Changed, Inner> } }
    });
}

#[test]
fn the_name_of_a_type_and_who_holds_it_make_none() {
    let [plain, renamed, held, skipped] = prints! {
        { struct It { a: Vec<Inner>, b: HashMap<u8, Inner> } }
        { struct It { a: Vec<Renamed>, b: HashMap<u8, Inner> } }
        { struct It { a: Box<[Box<Inner>]>, b: BTreeMap<u8, Renamed> } }
        { struct It { a: Vec<Inner>, #[serde(skip)] _kept: Kept, b: HashMap<u8, Inner> } }
    };
    assert_eq!([renamed, held], [plain, plain]);
    // The attribute says something of what is sent.
    assert_ne!(skipped, plain);
}

/// It is never sent.
#[derive(Default)]
struct Kept;

mod trees {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, greenroom_macros::Wire)]
    #[wire(crate = "crate")]
    pub(super) struct Tree {
        leaves: Vec<Tree>,
        twin: Option<Box<Twin>>,
    }

    #[derive(Serialize, Deserialize, greenroom_macros::Wire)]
    #[wire(crate = "crate")]
    pub(super) struct Twin {
        tree: Box<Tree>,
        n: u8,
    }

    #[derive(Serialize, Deserialize, greenroom_macros::Wire)]
    #[wire(crate = "crate")]
    pub(super) struct Other {
        leaves: Vec<Other>,
        twin: Option<Box<OtherTwin>>,
    }

    #[derive(Serialize, Deserialize, greenroom_macros::Wire)]
    #[wire(crate = "crate")]
    pub(super) struct OtherTwin {
        tree: Box<Other>,
        n: u16,
    }
}

#[test]
fn types_that_lead_to_themselves_have_fingerprints_and_changes_in_a_circle_show() {
    use trees::{Other, OtherTwin, Tree, Twin};
    let all = [of::<Tree>(), of::<Twin>(), of::<Other>(), of::<OtherTwin>()];
    differ(&all);
    assert_eq!(all[0], of::<Tree>());
    assert_eq!(of::<(Twin, Tree)>(), of::<(Box<Twin>, Tree)>());
    differ(&[
        of::<(Twin, Tree)>(),
        of::<(Tree, Twin)>(),
        of::<(Tree, Tree)>(),
    ]);
}

#[test]
fn a_version_stands_for_a_foreign_type() {
    let [one, two, same] = prints! {
        { struct It { #[wire(version = "1")] a: std::ops::RangeFrom<u8> } }
        { struct It { #[wire(version = "2")] a: std::ops::RangeFrom<u8> } }
        { struct It { #[wire(version = "1")] a: std::ops::RangeTo<u16> } }
    };
    assert_ne!(one, two);
    assert_eq!(one, same);
}

#[test]
fn replies_and_errors_are_part_of_a_message() {
    let with = |reply| message::<Inner>("", reply).fingerprint;
    differ(&[
        with(|schema| schema.part::<u8>()),
        with(|schema| schema.part::<()>()),
        with(|schema| schema.part::<Result<u8, String>>()),
        with(|schema| schema.part::<Result<u8, u8>>()),
        with(|_| {}),
    ]);
}

#[test]
fn a_fingerprint_is_the_same_wherever_it_is_made() {
    // What was once sent must be understood: a change of this number changes the protocol.
    let print = print!(
        struct It {
            a: u32,
            b: Vec<(String, Option<Box<It>>)>,
        }
    );
    assert_eq!(print.to_string(), "ebe8b68040cbfcbaa36c3a691d7d6373");
}
