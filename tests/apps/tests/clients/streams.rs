//! Clients of the line service, by Unix socket and within the process.

use greenroom_apps::streams::{measure, serve_unix};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

use crate::support::within;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_clients_of_a_unix_socket_are_served_at_once() {
    const CLIENTS: usize = 16;
    const LINES: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let server = tokio::spawn(serve_unix(listener, CLIENTS));
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        clients.push(
            within("a connection", UnixStream::connect(&path))
                .await
                .unwrap(),
        );
    }
    let clients: Vec<_> = clients
        .into_iter()
        .map(|client| {
            tokio::spawn(async move {
                let (reader, mut writer) = client.into_split();
                let mut lengths = BufReader::new(reader).lines();
                for length in 0..LINES {
                    let line = "x".repeat(length) + "\n";
                    writer.write_all(line.as_bytes()).await.unwrap();
                    let answer = lengths.next_line().await.unwrap();
                    assert_eq!(answer, Some(length.to_string()));
                }
            })
        })
        .collect();
    for client in clients {
        within("a client's end", client).await.unwrap();
    }
    let lines = within("the server's end", server).await.unwrap().unwrap();
    assert_eq!(lines, CLIENTS * LINES);
}

#[tokio::test]
async fn a_stream_in_memory_is_measured_on_a_single_thread() {
    let (near, far) = tokio::io::duplex(8); // shorter than what goes through it
    let measured = tokio::spawn(measure(far));
    let (mut reader, mut writer) = tokio::io::split(near);
    let written = tokio::spawn(async move {
        writer.write_all(b"one\ntwenty\n\n").await.unwrap();
        writer.shutdown().await.unwrap();
    });
    let mut answers = String::new();
    within("the answers", reader.read_to_string(&mut answers))
        .await
        .unwrap();
    assert_eq!(answers, "3\n6\n0\n");
    within("the writer's end", written).await.unwrap();
    assert_eq!(within("the end", measured).await.unwrap().unwrap(), 3);
}
