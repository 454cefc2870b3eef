//! Claims about how much may be under way, and who gets how much of it.

use std::time::Duration;

use bytes::Bytes;

use super::super::body::Body;
use super::super::{Admission, Event};
use super::pair::Pair;
use crate::remote::frame::{AskKey, KindId, TargetId};
use crate::remote::limits::{
    ASKS, FIRST_BYTES, FIRST_RECORDS, IN_FLIGHT_BYTES, Limits, PAYLOAD_BYTES, RECORD_COST,
};

pub(super) const KIND: KindId = KindId(0);

pub(super) fn tell(pair: &mut Pair, target: TargetId, size: usize) -> Result<(), Admission> {
    pair.client
        .session
        .tell(target, KIND, Body::Shared(vec![0; size].into()))
}

pub(super) fn ask(pair: &mut Pair, target: TargetId) -> Result<AskKey, Admission> {
    pair.client
        .session
        .ask(target, KIND, None, Body::Copied(b"hello"))
}

/// As many tells as are let in.
fn fill(pair: &mut Pair, target: TargetId, size: usize) -> u32 {
    (0..)
        .find(|_| tell(pair, target, size).is_err())
        .expect("there is a bound")
}

/// As many asks as are let in.
fn ask_all(pair: &mut Pair, target: TargetId) -> u32 {
    (0..)
        .find(|_| ask(pair, target).is_err())
        .expect("there is a bound")
}

/// The server takes all that has come, but what is for `stuck`; asks are answered.
fn serve(pair: &mut Pair, stuck: Option<TargetId>) -> u32 {
    let mut served = 0;
    for event in pair.server.take_events() {
        let (target, payload, ask) = match event {
            Event::Ask {
                ask,
                target,
                payload,
                ..
            } => (target, payload, Some(ask)),
            Event::Tell {
                target, payload, ..
            } => (target, payload, None),
            other => panic!("nobody said {other:?}"),
        };
        if Some(target) == stuck {
            continue;
        }
        served += 1;
        pair.server
            .session
            .consumed(target, 1, payload.len() as u64);
        if let Some(ask) = ask {
            pair.server.session.reply(ask, Body::Copied(b"there"));
        }
    }
    served
}

#[test]
fn the_first_window_is_as_named() {
    let mut pair = Pair::with_defaults();
    let (records, bytes) = (pair.target(64), pair.target(64));
    assert_eq!(fill(&mut pair, records, 0), FIRST_RECORDS);
    let size = 10_000;
    let fits = FIRST_BYTES.div_ceil(size as u64 + RECORD_COST) as u32;
    assert_eq!(fill(&mut pair, bytes, size), fits);
    let asks = pair.target(64);
    assert_eq!(ask_all(&mut pair, asks), FIRST_RECORDS);
}

#[test]
fn a_window_grows_while_its_target_takes_up_to_half_of_the_budget() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(u32::MAX);
    let mut windows = Vec::new();
    for _ in 0..20 {
        windows.push(fill(&mut pair, target, 1_000));
        pair.settle();
        serve(&mut pair, None);
        pair.settle();
    }
    let half = IN_FLIGHT_BYTES / 2 / (1_000 + RECORD_COST);
    assert!(windows.is_sorted(), "it only grows here: {windows:?}");
    assert!(
        (half - 1..=half + 1).contains(&u64::from(windows[19])),
        "{windows:?}, not {half}"
    );
}

#[test]
fn a_window_of_asks_grows_while_its_target_answers_up_to_half_of_the_budget() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(u32::MAX);
    let mut windows = Vec::new();
    for _ in 0..20 {
        windows.push(ask_all(&mut pair, target));
        pair.settle();
        serve(&mut pair, None);
        pair.settle();
    }
    assert!(windows.is_sorted(), "it only grows here: {windows:?}");
    assert_eq!(windows[19], ASKS / 2, "{windows:?}");
}

#[test]
fn asks_to_a_target_never_exceed_its_capacity_once_it_is_above_the_first_window() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(40);
    let mut asked = 0;
    for _ in 0..10 {
        asked = ask_all(&mut pair, target);
        pair.settle();
        serve(&mut pair, None);
        pair.settle();
    }
    assert_eq!(asked, 40);
}

/// Rounds until the other target was told 10,000 times, beside one that is stuck or not.
fn rounds_beside(stuck: bool, grown: bool) -> u32 {
    let mut pair = Pair::with_defaults();
    let (first, second) = (pair.target(1024), pair.target(1024));
    for _ in 0..if grown { 30 } else { 0 } {
        fill(&mut pair, first, 100);
        pair.settle();
        serve(&mut pair, None);
        pair.settle();
    }
    let mut served = 0;
    let mut rounds = 0;
    while served < 10_000 {
        rounds += 1;
        if stuck {
            fill(&mut pair, first, 100);
            ask_all(&mut pair, first);
        }
        // A window that fits between two round trips, as a fast link has them.
        let _ = (0..256).try_for_each(|_| tell(&mut pair, second, 100));
        pair.settle();
        served += serve(&mut pair, stuck.then_some(first));
        pair.settle();
        assert!(pair.server.session.counters().bytes_held <= IN_FLIGHT_BYTES);
    }
    rounds
}

