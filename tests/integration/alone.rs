//! Tests that need a process of their own.

use std::process::{Command, Output};

/// Set in the process in which the body runs.
const INNER: &str = "GREENROOM_TEST_ALONE";

/// Runs `body` in a fresh process in which no other test runs. `test` is the whole name of the
/// calling test.
pub(crate) fn alone(test: &str, body: impl FnOnce()) {
    let Some(output) = outcome(test, body) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("1 passed"),
        "{}\n{said}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// As [`alone`]; gives how the process ended, which is not asked, or nothing inside of it.
pub(crate) fn outcome(test: &str, body: impl FnOnce()) -> Option<Output> {
    if std::env::var(INNER).is_ok_and(|inner| inner == test) {
        body();
        return None;
    }
    let this = std::env::current_exe().expect("the test binary has a path");
    let output = Command::new(this)
        .args(["--exact", test, "--nocapture"])
        .env(INNER, test)
        .output();
    Some(output.expect("the test binary runs"))
}
