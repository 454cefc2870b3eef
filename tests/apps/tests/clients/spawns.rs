//! Code that names tokio, inside an actor.

use std::time::Duration;

use greenroom::actor;
use hyper::rt::Executor;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::support::{listener, within};

#[actor]
struct User;

#[actor]
impl User {
    async fn spawns(&mut self) -> u32 {
        let task = tokio::spawn(async { 1 });
        let here = tokio::runtime::Handle::current().spawn(async { 2 });
        let blocking = tokio::task::spawn_blocking(|| 3);
        let set: tokio::task::JoinSet<u32> = (4..6).map(std::future::ready).collect();
        let set: u32 = set.join_all().await.iter().sum();
        task.await.unwrap() + here.await.unwrap() + blocking.await.unwrap() + set
    }

    async fn is_used_by_a_library(&mut self) -> bool {
        let (sender, receiver) = oneshot::channel();
        // It calls `tokio::spawn`, of the tokio that it knows.
        TokioExecutor::new().execute(async {
            let nested = tokio::spawn(async {});
            let _ = sender.send(nested.await.is_ok());
        });
        receiver.await.unwrap()
    }

    async fn waits(&mut self) -> usize {
        let mut ticks = tokio::time::interval(Duration::from_micros(1));
        let mut seen = 0;
        while seen < 10 {
            ticks.tick().await;
            seen += 1;
        }
        let late = tokio::time::timeout(Duration::ZERO, std::future::pending::<()>());
        late.await.unwrap_err();
        seen
    }

    async fn connects(&mut self, port: u16) -> String {
        // The name is looked up by a blocking task.
        let mut stream = TcpStream::connect(("localhost", port)).await.unwrap();
        stream.write_all(b"ping").await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_uses_all_of_tokio_by_name() {
    let user = User.spawn();
    assert_eq!(within("the sum", user.spawns()).await.unwrap(), 15);
    assert!(
        within("the library", user.is_used_by_a_library())
            .await
            .unwrap()
    );
    assert_eq!(within("the ticks", user.waits()).await.unwrap(), 10);
}

#[tokio::test]
async fn a_handler_uses_all_of_tokio_by_name_on_a_single_thread() {
    let user = User.spawn();
    assert_eq!(within("the sum", user.spawns()).await.unwrap(), 15);
    assert!(
        within("the library", user.is_used_by_a_library())
            .await
            .unwrap()
    );
    assert_eq!(within("the ticks", user.waits()).await.unwrap(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_talks_over_a_socket() {
    let (listener, address) = listener().await;
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = String::new();
        stream.read_to_string(&mut asked).await.unwrap();
        stream
            .write_all(asked.to_uppercase().as_bytes())
            .await
            .unwrap();
    });
    let user = User.spawn();
    let answer = within("the answer", user.connects(address.port())).await;
    assert_eq!(answer.unwrap(), "PING");
    within("the server's end", server).await.unwrap();
}
