//! Claims about peers that want more than their share.

use std::time::Duration;

use bytes::{Bytes, BytesMut};

use super::super::body::Body;
use super::super::{Event, UNKNOWN_TARGET};
use super::attack::{Attack, ask, chunk, tell};
use crate::remote::frame::{
    AskId, Frame, KindId, LookUpId, MonitorId, Part, Record, TargetId, Violation,
};
use crate::remote::limits::{
    ASKS, CHUNK_BYTES, FIRST_RECORDS, IN_FLIGHT_BYTES, LOOK_UPS, LOOK_UPS_PER_SECOND, Limits,
    PAYLOAD_BYTES, PINGS_PER_SECOND, RETAINED_BYTES_MIN,
};

#[test]
fn windows_hold_against_who_does_not_heed_them() {
    let window = (FIRST_RECORDS as usize, Some(Violation::Window));
    let on_one = || {
        let mut attack = Attack::new();
        attack.session.export(64).expect("there is room");
        attack
    };
    assert_eq!(on_one().say_until(1_000, |_| tell(0, 0)), window);
    assert_eq!(on_one().say_until(1_000, ask), window);
    assert_eq!(
        on_one().say_until(1_000, |_| tell(0, 40_000)),
        (2, Some(Violation::Window))
    );
    // Many targets: what all hold is bounded as well.
    let mut attack = Attack::new();
    let targets = 1_000;
    (0..targets).for_each(|_| assert!(attack.session.export(64).is_some()));
    let (count, violation) = attack.say_until(10_000, |count| tell(count % targets, 60_000));
    assert_eq!(violation, Some(Violation::Window));
    let most = IN_FLIGHT_BYTES + PAYLOAD_BYTES;
    assert!(count as u64 * 60_000 <= most, "one may exceed it: {count}");
}

#[test]
fn asks_are_bounded_in_number_whatever_their_targets() {
    let limits = Limits::new().asks(100);
    let mut attack = Attack::on(&limits);
    (0..50).for_each(|_| assert!(attack.session.export(64).is_some()));
    let (count, violation) = attack.say_until(1_000, |count| {
        let (ask, target, kind) = (AskId(count), TargetId(count % 50), KindId(0));
        Record::Ask {
            ask,
            target,
            kind,
            deadline_ms: None,
            payload: Bytes::new(),
        }
    });
    assert_eq!((count, violation), (100, Some(Violation::Name)));
    assert_eq!(attack.session.counters().asks_running, 100);
}

#[test]
fn what_is_sent_to_no_target_fails_alone() {
    let mut attack = Attack::new();
    assert_eq!(attack.say(&[ask(0), tell(3, 10), ask(1)]), Ok(()));
    assert_eq!(attack.events, []);
    let counters = attack.session.counters();
    assert_eq!(
        (
            counters.tells_astray,
            counters.asks_running,
            counters.bytes_held
        ),
        (1, 0, 0)
    );
    let mut out: Vec<Bytes> = Vec::new();
    attack.session.transmit(&mut out);
    let mut input = BytesMut::from(&out.concat()[..]);
    let mut frame = Frame::take(&mut input, PAYLOAD_BYTES)
        .unwrap()
        .expect("it is whole");
    for ask in [AskId(0), AskId(1)] {
        let payload = Bytes::new();
        let error = Record::Error {
            ask,
            code: UNKNOWN_TARGET,
            payload,
        };
        assert_eq!(frame.records.take(), Ok(error));
    }
}

#[test]
fn cancels_look_ups_pings_and_empty_frames_are_bounded_by_their_rates() {
    let flood = Some(Violation::Flood);
    let cancel = |_| Record::Cancel { ask: AskId(0) };
    assert_eq!(
        Attack::new().say_until(1 << 20, cancel),
        (2 * ASKS as usize, flood)
    );
    let pings = 2 * PINGS_PER_SECOND as usize;
    let ping = |count| Record::Ping {
        token: u64::from(count),
    };
    assert_eq!(Attack::new().say_until(1 << 20, ping), (pings, flood));
    let mut attack = Attack::new();
    let empty = (0..1 << 20).find_map(|count| Some((count, attack.say(&[]).err()?)));
    assert_eq!(empty, Some((pings, Violation::Flood)));
    let mut attack = Attack::new();
    let look_up = LookUpId(0);
    let (count, violation) = loop {
        let payload = Bytes::new();
        let said = attack.say(&[Record::LookUp { look_up, payload }]);
        attack.session.found(look_up, None, Body::Copied(b""));
        if let Err(violation) = said {
            break (attack.next - 2, violation);
        }
    };
    assert_eq!(
        (count, violation),
        (2 * u64::from(LOOK_UPS_PER_SECOND), Violation::Flood)
    );
}

