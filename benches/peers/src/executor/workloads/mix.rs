//! A runtime that has always runnable tasks of tokio's and of the peer's, 64 of each.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::routing::get;

use super::super::peer::{Executor, Host};
use super::super::peers::Tokio;
use super::web::{leave, serve};
use crate::machine::spin;
use crate::peers::Greenroom;
use crate::stats::percentile;
use crate::wrk;

const TASKS: usize = 64;
const COMPUTED: Duration = Duration::from_micros(20);
const WARM_UP: Duration = Duration::from_millis(300);
const MEASURED: Duration = Duration::from_secs(1);

/// How often the tasks of either kind have computed; they stop when it is dropped.
struct Mix {
    theirs: Arc<AtomicU64>,
    ours: Arc<AtomicU64>,
    going: Arc<AtomicBool>,
}

// Ordering: Relaxed throughout; the counts are compared over a second, and publish nothing.
impl Mix {
    /// To be called in the runtime.
    fn start<H: Host>() -> Self {
        let mix = Self {
            theirs: Arc::default(),
            ours: Arc::default(),
            going: Arc::new(AtomicBool::new(true)),
        };
        for _ in 0..TASKS {
            Tokio::detach(Tokio::spawn(mix.compute::<Tokio>(&mix.theirs)));
            H::detach(H::spawn(mix.compute::<H>(&mix.ours)));
        }
        mix
    }

    fn compute<E: Executor>(&self, count: &Arc<AtomicU64>) -> impl Future<Output = ()> + use<E> {
        let (count, going) = (count.clone(), self.going.clone());
        async move {
            while going.load(Ordering::Relaxed) {
                spin(COMPUTED);
                count.fetch_add(1, Ordering::Relaxed);
                E::yield_now().await;
            }
        }
    }

    fn counts(&self) -> (u64, u64) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (count(&self.ours), count(&self.theirs))
    }
}

impl Drop for Mix {
    fn drop(&mut self) {
        self.going.store(false, Ordering::Relaxed);
    }
}

/// What the peer's tasks get of the CPU that the mix uses; of tokio's own tasks one half.
pub fn share<H: Host>() -> f64 {
    let runtime = H::start();
    let mix = H::block_on(&runtime, async { Mix::start::<H>() });
    thread::sleep(WARM_UP);
    let before = mix.counts();
    thread::sleep(MEASURED);
    let after = mix.counts();
    let (ours, theirs) = (after.0 - before.0, after.1 - before.1);
    ours as f64 / (ours + theirs) as f64
}

/// In greenroom's mix, whichever the peer, web requests ask an actor of the peer: an ask's P99.
pub fn queued_ask_p99<H: Host>() -> f64 {
    const CONNECTIONS: u32 = 8;
    const WARM_UP: Duration = Duration::from_secs(1);
    const MEASURED: Duration = Duration::from_secs(3);
    let runtime = Greenroom::start();
    let asks = Arc::new(Asks {
        actor: Greenroom::block_on(&runtime, async { H::queued() }),
        nanos: Mutex::default(),
    });
    let (address, _mix) = Greenroom::block_on(&runtime, async {
        let routes = Router::new().route("/ask", get(timed_ask::<H>));
        let address = serve(routes.with_state(asks.clone())).await;
        (address, Mix::start::<Greenroom>())
    });
    wrk::requests_per_second(address, "/ask", CONNECTIONS, WARM_UP);
    asks.take();
    wrk::requests_per_second(address, "/ask", CONNECTIONS, MEASURED);
    leave(runtime);
    percentile(&mut asks.take(), 99) as f64
}

/// An actor, and how long each ask of it took.
struct Asks<H: Host> {
    actor: H::Queued,
    nanos: Mutex<Vec<u64>>,
}

impl<H: Host> Asks<H> {
    fn take(&self) -> Vec<u64> {
        mem::take(&mut self.nanos.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn timed_ask<H: Host>(State(asks): State<Arc<Asks<H>>>) -> String {
    let start = Instant::now();
    let sum = H::ask_queued(&asks.actor).await;
    let nanos = start.elapsed().as_nanos() as u64;
    let mut all = asks.nanos.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(nanos);
    sum.to_string()
}
