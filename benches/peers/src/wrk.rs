//! The load generator `wrk`: a program of its own, so that no peer has a hand in the load.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

pub const PROGRAM: &str = "wrk";

/// Requests a path by so many connections of one thread, for whole seconds.
pub fn requests_per_second(
    server: SocketAddr,
    path: &str,
    connections: u32,
    time: Duration,
) -> f64 {
    let output = Command::new(PROGRAM)
        .arg("-t1")
        .arg(format!("-c{connections}"))
        .arg(format!("-d{}s", time.as_secs()))
        .arg(format!("http://{server}{path}"))
        .output()
        .expect("wrk runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "wrk failed: {text}");
    parse(&text).unwrap_or_else(|complaint| panic!("wrk: {complaint}"))
}

fn parse(text: &str) -> Result<f64, &str> {
    let failures = ["Socket errors:", "Non-2xx or 3xx responses:"];
    for line in text.lines().map(str::trim) {
        if failures.iter().any(|failure| line.starts_with(failure)) {
            return Err(line);
        }
        if let Some(rate) = line.strip_prefix("Requests/sec:") {
            return rate.trim().parse().map_err(|_| line);
        }
    }
    Err("no line says how many requests there were")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "Running 2s test @ http://127.0.0.1:1/\n  1 threads and 64 connections\n\
        \x20 Thread Stats   Avg      Stdev     Max   +/- Stdev\n\
        \x20   Latency   501.00us  101.00us   2.00ms   90.00%\n\
        \x20 254010 requests in 2.01s, 30.00MB read\n\
        Requests/sec: 126374.25\nTransfer/sec:     14.90MB\n";

    #[test]
    fn the_rate_is_read() {
        assert_eq!(parse(GOOD), Ok(126_374.25));
    }

    #[test]
    fn failed_requests_are_no_measurement() {
        let bad = GOOD.replace(
            "Requests/sec",
            "  Non-2xx or 3xx responses: 3\nRequests/sec",
        );
        assert_eq!(parse(&bad), Err("Non-2xx or 3xx responses: 3"));
        let socket = "  Socket errors: connect 0, read 1, write 0, timeout 0\nRequests/sec: 2\n";
        assert!(parse(socket).unwrap_err().starts_with("Socket errors"));
    }

    #[test]
    fn other_text_is_no_measurement() {
        assert!(parse("unable to connect").is_err());
        assert!(parse("Requests/sec: many").is_err());
    }
}
