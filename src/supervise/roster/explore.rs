//! All that can happen to a small tree, in every order, up to a depth.

use std::time::Duration;

use super::stage::{Cell, Line, Move, Stage};
use super::{Action, Policy, Rules};
use crate::supervise::{Backoff, Intensity, Restart, Strategy};

const MS: Duration = Duration::from_millis(1);

fn tree(strategy: Strategy) -> Stage {
    let rules = Rules {
        strategy,
        each: Intensity::new(2, 1000 * MS),
        ..Rules::default()
    };
    let child = |restart, backoff| Policy {
        restart,
        backoff,
        ..Policy::default()
    };
    let slow = Backoff::exponential(10 * MS, 10 * MS);
    Stage::new(
        rules,
        &[
            child(Restart::Permanent, Backoff::none()),
            child(Restart::Transient, slow),
            child(Restart::Temporary, Backoff::none()),
        ],
    )
}

/// Plays everything that can come next, and at each step lets the tree come to rest.
fn explore(stage: &Stage, depth: u32, seen: &mut u64) {
    *seen += 1;
    let mut resting = stage.clone();
    resting.settle();
    check(&resting);
    let mut closing = resting;
    closing.play(Move::Close);
    closing.settle();
    assert!(closing.roster.is_closed());
    if depth == 0 {
        return;
    }
    for next in stage.moves() {
        let mut after = stage.clone();
        after.play(next);
        explore(&after, depth - 1, seen);
    }
}

fn check(stage: &Stage) {
    if stage.roster.closing().is_some() {
        assert!(stage.roster.is_closed());
        return;
    }
    assert!(stage.roster.is_launched());
    assert!(stage.cells.values().all(|cell| *cell == Cell::Up));
    if stage.rules.strategy != Strategy::OneForOne {
        check_order(stage);
    }
}

/// Each child was started while those before it were up, and those after it were down.
fn check_order(stage: &Stage) {
    let mut up = Vec::new();
    for (_, line) in &stage.log {
        match *line {
            Line::Did(Action::Start(place)) => {
                assert!(up.iter().all(|other| *other < place), "{:#?}", stage.log);
                up.push(place);
            }
            Line::Saw(Move::Ended(place, _)) => up.retain(|other| *other != place),
            _ => {}
        }
    }
}

fn every_order_ends_well(strategy: Strategy) {
    let mut seen = 0;
    explore(&tree(strategy), 6, &mut seen);
    assert!(seen > 1000, "only {seen} were seen");
}

#[test]
fn every_order_of_events_ends_well_for_one_for_one() {
    every_order_ends_well(Strategy::OneForOne);
}

#[test]
fn every_order_of_events_ends_well_for_one_for_all() {
    every_order_ends_well(Strategy::OneForAll);
}

#[test]
fn every_order_of_events_ends_well_for_rest_for_one() {
    every_order_ends_well(Strategy::RestForOne);
}
