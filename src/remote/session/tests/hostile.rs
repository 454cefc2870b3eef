//! Claims about peers that say what no peer may say.

use bytes::{Bytes, BytesMut};

use super::super::body::Body;
use super::attack::{Attack, ask, chunk, refusal, tell};
use crate::remote::frame::{
    AskId, Frame, KindId, LookUpId, MonitorId, Part, Record, TargetId, Violation,
};
use crate::remote::limits::{ASKS, LOOK_UPS, MONITORS, PAYLOAD_BYTES, PINGS_PER_SECOND};

const TARGET: TargetId = TargetId(0);

/// Each of these ends a session by the same violation.
fn refused(violation: Violation, cases: &[&[Record]]) {
    for records in cases {
        assert_eq!(refusal(records), Some(violation), "{records:?}");
    }
}

#[test]
fn a_number_out_of_range_or_in_use_ends_the_session() {
    let payload = Bytes::new;
    let monitor = |number, target| Record::Monitor {
        monitor: MonitorId(number),
        target,
    };
    let release = |target, count| Record::Release {
        target: TargetId(target),
        count,
    };
    let look_up = |number| Record::LookUp {
        look_up: LookUpId(number),
        payload: payload(),
    };
    let (asks, records, bytes) = (1, 1, 1);
    let window = Record::Window {
        target: TargetId(7),
        asks,
        records,
        bytes,
    };
    refused(
        Violation::Name,
        &[
            &[ask(ASKS)],
            &[ask(0), ask(0)],
            &[monitor(MONITORS, TARGET)],
            &[monitor(0, TARGET), monitor(0, TARGET)],
            &[look_up(LOOK_UPS)],
            &[look_up(0), look_up(0)],
            &[release(0, 0)],
            &[release(0, 2)],
            &[release(1, 1)],
            &[Record::Credit {
                target: TargetId(1),
                records: 0,
                bytes: 0,
            }],
            &[window],
        ],
    );
}

#[test]
fn an_answer_to_nothing_ends_the_session() {
    let payload = Bytes::new;
    refused(
        Violation::Unasked,
        &[
            &[Record::Reply {
                ask: AskId(0),
                payload: payload(),
            }],
            &[Record::Error {
                ask: AskId(9),
                code: 1,
                payload: payload(),
            }],
            &[Record::Ended {
                ask: AskId(u32::MAX),
            }],
            &[Record::Credit {
                target: TARGET,
                records: 1,
                bytes: 64,
            }],
            &[Record::Found {
                look_up: LookUpId(0),
                target: None,
                payload: payload(),
            }],
            &[Record::Down {
                monitor: MonitorId(0),
                payload: payload(),
            }],
        ],
    );
}

#[test]
fn a_chunk_that_belongs_to_nothing_ends_the_session() {
    let first = |total| Part::First { total };
    refused(
        Violation::Partial,
        &[
            &[chunk(4, first(9), 1)],
            &[chunk(0, Part::More, 1)],
            &[chunk(0, Part::Abandon, 0)],
            &[chunk(0, first(9), 1), chunk(0, first(9), 1)],
            &[chunk(0, first(9), 0)],
            &[chunk(0, first(9), 10)],
        ],
    );
    for total in [u64::MAX, PAYLOAD_BYTES + 100] {
        refused(Violation::PayloadLength, &[&[chunk(0, first(total), 1)]]);
    }
    refused(Violation::Garbled, &[&[chunk(0, first(9), 9)]]);
}

#[test]
fn a_large_record_may_be_a_message_or_an_answer_and_nothing_else() {
    let large = |record: Record, more: &[u8]| {
        let mut bytes = BytesMut::new();
        record.put(&mut bytes);
        bytes.extend_from_slice(more);
        let part = Part::First {
            total: bytes.len() as u64,
        };
        refusal(&[Record::Chunk {
            partial: 0,
            part,
            payload: bytes.freeze(),
        }])
    };
    assert_eq!(large(tell(0, 10), b""), None);
    assert_eq!(large(tell(0, 10), b"x"), Some(Violation::Partial));
    assert_eq!(
        large(Record::Ping { token: 1 }, b""),
        Some(Violation::Partial)
    );
    let inner = chunk(1, Part::First { total: 1 }, 1);
    assert_eq!(large(inner, b""), Some(Violation::Partial));
}

#[test]
fn numbers_of_records_can_be_neither_skipped_nor_made_up() {
    let records = [Record::Ping { token: 1 }];
    for (first, ack, violation) in [
        (0, 0, Violation::Gap),
        (2, 0, Violation::Gap),
        (u64::MAX, 0, Violation::Gap),
        (1, 1, Violation::Acknowledgement),
        (1, u64::MAX, Violation::Acknowledgement),
    ] {
        let mut attack = Attack::new();
        assert_eq!(
            attack.frame(&Frame::of(first, ack, &records)),
            Err(violation)
        );
    }
    let mut attack = Attack::new();
    attack
        .session
        .imports
        .give(TargetId(0))
        .expect("there is room");
    for _ in 0..2 {
        let body = Body::Copied(b"");
        attack
            .session
            .tell(TargetId(0), KindId(0), body)
            .expect("there is room");
        attack.write();
    }
    assert_eq!(attack.frame(&Frame::of(1, 2, &records)), Ok(()));
    let back = Frame::of(2, 1, &records);
    assert_eq!(
        attack.frame(&back),
        Err(Violation::Acknowledgement),
        "it knew more before"
    );
    for received in [3, u64::MAX] {
        assert!(attack.session.connected(received, attack.now).is_err());
    }
    assert!(
        attack.session.connected(1, attack.now).is_err(),
        "a resume can't go back either"
    );
}

#[test]
fn an_answer_to_what_has_not_left_is_none() {
    let mut attack = Attack::new();
    attack
        .session
        .imports
        .give(TargetId(0))
        .expect("there is room");
    let key = attack
        .session
        .ask(TargetId(0), KindId(0), None, Body::Copied(b""));
    let ask = key.expect("there is room").ask;
    let reply = Record::Reply {
        ask,
        payload: Bytes::new(),
    };
    assert_eq!(attack.say(&[reply]), Err(Violation::Unasked));
}

#[test]
fn frames_that_were_taken_before_do_nothing_and_are_bounded() {
    let mut attack = Attack::new();
    attack.session.export(64).expect("there is room");
    let frame = Frame::of(1, 0, &[tell(0, 3), ask(0), tell(0, 4)]);
    attack.frame(&frame).expect("it is within all bounds");
    let heard = attack.events.len();
    let twice = (0..1_000).find_map(|count| Some((count, attack.frame(&frame).err()?)));
    assert_eq!(twice, Some((2 * PINGS_PER_SECOND, Violation::Flood)));
    assert_eq!(attack.events.len(), heard, "each record was taken once");
    assert_eq!(
        attack.session.counters().records_known,
        3 * u64::from(2 * PINGS_PER_SECOND + 1)
    );
}
