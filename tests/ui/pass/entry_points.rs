//! The options of `main` and `test`.

use std::process::ExitCode;

#[greenroom::test]
async fn a_test_is_current_thread() {}

#[greenroom::test(flavor = "multi_thread", worker_threads = 2)]
#[should_panic = "on purpose"]
async fn a_test_may_have_threads() {
    panic!("on purpose");
}

#[cfg(feature = "test-util")]
#[greenroom::test(start_paused = true, seed = 7)]
async fn a_test_may_hold_the_clock() -> Result<(), std::num::ParseIntError> {
    "7".parse::<u8>()?;
    Ok(())
}

const WORKERS: usize = 2;

#[greenroom::main(flavor = "multi_thread", worker_threads = WORKERS)]
async fn threads() -> u8 {
    if WORKERS == 0 {
        return 0;
    }
    3
}

#[greenroom::main(flavor = "current_thread", seed = 1 + 1)]
async fn one_thread() -> u8 {
    4
}

#[greenroom::main(crate = "greenroom")]
async fn main() -> ExitCode {
    let both = std::thread::spawn(|| threads() + one_thread());
    assert_eq!(both.join().ok(), Some(7));
    ExitCode::SUCCESS
}
