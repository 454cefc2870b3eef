//! The workloads of the suite `remote`, each written once for all peers. Each takes a fixed time,
//! so that a slow peer takes no longer than a quick one.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use hdrhistogram::Histogram;

use super::peer::{Peer, Stuck};
use super::server::Server;
use super::syscalls;
use crate::suite::{Cell, Measure, Unit};

const MIB: usize = 1 << 20;
const WARM_UP: Duration = Duration::from_millis(100);
const TIME: Duration = Duration::from_millis(400);
/// Large payloads that are under way at a time.
const LARGE_WINDOW: usize = 4;

/// One after the other.
pub fn sequential<P: Peer>() -> Vec<Cell> {
    const ROWS: &[(&str, Unit)] = &[
        ("sequential_p50", Unit::Nanos),
        ("sequential_p99", Unit::Nanos),
    ];
    vec![
        Cell::new("sequential", Measure::Figures(ROWS, one_by_one::<P>)),
        nanos("sequential_p50_pinned", one_by_one_pinned::<P>),
    ]
}

/// Many at a time.
pub fn pipelined<P: Peer>() -> Vec<Cell> {
    let rate = |name, run| Cell::new(name, Measure::Figure(Unit::PerSecond, run));
    vec![
        rate("window_1", window::<P, 1>),
        rate("window_2", window::<P, 2>),
        rate("window_4", window::<P, 4>),
        rate("window_16", window::<P, 16>),
        rate("window_64", window::<P, 64>),
        rate("window_256", window::<P, 256>),
        rate("window_1024", window::<P, 1024>),
        nanos("small_p99", small::<P>),
        Cell::new(
            "syscalls_64",
            Measure::Figures(syscalls::ROWS, syscalls_64::<P>),
        ),
    ]
}

pub fn one_way<P: Peer>() -> Cell {
    let run = || {
        measure::<P, _, _>(
            false,
            |client| async move { tells_per_second(&client).await },
        )
    };
    Cell::new("one_way", Measure::Figure(Unit::PerSecond, run))
}

/// Payloads of 1 MiB.
pub fn large<P: Peer>() -> Vec<Cell> {
    vec![
        Cell::new(
            "large_1mib",
            Measure::Figure(Unit::MegabytesPerSecond, large_1mib::<P>),
        ),
        nanos("small_p99_beside_1mib", small_beside::<P>),
    ]
}

pub fn beside_a_stuck_target<P: Stuck>() -> Cell {
    let run = || {
        measure::<P, _, _>(false, |client| async move {
            client.stick().await;
            tells_per_second(&client).await
        })
    };
    Cell::new(
        "beside_a_stuck_target",
        Measure::Figure(Unit::PerSecond, run),
    )
}

fn nanos(name: &'static str, run: fn() -> f64) -> Cell {
    Cell::new(name, Measure::Figure(Unit::Nanos, run))
}

/// Runs a cell against a server of its own.
fn measure<P, F, T>(pinned: bool, run: impl FnOnce(P) -> F + Send + 'static) -> T
where
    P: Peer,
    F: Future<Output = T> + Send,
    T: Send + 'static,
{
    let server = Server::start::<P>(pinned);
    let address = server.address.clone();
    P::run(async move { run(P::connect(address).await).await })
}

fn one_by_one<P: Peer>() -> Vec<f64> {
    let latency = measure::<P, _, _>(false, one_after_the_other);
    let at = |quantile| latency.value_at_quantile(quantile) as f64;
    vec![at(0.5), at(0.99)]
}

fn one_by_one_pinned<P: Peer>() -> f64 {
    let latency = measure::<P, _, _>(true, one_after_the_other);
    latency.value_at_quantile(0.5) as f64
}

async fn one_after_the_other<P: Peer>(client: P) -> Histogram<u64> {
    time_asks(&client, WARM_UP).await;
    time_asks(&client, TIME).await
}

fn empty() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("the bounds are in order")
}

async fn time_asks<P: Peer>(client: &P, time: Duration) -> Histogram<u64> {
    let mut latency = empty();
    let begun = Instant::now();
    let mut now = begun;
    while now - begun < time {
        client.ask(1).await;
        let then = std::mem::replace(&mut now, Instant::now());
        latency.saturating_record((now - then).as_nanos() as u64);
    }
    latency
}

