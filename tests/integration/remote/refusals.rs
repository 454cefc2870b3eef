//! Who and what is refused, and how that is told.

use greenroom::actor;
use greenroom::remote::{
    ConnectError, Crossing, ExportError, LinkEnd, ListenError, LookupError, MemoryNetwork, Node,
    Refused, Token,
};
use greenroom::{AskError, Refusal};

use super::scene::{Counter, Scene, within};

fn token(text: &str) -> Token {
    Token::new(text).expect("it is long enough")
}

const OURS: &str = "0123456789abcdef";
const THEIRS: &str = "0123456789abcdeX";

#[tokio::test(start_paused = true)]
async fn a_wrong_token_is_refused() {
    let network = MemoryNetwork::new();
    let server = Node::builder().token(token(OURS)).build();
    let address = server
        .listen(network.address("a"))
        .await
        .expect("it is free");
    let client = Node::builder().token(token(THEIRS)).build();
    let error = within(client.connect(&address))
        .await
        .expect_err("it is not theirs");
    assert!(
        matches!(error, ConnectError::Refused(Refused::Token)),
        "{error:?}"
    );
    let client = Node::builder().token(token(OURS)).build();
    within(client.connect(&address))
        .await
        .expect("it is theirs");
}

#[tokio::test(start_paused = true)]
async fn an_export_for_one_peer_is_unknown_to_the_others() {
    let network = MemoryNetwork::new();
    let server = Node::builder()
        .token(token(OURS))
        .accept("bob", token(THEIRS))
        .build();
    let scene = Scene::new().await;
    server
        .export_to("counter", &scene.local, &["bob"])
        .expect("it is free");
    let address = server
        .listen(network.address("a"))
        .await
        .expect("it is free");
    for (shown, is_bob) in [(OURS, false), (THEIRS, true)] {
        let client = Node::builder().token(token(shown)).build();
        let link = within(client.connect(&address))
            .await
            .expect("it is let in");
        let found = within(link.lookup::<Counter>("counter")).await;
        assert_eq!(found.is_ok(), is_bob);
    }
}

#[tokio::test(start_paused = true)]
async fn a_name_that_nobody_has_is_unknown() {
    let scene = Scene::new().await;
    let error = within(scene.link.lookup::<Counter>("nobody"))
        .await
        .expect_err("nobody");
    assert!(matches!(error, LookupError::Unknown), "{error:?}");
    let long = "n".repeat(256);
    let error = within(scene.link.lookup::<Counter>(&long))
        .await
        .expect_err("nobody");
    assert!(matches!(error, LookupError::Unknown), "{error:?}");
    assert!(matches!(
        scene.server.export(&long, &scene.local),
        Err(ExportError::Name(256))
    ));
    assert!(matches!(
        scene.server.export("counter", &scene.local),
        Err(ExportError::Taken)
    ));
}

/// As the other one, of another version of the program.
mod later {
    use super::actor;

    #[actor]
    pub(super) struct Counter;

    #[actor(remote)]
    impl Counter {
        /// Signed, unlike there.
        pub(super) fn add(&mut self, n: i64) -> i64 {
            n
        }

        pub(super) fn seen(&self) -> Vec<u64> {
            Vec::new()
        }

        pub(super) fn undo(&mut self) {}
    }
}

#[tokio::test(start_paused = true)]
async fn messages_that_differ_are_refused_each_for_itself() {
    let scene = Scene::new().await;
    let counter = within(scene.link.lookup::<later::Counter>("counter")).await;
    let counter = counter.expect("it is exported");
    for (error, message, is_known) in [
        (within(counter.add(1)).await.map(drop), "add", true),
        (within(counter.undo()).await, "undo", false),
    ] {
        let Err(AskError::NotHandled(refused)) = error else {
            panic!("{error:?}");
        };
        let Refusal::Crossing(Crossing::SchemaMismatch(mismatch)) = refused.refusal() else {
            panic!("{refused:?}");
        };
        assert_eq!(mismatch.message, message);
        assert_eq!(mismatch.theirs.is_some(), is_known);
    }
    assert_eq!(within(counter.seen()).await.expect("it is the same"), []);
}

#[tokio::test(start_paused = true)]
async fn what_is_too_large_is_handed_back_and_does_not_harm_the_link() {
    let limits = greenroom::remote::Limits::new().payload_bytes(1 << 16);
    let scene = Scene::with(|node| node.limits(limits.clone())).await;
    let error = within(scene.counter.length(vec![0; 1 << 17]))
        .await
        .expect_err("too large");
    let AskError::NotHandled(refused) = error else {
        panic!("{error:?}");
    };
    assert!(matches!(
        refused.refusal(),
        Refusal::Crossing(Crossing::TooLarge { .. })
    ));
    let error = within(scene.counter.bytes(1 << 17))
        .await
        .expect_err("too large");
    assert!(matches!(error, AskError::OutcomeUnknown(_)), "{error:?}");
    assert_eq!(
        within(scene.counter.length(vec![0; 1 << 15]))
            .await
            .expect("it fits"),
        1 << 15
    );
    assert_eq!(
        within(scene.counter.bytes(1 << 15))
            .await
            .expect("it fits")
            .len(),
        1 << 15
    );
    assert_eq!(scene.network.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_node_listens_and_connects_in_the_open_only_if_told_that_it_may() {
    let bare = Node::builder().build();
    let error = bare
        .listen("127.0.0.1:0")
        .await
        .expect_err("it has no token");
    assert!(matches!(error, ListenError::NoToken), "{error:?}");
    let with_token = Node::builder().token(token(OURS)).build();
    let error = with_token
        .listen("0.0.0.0:0")
        .await
        .expect_err("others could connect");
    assert!(matches!(error, ListenError::NotEncrypted), "{error:?}");
    let insecure = Node::builder().insecure().build();
    insecure.listen("0.0.0.0:0").await.expect("it was told so");
}

#[tokio::test(start_paused = true)]
async fn a_node_takes_no_more_sessions_than_it_was_told() {
    let network = MemoryNetwork::new();
    let server = Node::builder().sessions(1).build();
    let address = server
        .listen(network.address("a"))
        .await
        .expect("it is free");
    let client = Node::builder().build();
    let first = within(client.connect(&address))
        .await
        .expect("there is room");
    let error = within(client.connect(&address))
        .await
        .expect_err("there is none");
    assert!(
        matches!(error, ConnectError::Refused(Refused::Busy)),
        "{error:?}"
    );
    within(first.close()).await;
    super::scene::until(|| server.metrics().sessions == 0).await;
    within(client.connect(&address))
        .await
        .expect("there is room again");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_was_closed_neither_listens_nor_connects() {
    let scene = Scene::new().await;
    within(scene.client.close()).await;
    assert_eq!(within(scene.link.ended()).await, LinkEnd::Closed);
    let error = within(scene.client.connect(&scene.address))
        .await
        .expect_err("it is closed");
    assert!(matches!(error, ConnectError::Closed), "{error:?}");
    let address = scene.network.address("other");
    let error = within(scene.client.listen(address))
        .await
        .expect_err("it is closed");
    assert!(matches!(error, ListenError::Closed), "{error:?}");
}
