//! A network within the process, whose faults its tests choose.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::poll_fn;
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::Address;
use super::end::End;
use crate::remote::limits::{MEMORY_ACCEPTS, MEMORY_BUFFER};
use crate::sync::Mutex;

/// A network within the process: for tests, and for nodes that share one.
///
/// Its connections carry bytes as those of TCP do, and have the faults that are asked for, all of
/// which take effect at once. On a paused clock all of it is deterministic.
///
/// ```
/// use greenroom::remote::{MemoryNetwork, Node};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let network = MemoryNetwork::new();
/// let server = Node::builder().build();
/// server.listen(network.address("server")).await?;
/// let client = Node::builder().build();
/// let link = client.connect(network.address("server")).await?;
/// network.cut(); // it connects again, and resumes
/// link.close().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct MemoryNetwork(Arc<Network>);

#[derive(Default)]
pub(super) struct Network {
    /// No user code runs under this lock: wakers are woken after it.
    pub(super) state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) faults: Faults,
    pub(super) pipes: HashMap<u64, Pipe>,
    listeners: HashMap<Arc<str>, Listener>,
    last: u64,
    opened: u64,
    /// Who waits for the partition's end to connect.
    dialers: Vec<Waker>,
}

#[derive(Default)]
pub(super) struct Faults {
    pub(super) is_parted: bool,
    pub(super) delay: Duration,
    pub(super) bytes_per_second: Option<u64>,
    pub(super) cut_after: Option<u64>,
}

#[derive(Default)]
struct Listener {
    waiting: VecDeque<End>,
    waker: Option<Waker>,
}

/// One direction of a connection.
pub(super) struct Pipe {
    pub(super) chunks: VecDeque<(Instant, Vec<u8>)>,
    /// How much of the first chunk was read.
    pub(super) read: usize,
    pub(super) bytes: usize,
    pub(super) last_due: Instant,
    pub(super) is_finished: bool,
    pub(super) is_reset: bool,
    pub(super) reader: Option<Waker>,
    pub(super) writer: Option<Waker>,
}

impl Pipe {
    fn new() -> Self {
        Self {
            chunks: VecDeque::new(),
            read: 0,
            bytes: 0,
            last_due: Instant::now(),
            is_finished: false,
            is_reset: false,
            reader: None,
            writer: None,
        }
    }

    pub(super) fn room(&self) -> usize {
        MEMORY_BUFFER.saturating_sub(self.bytes)
    }

    /// Nothing that it holds arrives.
    pub(super) fn reset(&mut self, wakers: &mut Vec<Waker>) {
        self.is_reset = true;
        self.chunks.clear();
        self.bytes = 0;
        wakers.extend(self.reader.take());
        wakers.extend(self.writer.take());
    }
}

impl State {
    pub(super) fn cut(&mut self, wakers: &mut Vec<Waker>) {
        for pipe in self.pipes.values_mut() {
            pipe.reset(wakers);
        }
    }

    /// Two ends of a new connection.
    fn pair(&mut self, network: &Arc<Network>) -> (End, End) {
        let (there, back) = (self.last + 1, self.last + 2);
        self.last = back;
        self.opened += 1;
        self.pipes.insert(there, Pipe::new());
        self.pipes.insert(back, Pipe::new());
        let end = |reads, writes| End::new(network.clone(), reads, writes);
        (end(back, there), end(there, back))
    }
}

impl Network {
    /// Changes the state, then wakes whom that concerns.
    pub(super) fn with<R>(&self, change: impl FnOnce(&mut State, &mut Vec<Waker>) -> R) -> R {
        let mut wakers = Vec::new();
        let result = change(&mut self.state.lock(), &mut wakers);
        wakers.into_iter().for_each(Waker::wake);
        result
    }
}

impl Default for MemoryNetwork {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryNetwork {
    /// One without faults, and with nobody on it.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// The address of that name on this network.
    #[must_use]
    pub fn address(&self, name: &str) -> Address {
        Address::Memory(MemoryAddress {
            network: self.clone(),
            name: name.into(),
        })
    }