#[test]
fn a_target_that_takes_nothing_leaves_another_its_window() {
    for grown in [false, true] {
        let alone = rounds_beside(false, grown);
        let beside = rounds_beside(true, grown);
        assert!(
            alone * 10 >= beside * 9,
            "{alone} rounds alone, {beside} beside a stuck one"
        );
    }
}

#[test]
fn who_was_refused_is_told_when_there_is_room() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    fill(&mut pair, target, 0);
    assert_eq!(
        pair.client.session.admission(target, 0, false),
        Admission::Target
    );
    pair.settle();
    assert_eq!(pair.client.take_events(), [], "nothing was taken");
    serve(&mut pair, None);
    pair.settle();
    assert_eq!(pair.client.take_events(), [Event::Granted { target }]);
    assert_eq!(
        pair.client.session.admission(target, 0, false),
        Admission::Granted
    );
}

#[test]
fn an_asker_waits_for_answers_and_is_told_of_one() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(FIRST_RECORDS);
    while ask(&mut pair, target).is_ok() {}
    pair.settle();
    let events = pair.server.take_events();
    pair.server
        .session
        .consumed(target, events.len() as u32, 5 * events.len() as u64);
    pair.settle();
    assert_eq!(pair.client.take_events(), [], "taken is not answered");
    let Event::Ask { ask: first, .. } = events[0] else {
        panic!("an ask")
    };
    pair.server.session.reply(first, Body::Copied(b""));
    pair.settle();
    let answered = Event::Reply {
        ask: first,
        payload: Bytes::new(),
    };
    let heard = pair.client.take_events();
    assert_eq!(heard.len(), 2);
    assert!(heard.contains(&answered) && heard.contains(&Event::Granted { target }));
}

#[test]
fn the_whole_session_has_a_window_too_and_tells_who_waits_for_it() {
    let limits = Limits::new().asks(20);
    let mut pair = Pair::new(&limits, &limits);
    let (first, second) = (pair.target(64), pair.target(64));
    for target in [[first; 16].as_slice(), &[second; 4]].concat() {
        ask(&mut pair, target).expect("there is room");
    }
    assert_eq!(ask(&mut pair, second), Err(Admission::Session));
    assert_eq!(
        tell(&mut pair, second, 0),
        Ok(()),
        "a tell takes none of it"
    );
    pair.settle();
    serve(&mut pair, None);
    pair.settle();
    assert!(pair.client.take_events().contains(&Event::GrantedAll));
}

#[test]
fn one_payload_may_exceed_a_window_and_none_the_limit() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(64);
    assert_eq!(tell(&mut pair, target, PAYLOAD_BYTES as usize), Ok(()));
    assert_eq!(tell(&mut pair, target, 0), Err(Admission::Target));
    let limit = PAYLOAD_BYTES;
    let refused = pair
        .client
        .session
        .admission(target, limit as usize + 1, true);
    assert_eq!(refused, Admission::TooLarge { limit });
    pair.settle();
    assert_eq!(serve(&mut pair, None), 1);
    pair.settle();
    assert_eq!(tell(&mut pair, target, 0), Ok(()));
}

#[test]
fn credits_come_back_by_the_next_heartbeat() {
    let mut pair = Pair::with_defaults();
    let targets: Vec<_> = (0..50).map(|_| pair.target(64)).collect();
    for &target in &targets {
        (0..3).for_each(|_| tell(&mut pair, target, 50).expect("there is room"));
    }
    pair.settle();
    assert_eq!(serve(&mut pair, None), 150);
    pair.settle();
    assert!(
        pair.client.session.counters().bytes_under_way > 0,
        "nobody waits for them"
    );
    pair.wait(Duration::from_secs(6));
    assert_eq!(pair.client.session.counters().bytes_under_way, 0);
}

#[test]
fn few_bytes_to_each_of_many_targets_do_not_use_up_the_session() {
    let limits = Limits::new().in_flight_bytes(0);
    let mut pair = Pair::new(&limits, &limits);
    let targets: Vec<_> = (0..100).map(|_| pair.target(64)).collect();
    for round in 0..5 {
        for &target in &targets {
            assert_eq!(
                tell(&mut pair, target, 8_000),
                Ok(()),
                "round {round}, {target:?}"
            );
            pair.settle();
            serve(&mut pair, None);
            pair.settle();
        }
    }
}

#[test]
fn a_target_that_takes_all_and_answers_late_gets_a_wider_window_of_asks() {
    let mut pair = Pair::with_defaults();
    let target = pair.target(u32::MAX);
    let mut open = 0;
    for _ in 0..20 {
        while ask(&mut pair, target).is_ok() {
            open += 1;
        }
        pair.settle();
        for event in pair.server.take_events() {
            let Event::Ask { payload, .. } = event else {
                panic!("an ask")
            };
            let bytes = payload.len() as u64;
            pair.server.session.consumed(target, 1, bytes);
        }
        pair.settle();
    }
    assert_eq!(open, ASKS / 2, "half of what the session has");
}
