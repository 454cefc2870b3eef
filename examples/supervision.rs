//! A worker that fails now and then, its supervisor, and a tree of both.
//!
//! ```sh
//! cargo run --example supervision
//! ```

use std::time::Duration;

use greenroom::{Backoff, Child, Intensity, Strategy, Supervisor, actor};

/// Divides, and trips over zero.
#[actor]
struct Divider {
    done: u32,
}

#[actor]
impl Divider {
    fn divide(&mut self, a: i64, b: i64) -> i64 {
        let quotient = a / b; // a panic, if b is 0
        self.done += 1;
        quotient
    }

    fn done(&self) -> u32 {
        self.done
    }
}

#[greenroom::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let backoff = Backoff::exponential(Duration::from_millis(10), Duration::from_secs(1));
    // A handle before there is an actor: others can be given it.
    let (divider, child) = Child::new(|| Divider { done: 0 })
        .name("divider")
        .backoff(backoff.jitter(0.2))
        .prepare()?;
    let maths = Supervisor::builder()
        .name("maths")
        .strategy(Strategy::OneForAll)
        .intensity(Intensity::new(3, Duration::from_secs(10)))
        .child(child)
        .child(Child::new(|| Divider { done: 0 }).name("spare"));
    let root = Supervisor::builder()
        .name("root")
        .child(Child::supervisor(maths))
        .spawn();

    assert_eq!(divider.divide(12, 3).await?, 4);
    // Who asked for what made it fail is told; the others wait until it is back.
    let failure = divider.divide(1, 0).await.unwrap_err();
    println!("asked in vain: {failure}");
    assert_eq!(divider.divide(9, 3).await?, 3);
    assert_eq!(divider.done().await?, 1, "its state is a new one");

    println!("{}", root.tree().await?);

    // Once too often: `maths` gives up, and is itself restarted.
    for _ in 0..3 {
        let _ = divider.divide(1, 0).await;
    }
    assert_eq!(divider.divide(8, 4).await?, 2, "the handle is the same");
    println!("{}", root.tree().await?);

    let reason = root.shutdown().await; // the children first, the last one first
    println!("the root: {reason}");
    Ok(())
}
