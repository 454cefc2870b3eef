//! A stream of events becomes an actor's messages, and holds back when the actor does not keep up.
//!
//! Run it with `cargo run --example stream`.

use std::time::Duration;

use futures::stream::{self, StreamExt};
use greenroom::{Context, actor};

/// Counts words, slowly; two lines wait at most.
#[actor(mailbox = 2)]
#[derive(Default)]
struct Counter {
    words: usize,
}

#[actor]
impl Counter {
    /// Reads all lines, and goes on with other messages meanwhile.
    fn read(&mut self, lines: Vec<&'static str>, ctx: &mut Context<Self>) {
        let lines = stream::iter(lines).inspect(|line| println!("read     {line}"));
        ctx.attach(lines, |line| CounterCount { line })
            .on_end(|end| CounterDone {
                is_whole: end.is_ok(),
            });
    }

    async fn count(&mut self, line: &'static str) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.words += line.split_whitespace().count();
        println!("counted  {line}: {} words so far", self.words);
    }

    /// The stream has ended: all its lines were counted before.
    fn done(&mut self, is_whole: bool, ctx: &mut Context<Self>) {
        println!("{} words, whole: {is_whole}", self.words);
        ctx.stop();
    }
}

#[greenroom::main]
async fn main() -> Result<(), greenroom::Error> {
    let counter = Counter::default().spawn();
    let lines = vec![
        "the quick brown fox",
        "jumps over",
        "the lazy dog",
        "and is gone",
        "before the dog",
        "has noticed",
    ];
    counter.read(lines).await?;
    counter.join().await;
    Ok(())
}
