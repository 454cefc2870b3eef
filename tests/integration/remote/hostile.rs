//! What a peer can make a node hold that sits at each of its limits.

use greenroom::actor;
use greenroom::remote::limits::{FRAME_BYTES, LOOK_UPS, RETAINED_OVERSHOOT};
use greenroom::remote::{Address, Lent, Limits, MemoryNetwork};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::raw::{TOKEN, begin, frame, others, token, varint};
use super::scene::{Counter, Scene, until, within};
use crate::allocator::live_bytes;
use crate::alone::alone;

/// Of the bytes in flight, those retained, and a payload.
const BYTES: usize = 1 << 20;

/// Of targets each way, and of monitors.
const PLACES: u32 = LOOK_UPS;

const ASKS: u32 = 256;

/// The longest payload that a mailbox here gets, and how many it holds.
const MESSAGE: usize = 4_000;
const MAILBOX: usize = 64;

/// What is allowed, added up. A place in a table, with what stands behind it, takes some hundreds
/// of bytes.
const SUM: usize = (BYTES + BYTES) // in flight, and one payload more
    + (RETAINED_OVERSHOOT as usize * BYTES + BYTES) // replies that nobody reads, and one more
    + 4 * 2 * BYTES // half-sent payloads: twice what came
    + 4 * FRAME_BYTES as usize // half a frame, and what is read at a time
    + (3 * PLACES + ASKS + LOOK_UPS) as usize * 2048
    + MAILBOX * 2 * MESSAGE;

/// Keeps what it is lent.
#[actor]
#[derive(Default)]
struct Keeper {
    kept: Vec<Lent<Counter>>,
}

#[actor(remote)]
impl Keeper {
    fn keep(&mut self, lent: Lent<Counter>) {
        self.kept.push(lent);
    }

    fn kept(&self) -> usize {
        self.kept.len()
    }
}

/// A tag, numbers, and a payload behind its length, if there is one.
fn record(tag: u8, numbers: &[usize], payload: Option<&[u8]>) -> Vec<u8> {
    let mut record = vec![tag];
    let length = payload.map(<[u8]>::len);
    for number in numbers.iter().copied().chain(length) {
        record.extend(varint(number as u64));
    }
    record.extend(payload.unwrap_or_default());
    record
}

/// One who takes all that it may, and reads nothing.
struct Hog {
    stream: TcpStream,
    /// Of its next record.
    number: u64,
}

impl Hog {
    async fn say(&mut self, tag: u8, numbers: &[usize], payload: Option<&[u8]>) {
        self.say_at_once(&[record(tag, numbers, payload)]).await;
    }

    /// In one frame.
    async fn say_at_once(&mut self, records: &[Vec<u8>]) {
        let frame = frame(self.number, &records.concat());
        self.number += records.len() as u64;
        let written = within(self.stream.write_all(&frame)).await;
        written.expect("it is read");
    }

    /// Holds as many targets, monitors and lent handles as it may.
    async fn take_places(&mut self, scene: &Scene) {
        for target in 0..PLACES as usize {
            let name = match target {
                0 => "free".into(),
                1 => "keeper".into(),
                _ => format!("busy {target}"),
            };
            self.say(10, &[target], Some(name.as_bytes())).await;
        }
        others(scene).await; // before a number is used, it has to be given
        for monitor in 0..PLACES as usize {
            self.say(13, &[monitor, 2], None).await;
        }
        for number in 0..PLACES as u8 {
            // A handle of its own, with an empty table of messages.
            self.say(3, &[1, 0], Some(&[0, number, 2, 0, 0])).await;
            if number % 8 == 0 {
                others(scene).await; // while its window opens again
            }
        }
    }

    /// Tells a busy actor, by each of the names that it has.
    async fn fill_windows(&mut self) {
        let mut payload = varint(MESSAGE as u64);
        payload.resize(payload.len() + MESSAGE, 7);
        for target in 2..22 {
            for _ in 0..15 {
                self.say(3, &[target, 4], Some(&payload)).await;
            }
        }
    }

    /// Asks for more than is kept, before any of it is, and reads none of it.
    async fn ask_in_vain(&mut self) {
        let payload = varint(900_000);
        let ask = |ask| record(1, &[ask, 0, 5], Some(&payload));
        let asks: Vec<_> = (0..16).map(ask).collect();
        self.say_at_once(&asks).await;
    }

    /// Sends all of four payloads but the end, and half a frame.
    async fn stop_half_way(&mut self) {
        let chunk = [7; 60_000];
        for partial in 0..4 {
            self.say(19, &[partial, BYTES], Some(&chunk)).await;
        }
        for _ in 1..17 {
            for partial in 0..4 {
                self.say(20, &[partial], Some(&chunk)).await;
            }
        }
        let half = [
            &FRAME_BYTES.to_le_bytes()[..],
            &[7; FRAME_BYTES as usize / 2],
        ]
        .concat();
        within(self.stream.write_all(&half))
            .await
            .expect("it is read");
    }
}

async fn sit_at_each_limit() {
    let limits = Limits::new()
        .asks(ASKS)
        .in_flight_bytes(BYTES as u64)
        .retained_bytes(BYTES as u64)
        .payload_bytes(BYTES as u64)
        .targets(PLACES)
        .monitors(PLACES);
    let address = Address::from("127.0.0.1:0");
    let options = |node: greenroom::remote::NodeBuilder| node.token(token()).limits(limits.clone());
    let scene = Scene::at(MemoryNetwork::new(), address, options).await;
    let busy = Counter::new(&scene.gate).spawn();
    busy.wait(0).try_tell().expect("there is room");
    let (free, keeper) = (Counter::new(&scene.gate).spawn(), Keeper::default().spawn());
    scene.server.export("free", &free).expect("it is free");
    scene.server.export("keeper", &keeper).expect("it is free");
    for target in 2..PLACES {
        let name = format!("busy {target}");
        scene.server.export(&name, &busy).expect("it is free");
    }
    let (stream, _) = begin(&scene, TOKEN).await;
    let mut hog = Hog { stream, number: 1 };
    others(&scene).await;
    let before = live_bytes();
    hog.take_places(&scene).await;
    others(&scene).await;
    let kept = within(keeper.kept()).await.expect("it lives");
    assert_eq!(kept, PLACES as usize);
    hog.fill_windows().await;
    hog.ask_in_vain().await;
    until(|| scene.server.metrics().bytes_retained > 7 * BYTES as u64).await;
    hog.stop_half_way().await;
    others(&scene).await;
    let held = usize::try_from(live_bytes() - before).expect("it is more");
    println!("{held} bytes are held for one peer; {SUM} may be");
    assert!(held <= SUM, "{held} bytes, and {SUM} are allowed");
    assert!(
        held > SUM / 2,
        "{held} bytes: it does not sit at its limits"
    );
    assert_eq!(
        scene.server.metrics().sessions,
        2,
        "it has kept to the rules"
    );
    within(scene.counter.add(1))
        .await
        .expect("others are served");
}

#[test]
fn a_peer_at_each_of_its_limits_takes_no_more_memory_than_they_add_up_to() {
    let name =
        "remote::hostile::a_peer_at_each_of_its_limits_takes_no_more_memory_than_they_add_up_to";
    alone(name, || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("there are threads");
        runtime.block_on(sit_at_each_limit());
    });
}
