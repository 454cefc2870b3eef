//! Claims about payloads that are larger than a chunk.

use std::time::Duration;

use bytes::{Bytes, BytesMut};

use super::super::Event;
use super::super::body::Body;
use super::actor::payload;
use super::pair::{From, Pair};
use crate::remote::frame::{Frame, KindId, Part, Record, TargetId};
use crate::remote::limits::{BULK_BYTES, CHUNK_BYTES, PARTIALS, PAYLOAD_BYTES, WRITE_BYTES};

const KIND: KindId = KindId(3);
const LARGE: usize = 1 << 20;

fn tell(pair: &mut Pair, target: TargetId, id: usize, size: usize) {
    let body = payload(id, size).into();
    pair.client
        .session
        .tell(target, KIND, body)
        .expect("there is room");
}

/// What the server hears, as targets and ids.
fn heard(pair: &mut Pair) -> Vec<(TargetId, u8)> {
    let events = pair.server.take_events().into_iter();
    let tells = events.filter_map(|event| match event {
        Event::Tell {
            target, payload, ..
        } => Some((target, payload[0])),
        _ => None,
    });
    tells.collect()
}

/// One turn of the client's writer, as records.
fn written(pair: &mut Pair) -> Vec<Record> {
    let mut out: Vec<Bytes> = Vec::new();
    pair.client.session.transmit(&mut out);
    records(&mut BytesMut::from(&out.concat()[..]))
}

fn records(input: &mut BytesMut) -> Vec<Record> {
    let mut records = Vec::new();
    while let Some(mut frame) = Frame::take(input, PAYLOAD_BYTES).expect("it is written by us") {
        while !frame.records.is_empty() {
            records.push(frame.records.take().expect("it is written by us"));
        }
    }
    records
}

#[test]
fn what_comes_to_others_overtakes_a_large_payload_and_what_comes_after_it_does_not() {
    let mut pair = Pair::with_defaults();
    let (first, second) = (pair.target(64), pair.target(64));
    tell(&mut pair, first, 1, LARGE);
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest");
    assert_eq!(
        heard(&mut pair),
        [],
        "one turn of the writer does not take it all"
    );
    tell(&mut pair, second, 3, 10);
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest");
    assert_eq!(heard(&mut pair), [(second, 3)]);
    pair.settle();
    assert_eq!(heard(&mut pair), [(first, 1)]);
}

#[test]
fn order_to_one_target_is_kept_across_large_and_small() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    for id in 0..16 {
        pair.client
            .session
            .imports
            .give(target)
            .expect("it is given again");
        tell(&mut pair, target, id, 0);
        pair.settle();
        pair.server.session.consumed(target, 1, 8);
        heard(&mut pair);
    }
    pair.settle();
    tell(&mut pair, target, 20, 10);
    tell(&mut pair, target, 21, 30_000);
    tell(&mut pair, target, 22, LARGE);
    pair.settle();
    assert_eq!(heard(&mut pair), [(target, 20), (target, 21), (target, 22)]);
}

#[test]
fn what_stands_behind_a_large_payload_follows_it() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let body = |id, size| Body::from(payload(id, size));
    let session = &mut pair.client.session;
    session
        .tell(target, KIND, body(1, 60_000))
        .expect("there is room");
    session
        .tell(target, KIND, body(2, LARGE))
        .expect("there is some room");
    session.release(target);
    pair.settle();
    assert_eq!(
        heard(&mut pair),
        [(target, 1), (target, 2)],
        "before it was handed back"
    );
}

