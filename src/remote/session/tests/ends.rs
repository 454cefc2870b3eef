//! Claims about asks that are cancelled, and about sessions that end.

use std::time::Duration;

use bytes::{Bytes, BytesMut};

use super::super::body::Body;
use super::super::{Admission, Event, Fate};
use super::pair::{From, Pair};
use crate::remote::frame::{AskKey, KindId, TargetId, Violation};
use crate::remote::limits::{Limits, PINGS_PER_SECOND};

const KIND: KindId = KindId(0);

fn ask(pair: &mut Pair, target: TargetId, size: usize) -> AskKey {
    let payload = vec![0; size];
    pair.client
        .session
        .ask(target, KIND, None, Body::Copied(&payload))
        .expect("there is room")
}

/// The server's key of an ask that has come.
fn asked(pair: &mut Pair) -> AskKey {
    match pair.server.take_events()[..] {
        [Event::Ask { ask, .. }] => ask,
        ref other => panic!("one ask: {other:?}"),
    }
}

#[test]
fn the_reply_to_a_cancelled_ask_is_not_sent() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let ours = ask(&mut pair, target, 10);
    pair.settle();
    let theirs = asked(&mut pair);
    assert!(!pair.client.session.cancel(ours, pair.now), "it was sent");
    assert_eq!(
        pair.client.session.counters().asks_open,
        1,
        "it keeps its place"
    );
    pair.settle();
    assert_eq!(
        pair.server.take_events(),
        [Event::Cancelled { ask: theirs }]
    );
    pair.server
        .session
        .reply(theirs, Body::Copied(&[0; 30_000]));
    assert!(pair.server.write() < 50, "the word that it has ended");
    pair.settle();
    assert_eq!(pair.client.take_events(), [Event::Ended { ask: ours }]);
    assert_eq!(pair.client.session.counters().asks_open, 0);
    assert_eq!(pair.server.session.counters().replies_suppressed, 1);
}

#[test]
fn a_reply_that_crosses_its_cancel_is_dropped_and_counted() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let ours = ask(&mut pair, target, 10);
    pair.settle();
    let theirs = asked(&mut pair);
    pair.server.session.reply(theirs, Body::Copied(b"late"));
    pair.client.session.cancel(ours, pair.now);
    pair.settle();
    assert_eq!(pair.client.take_events(), [Event::Ended { ask: ours }]);
    assert_eq!(pair.server.take_events(), [], "the cancel came too late");
    assert_eq!(pair.client.session.counters().replies_late, 1);
    // The place is free on both sides, and old keys name nothing in it.
    let next = ask(&mut pair, target, 10);
    assert_eq!(next.ask, ours.ask);
    pair.settle();
    assert!(pair.client.session.cancel(ours, pair.now), "it is over");
    pair.server.session.reply(theirs, Body::Copied(b"again"));
    pair.settle();
    assert_eq!(pair.client.take_events(), []);
    let now = asked(&mut pair);
    pair.server.session.reply(now, Body::Copied(b"yes"));
    pair.settle();
    let payload = Bytes::from_static(b"yes");
    assert_eq!(
        pair.client.take_events(),
        [Event::Reply { ask: next, payload }]
    );
}

#[test]
fn ten_thousand_cancelled_asks_leave_nothing_on_either_side() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    for _ in 0..10_000 {
        pair.now += Duration::from_micros(10);
        let ours = ask(&mut pair, target, 10);
        pair.settle();
        let theirs = asked(&mut pair);
        pair.server.session.consumed(target, 1, 10);
        pair.client.session.cancel(ours, pair.now);
        pair.settle();
        // Some cancels are late, since there may be so many in a second.
        pair.server.session.ended(theirs);
        pair.settle();
        assert_eq!(pair.client.take_events(), [Event::Ended { ask: ours }]);
        pair.server.take_events();
    }
    (0..3).for_each(|_| pair.wait(Duration::from_secs(6)));
    let (client, server) = (
        pair.client.session.counters(),
        pair.server.session.counters(),
    );
    assert_eq!((client.asks_open, server.asks_running), (0, 0));
    assert_eq!((client.bytes_under_way, server.bytes_held), (0, 0));
    assert!(
        client.retained_bytes + server.retained_bytes < 50,
        "{client:?} {server:?}"
    );
}

