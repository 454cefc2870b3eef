//! A client that draws: in each rendered frame it makes, moves and removes hundreds of things on a
//! canvas of another process. What it makes has an answer, the name by which it is known there; all
//! else goes one way. With one answer awaited at a time, a frame takes a round trip for each; with
//! more, it takes one for so many.
//!
//! ```sh
//! cargo run --release --features remote --example render_stream
//! ```
//!
//! The server is this program again, as a second process, over TCP. Beside greenroom it serves a
//! protocol that is written by hand for these commands alone, without an actor: the floor.

mod canvas;
mod floor;
mod remote;
mod render;
mod server;
#[cfg(test)]
mod tests;

use std::env;
use std::process::ExitCode;

use greenroom::Error;

use canvas::{Canvas, Gauge};
use floor::Floor;
use remote::Remote;
use render::{CREATES, FRAMES, RECORDS, Run, UPDATES, render};
use server::{Place, Server};

const WINDOWS: [usize; 5] = [1, 2, 4, 16, 64];

/// What a run over greenroom left behind.
struct Trace {
    run: Run,
    /// How often each command was handled: create, update, destroy, show.
    counts: [u32; 4],
    /// Replies that came.
    replies: u64,
    /// Of replies that the server kept until they were acknowledged, the most at a time.
    retained: u64,
}

/// Draws over a link of its own.
async fn draw(place: &Place, window: usize, marked: bool) -> Result<Trace, Error> {
    let surface = Remote::connect(place, marked).await?;
    let run = render(&surface, window).await;
    let link = surface.link();
    let canvas = link.lookup::<Canvas>("canvas").await?;
    let counts = canvas.counts().await?;
    let replies = link.metrics().round_trips() - 1; // that of the counts
    let gauge = link.lookup::<Gauge>("gauge").await?;
    let retained = gauge.replies_retained_max().await?;
    link.close().await;
    Ok(Trace {
        run,
        counts,
        replies,
        retained,
    })
}

async fn compare(place: &Place) -> Result<(), Error> {
    println!(
        "{FRAMES} frames, {RECORDS} records: {CREATES} create, {UPDATES} update, {CREATES} \
         destroy, {FRAMES} show; only a create has an answer"
    );
    println!(
        "{:>3} {:>10} {:>6} {:>6} {:>11} {:>9} {:>9} {:>9} {:>9}",
        "W", "", "waits", "most", "round trip", "waited", "wall", "CPU", "retained"
    );
    let mut marked = 0;
    for window in WINDOWS {
        let floor = Floor::connect(&place.floor).await?;
        let by_hand = render(&floor, window).await;
        let trace = draw(place, window, true).await?;
        assert_eq!(trace.counts, [CREATES, UPDATES, CREATES, FRAMES]);
        print(window, "floor", &by_hand, None);
        print(window, "greenroom", &trace.run, Some(trace.retained));
        let ratio = trace.run.round_trip().as_secs_f64() / by_hand.round_trip().as_secs_f64();
        println!("{:>3} {:>10} {:>20.2} x the floor's", "", "", ratio);
        marked = trace.replies;
    }
    let window = WINDOWS[WINDOWS.len() - 1];
    let unmarked = draw(place, window, false).await?;
    let fall = 100.0 * (1.0 - marked as f64 / unmarked.replies as f64);
    println!(
        "replies on the wire: {marked} with the mark, {} without: {fall:.1} % less",
        unmarked.replies
    );
    Ok(())
}

/// The most waits that a run may have: one for each full window, and one for each frame.
fn waits_max(window: usize) -> u32 {
    (f64::from(CREATES) / window as f64 * 1.1) as u32 + FRAMES
}

fn print(window: usize, by: &str, run: &Run, retained: Option<u64>) {
    println!(
        "{window:>3} {by:>10} {:>6} {:>6} {:>8.1} us {:>6.1} ms {:>6.1} ms {:>6.1} ms {:>9}",
        run.waits,
        waits_max(window),
        run.round_trip().as_secs_f64() * 1e6,
        run.waited.as_secs_f64() * 1e3,
        run.wall.as_secs_f64() * 1e3,
        run.cpu.as_secs_f64() * 1e3,
        retained.map_or_else(String::new, |retained| retained.to_string()),
    );
}

#[greenroom::main]
async fn main() -> ExitCode {
    let done = match env::args().nth(1).as_deref() {
        None => match Server::start() {
            Ok(server) => compare(&server.place).await,
            Err(error) => Err(error),
        },
        Some("serve") => server::serve().await,
        Some(_) => {
            eprintln!("usage: render_stream");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("render_stream: {error}");
            ExitCode::FAILURE
        }
    }
}
