//! Runs of bytes that are nearly right, bounded in number; the fuzz targets go on from here.

use bytes::BytesMut;
use proptest::prelude::*;

use super::attempt::attempt;
use super::pair::{From, Pair};
use crate::remote::frame::KindId;

/// Bytes of some asks, tells and a large payload, as a client writes them.
fn traffic() -> (Pair, BytesMut) {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    for size in [0, 10, 300, 70_000] {
        let payload = vec![7; size];
        let session = &mut pair.client.session;
        if size < 70_000 {
            session
                .ask(target, KindId(1), Some(9), payload.as_slice().into())
                .expect("room");
        }
        session
            .tell(target, KindId(2), payload.as_slice().into())
            .expect("room");
        pair.client.write();
    }
    let bytes = pair.client.flying.split();
    (pair, bytes)
}

/// Ten times as many where they cost a tenth.
const CASES: u32 = if cfg!(debug_assertions) {
    1_000
} else {
    20_000
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn whatever_a_peer_does_its_bounds_hold(data in prop::collection::vec(any::<u8>(), 0..600)) {
        attempt(&data);
    }

    #[test]
    fn likely_bytes_hold_no_surprise_either(
        data in prop::collection::vec(prop_oneof![0..24u8, any::<u8>()], 0..600)
    ) {
        attempt(&data);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn traffic_with_a_flipped_bit_is_refused_or_means_something_else(
        place: prop::sample::Index,
        bit in 0..8u32,
    ) {
        let (mut pair, mut bytes) = traffic();
        // In the heads more often than in the middle of a payload.
        let place = place.index(2 * bytes.len());
        let place = if place < bytes.len() { place } else { place % 800 };
        bytes[place] ^= 1 << bit;
        pair.client.flying = bytes;
        let _ = pair.fly(From::Client, usize::MAX);
        let counters = pair.server.session.counters();
        prop_assert!(counters.asks_running <= 3);
    }

    #[test]
    fn traffic_that_ends_early_is_waited_for(cut: prop::sample::Index) {
        let (mut pair, mut bytes) = traffic();
        let rest = bytes.split_off(cut.index(bytes.len()));
        pair.client.flying = bytes;
        pair.fly(From::Client, usize::MAX).expect("it is right so far");
        pair.client.flying = rest;
        pair.fly(From::Client, usize::MAX).expect("it goes on");
        prop_assert_eq!(pair.server.take_events().len(), 7);
    }
}

#[test]
fn a_resumed_connection_that_brings_an_old_one_s_bytes_again_changes_nothing() {
    let (mut pair, bytes) = traffic();
    pair.client.flying = bytes.clone();
    pair.fly(From::Client, usize::MAX).expect("it is right");
    let heard = pair.server.take_events().len();
    pair.cut();
    pair.resume();
    pair.client.flying = bytes;
    pair.fly(From::Client, usize::MAX)
        .expect("known records are ignored");
    assert_eq!(pair.server.take_events(), []);
    pair.settle();
    assert_eq!(
        heard + pair.server.take_events().len(),
        7,
        "and the rest comes once"
    );
}

#[test]
fn the_inputs_that_the_fuzzer_begins_with_hold_no_surprise() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/session");
    let mut inputs = 0;
    for entry in std::fs::read_dir(corpus).expect("the corpus is there") {
        let data = std::fs::read(entry.expect("it can be listed").path()).expect("it is a file");
        // Each as it is, and cut anywhere.
        (0..=data.len()).for_each(|len| attempt(&data[..len]));
        inputs += 1;
    }
    assert!(inputs > 0, "there is one");
}
