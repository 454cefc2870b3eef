//! Handles that are sent in messages and replies.

use greenroom::remote::{
    Crossing, Lent, Limits, Link, MemoryNetwork, Node, NodeBuilder, RemoteHandle, Schema, Wire,
};
use greenroom::{AskError, Refusal, actor};
use serde::{Deserialize, Serialize};

use super::scene::{until, within};

/// What is lent.
#[actor]
struct Guest {
    heard: u64,
}

#[actor(remote)]
impl Guest {
    fn hear(&mut self) -> u64 {
        self.heard += 1;
        self.heard
    }
}

fn guest() -> GuestHandle {
    Guest { heard: 0 }.spawn()
}

/// To whom it is lent, and who lends.
#[actor]
struct Keeper {
    kept: Vec<Lent<Guest>>,
    own: Vec<GuestHandle>,
}

#[actor(remote)]
impl Keeper {
    fn keep(&mut self, guest: Lent<Guest>) -> bool {
        let is_local = guest.local().is_some();
        self.kept.push(guest);
        is_local
    }

    async fn greet(&mut self) -> Vec<Option<u64>> {
        let mut heard = Vec::new();
        for guest in &self.kept {
            heard.push(guest.hear().await.ok());
        }
        heard
    }

    fn forget(&mut self) {
        self.kept.clear();
    }

    fn give_back(&self) -> Vec<Lent<Guest>> {
        self.kept.clone()
    }

    fn make(&mut self) -> Lent<Guest> {
        self.own.push(guest());
        Lent::of(&self.own[self.own.len() - 1])
    }
}

/// The same messages, by one who makes handles up.
mod forged {
    use super::{Deserialize, Schema, Serialize, Wire, actor};

    #[derive(Serialize, Deserialize)]
    pub(super) struct Lent(pub(super) bool, pub(super) u32, pub(super) Vec<u8>);

    impl Wire for Lent {
        fn describe(schema: &mut Schema<'_>) {
            schema.kind("handle");
        }
    }

    #[actor]
    pub(super) struct Keeper;

    #[actor(remote)]
    impl Keeper {
        pub(super) fn keep(&mut self, guest: Lent) -> bool {
            guest.0
        }

        pub(super) async fn greet(&mut self) -> Vec<Option<u64>> {
            Vec::new()
        }
    }
}

struct Scene {
    network: MemoryNetwork,
    server: Node,
    client: Node,
    link: Link,
    keeper: RemoteHandle<Keeper>,
}

impl Scene {
    async fn new() -> Self {
        Self::with(|node| node).await
    }

    async fn with(options: impl Fn(NodeBuilder) -> NodeBuilder) -> Self {
        let network = MemoryNetwork::new();
        let server = options(Node::builder()).build();
        let keeper = Keeper {
            kept: Vec::new(),
            own: Vec::new(),
        };
        let exported = server.export("keeper", &keeper.spawn());
        exported.expect("it is free");
        let listens = server.listen(network.address("server"));
        listens.await.expect("it is free");
        let client = options(Node::builder()).build();
        let link = Self::link(&network, &client).await;
        let keeper = within(link.lookup::<Keeper>("keeper"))
            .await
            .expect("it is there");
        Self {
            network,
            server,
            client,
            link,
            keeper,
        }
    }

    async fn link(network: &MemoryNetwork, client: &Node) -> Link {
        let link = within(client.connect(network.address("server"))).await;
        link.expect("it listens")
    }
}

