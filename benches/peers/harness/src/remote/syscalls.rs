//! System calls of both processes, whatever they are: counted by `perf`, or else by `strace`, for
//! as long as both have nothing to do but the asks.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::time::sleep;

use crate::suite::Unit;

pub const ROWS: &[(&str, Unit)] = &[
    ("syscalls_64_client", Unit::Count),
    ("syscalls_64_server", Unit::Count),
];

/// Until a counter has found all threads.
const ATTACH: Duration = Duration::from_millis(400);

/// So many per 1,000 of the asks, which say how many they were; not a number where nobody counts.
pub async fn per_1000<F: Future<Output = u64>>(
    client: u32,
    server: u32,
    asks: impl Fn() -> F,
) -> Vec<f64> {
    for counts in [perf, strace] as [fn(u32) -> Counter; 2] {
        let counters = [client, server].map(counts);
        sleep(ATTACH).await;
        let asked = asks().await;
        let counted = counters.map(Counter::stop);
        if let [Ok(client), Ok(server)] = counted {
            return [client, server]
                .map(|calls| calls * 1e3 / asked as f64)
                .into();
        }
        for error in counted.into_iter().filter_map(Result::err) {
            eprintln!("system calls were not counted: {error}");
        }
    }
    vec![f64::NAN; ROWS.len()]
}

/// A process that counts those of another one until it is interrupted.
struct Counter {
    child: io::Result<Child>,
    read: fn(&str) -> Option<f64>,
}

impl Counter {
    fn start(command: &mut Command, read: fn(&str) -> Option<f64>) -> Self {
        let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
        Self { child, read }
    }

    fn stop(self) -> Result<f64, String> {
        let mut child = self.child.map_err(|error| error.to_string())?;
        let interrupt = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        interrupt.map_err(|error| format!("`kill` could not be run: {error}"))?;
        let mut text = String::new();
        let mut stderr = child.stderr.take().expect("it is piped");
        stderr
            .read_to_string(&mut text)
            .and_then(|_| child.wait())
            .map_err(|error| error.to_string())?;
        (self.read)(&text).ok_or_else(|| format!("{:?}", text.trim()))
    }
}

fn perf(process: u32) -> Counter {
    let mut command = Command::new("perf");
    command.args(["stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-p"]);
    Counter::start(command.arg(process.to_string()), |text| {
        text.split(',').next()?.trim().parse().ok()
    })
}

fn strace(process: u32) -> Counter {
    let mut command = Command::new("strace");
    command.args(["-f", "-c", "-p"]);
    Counter::start(command.arg(process.to_string()), |text| {
        let total = text.lines().find(|line| line.ends_with(" total"))?;
        total.split_whitespace().nth(3)?.parse().ok()
    })
}
