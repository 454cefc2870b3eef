//! A short run as a whole.

use std::time::Duration;

use super::arguments::Arguments;
use super::class::Class;
use super::soak;

#[test]
fn a_short_run_ends_well_and_works_in_every_class() {
    let arguments = Arguments {
        length: Duration::from_secs(2),
        seed: 1,
        workers: 2,
        batch: 8,
    };
    let mut out = Vec::new();
    soak::run(&arguments, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    for class in Class::ALL {
        let name = format!("{class:?} ");
        let row = out.lines().find(|line| line.starts_with(&name)).unwrap();
        let begun: u64 = row.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(begun > 0, "{row}");
    }
    assert!(out.contains("nothing is left"), "{out}");
}