#[test]
fn who_keeps_to_a_rate_may_go_on_for_ever() {
    let mut attack = Attack::new();
    for second in 0..100 {
        attack.now += Duration::from_secs(1);
        let (count, violation) =
            attack.say_until(PINGS_PER_SECOND as usize, |count| Record::Ping {
                token: u64::from(count) + second,
            });
        assert_eq!((count, violation), (PINGS_PER_SECOND as usize, None));
    }
    attack.write();
    assert!(
        attack.session.counters().records_sent <= 1,
        "one answer to all of them"
    );
}

#[test]
fn look_ups_that_are_not_answered_are_few() {
    let mut attack = Attack::new();
    let look_up = |count| Record::LookUp {
        look_up: LookUpId(count),
        payload: Bytes::new(),
    };
    let few = (LOOK_UPS as usize, Some(Violation::Name));
    assert_eq!(attack.say_until(1_000, look_up), few);
}

#[test]
fn what_is_taken_back_twice_is_told_once() {
    let mut attack = Attack::new();
    attack.session.export(64).expect("there is room");
    let (monitor, target) = (MonitorId(5), TargetId(0));
    let cancel = Record::Cancel { ask: AskId(0) };
    let revoke = Record::Unmonitor { monitor };
    let watch = Record::Monitor { monitor, target };
    let said = [
        ask(0),
        cancel.clone(),
        cancel,
        watch,
        revoke.clone(),
        revoke,
    ];
    attack.say(&said).expect("it is within all bounds");
    assert_eq!(attack.events.len(), 4, "{:?}", attack.events);
}

#[test]
fn a_partial_payload_takes_no_more_memory_than_twice_what_came() {
    let mut attack = Attack::new();
    for partial in 0..4 {
        let first = Part::First {
            total: PAYLOAD_BYTES,
        };
        attack
            .say(&[chunk(partial, first, 1)])
            .expect("it is within all bounds");
    }
    assert!(
        attack.session.partials.capacity() < 1_000,
        "16 MiB were announced of each"
    );
    let size = CHUNK_BYTES as usize;
    for chunks in 1..20 {
        attack
            .say(&[chunk(0, Part::More, size)])
            .expect("it is within all bounds");
        let capacity = attack.session.partials.capacity();
        assert!(
            capacity <= 2 * chunks * size + 1_000,
            "{capacity} for {chunks} chunks"
        );
    }
}

#[test]
fn who_never_acknowledges_makes_this_side_hold_little() {
    let limits = Limits::new().retained_bytes(0).asks(1_000);
    let mut attack = Attack::on(&limits);
    attack.session.export(1_000).expect("there is room");
    let mut most = 0;
    for round in 0..200_000u32 {
        attack.now += Duration::from_millis(20);
        let look_up = LookUpId(round % LOOK_UPS);
        let said = attack.say(&[
            ask(round % 1_000),
            tell(0, 100),
            Record::Ping { token: 1 },
            Record::LookUp {
                look_up,
                payload: Bytes::new(),
            },
        ]);
        if said.is_err() {
            break;
        }
        for event in std::mem::take(&mut attack.events) {
            match event {
                Event::Ask { ask, .. } => {
                    attack.session.consumed(TargetId(0), 1, 0);
                    attack.session.reply(ask, Body::Copied(&[0; 1_000]));
                }
                Event::Tell { .. } => attack.session.consumed(TargetId(0), 1, 100),
                Event::LookUp { look_up, .. } => {
                    attack.session.found(look_up, None, Body::Copied(&[0; 100]));
                }
                other => panic!("nobody said {other:?}"),
            }
        }
        attack.write();
        most = most.max(attack.session.counters().retained_bytes);
    }
    assert!(attack.session.closed, "it can't go on like this");
    assert!(most < 2 * RETAINED_BYTES_MIN, "{most}");
    assert!(
        attack.session.gate.len() <= 3_000,
        "{}",
        attack.session.gate.len()
    );
}

#[test]
fn what_is_sent_to_no_target_makes_this_side_hold_little_either() {
    let junk: [fn(u32) -> Record; 2] = [ask, |_| Record::Monitor {
        monitor: MonitorId(0),
        target: TargetId(9),
    }];
    for record in junk {
        let mut attack = Attack::on(&Limits::new().retained_bytes(0));
        let (_, violation) = attack.say_until(200_000, |count| record(count % ASKS));
        assert_eq!(violation, Some(Violation::Flood));
        assert!(attack.session.counters().retained_bytes < 2 * RETAINED_BYTES_MIN);
    }
}

#[test]
fn pings_are_not_answered_without_end_to_who_acknowledges_nothing() {
    let mut attack = Attack::on(&Limits::new().retained_bytes(0));
    for _ in 0..200_000 {
        attack.now += Duration::from_millis(20);
        attack
            .say(&[Record::Ping { token: 1 }])
            .expect("it is within its rate");
        attack.write();
        assert!(!attack.session.has_output());
    }
    assert!(attack.session.counters().retained_bytes <= RETAINED_BYTES_MIN);
}
