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
