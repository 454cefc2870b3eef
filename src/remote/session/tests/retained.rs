//! Claims about what is kept until it is acknowledged.

use super::super::body::Body;
use super::super::{Admission, Event, REPLY_REFUSED};
use super::pair::{From, Pair};
use super::windows::{KIND, ask, tell};
use crate::remote::frame::AskKey;
use crate::remote::limits::{Limits, RETAINED_BYTES_MIN, RETAINED_OVERSHOOT};

#[test]
fn a_sender_whose_records_are_not_acknowledged_takes_no_more() {
    let limits = Limits::new().retained_bytes(0);
    let mut pair = Pair::new(&limits, &Limits::new());
    let targets: Vec<_> = (0..20).map(|_| pair.target(64)).collect();
    let told = targets
        .iter()
        .filter(|&&target| tell(&mut pair, target, 60_000).is_ok())
        .count();
    assert_eq!(
        told as u64,
        RETAINED_BYTES_MIN.div_ceil(60_000),
        "and the last one over it"
    );
    assert_eq!(tell(&mut pair, targets[19], 0), Err(Admission::Session));
    pair.settle();
    assert!(
        pair.client.take_events().contains(&Event::GrantedAll),
        "acknowledged unasked"
    );
    assert_eq!(tell(&mut pair, targets[19], 0), Ok(()));
}

#[test]
fn a_server_whose_replies_are_not_acknowledged_takes_no_more_asks_and_drops_no_reply() {
    let limits = Limits::new().retained_bytes(0);
    let mut pair = Pair::new(&Limits::new(), &limits);
    let target = pair.target(64);
    let keys: Vec<_> = (0..12)
        .map(|_| ask(&mut pair, target).expect("there is room"))
        .collect();
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest");
    let size = RETAINED_BYTES_MIN as usize;
    let mut asked: Vec<AskKey> = Vec::new();
    let mut answer = |pair: &mut Pair| {
        for event in pair.server.take_events() {
            let Event::Ask { ask, .. } = event else {
                panic!("an ask")
            };
            asked.push(ask);
            pair.server
                .session
                .reply(ask, Body::Shared(vec![1; size].into()));
        }
        asked.len()
    };
    assert_eq!(answer(&mut pair), 12, "taken while nothing was retained");
    let counters = pair.server.session.counters();
    assert_eq!(
        counters.replies_refused,
        12 - RETAINED_OVERSHOOT + 1,
        "{counters:?}"
    );
    // Asked while all of it is unacknowledged: it waits.
    ask(&mut pair, target).expect("there is room");
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest");
    assert_eq!(answer(&mut pair), 12, "no more asks");
    pair.settle();
    assert_eq!(answer(&mut pair), 13, "it was acknowledged");
    let heard = pair.client.take_events();
    let failed = |key| {
        let is_it = |event: &&Event| matches!(event, Event::Error { ask, .. } if *ask == key);
        heard.iter().find(is_it)
    };
    let whole = heard
        .iter()
        .filter(|event| matches!(event, Event::Reply { payload, .. } if payload.len() == size));
    assert_eq!(
        whole.count() as u64,
        RETAINED_OVERSHOOT - 1,
        "what is retained arrives"
    );
    assert!(matches!(
        failed(keys[11]),
        Some(Event::Error {
            code: REPLY_REFUSED,
            ..
        })
    ));
}

#[test]
fn requests_that_waited_go_on_when_a_large_ask_is_taken_back() {
    let limits = Limits::new().retained_bytes(0);
    let mut pair = Pair::new(&limits, &limits);
    let target = pair.target(64);
    let ours = pair.client.session.export(64).expect("there is room");
    pair.server
        .session
        .imports
        .give(ours)
        .expect("there is room");
    let payload = vec![0; 2 * RETAINED_BYTES_MIN as usize];
    let session = &mut pair.client.session;
    let large = session
        .ask(target, KIND, None, payload.as_slice().into())
        .expect("there is room");
    let told = pair.server.session.tell(ours, KIND, Body::Copied(b"hello"));
    assert_eq!(told, Ok(()));
    pair.fly(From::Server, usize::MAX)
        .expect("the server is honest");
    assert_eq!(pair.client.take_events(), [], "it waits");
    let now = pair.now;
    assert!(pair.client.session.cancel(large, now));
    assert_eq!(pair.client.session.next_timeout(), Some(now));
    let side = &mut pair.client;
    side.session
        .on_timeout(now, &mut side.events)
        .expect("nobody stalls");
    assert!(matches!(side.take_events()[..], [Event::Tell { .. }]));
}