    /// What is written from now on arrives that much later.
    pub fn delay(&self, delay: Duration) {
        self.0.state.lock().faults.delay = delay;
    }

    /// What is written from now on arrives no faster, in each direction of each connection; `None`
    /// for as fast as it can.
    pub fn throttle(&self, bytes_per_second: Option<u64>) {
        self.0.state.lock().faults.bytes_per_second = bytes_per_second;
    }

    /// From now on nothing arrives, and nobody connects, until [`MemoryNetwork::heal`].
    pub fn part(&self) {
        self.0.state.lock().faults.is_parted = true;
    }

    /// Ends the partition: what was held arrives.
    pub fn heal(&self) {
        self.0.with(|state, wakers| {
            state.faults.is_parted = false;
            wakers.append(&mut state.dialers);
            for pipe in state.pipes.values_mut() {
                wakers.extend(pipe.reader.take());
            }
        });
    }

    /// Resets all connections: what was on its way is lost.
    pub fn cut(&self) {
        self.0.with(State::cut);
    }

    /// Resets all connections once so many more bytes were written, by whomever; `None` takes that
    /// back.
    pub fn cut_after(&self, bytes: Option<u64>) {
        match bytes {
            Some(0) => self.cut(),
            _ => self.0.state.lock().faults.cut_after = bytes,
        }
    }

    /// How many connections were opened.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.0.state.lock().opened
    }
}

impl fmt::Debug for MemoryNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryNetwork").finish_non_exhaustive()
    }
}

/// A name on a [`MemoryNetwork`].
#[derive(Clone)]
pub struct MemoryAddress {
    network: MemoryNetwork,
    name: Arc<str>,
}

impl MemoryAddress {
    /// Takes the name, so that others reach who accepts.
    pub(super) fn bind(&self) -> io::Result<MemoryListener> {
        let mut state = self.network.0.state.lock();
        if state.listeners.contains_key(&self.name) {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        state
            .listeners
            .insert(self.name.clone(), Listener::default());
        Ok(MemoryListener(self.clone()))
    }

    pub(super) async fn dial(&self) -> io::Result<End> {
        let network = &self.network.0;
        poll_fn(|cx| {
            network.with(|state, wakers| {
                if state.faults.is_parted {
                    state.dialers.push(cx.waker().clone());
                    return Poll::Pending;
                }
                let (here, there) = state.pair(network);
                let listener = state.listeners.get_mut(&self.name);
                let open = listener.filter(|listener| listener.waiting.len() < MEMORY_ACCEPTS);
                let Some(listener) = open else {
                    return Poll::Ready(Err((here, there)));
                };
                listener.waiting.push_back(there);
                wakers.extend(listener.waker.take());
                Poll::Ready(Ok(here))
            })
        })
        .await
        // Ends are dropped outside of the lock, which their drop takes.
        .map_err(|_| io::ErrorKind::ConnectionRefused.into())
    }
}

impl PartialEq for MemoryAddress {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.network.0, &other.network.0) && self.name == other.name
    }
}

impl Eq for MemoryAddress {}

impl Hash for MemoryAddress {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Display for MemoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory:{}", self.name)
    }
}

impl fmt::Debug for MemoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Who accepts on a name.
pub(in crate::remote) struct MemoryListener(MemoryAddress);

impl MemoryListener {
    pub(super) fn address(&self) -> &MemoryAddress {
        &self.0
    }

    pub(super) async fn accept(&self) -> io::Result<End> {
        poll_fn(|cx| {
            let mut state = self.0.network.0.state.lock();
            let listener = state.listeners.get_mut(&self.0.name);
            let listener = listener.expect("it is there until this is dropped");
            if let Some(end) = listener.waiting.pop_front() {
                return Poll::Ready(Ok(end));
            }
            listener.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }
}

impl Drop for MemoryListener {
    fn drop(&mut self) {
        let listener = self.0.network.0.state.lock().listeners.remove(&self.0.name);
        // Outside of the lock: those who waited here are reset.
        drop(listener);
    }
}