/// Why a message was handed back.
fn crossing<E: std::fmt::Debug, T: std::fmt::Debug>(result: Result<T, AskError<E>>) -> Crossing {
    match result {
        Err(AskError::NotHandled(refused)) => match refused.refusal() {
            Refusal::Crossing(crossing) => crossing.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_handle_in_a_message_is_asked_by_who_receives_it() {
    let scene = Scene::new().await;
    let guest = guest();
    let kept = within(scene.keeper.keep(Lent::of(&guest))).await;
    assert!(!kept.expect("it lives"), "it is another process's there");
    assert_eq!(
        within(scene.keeper.greet()).await.expect("it lives"),
        [Some(1)]
    );
    scene.network.cut();
    assert_eq!(
        within(scene.keeper.greet()).await.expect("it lives"),
        [Some(2)],
        "it survives connections, as the session does"
    );
    assert_eq!(guest.hear().await.expect("it lives"), 3);
}

#[tokio::test(start_paused = true)]
async fn a_handle_in_a_reply_is_asked_by_who_asked() {
    let scene = Scene::new().await;
    let (first, second) = (
        within(scene.keeper.make()).await.expect("it lives"),
        within(scene.keeper.make()).await.expect("it lives"),
    );
    assert!(first != second && first.local().is_none());
    assert_eq!(within(first.hear()).await.expect("it lives"), 1);
    assert_eq!(within(first.hear()).await.expect("it lives"), 2);
    assert_eq!(within(second.hear()).await.expect("it lives"), 1);
    // It keeps the session, as others that came by the link do.
    drop((scene.keeper, scene.link));
    assert_eq!(within(second.hear()).await.expect("it lives"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_handle_that_comes_back_is_the_local_one_again() {
    let scene = Scene::new().await;
    let guest = guest();
    let kept = within(scene.keeper.keep(Lent::of(&guest))).await;
    assert!(!kept.expect("it lives"));
    let back = within(scene.keeper.give_back()).await.expect("it lives");
    assert_eq!(back[0].local().as_ref(), Some(&guest));
    let made = within(scene.keeper.make()).await.expect("it lives");
    let kept = within(scene.keeper.keep(made)).await;
    assert!(kept.expect("it lives"), "it is of that process");
}

#[tokio::test(start_paused = true)]
async fn what_was_lent_keeps_no_actor_running() {
    let scene = Scene::new().await;
    let guest = guest();
    let weak = guest.downgrade();
    let kept = within(scene.keeper.keep(Lent::of(&guest))).await;
    kept.expect("it lives");
    drop(guest);
    within(weak.join()).await;
    assert_eq!(
        within(scene.keeper.greet()).await.expect("it lives"),
        [None]
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_lent_ends_with_its_session() {
    let scene = Scene::new().await;
    let guest = guest();
    let kept = within(scene.keeper.keep(Lent::of(&guest))).await;
    kept.expect("it lives");
    within(scene.link.close()).await;
    until(|| scene.server.metrics().sessions == 0).await;
    let link = Scene::link(&scene.network, &scene.client).await;
    let keeper = within(link.lookup::<Keeper>("keeper")).await;
    let keeper = keeper.expect("it is there");
    assert_eq!(within(keeper.greet()).await.expect("it lives"), [None]);
}

#[tokio::test(start_paused = true)]
async fn a_handle_is_not_passed_on_to_a_third_process() {
    let scene = Scene::new().await;
    let other = Scene::new().await;
    let made = within(scene.keeper.make()).await.expect("it lives");
    let refused = within(other.keeper.keep(made)).await;
    let refused = crossing(refused);
    assert!(matches!(refused, Crossing::NotEncodable(_)), "{refused:?}");
    let second = Scene::link(&scene.network, &scene.client).await;
    let keeper = within(second.lookup::<Keeper>("keeper")).await;
    let made = within(scene.keeper.make()).await.expect("it lives");
    let refused = within(keeper.expect("it is there").keep(made)).await;
    let refused = crossing(refused);
    assert!(
        matches!(refused, Crossing::NotEncodable(_)),
        "another session"
    );
}

#[tokio::test(start_paused = true)]
async fn as_many_are_lent_as_the_peer_may_hold_and_those_given_back_make_room() {
    let limits = Limits::new().targets(3);
    let scene = Scene::with(|node| node.limits(limits.clone())).await;
    for _ in 0..10 {
        let guests: Vec<_> = (0..4).map(|_| guest()).collect();
        for guest in &guests[..3] {
            // What was given back in the round before may still be on its way.
            while within(scene.keeper.keep(Lent::of(guest))).await.is_err() {
                tokio::task::yield_now().await;
            }
            let again = within(scene.keeper.keep(Lent::of(guest))).await;
            again.expect("one that is held takes no more room");
        }
        let refused = within(scene.keeper.keep(Lent::of(&guests[3]))).await;
        let refused = crossing(refused);
        assert!(matches!(refused, Crossing::NotEncodable(_)), "{refused:?}");
        assert_eq!(
            within(scene.keeper.greet()).await.expect("it lives"),
            [1, 2, 1, 2, 1, 2].map(Some)
        );
        within(scene.keeper.forget()).await.expect("it lives");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_lent_in_messages_that_are_not_sent_takes_up_no_room() {
    let limits = Limits::new().targets(3).asks(1);
    let scene = Scene::with(|node| node.limits(limits.clone())).await;
    scene.network.part();
    let mut first = Box::pin(scene.keeper.greet());
    assert!(futures::poll!(&mut first).is_pending());
    for _ in 0..100 {
        let guest = guest();
        let mut waits = Box::pin(scene.keeper.keep(Lent::of(&guest)));
        assert!(futures::poll!(&mut waits).is_pending(), "there is no room");
    }
    scene.network.heal();
    within(first).await.expect("it lives");
    let guest = guest();
    let kept = within(scene.keeper.keep(Lent::of(&guest))).await;
    kept.expect("there is room for it");
}

#[tokio::test(start_paused = true)]
async fn a_number_that_was_not_lent_to_this_peer_stands_for_nobody() {
    let scene = Scene::new().await;
    let made = within(scene.keeper.make()).await.expect("it lives");
    let released = within(scene.keeper.make()).await.expect("it lives");
    drop(released);
    // Another session, of the same peer: numbers of the first mean nothing in it.
    let link = Scene::link(&scene.network, &scene.client).await;
    let forger = within(link.lookup::<forged::Keeper>("keeper")).await;
    let forger = forger.expect("it is there");
    for number in [0, 1, 2, 3, 77, 4095, 4096, u32::MAX] {
        let refused = within(forger.keep(forged::Lent(true, number, vec![]))).await;
        let refused = crossing(refused);
        assert!(matches!(refused, Crossing::NotDecodable(_)), "{refused:?}");
    }
    // In the same session: only what it was lent, and only as what it is.
    let forger = within(scene.link.lookup::<forged::Keeper>("keeper")).await;
    let forger = forger.expect("it is there");
    let mut found = 0;
    for number in 0..16 {
        let kept = within(forger.keep(forged::Lent(true, number, vec![]))).await;
        found += usize::from(kept.is_ok());
    }
    assert_eq!(found, 1, "the one that is held");
    assert_eq!(within(made.hear()).await.expect("it lives"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_lends_nobody_harms_itself_alone() {
    let scene = Scene::new().await;
    let forger = within(scene.link.lookup::<forged::Keeper>("keeper")).await;
    let forger = forger.expect("it is there");
    // Numbers that it never gave, whatever it says that they understand.
    for (number, catalog) in [
        (7, vec![]),
        (8, vec![0xff; 100]),
        (9, vec![1, 0, 0xff, 0xff]),
    ] {
        let kept = within(forger.keep(forged::Lent(false, number, catalog))).await;
        assert!(!kept.expect("it is one that the peer may have"));
    }
    let beyond = within(forger.keep(forged::Lent(false, u32::MAX, vec![]))).await;
    let refused = crossing(beyond);
    assert!(matches!(refused, Crossing::NotDecodable(_)), "{refused:?}");
    assert_eq!(
        within(forger.greet()).await.expect("it lives"),
        [None, None, None]
    );
    let guest = guest();
    let kept = within(scene.keeper.keep(Lent::of(&guest))).await;
    kept.expect("the session lives");
}
