//! kameo's remote actors: a swarm as its example `custom_swarm` builds it, over TCP.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use greenroom_peers_harness::remote::Peer;
use kameo::prelude::*;
use kameo::remote::messaging::Config;
use libp2p::swarm::{Swarm, SwarmEvent};
use libp2p::{Multiaddr, PeerId, SwarmBuilder, noise, tcp, yamux};
use serde::{Deserialize, Serialize};

/// Beyond its default, for 1 MiB and what belongs to it.
const REQUEST_BYTES: u64 = 8 << 20;
/// Beyond the defaults, for the widest window; each request has a stream of its own.
const STREAMS: usize = 4_096;

#[derive(Actor, RemoteActor)]
pub struct Counter {
    sum: u64,
}

#[derive(Serialize, Deserialize)]
pub struct Add(u64);

#[remote_message]
impl Message<Add> for Counter {
    type Reply = u64;

    async fn handle(&mut self, Add(n): Add, _: &mut Context<Self, u64>) -> u64 {
        self.sum += n;
        self.sum
    }
}

#[derive(Serialize, Deserialize)]
pub struct Put(Bytes);

#[remote_message]
impl Message<Put> for Counter {
    type Reply = u64;

    async fn handle(&mut self, Put(bytes): Put, _: &mut Context<Self, u64>) -> u64 {
        bytes.len() as u64
    }
}

#[derive(Clone)]
pub struct Kameo(RemoteActorRef<Counter>);

impl Peer for Kameo {
    const NAME: &'static str = "kameo";

    async fn serve(ready: impl FnOnce(String) + Send) {
        let mut swarm = swarm();
        let any = "/ip4/127.0.0.1/tcp/0".parse().expect("an address");
        swarm.listen_on(any).expect("a port");
        let address = loop {
            if let SwarmEvent::NewListenAddr { address, .. } = swarm.select_next_some().await {
                break address;
            }
        };
        let id = *swarm.local_peer_id();
        tokio::spawn(drive(swarm));
        let counter = Counter::spawn(Counter { sum: 0 });
        counter.register("counter").await.expect("the name is free");
        ready(format!("{address} {id}"));
        std::future::pending::<()>().await;
    }

    async fn connect(address: String) -> Self {
        let (address, id) = address.split_once(' ').expect("an address and an id");
        let address: Multiaddr = address.parse().expect("an address");
        let id: PeerId = id.parse().expect("an id");
        let mut swarm = swarm();
        swarm.add_peer_address(id, address.clone());
        swarm.dial(address).expect("it can be dialed");
        tokio::spawn(drive(swarm));
        loop {
            match RemoteActorRef::lookup("counter").await {
                Ok(Some(counter)) => return Self(counter),
                // Until they have heard of each other.
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    async fn ask(&self, n: u64) -> u64 {
        self.0.ask(&Add(n)).await.expect("the server answers")
    }

    async fn tell(&self, n: u64) {
        let told = self.0.tell(&Add(n)).send();
        told.expect("the swarm takes it");
    }

    async fn put(&self, bytes: Bytes) -> u64 {
        self.0.ask(&Put(bytes)).await.expect("the server answers")
    }
}

fn swarm() -> Swarm<remote::Behaviour> {
    let config = Config::default()
        .with_max_concurrent_streams(STREAMS)
        .with_request_size_maximum(REQUEST_BYTES);
    let swarm = SwarmBuilder::with_new_identity()
        .with_tokio()
        .with_tcp(tcp::Config::default(), noise::Config::new, multiplexer)
        .expect("keys can be drawn")
        .with_behaviour(|key| remote::Behaviour::new(key.public().to_peer_id(), config))
        .expect("it cannot fail")
        .with_swarm_config(|config| config.with_idle_connection_timeout(Duration::from_secs(300)))
        .build();
    swarm.behaviour().init_global();
    swarm
}

fn multiplexer() -> yamux::Config {
    let mut config = yamux::Config::default();
    config.set_max_num_streams(STREAMS);
    config
}

async fn drive(mut swarm: Swarm<remote::Behaviour>) {
    loop {
        swarm.select_next_some().await;
    }
}
