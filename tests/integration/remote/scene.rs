//! Two nodes, and an actor that one of them exports.

use std::sync::Arc;
use std::time::Duration;

use greenroom::actor;
use greenroom::remote::{Address, Link, MemoryNetwork, Node, NodeBuilder, RemoteHandle};
use tokio::sync::Semaphore;

/// Tells a hang from an answer; no test rests on its length.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(LIMIT, future).await.expect("a hang")
}

/// Polls others until something is so.
pub(crate) async fn until(is_so: impl Fn() -> bool) {
    within(async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// What the tests ask: it remembers the order of what it was given.
#[actor(mailbox = 64)]
pub(crate) struct Counter {
    sum: u64,
    seen: Vec<u64>,
    gate: Arc<Semaphore>,
}

#[actor(remote)]
impl Counter {
    pub(crate) fn add(&mut self, n: u64) -> u64 {
        self.seen.push(n);
        self.sum += n;
        self.sum
    }

    pub(crate) fn seen(&self) -> Vec<u64> {
        self.seen.clone()
    }

    pub(crate) fn take(&mut self, n: u64) -> Result<u64, String> {
        self.sum = self.sum.checked_sub(n).ok_or("too little")?;
        Ok(self.sum)
    }

    /// Waits until the test opens the gate.
    pub(crate) async fn wait(&mut self, n: u64) -> u64 {
        let pass = self.gate.acquire().await.expect("it is never closed");
        pass.forget();
        self.seen.push(n);
        n
    }

    pub(crate) fn length(&self, bytes: Vec<u8>) -> usize {
        bytes.len()
    }

    pub(crate) fn bytes(&self, length: usize) -> Vec<u8> {
        vec![7; length]
    }

    pub(crate) fn panic(&mut self) {
        panic!("as it was told");
    }
}

impl Counter {
    pub(crate) fn new(gate: &Arc<Semaphore>) -> Self {
        Self {
            sum: 0,
            seen: Vec::new(),
            gate: gate.clone(),
        }
    }
}

/// A server that exports a counter, and a client's link and handle to it.
pub(crate) struct Scene {
    pub(crate) network: MemoryNetwork,
    pub(crate) server: Node,
    pub(crate) address: Address,
    pub(crate) local: CounterHandle,
    pub(crate) gate: Arc<Semaphore>,
    pub(crate) client: Node,
    pub(crate) link: Link,
    pub(crate) counter: RemoteHandle<Counter>,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with(|node| node).await
    }

    /// Both nodes have these options.
    pub(crate) async fn with(options: impl Fn(NodeBuilder) -> NodeBuilder) -> Self {
        let network = MemoryNetwork::new();
        let address = network.address("server");
        Self::at(network, address, options).await
    }

    /// Over whatever transport.
    pub(crate) async fn at(
        network: MemoryNetwork,
        address: Address,
        options: impl Fn(NodeBuilder) -> NodeBuilder,
    ) -> Self {
        let gate = Arc::new(Semaphore::new(0));
        let local = Counter::new(&gate).spawn();
        let server = options(Node::builder()).build();
        server.export("counter", &local).expect("the name is free");
        let address = server.listen(address).await.expect("the address is free");
        let client = options(Node::builder()).build();
        let link = within(client.connect(&address)).await.expect("it listens");
        let counter = within(link.lookup::<Counter>("counter"))
            .await
            .expect("it is exported");
        Self {
            network,
            server,
            address,
            local,
            gate,
            client,
            link,
            counter,
        }
    }
}
