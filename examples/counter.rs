//! A counter that many tasks share: ask it, tell it, stop it.
//!
//! ```sh
//! cargo run --example counter
//! ```

use std::time::Duration;

use greenroom::{Error, actor};

/// The sum of what it was given.
#[actor(mailbox = 64)] // a sender waits while 64 messages wait
struct Counter {
    sum: u64,
}

#[actor]
impl Counter {
    /// Adds `n`, returns the new sum.
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    /// Takes `n` away, if there is so much.
    fn take(&mut self, n: u64) -> Result<u64, String> {
        let left = self.sum.checked_sub(n);
        self.sum = left.ok_or(format!("{} is less than {n}", self.sum))?;
        Ok(self.sum)
    }
}

#[greenroom::main]
async fn main() -> Result<(), Error> {
    let counter = Counter { sum: 0 }.spawn();
    println!("an ask waits for the reply: {}", counter.add(2).await?);

    let tasks = (1..=4).map(|n| {
        let counter = counter.clone(); // a pointer
        greenroom::spawn(async move { counter.add(n).tell().await }) // one way
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    let sum = counter.add(0).timeout(Duration::from_secs(1)).await?;
    println!("four tasks have told it more: {sum}");

    match counter.take(100).await {
        Ok(left) => println!("{left} are left"),
        Err(error) => println!("its own error comes back: {error}"),
    }
    println!("it ended: {}", counter.shutdown().await);
    Ok(())
}
