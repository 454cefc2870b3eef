//! greenroom's remote handles, over TCP on loopback or a Unix socket.

use bytes::Bytes;
use greenroom::actor;
use greenroom::remote::{Address, Link, Node, RemoteHandle, Token};

use super::peer::{Peer, Stuck};
use crate::hosts;

const SECRET: &[u8] = b"known to both processes";

#[actor]
pub struct Counter {
    sum: u64,
}

#[actor(remote)]
impl Counter {
    pub fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    pub fn put(&self, bytes: Bytes) -> u64 {
        bytes.len() as u64
    }

    pub async fn stick(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[derive(Clone)]
pub struct Greenroom<const UNIX: bool> {
    counter: RemoteHandle<Counter>,
    other: RemoteHandle<Counter>,
    _link: Link,
}

impl<const UNIX: bool> Peer for Greenroom<UNIX> {
    const NAME: &'static str = if UNIX { "greenroom_uds" } else { "greenroom" };

    fn run<T: Send + 'static>(cell: impl Future<Output = T> + Send + 'static) -> T {
        hosts::greenroom().block_on(async { greenroom::spawn(cell).await.expect("no cell panics") })
    }

    async fn serve(ready: impl FnOnce(String) + Send) {
        let node = Node::builder().token(token()).build();
        for name in ["counter", "other"] {
            let counter = Counter { sum: 0 }.spawn();
            node.export(name, &counter).expect("the name is free");
        }
        let path = std::env::temp_dir().join(format!("greenroom-peers-{}", std::process::id()));
        let address = match UNIX {
            true => Address::Unix(path),
            false => "127.0.0.1:0".into(),
        };
        let address = node.listen(address).await.expect("it can be listened on");
        ready(match address {
            Address::Unix(path) => path.display().to_string(),
            Address::Tcp(address) => address.to_string(),
            other => panic!("{other:?} was not asked for"),
        });
        std::future::pending::<()>().await;
    }

    async fn connect(address: String) -> Self {
        let address = match UNIX {
            true => Address::Unix(address.into()),
            false => Address::Tcp(address),
        };
        let node = Node::builder().token(token()).build();
        let link = node.connect(address).await.expect("the server lets it in");
        Self {
            counter: link
                .lookup::<Counter>("counter")
                .await
                .expect("it is exported"),
            other: link
                .lookup::<Counter>("other")
                .await
                .expect("it is exported"),
            _link: link,
        }
    }

    async fn ask(&self, n: u64) -> u64 {
        self.counter.add(n).await.expect("the server answers")
    }

    async fn tell(&self, n: u64) {
        let told = self.counter.add(n).tell().await;
        told.expect("the server takes it");
    }

    async fn put(&self, bytes: Bytes) -> u64 {
        // An actor takes its messages in order: what is to overtake goes to another one.
        self.other.put(bytes).await.expect("the server answers")
    }
}

impl<const UNIX: bool> Stuck for Greenroom<UNIX> {
    async fn stick(&self) {
        let other = self.other.clone();
        tokio::spawn(async move { other.stick().await });
        for _ in 0..64 {
            let other = self.other.clone();
            tokio::spawn(async move { other.add(1).await });
        }
        let other = self.other.clone();
        tokio::spawn(async move { while other.add(1).tell().await.is_ok() {} });
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

fn token() -> Token {
    Token::new(SECRET).expect("it is long enough")
}
