//! Those who have not shown who they are, and those who guess.

use greenroom::remote::limits::{
    ASKS, IN_FLIGHT_BYTES, MONITORS, PAYLOAD_BYTES, STRANGERS, TARGETS,
};
use greenroom::remote::{Address, ConnectError, MemoryNetwork, Node, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::scene::{Counter, Scene, until, within};

const TOKEN: &[u8] = b"0123456789abcdef";

fn token() -> Token {
    Token::new(TOKEN).expect("it is long enough")
}

async fn scene() -> Scene {
    let address = Address::from("127.0.0.1:0");
    Scene::at(MemoryNetwork::new(), address, |node| node.token(token())).await
}

async fn dial(scene: &Scene) -> TcpStream {
    let address = scene.address.to_string();
    within(TcpStream::connect(address))
        .await
        .expect("it listens")
}

/// The greeting of one who wishes to resume the session of that id.
fn greeting(version: u16, id: [u8; 16], token: &[u8]) -> Vec<u8> {
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

/// All that comes back, until the other side hangs up.
async fn answer(scene: &Scene, bytes: &[u8]) -> Vec<u8> {
    let mut stream = dial(scene).await;
    within(stream.write_all(bytes))
        .await
        .expect("there is room");
    let mut answer = Vec::new();
    within(stream.read_to_end(&mut answer))
        .await
        .expect("it is closed in order");
    answer
}

#[tokio::test]
async fn who_guesses_is_told_that_he_is_refused_and_nothing_else() {
    let scene = scene().await;
    let refusal = |code| [b"GRNR\x02\x01\x00", &[code][..]].concat();
    let id = [7; 16];
    assert_eq!(
        answer(&scene, &greeting(1, id, TOKEN)).await,
        refusal(3),
        "no session"
    );
    assert_eq!(
        answer(&scene, &greeting(2, id, TOKEN)).await,
        refusal(1),
        "no version"
    );
    let wrong = answer(&scene, &greeting(2, id, &TOKEN[1..])).await;
    assert_eq!(wrong, refusal(2), "no token, whatever else is wrong");
    assert_eq!(scene.server.metrics().sessions, 1);
}

#[tokio::test]
async fn strangers_who_say_nothing_hold_up_nobody_who_is_in() {
    let scene = scene().await;
    let mut strangers = Vec::new();
    for _ in 0..2 * STRANGERS {
        strangers.push(dial(&scene).await);
    }
    // Those beyond the bound are hung up on.
    let mut last = strangers.pop().expect("there are many");
    assert_eq!(
        within(last.read(&mut [0]))
            .await
            .expect("it is closed in order"),
        0
    );
    assert_eq!(within(scene.counter.add(2)).await.expect("it lives"), 2);
    let other = within(scene.link.lookup::<Counter>("counter"))
        .await
        .expect("it is exported");
    assert_eq!(within(other.add(2)).await.expect("it lives"), 4);
    drop(strangers);
    within(async {
        let client = Node::builder().token(token()).build();
        while let Err(error) = client.connect(&scene.address).await {
            assert!(matches!(error, ConnectError::Io(_)), "{error:?}");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn with_its_last_clone_a_node_closes() {
    let scene = Scene::new().await;
    let other = scene.server.clone();
    drop(scene.server);
    assert_eq!(within(scene.counter.add(2)).await.expect("it lives"), 2);
    drop(other);
    within(scene.link.ended()).await;
    until(|| scene.local.handle_count() == 1).await;
    let error = within(Node::builder().build().connect(&scene.address)).await;
    assert!(matches!(error, Err(ConnectError::Io(_))), "{error:?}");
}

/// What a greeting for a new session gets: its id.
async fn begin(scene: &Scene, token: &[u8]) -> (TcpStream, [u8; 16]) {
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
    let mut answer = [0; 7 + 3 + 16];
    within(stream.read_exact(&mut answer))
        .await
        .expect("it is let in");
    assert_eq!((&answer[..5], answer[7]), (&b"GRNR\x02"[..], 0));
    (stream, answer[10..].try_into().expect("as many"))
}

#[tokio::test]
async fn a_session_is_resumed_by_who_began_it_and_by_nobody_else() {
    let other = b"fedcba9876543210";
    let address = Address::from("127.0.0.1:0");
    let scene = Scene::at(MemoryNetwork::new(), address, |node| {
        let bob = Token::new(other).expect("it is long enough");
        node.token(token()).accept("bob", bob)
    })
    .await;
    let (_stream, id) = begin(&scene, other).await;
    let (_second, another) = begin(&scene, other).await;
    assert_ne!(id, another);
    // One who knows the id, and may come in, has no right to it.
    let refused = answer(&scene, &greeting(1, id, TOKEN)).await;
    assert_eq!(refused, b"GRNR\x02\x01\x00\x03");
    let mut resumed = dial(&scene).await;
    let wish = greeting(1, id, other);
    within(resumed.write_all(&wish))
        .await
        .expect("there is room");
    let mut answer = [0; 8];
    within(resumed.read_exact(&mut answer))
        .await
        .expect("it is let in");
    assert_eq!(answer[7], 0, "it is welcome");
}

#[tokio::test]
async fn who_breaks_the_protocol_is_told_so() {
    let scene = scene().await;
    let (mut stream, _) = begin(&scene, TOKEN).await;
    let mut rest = [0; 8 + 1 + 28];
    within(stream.read_exact(&mut rest))
        .await
        .expect("it is welcome");
    // A frame that is longer than any.
    within(stream.write_all(&[0xff; 64]))
        .await
        .expect("there is room");
    let mut answer = Vec::new();
    within(stream.read_to_end(&mut answer))
        .await
        .expect("it is closed in order");
    let close = [22, 101]; // the tag, and the code of the violation
    assert!(answer.ends_with(&close), "{answer:?}");
    let sum = within(scene.counter.add(2)).await;
    assert_eq!(sum.expect("others are unaffected"), 2);
}

/// A frame of one record, with that number.
fn frame(number: u8, record: &[u8]) -> Vec<u8> {
    let length = u32::try_from(record.len() + 2).expect("it is short");
    [&length.to_le_bytes()[..], &[number, 0], record].concat()
}

#[tokio::test]
async fn who_breaks_the_protocol_while_much_is_queued_is_told_so_behind_it() {
    let scene = scene().await;
    let (mut stream, _) = begin(&scene, TOKEN).await;
    let mut rest = [0; 8 + 1 + 28];
    within(stream.read_exact(&mut rest))
        .await
        .expect("it is welcome");
    let look_up = frame(1, b"\x0a\x00\x07counter");
    within(stream.write_all(&look_up))
        .await
        .expect("there is room");
    within(stream.read_exact(&mut [0; 64]))
        .await
        .expect("it is found");
    // Asks its sixth message for more bytes than a connection holds.
    let ask = frame(2, b"\x01\x00\x00\x05\x04\x80\x80\x80\x06");
    within(stream.write_all(&ask)).await.expect("there is room");
    others(&scene).await; // meanwhile the connection fills
    let garbage = within(stream.write_all(&[0xff; 64])).await;
    garbage.expect("there is room");
    others(&scene).await; // for whom nothing has changed
    let mut rest = Vec::new();
    let read = within(stream.read_to_end(&mut rest)).await;
    read.expect("it is closed in order");
    assert!(rest.ends_with(&[22, 101]), "the violation, last");
}

/// One who has looked the counter up, and lets it answer with more than a session retains.
async fn who_reads_nothing(scene: &Scene) -> TcpStream {
    let (mut stream, _) = begin(scene, TOKEN).await;
    let look_up = frame(1, b"\x0a\x00\x07counter");
    // Asks its sixth message for that many bytes.
    let ask = frame(2, b"\x01\x00\x00\x05\x04\x80\x80\x80\x06");
    for frame in [look_up, ask] {
        within(stream.write_all(&frame))
            .await
            .expect("there is room");
        others(scene).await;
    }
    stream
}

#[tokio::test]
async fn what_was_told_and_waits_is_handled_though_its_session_is_closed() {
    let scene = scene().await;
    let mut stream = who_reads_nothing(&scene).await;
    // Its first message, with a number; an ask in between has nobody left who would be answered.
    let told = [
        frame(3, b"\x03\x00\x00\x01\x66"),
        frame(4, b"\x01\x01\x00\x00\x01\x67"),
        frame(5, b"\x03\x00\x00\x01\x68"),
    ];
    within(stream.write_all(&told.concat()))
        .await
        .expect("there is room");
    others(&scene).await;
    let seen = async || within(scene.local.seen()).await.expect("it lives");
    assert!(!seen().await.contains(&0x66), "it waits");
    within(stream.write_all(&frame(6, &[22, 0])))
        .await
        .expect("there is room");
    until(|| scene.server.metrics().sessions == 1).await;
    let seen = seen().await;
    let told: Vec<_> = seen.iter().filter(|n| **n > 1).collect();
    assert_eq!(told, [&0x66, &0x68]);
}

/// Many turns of all tasks.
async fn others(scene: &Scene) {
    for _ in 0..300 {
        within(scene.counter.add(1)).await.expect("it lives");
    }
}