#[test]
fn one_turn_of_the_writer_is_bounded_and_gives_each_large_record_a_chunk() {
    let mut pair = Pair::with_defaults();
    let targets: Vec<_> = (0..6).map(|_| pair.target(64)).collect();
    for (id, &target) in targets.iter().enumerate() {
        tell(&mut pair, target, id, LARGE);
    }
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest"); // the heads, and some chunks
    pair.fly(From::Server, usize::MAX)
        .expect("the server is honest"); // has received them
    let bytes = pair.client.write();
    assert!(bytes <= WRITE_BYTES + CHUNK_BYTES as usize, "{bytes}");
    let mut input = pair.client.flying.clone();
    let mut seen = [0; PARTIALS as usize];
    for record in records(&mut input) {
        let Record::Chunk {
            partial,
            part: Part::More,
            ..
        } = record
        else {
            panic!("nothing else is there")
        };
        seen[partial as usize] += 1;
    }
    assert!(seen.iter().all(|&chunks| chunks > 0), "{seen:?}");
}

#[test]
fn a_ping_goes_between_the_chunks_of_a_large_payload() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    tell(&mut pair, target, 1, LARGE);
    written(&mut pair);
    let later = pair.now + Duration::from_secs(6);
    pair.client
        .session
        .on_timeout(later, &mut Vec::new())
        .expect("nobody stalls");
    let records = written(&mut pair);
    assert!(matches!(records[0], Record::Ping { .. }), "first of all");
}

#[test]
fn a_large_ask_can_be_taken_back_half_way() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let session = &mut pair.client.session;
    let large = session
        .ask(target, KIND, None, payload(1, LARGE).into())
        .expect("there is room");
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest");
    let now = pair.now;
    assert!(pair.client.session.cancel(large, now), "it was never whole");
    assert!(pair.client.session.cancel(large, now), "it is over");
    tell(&mut pair, target, 2, 0);
    pair.settle();
    assert_eq!(
        heard(&mut pair),
        [(target, 2)],
        "and its target is free again"
    );
    let counters = pair.client.session.counters();
    assert_eq!((counters.asks_open, counters.bytes_under_way), (0, 72));
    // The number of the partial is free as well.
    (0..8).for_each(|id| {
        let target = pair.target(64);
        tell(&mut pair, target, id, LARGE / 2);
    });
    pair.settle();
    assert_eq!(heard(&mut pair).len(), 8);
}

#[test]
fn large_answers_hold_up_no_small_ones() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let session = &mut pair.client.session;
    let mut ask = || {
        session
            .ask(target, KIND, None, Body::Copied(b""))
            .expect("there is room")
    };
    let (large, small) = (ask(), ask());
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest");
    let asks = pair.server.take_events();
    let [
        Event::Ask { ask: first, .. },
        Event::Ask { ask: second, .. },
    ] = asks[..]
    else {
        panic!("two asks: {asks:?}")
    };
    pair.server.session.reply(first, payload(1, LARGE).into());
    pair.server.session.reply(second, payload(2, 0).into());
    pair.settle();
    let answers = pair.client.take_events();
    let [
        Event::Reply { ask: one, .. },
        Event::Reply {
            ask: two,
            payload: ref whole,
        },
    ] = answers[..]
    else {
        panic!("two answers")
    };
    assert_eq!((one, two), (small, large));
    assert_eq!(*whole, payload(1, LARGE));
}

#[test]
fn large_payloads_are_under_way_within_a_bound_while_something_small_goes_too() {
    let mut pair = Pair::with_defaults();
    let [first, second, third] = [(); 3].map(|()| pair.target(64));
    tell(&mut pair, first, 1, 4 * LARGE);
    tell(&mut pair, second, 2, 10);
    let mut under_way = 0;
    loop {
        match pair.client.write() {
            0 => break,
            bytes => under_way += bytes,
        }
    }
    let least = BULK_BYTES as usize;
    assert!((least..least + CHUNK_BYTES as usize + 1000).contains(&under_way));
    assert!(!pair.client.session.has_output(), "it waits for the server");
    pair.settle();
    assert_eq!(heard(&mut pair), [(second, 2), (first, 1)], "and goes on");
    tell(&mut pair, third, 3, 4 * LARGE);
    pair.client.session.close(0);
    while pair.client.write() > 0 {}
    pair.settle();
    assert_eq!(heard(&mut pair), [(third, 3)], "last words wait for nobody");
}
