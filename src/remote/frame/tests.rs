//! Claims about frames and records.

mod attempt;

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;

use super::varint::{VARINT_BYTES_MAX, put_varint, take_varint, varint_len};
use super::*;
use crate::remote::limits::{CHUNK_BYTES, CONTROL_BYTES, FRAME_BYTES, PAYLOAD_BYTES};

fn payload() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..300).prop_map(Bytes::from)
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        any::<u64>().prop_map(|total| Part::First { total }),
        Just(Part::More)
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let id = || prop_oneof![0..200u32, any::<u32>()];
    let (bytes, limit) = (any::<u64>(), prop::option::of(any::<u32>()));
    prop_oneof![
        (id(), id(), id(), limit, payload()).prop_map(|(a, t, k, deadline_ms, payload)| {
            let (ask, target, kind) = (AskId(a), TargetId(t), KindId(k));
            Record::Ask {
                ask,
                target,
                kind,
                deadline_ms,
                payload,
            }
        }),
        (id(), id(), payload()).prop_map(|(t, k, payload)| Record::Tell {
            target: TargetId(t),
            kind: KindId(k),
            payload
        }),
        (id(), payload()).prop_map(|(a, payload)| Record::Reply {
            ask: AskId(a),
            payload
        }),
        (id(), id(), payload()).prop_map(|(a, code, payload)| Record::Error {
            ask: AskId(a),
            code,
            payload
        }),
        id().prop_map(|a| Record::Cancel { ask: AskId(a) }),
        id().prop_map(|a| Record::Ended { ask: AskId(a) }),
        (id(), id(), bytes).prop_map(|(t, records, bytes)| Record::Credit {
            target: TargetId(t),
            records,
            bytes
        }),
        (id(), id(), id(), bytes).prop_map(|(t, asks, records, bytes)| Record::Window {
            target: TargetId(t),
            asks,
            records,
            bytes
        }),
        seldom(),
        (id(), part(), payload()).prop_map(|(partial, part, payload)| Record::Chunk {
            partial,
            part,
            payload
        }),
        bytes.prop_map(|token| Record::Ping { token }),
        bytes.prop_map(|token| Record::Pong { token }),
    ]
}

fn seldom() -> impl Strategy<Value = Record> {
    let id = any::<u32>;
    prop_oneof![
        (id(), payload()).prop_map(|(l, payload)| Record::LookUp {
            look_up: LookUpId(l),
            payload
        }),
        (id(), prop::option::of(id()), payload()).prop_map(|(l, t, payload)| Record::Found {
            look_up: LookUpId(l),
            target: t.map(TargetId),
            payload
        }),
        (id(), id()).prop_map(|(m, t)| Record::Monitor {
            monitor: MonitorId(m),
            target: TargetId(t)
        }),
        id().prop_map(|m| Record::Unmonitor {
            monitor: MonitorId(m)
        }),
        (id(), payload()).prop_map(|(m, payload)| Record::Down {
            monitor: MonitorId(m),
            payload
        }),
        (id(), id()).prop_map(|(t, count)| Record::Release {
            target: TargetId(t),
            count
        }),
        id().prop_map(|code| Record::Close { code }),
        id().prop_map(|partial| Record::Chunk {
            partial,
            part: Part::Abandon,
            payload: Bytes::new()
        }),
    ]
}

/// All records of a frame.
fn read(mut frame: Frame) -> Result<Vec<Record>, Violation> {
    let mut records = Vec::new();
    while !frame.records.is_empty() {
        records.push(frame.records.take()?);
    }
    Ok(records)
}