#[test]
fn cancels_beyond_their_rate_are_sent_later() {
    let limits = Limits::new().asks(4);
    let mut pair = Pair::new(&limits, &limits);
    let target = pair.target(64);
    let mut late = None;
    for _ in 0..100 {
        let ours = ask(&mut pair, target, 0);
        pair.settle();
        let theirs = asked(&mut pair);
        pair.server.session.consumed(target, 1, 0);
        pair.client.session.cancel(ours, pair.now);
        pair.settle();
        if pair.server.take_events().is_empty() {
            late = Some(theirs);
            break;
        }
        pair.server.session.ended(theirs);
        pair.settle();
    }
    let theirs = late.expect("a burst is as long as the window");
    let due = pair.client.session.next_timeout().expect("it is connected");
    pair.wait(due - pair.now);
    assert_eq!(
        pair.server.take_events(),
        [Event::Cancelled { ask: theirs }]
    );
}

#[test]
fn the_end_of_a_session_tells_what_was_never_sent_from_what_may_have_been_handled() {
    let mut pair = Pair::with_defaults();
    let (target, other) = (pair.target(64), pair.target(64));
    let answered = ask(&mut pair, target, 1);
    pair.settle();
    let theirs = asked(&mut pair);
    pair.server.session.reply(theirs, Body::Copied(b""));
    pair.settle();
    let received = ask(&mut pair, target, 1);
    let cancelled = ask(&mut pair, target, 1);
    pair.settle();
    pair.client.session.cancel(cancelled, pair.now);
    let written = ask(&mut pair, target, 1);
    pair.client
        .session
        .tell(target, KIND, Body::Copied(b""))
        .expect("there is room");
    pair.client.write();
    // From here on nothing leaves: a small one, one that leaves in part, and one behind it.
    let queued = ask(&mut pair, other, 1);
    pair.cut();
    let large = ask(&mut pair, target, 200_000);
    pair.client
        .session
        .tell(other, KIND, Body::Copied(b""))
        .expect("there is room");
    let mut left = pair.client.session.end();
    left.asks.sort_unstable_by_key(|(key, _)| key.ask);
    let mut expected = [
        (received, Fate::OutcomeUnknown),
        (written, Fate::OutcomeUnknown),
        (queued, Fate::NotSent),
        (large, Fate::NotSent),
    ];
    expected.sort_unstable_by_key(|(key, _)| key.ask);
    assert_eq!(left.asks, expected);
    assert!(!left.asks.iter().any(|(key, _)| *key == answered));
    assert_eq!((left.tells_unknown, left.tells_unsent), (1, 1));
    let left = pair.server.session.end();
    assert_eq!(
        left.running.len(),
        2,
        "the asker of these has gone: {left:?}"
    );
    assert_eq!(pair.server.session.end().running, [], "told once");
}

#[test]
fn a_session_that_is_over_takes_and_gives_nothing() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    pair.client.session.end();
    let session = &mut pair.client.session;
    assert_eq!(session.admission(target, 0, true), Admission::Unknown);
    assert_eq!(
        session.tell(target, KIND, Body::Copied(b"")),
        Err(Admission::Unknown)
    );
    assert_eq!(
        (session.look_up(Body::Copied(b"")), session.monitor(target)),
        (None, None)
    );
    assert_eq!(session.next_timeout(), None);
    assert!(!session.has_output());
    let mut input = BytesMut::from(&b"whatever"[..]);
    assert_eq!(
        session.receive(&mut input, pair.now, &mut Vec::new()),
        Ok(())
    );
}

#[test]
fn who_ends_a_session_tells_the_other_side_behind_all_that_was_said_before() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    pair.client
        .session
        .tell(target, KIND, Body::Copied(b"last"))
        .expect("there is room");
    let large = vec![0; 1 << 20];
    pair.client
        .session
        .tell(target, KIND, Body::Copied(&large))
        .expect("there is room");
    pair.client.session.close(3);
    pair.client.session.close(4);
    assert_eq!(
        pair.client.session.admission(target, 0, false),
        Admission::Unknown
    );
    pair.settle();
    let heard = pair.server.take_events();
    assert!(
        matches!(
            heard[..],
            [
                Event::Tell { .. },
                Event::Tell { .. },
                Event::Closed { code: 3 }
            ]
        ),
        "{heard:?}"
    );
    assert!(pair.server.session.closed);
}

