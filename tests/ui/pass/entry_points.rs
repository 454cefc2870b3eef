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

#[greenroom::main(flavor = "current_thread")]
async fn shout((text, mut end): (&str, String), times: usize) -> Result<String, std::io::Error> {
    tokio::task::yield_now().await;
    for _ in 1..times {
        end.push('!');
    }
    Ok(text.to_uppercase() + &end)
}

#[greenroom::main(flavor = "current_thread")]
async fn parsed<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

#[greenroom::main(flavor = "current_thread")]
async fn halves(whole: u8) -> impl Iterator<Item = u8> {
    [whole / 2, whole - whole / 2].into_iter()
}

#[derive(Default)]
struct Program {
    runs: u8,
}

impl Program {
    #[greenroom::main(flavor = "current_thread")]
    async fn run(&mut self) {
        self.runs += 1;
    }

    #[greenroom::main(flavor = "current_thread")]
    async fn begun() -> Self {
        Self::default()
    }
}

fn check_functions() {
    let text = shout(("ready", "!".into()), 2);
    assert_eq!(text.ok().as_deref(), Some("READY!!"));
    assert_eq!(parsed::<u8>("7"), Some(7));
    assert_eq!(halves(7).collect::<Vec<_>>(), [3, 4]);
    let mut program = Program::begun();
    program.run();
    assert_eq!(program.runs, 1);
}

#[test]
fn functions_with_arguments_are_entry_points_too() {
    check_functions();
}

#[greenroom::main(crate = "greenroom")]
async fn main() -> ExitCode {
    let both = std::thread::spawn(|| threads() + one_thread());
    assert_eq!(both.join().ok(), Some(7));
    let rest = std::thread::spawn(check_functions);
    assert!(rest.join().is_ok());
    ExitCode::SUCCESS
}
