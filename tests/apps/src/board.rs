//! A board that people write on, in an axum app: by form, by WebSocket, or as server-sent events.

use std::collections::HashSet;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{ConnectInfo, Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream::{Stream, StreamExt};
use greenroom::{AskError, ExitReason, actor};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::{broadcast, oneshot, watch};
use tokio_stream::wrappers::BroadcastStream;

/// What the app has counted.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub total: u64,
    pub clients: HashSet<SocketAddr>,
}

/// An actor that counts; it hands the tally to whoever waits when it ends.
#[actor(mailbox = 64)]
pub struct Clerk {
    tally: Tally,
    last: Option<oneshot::Sender<Tally>>,
}

#[actor]
impl Clerk {
    /// Adds `n` for a client, returns the new total.
    pub async fn add(&mut self, client: SocketAddr, n: u64) -> u64 {
        tokio::task::yield_now().await;
        self.tally.clients.insert(client);
        self.tally.total += n;
        self.tally.total
    }

    #[on(stop)]
    fn close(&mut self, _reason: &ExitReason) {
        if let Some(last) = self.last.take() {
            let _ = last.send(self.tally.clone());
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub from: String,
    pub text: String,
}

#[derive(Debug, Clone)]
pub struct Board {
    clerk: ClerkHandle,
    lines: broadcast::Sender<Line>,
    waiting: watch::Sender<usize>,
}

impl Board {
    /// A board, and what its clerk has counted when it is closed.
    #[must_use]
    pub fn open() -> (Self, oneshot::Receiver<Tally>) {
        let (last, tally) = oneshot::channel();
        let clerk = Clerk {
            tally: Tally::default(),
            last: Some(last),
        };
        let board = Self {
            clerk: clerk.spawn(),
            lines: broadcast::Sender::new(64),
            waiting: watch::Sender::new(0),
        };
        (board, tally)
    }

    /// Shows a line to all who listen; says how many they are.
    pub fn say(&self, line: Line) -> usize {
        self.lines.send(line).unwrap_or(0)
    }

    /// How many requests wait for a line.
    #[must_use]
    pub fn waiting(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }

    /// Closes it, in order.
    pub async fn close(self) -> ExitReason {
        self.clerk.shutdown().await
    }
}

/// Serves the board until `stop` is there and each request has been answered.
pub async fn serve(
    listener: TcpListener,
    board: Board,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let app = Router::new()
        .route("/add/{n}", get(add))
        .route("/shout", get(shout))
        .route("/say", post(say))
        .route("/next", get(next))
        .route("/lines", get(lines))
        .route("/talk", get(talk))
        .with_state(board);
    axum::serve(
        listener,
        app.into_make_service_with_connect_info::<SocketAddr>(),
    )
    .with_graceful_shutdown(stop)
    .await
}

/// The clerk's errors, as a browser sees them.
struct Unanswered(AskError);

impl IntoResponse for Unanswered {
    fn into_response(self) -> Response {
        (StatusCode::SERVICE_UNAVAILABLE, self.0.to_string()).into_response()
    }
}

async fn add(
    State(board): State<Board>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    Path(n): Path<u64>,
) -> Result<String, Unanswered> {
    let total = board.clerk.add(client, n).await.map_err(Unanswered)?;
    Ok(total.to_string())
}

#[derive(Deserialize)]
struct Words {
    text: String,
}

async fn shout(Query(words): Query<Words>) -> String {
    // As an author would, who does not want to hold up others.
    tokio::task::spawn_blocking(move || words.text.to_uppercase())
        .await
        .expect("upper case is there for every text")
}

async fn say(State(board): State<Board>, Json(line): Json<Line>) -> Json<usize> {
    Json(board.say(line))
}

async fn next(State(board): State<Board>) -> Result<Json<Line>, StatusCode> {
    let mut lines = board.lines.subscribe();
    board.waiting.send_modify(|waiting| *waiting += 1);
    let line = lines.recv().await;
    board.waiting.send_modify(|waiting| *waiting -= 1);
    line.map(Json).map_err(|_| StatusCode::GONE)
}

async fn lines(State(board): State<Board>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let lines = BroadcastStream::new(board.lines.subscribe());
    let events = lines.filter_map(|line| async { line.ok() });
    let events = events.map(|line| Ok(Event::default().event(line.from).data(line.text)));
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn talk(
    State(board): State<Board>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.on_upgrade(move |socket| talk_with(socket, client, board))
}

/// Says what the client writes, and writes to it what others say, with the total of all lines.
async fn talk_with(mut socket: WebSocket, client: SocketAddr, board: Board) {
    let mut lines = board.lines.subscribe();
    loop {
        let reply = tokio::select! {
            line = lines.recv() => match line {
                Ok(line) => format!("{}: {}", line.from, line.text),
                Err(_) => return,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    let from = "a socket".to_owned();
                    board.say(Line { from, text: text.to_string() });
                    let Ok(total) = board.clerk.add(client, 1).await else { return };
                    format!("total {total}")
                }
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => return,
            },
        };
        if socket.send(Message::text(reply)).await.is_err() {
            return;
        }
    }
}