#[test]
fn a_peer_is_told_how_it_broke_the_protocol() {
    let mut pair = Pair::with_defaults();
    pair.client.flying = BytesMut::from(&b"GET / HTTP/1.1\r\n\r\n"[..]);
    assert_eq!(
        pair.fly(From::Client, usize::MAX),
        Err(Violation::FrameLength)
    );
    pair.fly(From::Server, usize::MAX)
        .expect("the server is honest");
    let code = Violation::FrameLength.code();
    assert_eq!(pair.client.take_events(), [Event::Closed { code }]);
    assert_eq!(Violation::from_code(code), Some(Violation::FrameLength));
}

#[test]
fn a_reply_that_is_too_large_for_its_asker_becomes_an_error() {
    let narrow = Limits::new().payload_bytes(1_024);
    let mut pair = Pair::new(&narrow, &Limits::new());
    let target = pair.target(64);
    let ours = ask(&mut pair, target, 10);
    pair.settle();
    let theirs = asked(&mut pair);
    pair.server.session.reply(theirs, Body::Copied(&[0; 1_025]));
    pair.settle();
    let code = super::super::REPLY_TOO_LARGE;
    assert_eq!(
        pair.client.take_events(),
        [Event::Error {
            ask: ours,
            code,
            payload: Bytes::new()
        }]
    );
}

#[test]
fn names_are_looked_up_watched_and_handed_back() {
    let mut pair = Pair::with_defaults();
    let look_up = pair
        .client
        .session
        .look_up(Body::Copied(b"counter"))
        .expect("there is room");
    pair.settle();
    let payload = Bytes::from_static(b"counter");
    assert_eq!(
        pair.server.take_events(),
        [Event::LookUp { look_up, payload }]
    );
    let target = pair.server.session.export(64).expect("there is room");
    pair.server
        .session
        .found(look_up, Some(target), Body::Copied(b"here"));
    pair.settle();
    let payload = Bytes::from_static(b"here");
    let found = Event::Found {
        look_up,
        target: Some(target),
        payload,
    };
    assert_eq!(pair.client.take_events(), [found]);
    let monitor = pair.client.session.monitor(target).expect("there is room");
    pair.settle();
    assert_eq!(
        pair.server.take_events(),
        [Event::Monitor { monitor, target }]
    );
    pair.server.session.down(monitor, Body::Copied(b"gone"));
    pair.server.session.down(monitor, Body::Copied(b"twice"));
    pair.settle();
    let payload = Bytes::from_static(b"gone");
    assert_eq!(
        pair.client.take_events(),
        [Event::Down { monitor, payload }]
    );
    pair.client.session.release(target);
    pair.settle();
    assert_eq!(pair.server.take_events(), [Event::Released { target }]);
    assert_eq!(
        pair.client.session.admission(target, 0, true),
        Admission::Unknown
    );
    pair.server.session.released(target);
    pair.settle();
    assert_eq!(
        pair.server.session.export(64),
        Some(target),
        "its number is free"
    );
}

#[test]
fn a_target_that_is_given_again_while_it_is_handed_back_stays() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    pair.client.session.release(target);
    assert!(pair.server.session.export_again(target));
    pair.settle();
    assert_eq!(pair.server.take_events(), [], "the peer was given it twice");
    pair.client
        .session
        .imports
        .give(target)
        .expect("there is room");
    ask(&mut pair, target, 1);
    pair.settle();
    asked(&mut pair);
    pair.client.session.release(target);
    pair.settle();
    assert_eq!(pair.server.take_events(), [Event::Released { target }]);
}

#[test]
fn lookups_beyond_their_rate_are_refused_here_and_not_by_the_peer() {
    let mut pair = Pair::with_defaults();
    let mut refused = 0;
    for _ in 0..20 * PINGS_PER_SECOND {
        let Some(look_up) = pair.client.session.look_up(Body::Copied(b"x")) else {
            refused += 1;
            continue;
        };
        pair.settle();
        pair.server.session.found(look_up, None, Body::Copied(b""));
        pair.settle();
    }
    assert_eq!(refused, 1_000);
}