proptest! {
    #[test]
    fn numbers_are_read_as_they_were_written(value in prop_oneof![any::<u64>(), 0..1_000u64]) {
        let mut bytes = [0xff; VARINT_BYTES_MAX];
        let end = put_varint(&mut bytes, 0, value);
        prop_assert_eq!(end, varint_len(value));
        let mut at = 0;
        prop_assert_eq!(take_varint(&bytes, &mut at), Ok(value));
        prop_assert_eq!(at, end);
        prop_assert_eq!(take_varint(&bytes[..end - 1], &mut 0), Err(Violation::Garbled));
    }

    #[test]
    fn there_is_one_way_to_write_a_number(bytes in prop::collection::vec(any::<u8>(), 1..12)) {
        let mut at = 0;
        if let Ok(value) = take_varint(&bytes, &mut at) {
            let mut again = [0; VARINT_BYTES_MAX];
            let end = put_varint(&mut again, 0, value);
            prop_assert_eq!(&again[..end], &bytes[..at]);
        }
    }

    #[test]
    fn records_are_read_as_they_were_written(
        first: u64,
        ack: u64,
        records in prop::collection::vec(record(), 0..20),
    ) {
        let bytes = Frame::of(first, ack, &records);
        let mut input = BytesMut::from(&bytes[..]);
        let frame = Frame::take(&mut input, PAYLOAD_BYTES).unwrap().expect("it is whole");
        prop_assert!(input.is_empty());
        prop_assert_eq!((frame.first, frame.ack), (first, ack));
        prop_assert_eq!(read(frame).unwrap(), records);
    }

    #[test]
    fn a_frame_is_taken_when_it_is_whole_and_not_before(
        records in prop::collection::vec(record(), 0..8),
    ) {
        let bytes = Frame::of(1, 0, &records);
        let mut input = BytesMut::new();
        for (at, byte) in bytes.iter().enumerate() {
            prop_assert!(Frame::take(&mut input, PAYLOAD_BYTES).unwrap().is_none(), "{} bytes", at);
            input.extend_from_slice(&[*byte]);
        }
        prop_assert!(Frame::take(&mut input, PAYLOAD_BYTES).unwrap().is_some());
    }

    #[test]
    fn arbitrary_bytes_are_records_or_a_violation(
        mut bytes in prop::collection::vec(prop_oneof![0..24u8, any::<u8>()], 0..400),
        framed: bool,
    ) {
        if framed {
            let length = (bytes.len() as u32).to_le_bytes();
            bytes.splice(0..0, length);
        }
        attempt::attempt(&bytes);
    }

    #[test]
    fn a_record_that_ends_early_is_garbled(record in record(), cut: prop::sample::Index) {
        let mut bytes = BytesMut::new();
        record.put(&mut bytes);
        bytes.truncate(cut.index(bytes.len()));
        let mut records = Records::new(bytes.freeze(), 0, PAYLOAD_BYTES);
        prop_assert_eq!(records.take(), Err(Violation::Garbled));
    }
}

#[test]
fn strangers_are_refused_by_their_first_bytes_and_nothing_is_allocated() {
    for hello in [
        &b"GET / HTTP/1.1\r\n"[..],
        b"SSH-2.0-OpenSSH\r\n",
        b"\x16\x03\x01\x02\x00\x01",
    ] {
        let mut input = BytesMut::from(hello);
        let capacity = input.capacity();
        assert_eq!(
            Frame::take(&mut input, PAYLOAD_BYTES).unwrap_err(),
            Violation::FrameLength
        );
        assert_eq!(input.capacity(), capacity);
    }
}

#[test]
fn a_length_is_looked_at_before_what_it_announces_has_come() {
    let mut input = BytesMut::from(&(FRAME_BYTES + 1).to_le_bytes()[..]);
    assert_eq!(
        Frame::take(&mut input, PAYLOAD_BYTES).unwrap_err(),
        Violation::FrameLength
    );
    let mut input = BytesMut::from(&FRAME_BYTES.to_le_bytes()[..]);
    assert!(Frame::take(&mut input, PAYLOAD_BYTES).unwrap().is_none());
    let mut input = BytesMut::from(&1u32.to_le_bytes()[..]);
    assert_eq!(
        Frame::take(&mut input, PAYLOAD_BYTES).unwrap_err(),
        Violation::FrameLength
    );
}

/// What is read of a payload that is said to be `len` bytes long.
fn announced(record: &Record, len: usize) -> Result<Record, Violation> {
    let mut bytes = BytesMut::new();
    record.put_head(len, &mut bytes);
    Records::new(bytes.freeze(), 0, 1_000).take()
}

#[test]
fn a_payload_beyond_its_bound_is_told_from_one_that_is_missing() {
    let payload = Bytes::new();
    let message = Record::Reply {
        ask: AskId(1),
        payload: payload.clone(),
    };
    assert_eq!(announced(&message, 1_000), Err(Violation::Garbled));
    assert_eq!(announced(&message, 1_001), Err(Violation::PayloadLength));
    let control = Record::LookUp {
        look_up: LookUpId(1),
        payload: payload.clone(),
    };
    let bytes = CONTROL_BYTES as usize;
    assert_eq!(announced(&control, bytes), Err(Violation::Garbled));
    assert_eq!(
        announced(&control, bytes + 1),
        Err(Violation::PayloadLength)
    );
    let chunk = Record::Chunk {
        partial: 0,
        part: Part::More,
        payload,
    };
    let bytes = CHUNK_BYTES as usize;
    assert_eq!(announced(&chunk, bytes), Err(Violation::Garbled));
    assert_eq!(announced(&chunk, bytes + 1), Err(Violation::PayloadLength));
}

#[test]
fn every_violation_has_a_code_of_its_own_that_leads_back() {
    let known: Vec<_> = (0..1_000).filter_map(Violation::from_code).collect();
    assert_eq!(known.len(), 11);
    for violation in known {
        assert_eq!(Violation::from_code(violation.code()), Some(violation));
        assert!(!violation.to_string().is_empty());
    }
}

#[test]
fn the_inputs_that_the_fuzzer_begins_with_hold_no_surprise() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/frames");
    let mut inputs = 0;
    for entry in std::fs::read_dir(corpus).expect("the corpus is there") {
        let data = std::fs::read(entry.expect("it can be listed").path()).expect("it is a file");
        (0..data.len()).for_each(|from| attempt::attempt(&data[from..]));
        inputs += 1;
    }
    assert!(inputs > 0, "there is one");
}
