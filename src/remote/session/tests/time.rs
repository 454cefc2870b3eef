//! Claims about what silence means, with clocks that leap.

use std::time::Duration;

use super::super::{Event, Session, Terms};
use super::pair::{From, Pair};
use crate::remote::frame::{KindId, Violation};
use crate::remote::limits::{HEARTBEAT, IDLE, Limits, PROGRESS};

const SECOND: Duration = Duration::from_secs(1);

/// The client alone, with nothing of what it says arriving, until it gives up.
fn silence(pair: &mut Pair) -> Option<Duration> {
    let begun = pair.now;
    for _ in 0..100 {
        let due = pair.client.session.next_timeout()?;
        pair.now = pair.now.max(due);
        let side = &mut pair.client;
        side.session
            .on_timeout(pair.now, &mut side.events)
            .expect("nobody stalls");
        if side.take_events().contains(&Event::Silent) {
            return Some(pair.now - begun);
        }
        side.write();
    }
    None
}

#[test]
fn a_peer_that_says_nothing_is_asked_and_then_given_up() {
    let mut pair = Pair::with_defaults();
    assert_eq!(silence(&mut pair), Some(IDLE));
}

#[test]
fn a_peer_that_answers_is_never_given_up() {
    let mut pair = Pair::with_defaults();
    (0..1_000).for_each(|_| pair.wait(SECOND * 4));
    assert_eq!(pair.client.take_events(), []);
    assert_eq!(pair.server.take_events(), []);
    let counters = pair.client.session.counters();
    assert!(
        counters.retained_bytes < 10,
        "pings are acknowledged: {counters:?}"
    );
}

#[test]
fn bytes_of_a_large_frame_are_a_sign_of_life() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let payload = vec![0; 60_000];
    pair.client
        .session
        .tell(target, KindId(0), payload.as_slice().into())
        .expect("room");
    pair.client.write();
    for _ in 0..25 {
        pair.now += SECOND;
        pair.fly(From::Client, 2_000).expect("the client is honest");
        let side = &mut pair.server;
        side.session
            .on_timeout(pair.now, &mut side.events)
            .expect("it comes on");
        assert_eq!(side.take_events(), []);
    }
    pair.settle();
    assert_eq!(pair.server.take_events().len(), 1);
}

#[test]
fn a_frame_that_stands_still_half_way_ends_the_session() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    pair.client
        .session
        .tell(target, KindId(0), [7; 100].as_slice().into())
        .expect("room");
    let seconds = (1..60).find(|_| {
        pair.now += SECOND;
        // A byte a second, as if that were progress.
        pair.fly(From::Client, 1).expect("the client is slow");
        let side = &mut pair.server;
        side.session.on_timeout(pair.now, &mut side.events) == Err(Violation::Stalled)
    });
    assert_eq!(seconds, Some(PROGRESS.as_secs() + 1));
    assert!(pair.server.session.closed);
}

#[test]
fn a_large_payload_that_stands_still_ends_the_session_and_a_slow_one_does_not() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let payload = vec![0; 1 << 20];
    pair.client
        .session
        .tell(target, KindId(0), payload.as_slice().into())
        .expect("room");
    let mut stalled = None;
    for second in 0..200 {
        pair.now += SECOND;
        // 10 KB a second for two thirds of it; from then on pings alone.
        pair.client.write();
        let bytes = if second < 60 { 10_000 } else { 0 };
        pair.fly(From::Client, bytes).expect("the client is slow");
        pair.fly(From::Server, usize::MAX)
            .expect("the server says what it has received");
        let side = &mut pair.server;
        if side.session.on_timeout(pair.now, &mut side.events).is_err() {
            stalled = Some(second);
            break;
        }
    }
    let stalled = stalled.expect("it ends");
    assert!(
        (85..=95).contains(&stalled),
        "{PROGRESS:?} after the last chunk: {stalled}"
    );
}

#[test]
fn a_clock_that_leaps_ahead_blames_nobody() {
    let mut pair = Pair::with_defaults();
    for _ in 0..10 {
        pair.wait(Duration::from_secs(3600));
        assert_eq!(pair.client.take_events(), []);
        assert_eq!(pair.server.take_events(), []);
    }
    // Once more, while a ping is on its way.
    pair.now += HEARTBEAT;
    let side = &mut pair.client;
    side.session
        .on_timeout(pair.now, &mut side.events)
        .expect("nobody stalls");
    assert!(side.write() > 0, "a ping");
    pair.now += Duration::from_secs(3600);
    side.session
        .on_timeout(pair.now, &mut side.events)
        .expect("nobody stalls");
    assert_eq!(side.take_events(), []);
    assert_eq!(silence(&mut pair), Some(IDLE), "and then counts from there");
}

#[test]
fn a_clock_that_steps_back_changes_nothing() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    let start = pair.now;
    pair.wait(Duration::from_secs(3600));
    for _ in 0..20 {
        pair.now = start;
        pair.client
            .session
            .tell(target, KindId(0), b"".as_slice().into())
            .expect("room");
        pair.wait(Duration::ZERO);
        pair.server.session.consumed(target, 1, 0);
        pair.settle();
    }
    assert_eq!(pair.server.take_events().len(), 20);
}

#[test]
fn without_a_connection_time_means_nothing() {
    let limits = Limits::new();
    let mut pair = Pair::with_defaults();
    let mut session = Session::new(&limits, Terms::of(&limits), pair.now);
    assert_eq!(session.next_timeout(), None);
    let mut events = Vec::new();
    session
        .on_timeout(pair.now + IDLE * 10, &mut events)
        .expect("nobody is there");
    pair.cut();
    assert_eq!(pair.client.session.next_timeout(), None);
    pair.now += IDLE * 10;
    pair.resume();
    assert_eq!(
        pair.client.session.next_timeout(),
        Some(pair.now + HEARTBEAT)
    );
    assert_eq!(events, []);
}

#[test]
fn times_without_end_are_brought_to_what_clocks_can_reach() {
    let limits = Limits::new()
        .heartbeat(Duration::MAX)
        .idle(Duration::MAX)
        .progress(Duration::MAX);
    let mut pair = Pair::new(&limits, &limits);
    let target = pair.target(64);
    let large = vec![0; 200_000];
    pair.client
        .session
        .tell(target, KindId(0), large.as_slice().into())
        .expect("room");
    pair.fly(From::Client, 100_000)
        .expect("the client is honest");
    assert!(pair.server.session.next_timeout() > Some(pair.now + SECOND));
    assert!(silence(&mut pair) > Some(SECOND));
}

#[test]
fn a_peer_has_twice_the_heartbeat_whatever_is_said() {
    let limits = Limits::new().idle(SECOND);
    let mut pair = Pair::new(&limits, &limits);
    assert_eq!(silence(&mut pair), Some(2 * HEARTBEAT));
}
