//! The floor: what no way to such a canvas can do with much less.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tokio::task::yield_now;

use crate::canvas::Canvas;
use crate::render::{Change, Surface};

/// By hand. A command is its sort, a name, and a place; an answer is a name. Answers come in order.
#[derive(Default)]
pub(crate) struct Floor {
    out: Mutex<Vec<u8>>,
    filled: Notify,
    open: Mutex<VecDeque<oneshot::Sender<u32>>>,
}

const COMMAND: usize = 13;

impl Floor {
    pub(crate) async fn connect(address: &str) -> io::Result<Arc<Self>> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (mut reader, mut writer) = stream.into_split();
        let floor = Arc::new(Self::default());
        let writing = floor.clone();
        tokio::spawn(async move {
            loop {
                writing.filled.notified().await;
                yield_now().await;
                let out = std::mem::take(&mut *lock(&writing.out));
                if writer.write_all(&out).await.is_err() {
                    return;
                }
            }
        });
        let reading = floor.clone();
        tokio::spawn(async move {
            let mut input = Vec::new();
            while reader.read_buf(&mut input).await.is_ok_and(|n| n > 0) {
                let whole = input.len() / 4 * 4;
                let mut open = lock(&reading.open);
                for name in input.drain(..whole).collect::<Vec<_>>().chunks_exact(4) {
                    let name = u32::from_le_bytes(name.try_into().expect("four bytes"));
                    let asker = open.pop_front().expect("it was asked");
                    let _ = asker.send(name); // nobody may wait for it any more
                }
            }
        });
        Ok(floor)
    }

    fn put(&self, sort: u8, name: u32) {
        let mut command = [0; COMMAND];
        command[0] = sort;
        command[1..5].copy_from_slice(&name.to_le_bytes());
        lock(&self.out).extend_from_slice(&command);
        self.filled.notify_one();
    }

    pub(crate) async fn serve(mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let (mut canvas, mut input, mut out) = (Canvas::default(), Vec::new(), Vec::new());
        while stream.read_buf(&mut input).await? > 0 {
            let whole = input.len() / COMMAND * COMMAND;
            for command in input[..whole].chunks_exact(COMMAND) {
                let name = u32::from_le_bytes(command[1..5].try_into().expect("four bytes"));
                match command[0] {
                    0 => out.extend_from_slice(&canvas.create(1.0, 2.0).to_le_bytes()),
                    1 => canvas.update(name, 3.0, 4.0),
                    2 => canvas.destroy(name),
                    _ => canvas.show(),
                }
            }
            input.drain(..whole);
            stream.write_all(&out).await?;
            out.clear();
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer of the floor.
pub(crate) struct Named(oneshot::Receiver<u32>);

impl Future for Named {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
        let name = Pin::new(&mut self.0).poll(cx);
        name.map(|name| name.expect("the server lives"))
    }
}

impl Surface for Arc<Floor> {
    type Answer = Named;

    async fn create(&self) -> Named {
        let (asker, answer) = oneshot::channel();
        lock(&self.open).push_back(asker);
        self.put(0, 0);
        Named(answer)
    }

    async fn change(&self, change: Change) {
        match change {
            Change::Update(name) => self.put(1, name),
            Change::Destroy(name) => self.put(2, name),
            Change::Show => self.put(3, 0),
        }
    }
}
