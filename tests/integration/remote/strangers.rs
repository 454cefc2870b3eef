//! Those who have not shown who they are, and those who guess.

use greenroom::remote::limits::STRANGERS;
use greenroom::remote::{Address, ConnectError, MemoryNetwork, Node, Token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::raw::{TOKEN, begin, dial, frame, greeting, others, scene, token};
use super::scene::{Counter, Scene, until, within};

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

/// The token of bob, who is let in beside who has that of all.
const BOB: &[u8; 16] = b"fedcba9876543210";

async fn scene_with_bob() -> Scene {
    let address = Address::from("127.0.0.1:0");
    Scene::at(MemoryNetwork::new(), address, |node| {
        let bob = Token::new(BOB).expect("it is long enough");
        node.token(token()).accept("bob", bob)
    })
    .await
}

#[tokio::test]
async fn a_session_is_resumed_by_who_began_it_and_by_nobody_else() {
    let scene = scene_with_bob().await;
    let (_stream, id) = begin(&scene, BOB).await;
    let (_second, another) = begin(&scene, BOB).await;
    assert_ne!(id, another);
    // One who knows the id, and may come in, has no right to it.
    let refused = answer(&scene, &greeting(1, id, TOKEN)).await;
    assert_eq!(refused, b"GRNR\x02\x01\x00\x03");
    let mut resumed = dial(&scene).await;
    let wish = greeting(1, id, BOB);
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

#[tokio::test]
async fn who_breaks_the_protocol_while_much_is_queued_is_told_so_behind_it() {
    let scene = scene().await;
    let (mut stream, _) = begin(&scene, TOKEN).await;
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

/// Reads until that comes.
async fn hear(stream: &mut TcpStream, last: &[u8]) {
    let mut heard = Vec::new();
    while !heard.ends_with(last) {
        let Ok(byte) = within(stream.read_u8()).await else {
            panic!("{heard:?}, and no {last:?}");
        };
        heard.push(byte);
    }
}

#[tokio::test]
async fn a_number_that_a_peer_was_not_given_or_has_no_right_to_any_more_stands_for_nobody() {
    let scene = scene_with_bob().await;
    let [first, second] = [(); 2].map(|()| Counter::new(&scene.gate).spawn());
    let export = |to| scene.server.export_to("bob's", to, &["bob"]);
    export(&first).expect("it is free");
    let (mut bob, id) = begin(&scene, BOB).await;
    let look_up = frame(1, b"\x0a\x00\x05bob's");
    // Asks and tells number 0 for its first message.
    let [ask, tell] = [
        b"\x01\x00\x00\x00\x01\x05".as_slice(),
        b"\x03\x00\x00\x01\x06",
    ];
    for said in [look_up, frame(2, ask)] {
        within(bob.write_all(&said)).await.expect("there is room");
        others(&scene).await; // before a number is used, it has to be given
    }
    hear(&mut bob, b"\x04\x00\x01\x05").await; // the sum
    // Another one, who was not given any.
    let (mut eve, _) = begin(&scene, TOKEN).await;
    let said = [frame(1, tell), frame(2, ask)].concat();
    within(eve.write_all(&said)).await.expect("there is room");
    let nobody = b"\x05\x00\x81\xfe\x03\x00"; // 65,281: the target is not held
    hear(&mut eve, nobody).await;
    let watch = frame(3, b"\x0d\x00\x00");
    within(eve.write_all(&watch)).await.expect("there is room");
    hear(&mut eve, b"\x0f\x00\x00").await; // it is over at once
    // To give back what one was not given is no mistake.
    let back = frame(4, b"\x10\x00\x01");
    within(eve.write_all(&back)).await.expect("there is room");
    hear(&mut eve, &[22, 106]).await;
    // What Bob was given is another's now, who has the same name.
    assert!(scene.server.withdraw("bob's"));
    export(&second).expect("it is free");
    drop(bob);
    let mut bob = dial(&scene).await;
    let said = [greeting(1, id, BOB), frame(3, tell), frame(4, ask)].concat();
    within(bob.write_all(&said)).await.expect("there is room");
    hear(&mut bob, b"\x05\x00\x05\x00").await; // 5: the handle leads nowhere any more
    for (counter, seen) in [(first, vec![5]), (second, vec![])] {
        assert_eq!(within(counter.seen()).await.expect("it lives"), seen);
    }
}