#[test]
fn who_waits_for_room_has_it_as_soon_as_a_resumed_session_gives_some() {
    let limits = Limits::new().retained_bytes(0);
    let mut pair = Pair::new(&limits, &limits);
    let targets: Vec<_> = (0..6).map(|_| pair.target(64)).collect();
    for &target in &targets[..5] {
        let _ = tell(&mut pair, target, 60_000); // more than is kept
    }
    assert_eq!(tell(&mut pair, targets[5], 0), Err(Admission::Session));
    while pair
        .fly(From::Client, usize::MAX)
        .expect("the client is honest")
        > 0
    {}
    pair.cut(); // before the server has said what it received
    pair.resume();
    let now = pair.now;
    assert_eq!(pair.client.session.next_timeout(), Some(now));
    let side = &mut pair.client;
    side.session
        .on_timeout(now, &mut side.events)
        .expect("nobody stalls");
    assert!(side.take_events().contains(&Event::GrantedAll));
    assert!(
        pair.client.session.next_timeout() > Some(now),
        "it was told"
    );
}

/// A server that is full, with an export: what the client asks for waits at the gate.
fn full_server() -> (Pair, AskKey) {
    let limits = Limits::new().retained_bytes(0);
    let mut pair = Pair::new(&limits, &limits);
    let ours = pair.client.session.export(64).expect("there is room");
    let side = &mut pair.server.session;
    side.imports.give(ours).expect("there is room");
    let payload = vec![0; 2 * RETAINED_BYTES_MIN as usize];
    let body = payload.as_slice().into();
    let large = side.ask(ours, KIND, None, body).expect("there is room");
    (pair, large)
}

#[test]
fn a_number_is_given_anew_once_its_release_was_heard() {
    let (mut pair, large) = full_server();
    let target = pair.target(64);
    pair.client.session.look_up(Body::Copied(b"again"));
    pair.client.session.release(target);
    pair.fly(From::Client, usize::MAX)
        .expect("the client is honest");
    assert_eq!(pair.server.take_events(), [], "both wait");
    pair.fly(From::Server, usize::MAX)
        .expect("the server is honest");
    let other = pair.server.session.export(64).expect("there is room");
    assert_ne!(other, target, "whose release is still to be heard");
    let now = pair.now;
    pair.server.session.cancel(large, now);
    pair.fly(From::Client, usize::MAX).expect("it acknowledges");
    let side = &mut pair.server;
    let heard = side.take_events();
    assert_eq!(heard.last(), Some(&Event::Released { target }));
    side.write();
    let other = side.session.export(64).expect("there is room");
    assert_ne!(other, target, "who has it here has not heard of that");
    side.session.released(target);
    side.write();
    let last = side.session.export(64).expect("there is room");
    assert_eq!(last, target, "it is free");
}

#[test]
fn what_waits_at_the_gate_keeps_no_more_than_itself() {
    let (mut pair, large) = full_server();
    let target = pair.target(64);
    assert_eq!(tell(&mut pair, target, 10), Ok(()));
    pair.client.write();
    let flying = pair.client.flying.split();
    let side = &mut pair.server;
    side.input = bytes::BytesMut::from(&flying[..]);
    let length = side.input.len();
    let now = pair.now;
    side.session
        .receive(&mut side.input, now, &mut side.events)
        .expect("the client is honest");
    assert_eq!(side.take_events(), [], "it waits");
    assert!(
        side.input.try_reclaim(length),
        "the buffer is that of the next read"
    );
    side.session.cancel(large, now);
    side.session
        .on_timeout(now, &mut side.events)
        .expect("nobody stalls");
    assert!(
        matches!(&side.take_events()[..], [Event::Tell { payload, .. }] if payload.len() == 10)
    );
}
