//! The board, under browsers of many kinds.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use greenroom::ExitReason;
use greenroom_apps::board::{Board, Line, Tally, serve};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::support::{listener, within};

struct Served {
    address: SocketAddr,
    board: Board,
    tally: oneshot::Receiver<Tally>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Served {
    async fn start() -> Self {
        let (listener, address) = listener().await;
        let (board, tally) = Board::open();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(serve(listener, board.clone(), async {
            let _ = stopped.await;
        }));
        Self {
            address,
            board,
            tally,
            stop,
            server,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Stops it, and returns what its clerk had counted.
    async fn end(self) -> Tally {
        self.stop.send(()).unwrap();
        within("the server's end", self.server)
            .await
            .unwrap()
            .unwrap();
        let reason = within("the clerk's end", self.board.close()).await;
        assert!(matches!(reason, ExitReason::Stopped), "{reason}");
        within("the tally", self.tally).await.unwrap()
    }
}

fn line(from: &str, text: &str) -> Line {
    Line {
        from: from.into(),
        text: text.into(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_requests_over_few_connections_are_all_answered() {
    const CLIENTS: u64 = 4;
    const REQUESTS: u64 = 2_500;
    let served = Served::start().await;
    let client = reqwest::Client::new();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (client, url) = (client.clone(), served.url("/add/1"));
            tokio::spawn(async move {
                let mut last = 0;
                for _ in 0..REQUESTS {
                    let response = client.get(&url).send().await.unwrap();
                    let total: u64 = response.text().await.unwrap().parse().unwrap();
                    assert!(total > last, "{total} after {last}");
                    last = total;
                }
                last
            })
        })
        .collect();
    let mut highest = 0;
    for client in clients {
        highest = highest.max(within("a client's end", client).await.unwrap());
    }
    assert_eq!(highest, CLIENTS * REQUESTS);
    let tally = served.end().await;
    assert_eq!(tally.total, CLIENTS * REQUESTS);
    let connections = tally.clients.len();
    assert!(connections < 100, "{connections} connections, none reused");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extractors_read_paths_queries_and_bodies_and_refuse_what_is_wrong() {
    let served = Served::start().await;
    let client = reqwest::Client::new();
    let get = |path: &str| client.get(served.url(path)).send();

    let shouted = within("an answer", get("/shout?text=quiet")).await.unwrap();
    assert_eq!(shouted.text().await.unwrap(), "QUIET");
    let wrong = within("an answer", get("/add/many")).await.unwrap();
    assert_eq!(wrong.status(), 400);
    let missing = within("an answer", get("/nowhere")).await.unwrap();
    assert_eq!(missing.status(), 404);
    let said = client
        .post(served.url("/say"))
        .header("content-type", "application/json")
        .body(r#"{"from":"ann","text":"is anybody there"}"#);
    let said = within("an answer", said.send()).await.unwrap();
    assert_eq!(said.text().await.unwrap(), "0");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_hear_each_other_and_ask_the_actor() {
    let served = Served::start().await;
    let url = format!("ws://{}/talk", served.address);
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let stream = TcpStream::connect(served.address).await.unwrap();
        let (mut socket, _) = within(
            "the handshake",
            tokio_tungstenite::client_async(&url, stream),
        )
        .await
        .unwrap();
        // Its reply shows that it listens before the next one speaks.
        socket.send(Message::text("hello")).await.unwrap();
        loop {
            let reply = within("a reply", socket.next()).await.unwrap().unwrap();
            if reply.to_text().unwrap().starts_with("total ") {
                break;
            }
        }
        sockets.push(socket);
    }
    served.board.say(line("ann", "welcome"));
    for socket in &mut sockets {
        loop {
            let heard = within("a line", socket.next()).await.unwrap().unwrap();
            if heard.to_text().unwrap() == "ann: welcome" {
                break;
            }
        }
        socket.close(None).await.unwrap();
        while let Some(Ok(_)) = within("the close", socket.next()).await {}
    }
    let tally = served.end().await;
    assert_eq!(tally.total, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_pushed_in_order_to_all_who_listen() {
    let served = Served::start().await;
    let client = reqwest::Client::new();
    let mut streams = Vec::new();
    for _ in 0..3 {
        let response = within("the headers", client.get(served.url("/lines")).send())
            .await
            .unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        streams.push(response);
    }
    for number in 0..20 {
        assert_eq!(served.board.say(line("clock", &number.to_string())), 3);
    }
    let expected: String = (0..20)
        .map(|number| format!("event: clock\ndata: {number}\n\n"))
        .collect();
    for mut stream in streams {
        let mut read = String::new();
        while read.len() < expected.len() {
            let chunk = within("an event", stream.chunk()).await.unwrap().unwrap();
            read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        assert_eq!(read, expected);
    }
    served.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graceful_shutdown_answers_what_was_asked_and_takes_no_more() {
    let served = Served::start().await;
    let request = tokio::spawn(reqwest::get(served.url("/next")));
    let mut waiting = served.board.waiting();
    within("the request", waiting.wait_for(|count| *count == 1))
        .await
        .unwrap();

    let (address, board) = (served.address, served.board.clone());
    let end = tokio::spawn(served.end());
    // The listener is closed first.
    within("the refusal", async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(!end.is_finished());
    assert_eq!(board.say(line("ann", "at last")), 1);
    let response = within("the answer", request).await.unwrap().unwrap();
    assert_eq!(
        response.text().await.unwrap(),
        r#"{"from":"ann","text":"at last"}"#
    );
    within("the end", end).await.unwrap();
}
