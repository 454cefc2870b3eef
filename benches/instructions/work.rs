//! What is counted, on one thread.

use greenroom::{Runtime, actor};

pub(crate) const KINDS: [&str; 3] = ["tell", "ask_inline", "ask_queued"];

#[actor(mailbox = 64)]
struct Counter {
    sum: u64,
}

#[actor]
impl Counter {
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    // Under callgrind each run is too long to stay inline by what is measured of it.
    #[message(inline = always)]
    fn add_inline(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    #[message(inline = never)]
    fn add_queued(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }
}

/// Sends so many messages of one kind, from a task, and waits until all are handled.
pub(crate) fn run(kind: &str, messages: u64) {
    let builder = Runtime::builder().current_thread();
    // With a seed no choice depends on the clock, which callgrind slows down. But half of the asks
    // that may be inline are drawn to be queued.
    let builder = match kind {
        "ask_inline" => builder,
        _ => builder.seed(1),
    };
    let runtime = builder.build().expect("a runtime can be built");
    let kind = kind.to_owned();
    runtime.block_on(async {
        let task = async move { send(&kind, messages).await };
        greenroom::spawn(task).await.expect("no work panics");
    });
}

async fn send(kind: &str, messages: u64) {
    let counter = Counter { sum: 0 }.spawn();
    match kind {
        "tell" => {
            for _ in 0..messages {
                counter.add(1).tell().await.expect("the counter lives");
            }
        }
        "ask_inline" => {
            for _ in 0..messages {
                counter.add_inline(1).await.expect("the counter answers");
            }
        }
        "ask_queued" => {
            for _ in 0..messages {
                counter.add_queued(1).await.expect("the counter answers");
            }
        }
        _ => panic!("no kind `{kind}`; there are: {KINDS:?}"),
    }
    let sum = counter.add_queued(0).await.expect("the counter answers");
    assert_eq!(sum, messages);
}
