//! What each face takes, and what needs a feature.

use super::{Features, Options};
use crate::entry::{Face, Kind};
use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::quote;

/// What is said of options; nothing if they are right.
fn said(face: Face, arguments: TokenStream) -> String {
    let mut errors = Errors::default();
    Options::read(face, Kind::Test, arguments, &mut errors);
    errors.report().to_string()
}

fn needed(features: Features, kind: Kind, arguments: TokenStream) -> String {
    let mut errors = Errors::default();
    let options = Options::read(Face::Tokio, kind, arguments, &mut Errors::default());
    options.check_features(features, &mut errors);
    errors.report().to_string()
}

#[test]
fn each_face_has_options_that_the_other_has_not() {
    assert_eq!(said(Face::Greenroom, quote!(seed = 7)), "");
    assert!(said(Face::Tokio, quote!(seed = 7)).contains("unknown option `seed`"));
    assert_eq!(said(Face::Tokio, quote!(name = "main")), "");
    assert!(said(Face::Greenroom, quote!(name = "main")).contains("unknown option `name`"));
    assert_eq!(said(Face::Tokio, quote!(flavor = "local")), "");
    assert!(said(Face::Greenroom, quote!(flavor = "local")).contains("no flavor `local`"));
}

#[test]
fn a_local_runtime_has_no_worker_threads() {
    let options = quote!(flavor = "local", worker_threads = 2);
    assert!(said(Face::Tokio, options).contains("needs `flavor"));
}

#[test]
fn both_faces_say_that_panics_are_handled_in_one_way_only() {
    for face in [Face::Greenroom, Face::Tokio] {
        let options = quote!(unhandled_panic = "ignore");
        assert!(said(face, options).contains("there is no `unhandled_panic`"));
    }
}

#[test]
fn a_multi_thread_runtime_needs_its_feature_named_or_not() {
    let without = Features {
        rt_multi_thread: false,
        test_util: true,
    };
    let named = quote!(flavor = "multi_thread");
    for (kind, options) in [(Kind::Main, quote!()), (Kind::Test, named)] {
        assert!(needed(without, kind, options).contains("needs the feature `rt-multi-thread`"));
    }
    assert_eq!(needed(without, Kind::Test, quote!()), "");
}

#[test]
fn a_paused_clock_needs_its_feature() {
    let without = Features {
        rt_multi_thread: true,
        test_util: false,
    };
    let said = needed(without, Kind::Test, quote!(start_paused = true));
    assert!(said.contains("needs the feature `test-util`"));
    assert_eq!(needed(without, Kind::Main, quote!()), "");
}
