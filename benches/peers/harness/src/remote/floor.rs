//! The floor: a protocol written by hand for one actor, as fast as tokio lets it be. A frame is its
//! length, an id, a kind, and what belongs to it.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

use super::outbox::Outbox;
use super::peer::Peer;

const ASK: u8 = 0;
const TELL: u8 = 1;
const PUT: u8 = 2;
const READ: usize = 1 << 16;
/// Slots of its mailbox.
const CAPACITY: usize = 64;

/// With a task, its mailbox, and replies behind it, or with the sum in the reader's hands.
#[derive(Clone)]
pub struct Floor<const ACTOR: bool> {
    outbox: Arc<Outbox>,
    asked: Arc<Mutex<Asked>>,
}

/// Those who wait for a reply, by id.
#[derive(Default)]
struct Asked {
    places: Vec<Option<oneshot::Sender<u64>>>,
    free: Vec<usize>,
}

/// A frame that has come.
struct Frame {
    id: u64,
    kind: u8,
    payload: Bytes,
}

impl<const ACTOR: bool> Peer for Floor<ACTOR> {
    const NAME: &'static str = if ACTOR { "floor_actor" } else { "floor" };

    async fn serve(ready: impl FnOnce(String) + Send) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        ready(listener.local_addr().expect("an address").to_string());
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            tokio::spawn(serve_one::<ACTOR>(stream));
        }
    }

    async fn connect(address: String) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("an option of TCP");
        let (mut reader, writer) = stream.into_split();
        let outbox = Arc::<Outbox>::default();
        tokio::spawn(Arc::clone(&outbox).write_all(writer));
        let asked = Arc::<Mutex<Asked>>::default();
        let answered = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut input = BytesMut::new();
            while let Some(frames) = read(&mut reader, &mut input).await {
                let mut asked = answered.lock().unwrap_or_else(PoisonError::into_inner);
                for mut frame in frames {
                    let id = frame.id as usize;
                    asked.free.push(id);
                    if let Some(asker) = asked.places[id].take() {
                        let _ = asker.send(frame.payload.get_u64_le());
                    }
                }
            }
        });
        Self { outbox, asked }
    }

    async fn ask(&self, n: u64) -> u64 {
        self.send(ASK, &n.to_le_bytes()).await
    }

    async fn tell(&self, n: u64) {
        self.outbox.room().await;
        self.outbox.put(&[&head(0, TELL, 8), &n.to_le_bytes()]);
    }

    async fn put(&self, bytes: Bytes) -> u64 {
        self.send(PUT, &bytes).await
    }
}

impl<const ACTOR: bool> Floor<ACTOR> {
    async fn send(&self, kind: u8, payload: &[u8]) -> u64 {
        let (asker, reply) = oneshot::channel();
        let id = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            match asked.free.pop() {
                Some(id) => {
                    asked.places[id] = Some(asker);
                    id
                }
                None => {
                    asked.places.push(Some(asker));
                    asked.places.len() - 1
                }
            }
        };
        self.outbox
            .put(&[&head(id as u64, kind, payload.len()), payload]);
        reply.await.expect("the server answers")
    }
}

fn head(id: u64, kind: u8, len: usize) -> [u8; 13] {
    let mut head = [0; 13];
    head[..4].copy_from_slice(&(len as u32 + 9).to_le_bytes());
    head[4..12].copy_from_slice(&id.to_le_bytes());
    head[12] = kind;
    head
}

/// All frames that one read has completed; `None` at the end.
async fn read(reader: &mut (impl AsyncRead + Unpin), input: &mut BytesMut) -> Option<Vec<Frame>> {
    let mut frames = Vec::new();
    while frames.is_empty() {
        input.reserve(READ);
        if reader.read_buf(input).await.ok()? == 0 {
            return None;
        }
        while input.len() >= 4 {
            let len = u32::from_le_bytes([input[0], input[1], input[2], input[3]]) as usize;
            if input.len() < 4 + len {
                input.reserve(4 + len - input.len());
                break;
            }
            input.advance(4);
            let mut frame = input.split_to(len).freeze();
            frames.push(Frame {
                id: frame.get_u64_le(),
                kind: frame.get_u8(),
                payload: frame,
            });
        }
    }
    Some(frames)
}

async fn serve_one<const ACTOR: bool>(stream: TcpStream) {
    stream.set_nodelay(true).expect("an option of TCP");
    let (mut reader, writer) = stream.into_split();
    let outbox = Arc::<Outbox>::default();
    tokio::spawn(Arc::clone(&outbox).write_all(writer));
    let mut input = BytesMut::new();
    let mut sum = Sum(0);
    let (mailbox, mut messages) = mpsc::channel::<Frame>(CAPACITY);
    if ACTOR {
        let outbox = Arc::clone(&outbox);
        tokio::spawn(async move {
            let mut sum = Sum(0);
            while let Some(frame) = messages.recv().await {
                sum.handle(frame, &outbox);
            }
        });
    }
    while let Some(frames) = read(&mut reader, &mut input).await {
        for frame in frames {
            if ACTOR {
                mailbox.send(frame).await.expect("the actor lives");
            } else {
                sum.handle(frame, &outbox);
            }
        }
    }
}

/// The actor's state.
struct Sum(u64);

impl Sum {
    fn handle(&mut self, mut frame: Frame, outbox: &Outbox) {
        let reply = match frame.kind {
            PUT => frame.payload.len() as u64,
            _ => {
                self.0 += frame.payload.get_u64_le();
                self.0
            }
        };
        if frame.kind != TELL {
            outbox.put(&[&head(frame.id, ASK, 8), &reply.to_le_bytes()]);
        }
    }
}
