//! An echo server and its clients, in the words of tokio.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};

async fn serve(listener: TcpListener, mut stop: oneshot::Receiver<()>) -> io::Result<usize> {
    let mut served = 0;
    loop {
        let (mut socket, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            _ = &mut stop => return Ok(served),
        };
        served += 1;
        tokio::spawn(async move {
            let (mut reader, mut writer) = socket.split();
            tokio::io::copy(&mut reader, &mut writer).await
        });
    }
}

async fn echo(address: SocketAddr, text: String) -> io::Result<String> {
    let mut socket = TcpStream::connect(address).await?;
    socket.write_all(text.as_bytes()).await?;
    socket.shutdown().await?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// Serves so many clients, and gives what they heard, sorted.
async fn converse(clients: usize) -> io::Result<Vec<String>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (stop, stopped) = oneshot::channel();
    let server: JoinHandle<io::Result<usize>> = tokio::spawn(serve(listener, stopped));

    let (sender, mut answers) = mpsc::channel(4);
    let mut set = JoinSet::new();
    for n in 0..clients {
        let sender = sender.clone();
        set.spawn(async move {
            let answer = echo(address, format!("hello {n}")).await;
            let _ = sender.send(answer).await;
        });
    }
    drop(sender);
    let mut heard = Vec::new();
    while let Some(answer) = answers.recv().await {
        heard.push(answer?);
    }
    while let Some(ended) = set.join_next().await {
        ended?;
    }
    drop(stop);
    assert_eq!(server.await??, clients);
    heard.sort();
    Ok(heard)
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let heard = converse(8).await?;
    let sum = tokio::task::spawn_blocking(|| (1..=10).sum::<u32>()).await?;
    println!("{heard:?}, {sum}, {:?}", Handle::current().runtime_flavor());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn count(clients: usize) -> io::Result<usize> {
    Ok(converse(clients).await?.len())
}

#[test]
fn an_entry_point_beside_main_takes_arguments() {
    assert_eq!(count(3).unwrap(), 3);
}

#[test]
fn the_tasks_are_greenrooms() {
    let name = std::any::type_name::<JoinHandle<()>>();
    assert!(name.starts_with("greenroom::"), "{name}");
}

#[test]
fn a_runtime_is_built_by_hand() {
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .worker_threads(2)
        .build();
    let heard = runtime.unwrap().block_on(converse(2)).unwrap();
    assert_eq!(heard, ["hello 0", "hello 1"]);
}

#[tokio::test]
async fn every_client_hears_its_own_words() -> io::Result<()> {
    assert_eq!(
        Handle::current().runtime_flavor(),
        RuntimeFlavor::CurrentThread
    );
    assert_eq!(converse(3).await?, ["hello 0", "hello 1", "hello 2"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_the_same_with_workers() {
    assert_eq!(Handle::current().metrics().num_workers(), 2);
    assert_eq!(converse(20).await.unwrap().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_jumps() {
    let hour = Duration::from_secs(3600);
    let never = tokio::time::timeout(hour, std::future::pending::<()>());
    assert!(tokio::spawn(never).await.unwrap().is_err());
}
