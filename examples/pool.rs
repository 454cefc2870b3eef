//! Workers that share the work: each with a mailbox of its own, or all with one queue.
//!
//! ```sh
//! cargo run --example pool
//! ```

use std::time::Duration;

use greenroom::{JobError, Pool, WhenFull, WorkQueue, actor};

/// A job: a picture to be made smaller.
#[derive(Clone)]
pub struct Shrink {
    width: u32,
}

/// Makes pictures smaller, one at a time.
#[actor]
struct Resizer {
    done: u32,
}

#[actor]
impl Resizer {
    #[message]
    async fn on_shrink(&mut self, job: Shrink) -> u32 {
        if job.width == 0 {
            std::future::pending::<()>().await; // a bug: it would never be done
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        self.done += 1;
        job.width / 2
    }

    fn done(&self) -> u32 {
        self.done
    }
}

#[greenroom::main]
async fn main() -> Result<(), greenroom::Error> {
    // A mailbox for each: messages about one user come to one worker, in order.
    let pool = Pool::builder(|| Resizer { done: 0 }).size(3).spawn()?;
    for user in ["Ada", "Alan", "Ada"] {
        let half = pool.by_key(user).ask(Shrink { width: 640 }).await?;
        println!("{user}'s picture is {half} wide");
    }
    println!("Ada's worker has done {}", pool.by_key("Ada").done().await?);

    // One queue for all: whoever is idle takes the next.
    let queue = WorkQueue::builder(|| Resizer { done: 0 })
        .workers(4)
        .capacity(20)
        .when_full(WhenFull::DropOldest)
        .on_discard(|job: Shrink, why| println!("{} is not done: {why}", job.width))
        .limit(Duration::from_millis(200))
        .spawn()?;
    match queue.ask(Shrink { width: 0 }).await {
        Err(JobError::Stuck { worker, limit }) => println!("{worker} was killed after {limit:?}"),
        other => println!("{other:?}"),
    }
    for width in 1..=30 {
        queue.tell(Shrink { width }).await?;
    }
    queue.drain().await;
    println!("{:?}", queue.stats());
    Ok(())
}