/// Asks a second with so many under way.
fn window<P: Peer, const W: usize>() -> f64 {
    measure::<P, _, _>(false, |client| async move {
        ask_at_once(&client, W, Until::Time(WARM_UP)).await;
        let begun = Instant::now();
        let asks = ask_at_once(&client, W, Until::Time(TIME)).await;
        asks as f64 / begun.elapsed().as_secs_f64()
    })
}

enum Until {
    Time(Duration),
    Asks(u64),
}

/// Keeps so many asks under way; gives how many were answered.
async fn ask_at_once<P: Peer>(client: &P, window: usize, until: Until) -> u64 {
    let begun = Instant::now();
    let mut under_way: FuturesUnordered<_> = (0..window).map(|_| client.ask(1)).collect();
    let mut answered = 0;
    let mut goes_on = true;
    while under_way.next().await.is_some() {
        answered += 1;
        goes_on &= match until {
            // The clock is not looked at each time.
            Until::Time(time) => answered % 16 != 0 || begun.elapsed() < time,
            Until::Asks(asks) => answered + (window as u64) <= asks,
        };
        if goes_on {
            under_way.push(client.ask(1));
        }
    }
    answered
}

async fn tells_per_second<P: Peer>(client: &P) -> f64 {
    let before = client.ask(0).await;
    let warm = tell_for(client, WARM_UP).await;
    assert_eq!(client.ask(0).await, before + warm);
    let begun = Instant::now();
    let told = tell_for(client, TIME).await;
    // All have been handled before.
    assert_eq!(client.ask(0).await, before + warm + told);
    told as f64 / begun.elapsed().as_secs_f64()
}

async fn tell_for<P: Peer>(client: &P, time: Duration) -> u64 {
    let begun = Instant::now();
    let mut told = 0;
    while told % 64 != 0 || begun.elapsed() < time {
        client.tell(1).await;
        told += 1;
    }
    told
}

fn large_1mib<P: Peer>() -> f64 {
    measure::<P, _, _>(false, |client| async move {
        let bytes = Bytes::from(vec![7; MIB]);
        let put = || client.put(bytes.clone());
        let mut under_way: FuturesUnordered<_> = (0..LARGE_WINDOW).map(|_| put()).collect();
        let mut begun = Instant::now();
        let mut is_warm = false;
        let mut taken = 0;
        while let Some(len) = under_way.next().await {
            assert_eq!(len, MIB as u64);
            taken += 1;
            if !is_warm && begun.elapsed() >= WARM_UP {
                (is_warm, taken, begun) = (true, 0, Instant::now());
            }
            if is_warm && begun.elapsed() >= TIME {
                break;
            }
            under_way.push(put());
        }
        (taken * MIB) as f64 / 1e6 / begun.elapsed().as_secs_f64()
    })
}

/// One ask a millisecond.
fn small<P: Peer>() -> f64 {
    measure::<P, _, _>(false, |client| async move { spaced(&client).await })
}

/// The same while large ones go by, two at a time.
fn small_beside<P: Peer>() -> f64 {
    measure::<P, _, _>(false, |client| async move {
        for _ in 0..2 {
            let client = client.clone();
            tokio::spawn(async move {
                let bytes = Bytes::from(vec![7; MIB]);
                loop {
                    client.put(bytes.clone()).await;
                }
            });
        }
        spaced(&client).await
    })
}

/// The P99 of asks that are a millisecond apart.
async fn spaced<P: Peer>(client: &P) -> f64 {
    const ASKS: u64 = 500;
    let mut latency = empty();
    for _ in 0..ASKS {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let begun = Instant::now();
        client.ask(1).await;
        latency.saturating_record(begun.elapsed().as_nanos() as u64);
    }
    latency.value_at_quantile(0.99) as f64
}

fn syscalls_64<P: Peer>() -> Vec<f64> {
    const ASKS: u64 = 20_000;
    let server = Server::start::<P>(false);
    let (address, id) = (server.address.clone(), server.id());
    P::run(async move {
        let client = P::connect(address).await;
        ask_at_once(&client, 64, Until::Time(WARM_UP)).await;
        let asks = || ask_at_once(&client, 64, Until::Asks(ASKS));
        syscalls::per_1000(std::process::id(), id, asks).await
    })
}
