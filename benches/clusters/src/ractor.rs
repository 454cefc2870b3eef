//! ractor's cluster: two nodes over TCP, and a group by which one finds the other's actor.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use bytes::Bytes;
use greenroom_peers_harness::remote::Peer;
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort, call, cast, pg};
use ractor_cluster::{NodeServer, NodeServerMessage, RactorClusterMessage, client_connect};

const COOKIE: &str = "known to both processes";
const GROUP: &str = "counter";

struct Counter;

#[derive(RactorClusterMessage)]
pub enum Message {
    Tell(u64),
    #[rpc]
    Add(u64, RpcReplyPort<u64>),
    #[rpc]
    Put(Vec<u8>, RpcReplyPort<u64>),
}

impl Actor for Counter {
    type Msg = Message;
    type State = u64;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Message>, (): ()) -> Result<u64, ActorProcessingErr> {
        Ok(0)
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        sum: &mut u64,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Message::Tell(n) => *sum += n,
            Message::Add(n, reply) => {
                *sum += n;
                reply.send(*sum)?;
            }
            Message::Put(bytes, reply) => reply.send(bytes.len() as u64)?,
        }
        Ok(())
    }
}

#[derive(Clone)]
pub struct RactorCluster(ActorRef<Message>);

impl Peer for RactorCluster {
    const NAME: &'static str = "ractor_cluster";

    async fn serve(ready: impl FnOnce(String) + Send) {
        let port = free_port();
        let _node = node(port, "server").await;
        let (counter, _) = Actor::spawn(None, Counter, ()).await.expect("it starts");
        pg::join(GROUP.to_owned(), vec![counter.get_cell()]);
        ready(format!("localhost:{port}"));
        std::future::pending::<()>().await;
    }

    async fn connect(address: String) -> Self {
        let node = node(free_port(), "client").await;
        let connected = client_connect(&node, address).await;
        connected.expect("the server lets it in");
        loop {
            let members = pg::get_members(&GROUP.to_owned());
            if let Some(counter) = members.into_iter().find(|cell| !cell.get_id().is_local()) {
                return Self(counter.into());
            }
            // Until the groups are one.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn ask(&self, n: u64) -> u64 {
        call!(self.0, Message::Add, n).expect("the server answers")
    }

    async fn tell(&self, n: u64) {
        cast!(self.0, Message::Tell(n)).expect("the node takes it");
    }

    async fn put(&self, bytes: Bytes) -> u64 {
        call!(self.0, Message::Put, bytes.into()).expect("the server answers")
    }
}

async fn node(port: u16, name: &str) -> ActorRef<NodeServerMessage> {
    let (name, host) = (name.to_owned(), "localhost".to_owned());
    let server = NodeServer::new(port, COOKIE.to_owned(), name, host, None, None);
    let (node, _) = Actor::spawn(None, server, ()).await.expect("it listens");
    node
}

/// It says only of a port that is asked for that it listens there.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("it has one").port()
}
