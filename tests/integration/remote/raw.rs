//! One who speaks the protocol by hand.

use greenroom::remote::limits::{ASKS, IN_FLIGHT_BYTES, MONITORS, PAYLOAD_BYTES, TARGETS};
use greenroom::remote::{Address, MemoryNetwork, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::scene::{Scene, within};

pub(super) const TOKEN: &[u8] = b"0123456789abcdef";

pub(super) fn token() -> Token {
    Token::new(TOKEN).expect("it is long enough")
}

pub(super) async fn scene() -> Scene {
    let address = Address::from("127.0.0.1:0");
    Scene::at(MemoryNetwork::new(), address, |node| node.token(token())).await
}

pub(super) async fn dial(scene: &Scene) -> TcpStream {
    let address = scene.address.to_string();
    within(TcpStream::connect(address))
        .await
        .expect("it listens")
}

/// The greeting of one who wishes to resume the session of that id.
pub(super) fn greeting(version: u16, id: [u8; 16], token: &[u8]) -> Vec<u8> {
    let mut body = [version.to_le_bytes(), version.to_le_bytes()].concat();
    body.push(1);
    body.extend(id);
    body.extend(0_u64.to_le_bytes());
    body.push(28);
    body.extend(ASKS.to_le_bytes());
    body.extend(IN_FLIGHT_BYTES.to_le_bytes());
    body.extend(PAYLOAD_BYTES.to_le_bytes());
    body.extend(TARGETS.to_le_bytes());
    body.extend(MONITORS.to_le_bytes());
    body.extend(
        u16::try_from(token.len())
            .expect("it is short")
            .to_le_bytes(),
    );
    body.extend(token);
    let length = u16::try_from(body.len())
        .expect("it is short")
        .to_le_bytes();
    [b"GRNR\x01", &length[..], &body].concat()
}

/// What a greeting for a new session gets: its id.
pub(super) async fn begin(scene: &Scene, token: &[u8]) -> (TcpStream, [u8; 16]) {
    let mut stream = dial(scene).await;
    // As a wish to resume, without what that says of the session.
    let mut greeting = greeting(1, [0; 16], token);
    greeting.drain(12..36);
    greeting[11] = 0;
    let length = u16::try_from(greeting.len() - 7).expect("it is short");
    greeting[5..7].copy_from_slice(&length.to_le_bytes());
    within(stream.write_all(&greeting))
        .await
        .expect("there is room");
    let mut answer = [0; 7 + 3 + 16 + 8 + 1 + 28];
    within(stream.read_exact(&mut answer))
        .await
        .expect("it is let in");
    assert_eq!((&answer[..5], answer[7]), (&b"GRNR\x02"[..], 0));
    (stream, answer[10..26].try_into().expect("as many"))
}

/// A frame of one record, with that number.
pub(super) fn frame(number: u64, record: &[u8]) -> Vec<u8> {
    let number = varint(number);
    let length = u32::try_from(number.len() + 1 + record.len()).expect("it is short");
    [&length.to_le_bytes()[..], &number, &[0], record].concat()
}

/// A number, as frames and records have it.
pub(super) fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Many turns of all tasks.
pub(super) async fn others(scene: &Scene) {
    for _ in 0..300 {
        within(scene.counter.add(1)).await.expect("it lives");
    }
}
