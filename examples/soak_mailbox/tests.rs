use std::sync::Arc;

use crate::arguments::Arguments;
use crate::soak;
use crate::token::{Fate, Ledger, Token, during};

fn parse(line: &str) -> Result<Option<Arguments>, String> {
    Arguments::parse(line.split_whitespace().map(str::to_owned))
}

#[test]
fn a_short_soak_holds_and_meets_every_fate_but_one() {
    let arguments = Arguments {
        messages: 200_000,
        seed: 7,
        workers: 2,
    };
    let report = soak::run(&arguments).unwrap();
    let ledger = &report.ledger;
    assert!(ledger.made() >= arguments.messages);
    for fate in [
        Fate::Handled,
        Fate::HandedBack,
        Fate::Withdrawn,
        Fate::Undelivered,
        Fate::Overflowed,
    ] {
        assert!(ledger.met(fate) > 0, "{fate:?}\n{report}");
    }
}

#[test]
fn a_message_that_is_dropped_by_nobody_who_should_is_a_fault() {
    let ledger = Arc::new(Ledger::default());
    during(Fate::Handled, || drop(Token::new(&ledger)));
    assert_eq!(ledger.fault(), None);
    drop(Token::new(&ledger));
    assert!(ledger.fault().is_some());
}

#[test]
fn a_message_that_meets_no_fate_is_a_fault() {
    let ledger = Arc::new(Ledger::default());
    let kept = Token::new(&ledger);
    assert!(ledger.fault().is_some());
    during(Fate::Withdrawn, || drop(kept));
    assert_eq!(ledger.fault(), None);
}

#[test]
fn arguments_are_read_and_bad_ones_refused() {
    let read = parse("--messages 5 --seed 9 --workers 2").unwrap().unwrap();
    assert_eq!((read.messages, read.seed, read.workers), (5, 9, 2));
    assert_eq!(parse("--help"), Ok(None));
    assert_eq!(parse(""), Ok(Some(Arguments::default())));
    for bad in [
        "--messages",
        "--messages x",
        "--messages 0",
        "--workers 65",
        "--x 1",
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}
