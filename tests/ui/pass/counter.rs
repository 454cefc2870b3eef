//! The actor of the first page: asks, message values, tells, hooks, the context.

use greenroom::{Context, ExitReason, actor};
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A shared counter.
#[actor(mailbox = 64)]
#[derive(Debug)]
pub struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    /// Makes one.
    pub fn new(count: u64) -> Self {
        Self { count }
    }

    /// Adds `n`, returns the new count.
    pub async fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }

    pub fn reset(&mut self, _ctx: &mut Context<Self>) {
        self.count = 0;
    }

    pub async fn load(&mut self, path: PathBuf) -> io::Result<u64> {
        if self.helper("x") {
            return Err(io::Error::other(path.display().to_string()));
        }
        Ok(self.count)
    }

    #[message(plain)]
    fn outcome(&self) -> Result<u64, fmt::Error> {
        Ok(self.count)
    }

    #[on(start)]
    async fn begin(&mut self, ctx: &mut Context<Self>) -> Result<(), io::Error> {
        let _ = ctx.id();
        self.count += 1;
        Ok(())
    }

    #[on(stop)]
    fn end(&mut self, reason: &ExitReason) {
        let _ = reason.clone();
    }

    #[message(skip)]
    fn helper(&self, key: &str) -> bool {
        key.is_empty()
    }
}

#[greenroom::main]
async fn main() -> Result<(), greenroom::AskError<Infallible>> {
    let counter: CounterHandle = Counter::new(0).spawn();
    assert_eq!(counter.add(2).await?, 3);
    assert_eq!(counter.ask(CounterAdd { n: 3 }).await?, 6);
    let loaded: Result<u64, greenroom::AskError<io::Error>> =
        counter.load(PathBuf::from("x")).await;
    assert_eq!(loaded.expect("loads"), 6);
    let plain: Result<u64, fmt::Error> = counter.outcome().await?;
    assert_eq!(plain, Ok(6));
    counter.reset().await?;
    let (a, b) = tokio::join!(counter.add(1), counter.add(2));
    assert_eq!(a? + b?, 4);
    Ok(())
}
