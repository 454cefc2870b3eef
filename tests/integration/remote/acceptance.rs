//! What has gone wrong in the field, and must not here: links.

use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use greenroom::remote::{Crossing, Limits, RemoteHandle, Wire};
use greenroom::{AskError, Delegated, Refusal, ReplyTo, actor};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error, Serialize, Serializer};

use super::scene::{Scene, until, within};

/// How an item behaves while it is encoded.
#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    Well,
    Badly,
    InPanic,
    AtLength,
    ToNobody,
}

#[derive(Wire)]
#[wire(crate = "greenroom")]
struct Item {
    number: u64,
    filling: Vec<u8>,
    #[wire(version = "1")]
    how: How,
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.how {
            How::Badly => Err(S::Error::custom("it does not want to")),
            How::InPanic => panic!("as it was told"),
            _ => (self.number, &self.filling).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (number, filling) = Deserialize::deserialize(deserializer)?;
        let how = How::Well;
        Ok(Self {
            number,
            filling,
            how,
        })
    }
}

#[actor]
struct Shelf {
    ports: Vec<ReplyTo<u64>>,
}

#[actor(remote)]
impl Shelf {
    fn put(&mut self, item: Item) -> u64 {
        item.number
    }

    /// Answers nobody before it is told to.
    fn keep(&mut self) -> Delegated<u64> {
        let (port, later) = Delegated::new();
        self.ports.push(port);
        later
    }

    /// Answers all. Says how many still wanted to know.
    fn answer(&mut self) -> u64 {
        let ports = self.ports.drain(..);
        ports.map(|port| u64::from(port.send(7).is_ok())).sum()
    }
}

struct Shelves {
    scene: Scene,
    shelf: RemoteHandle<Shelf>,
    nobody: RemoteHandle<Shelf>,
}

impl Shelves {
    async fn new() -> Self {
        let limits = Limits::new().payload_bytes(1 << 12);
        let scene = Scene::with(|node| node.limits(limits.clone())).await;
        let local = Shelf { ports: Vec::new() }.spawn();
        for name in ["shelf", "nobody"] {
            scene.server.export(name, &local).expect("it is free");
        }
        let shelf = within(scene.link.lookup::<Shelf>("shelf"))
            .await
            .expect("it is there");
        let nobody = within(scene.link.lookup::<Shelf>("nobody"))
            .await
            .expect("it is there");
        assert!(scene.server.withdraw("nobody"));
        Self {
            scene,
            shelf,
            nobody,
        }
    }

    /// Asks for all of them at once: each ends as its own manner says.
    async fn ask(&self, manners: [How; 10]) {
        let asks = manners.iter().zip(0..).map(|(how, number)| {
            let length = if *how == How::AtLength { 1 << 13 } else { 3 };
            let shelf = if *how == How::ToNobody {
                &self.nobody
            } else {
                &self.shelf
            };
            let item = Item {
                number,
                filling: vec![1; length],
                how: *how,
            };
            std::panic::AssertUnwindSafe(shelf.put(item).into_owned()).catch_unwind()
        });
        let answers = within(join_all(asks)).await;
        for ((answer, how), number) in answers.into_iter().zip(manners).zip(0..) {
            let Ok(answer) = answer else {
                assert_eq!(how, How::InPanic, "{number}");
                continue;
            };
            match how {
                How::Well => assert_eq!(answer.expect("nothing is wrong with it"), number),
                _ => assert!(is_told(how, &answer), "{number}: {answer:?}"),
            }
        }
    }
}

/// Whether the error names what was wrong.
fn is_told(how: How, answer: &Result<u64, AskError>) -> bool {
    let Err(AskError::NotHandled(refused)) = answer else {
        return false;
    };
    let Refusal::Crossing(crossing) = refused.refusal() else {
        return false;
    };
    match how {
        How::Badly | How::InPanic => matches!(crossing, Crossing::NotEncodable(_)),
        How::AtLength => matches!(crossing, Crossing::TooLarge { .. }),
        How::ToNobody => matches!(crossing, Crossing::Stale),
        How::Well => false,
    }
}

#[tokio::test(start_paused = true)]
async fn acc_15_one_bad_item_of_a_batch_is_an_error_of_its_own() {
    let shelves = Shelves::new().await;
    let well = [How::Well; 10];
    let mut three = well;
    (three[3], three[6], three[8]) = (How::Badly, How::AtLength, How::ToNobody);
    shelves.ask(three).await;
    for how in [How::Badly, How::AtLength, How::ToNobody, How::InPanic] {
        let (mut first, mut last) = (well, well);
        first[0] = how;
        last[9] = how;
        for manners in [first, last, [how; 10], well] {
            shelves.ask(manners).await;
        }
    }
    assert_eq!(shelves.scene.network.opened(), 1, "it is the same link");
    let metrics = shelves.scene.client.metrics();
    assert_eq!((metrics.asks_open, metrics.records_resent), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn acc_12_remote_asks_that_time_out_leave_nothing_behind() {
    const ASKS: u64 = 20_000;
    const AT_A_TIME: u64 = 64;
    let shelves = Shelves::new().await;
    let (server, client) = (&shelves.scene.server, &shelves.scene.client);
    for _ in 0..ASKS / AT_A_TIME {
        let limit = Duration::from_millis(1);
        let asks = (0..AT_A_TIME).map(|_| shelves.shelf.keep().timeout(limit));
        let answers = within(join_all(asks)).await;
        assert!(answers.iter().all(Result::is_err));
    }
    until(|| client.metrics().asks_open == 0).await;
    until(|| server.metrics().asks_running == 0).await;
    assert_eq!(within(shelves.shelf.answer()).await.expect("it lives"), 0);
    until(|| client.metrics().records_retained + server.metrics().records_retained <= 2).await;
    let item = Item {
        number: 9,
        filling: Vec::new(),
        how: How::Well,
    };
    assert_eq!(within(shelves.shelf.put(item)).await.expect("it lives"), 9);
    assert_eq!(shelves.scene.network.opened(), 1);
}
