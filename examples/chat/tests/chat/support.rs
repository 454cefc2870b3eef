//! The chat as a process of its own, and people who come to it over WebSockets.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::TcpSocket;
use tokio::process::{Child, ChildStdout, Command};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, client_async};

/// Far longer than anything takes: what is not there by then hangs.
pub async fn within<F: Future>(what: F) -> F::Output {
    let limit = tokio::time::timeout(Duration::from_secs(60), what);
    limit.await.expect("it does not hang")
}

pub struct Chat {
    pub address: SocketAddr,
    pub process: Child,
    pub output: Lines<BufReader<ChildStdout>>,
}

impl Chat {
    pub async fn open() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_greenroom-chat"));
        let command = command.arg("127.0.0.1:0").stdout(Stdio::piped());
        let mut process = command.kill_on_drop(true).spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = within(output.next_line()).await.unwrap().unwrap();
        let address = line.strip_prefix("open http://").unwrap();
        Self {
            address: address.trim_end_matches('/').parse().unwrap(),
            process,
            output,
        }
    }

    /// Comes into a room; what was said there before is yet to be read.
    pub async fn enter(&self, room: &str, name: &str) -> Person {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        let stream = within(socket.connect(self.address)).await.unwrap();
        let url = format!("ws://{}/talk?room={room}&name={name}", self.address);
        let (socket, _) = within(client_async(url, stream)).await.unwrap();
        Person(socket)
    }
}

pub struct Person(WebSocketStream<tokio::net::TcpStream>);

impl Person {
    pub async fn say(&mut self, text: &str) {
        within(self.0.send(Message::text(text))).await.unwrap();
    }

    /// The next line, or how the talk has ended.
    pub async fn hear(&mut self) -> Result<String, Option<CloseFrame>> {
        match within(self.0.next()).await {
            Some(Ok(Message::Text(text))) => Ok(text.to_string()),
            Some(Ok(Message::Close(frame))) => Err(frame),
            Some(Ok(other)) => panic!("nobody sends {other:?}"),
            Some(Err(_)) | None => Err(None),
        }
    }

    pub async fn hears(&mut self, line: &str) {
        assert_eq!(self.hear().await.unwrap(), line);
    }
}
