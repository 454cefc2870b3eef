//! A shutdown that loses nothing: on SIGTERM or Ctrl-C the program takes no more work, finishes
//! what it has accepted, and tells by its exit code whether all went well.
//!
//! Run it with `cargo run --example graceful_shutdown`, and end it by Ctrl-C, or by `kill`. After
//! two seconds its work is done, and it ends by itself.

use std::time::Duration;

use greenroom::shutdown::Report;
use greenroom::{actor, run_until};

/// Where lines end up. It was there first, so it ends last.
#[actor]
struct Store {
    lines: Vec<String>,
}

#[actor]
impl Store {
    fn put(&mut self, line: String) {
        self.lines.push(line);
    }

    #[on(stop)]
    fn close(&mut self) {
        println!("stored {} lines", self.lines.len());
    }
}

/// Collects lines, and stores several at once.
#[actor]
struct Writer {
    store: StoreHandle,
    pending: Vec<String>,
}

#[actor]
impl Writer {
    async fn write(&mut self, line: String) {
        self.pending.push(line);
        if self.pending.len() >= 16 {
            self.flush().await;
        }
    }

    #[on(stop)]
    async fn flush(&mut self) {
        for line in self.pending.drain(..) {
            let _ = self.store.put(line).tell().await;
        }
    }
}

#[tokio::main]
async fn main() -> Result<Report, greenroom::Error> {
    let store = Store { lines: vec![] }.spawn();
    let pending = vec![];
    let writer = Writer { store, pending }.spawn();
    println!("ready");
    let work = async {
        for n in 0..200 {
            let _ = writer.write(format!("line {n}")).tell().await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let report = run_until(work, Duration::from_secs(10)).await?;
    println!("{report}");
    Ok(report)
}
