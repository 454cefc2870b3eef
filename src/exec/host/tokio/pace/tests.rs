use std::time::{Duration, Instant};

use super::{ALONE, PASS_MIN, Pace, STRIDE, TRIAL_INTERVAL, Yield};
use crate::limits::{POLLS_PER_TURN, TURN_MAX, TURN_MIN};

const SHORT: Duration = Duration::from_nanos(10);

/// A time away that tells that tokio is busy.
const LONG: Duration = Duration::from_micros(500);

/// Polls until a turn is over that began at `now` with so many units, and whose polls take `poll`
/// each.
fn polls_of_pass(pace: &mut Pace, mut now: Instant, waiting: usize, poll: Duration) -> usize {
    pace.start();
    pace.begin_at(now, || waiting);
    let mut polls = 1;
    loop {
        now += poll;
        if pace.is_over_after(|| now) {
            return polls;
        }
        polls += 1;
    }
}

fn polls_of_turn(pace: &mut Pace, now: Instant, poll: Duration) -> usize {
    polls_of_pass(pace, now, 1, poll)
}

#[test]
fn short_polls_are_counted() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let polls = polls_of_turn(&mut pace, Instant::now(), SHORT);
    assert_eq!(polls, POLLS_PER_TURN);
}

#[test]
fn long_polls_end_a_turn_by_the_clock() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let now = Instant::now();
    // The first look comes after a stride; from there on each poll is looked at.
    assert_eq!(polls_of_turn(&mut pace, now, TURN_MIN), STRIDE);
    assert_eq!(polls_of_turn(&mut pace, now, TURN_MIN), 1);
    assert_eq!(polls_of_turn(&mut pace, now, TURN_MIN / 4), 4);
    assert_eq!(polls_of_turn(&mut pace, now, SHORT), POLLS_PER_TURN);
}

/// A pump whose polls are long, so that each is looked at, and which has left at `now`.
fn begun(now: Instant) -> Pace {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    polls_of_turn(&mut pace, now, TURN_MIN);
    pace.end_at(now);
    pace
}

#[test]
fn while_tokio_is_busy_each_unit_that_waits_has_its_run_within_a_limit() {
    let now = Instant::now();
    for waiting in [1, 4, 64] {
        let polls = polls_of_pass(&mut begun(now), now + LONG, waiting, TURN_MIN);
        assert_eq!(polls, waiting);
    }
    let most = usize::try_from(TURN_MAX.as_micros() / TURN_MIN.as_micros()).unwrap();
    let polls = polls_of_pass(&mut begun(now), now + LONG, most * 2, TURN_MIN);
    assert_eq!(polls, most);
    let polls = polls_of_pass(&mut begun(now), now + LONG, POLLS_PER_TURN * 9, SHORT);
    assert_eq!(polls, POLLS_PER_TURN * 9);
    // Few short units have more runs, if they wake each other.
    let polls = polls_of_pass(&mut begun(now), now + LONG, 1, PASS_MIN / 4);
    assert_eq!(polls, 4);
}

/// Has the pump come back after each of these; gives how it yields then.
fn yields<const N: usize>(pace: &mut Pace, now: &mut Instant, away: [Duration; N]) -> [Yield; N] {
    away.map(|away| {
        *now += away;
        polls_of_turn(pace, *now, SHORT);
        pace.end_at(*now)
    })
}

#[test]
fn it_stays_in_a_queue_that_never_runs_dry() {
    let mut now = Instant::now();
    let mut pace = begun(now);
    let how = yields(&mut pace, &mut now, [ALONE, LONG, LONG, LONG]);
    assert_eq!(how[0], Yield::Deferred);
    assert_eq!(how[1..], [Yield::Queued; 3]);
}

#[test]
fn it_defers_where_the_queue_was_dry_and_tries_again_later() {
    let mut now = Instant::now();
    let mut pace = begun(now);
    let trial = [LONG, ALONE / 2];
    let how = yields(&mut pace, &mut now, trial);
    assert_eq!(how, [Yield::Queued, Yield::Deferred]);
    for _ in 0..TRIAL_INTERVAL {
        assert_eq!(yields(&mut pace, &mut now, [LONG]), [Yield::Deferred]);
    }
    assert_eq!(yields(&mut pace, &mut now, trial), how);
}

#[test]
fn it_is_crowded_until_it_rests_or_is_alone_again_and_again() {
    let mut now = Instant::now();
    let mut pace = begun(now);
    assert!(!pace.is_crowded());
    yields(&mut pace, &mut now, [LONG, ALONE / 2]);
    assert!(pace.is_crowded());
    yields(&mut pace, &mut now, [ALONE / 2]);
    assert!(!pace.is_crowded());
    yields(&mut pace, &mut now, [LONG]);
    pace.rest();
    assert!(!pace.is_crowded());
}

#[test]
fn a_pump_that_is_alone_takes_longer_turns_until_it_is_not() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let now = Instant::now();
    assert_eq!(polls_of_turn(&mut pace, now, SHORT), POLLS_PER_TURN);
    for times in [2, 4, 8, 8] {
        assert_eq!(pace.end_at(now), Yield::Deferred);
        assert_eq!(
            polls_of_turn(&mut pace, now + ALONE / 2, SHORT),
            POLLS_PER_TURN * times
        );
    }
    assert_eq!(pace.end_at(now), Yield::Deferred);
    let polls = polls_of_turn(&mut pace, now + ALONE * 3 / 2, SHORT);
    assert_eq!(polls, POLLS_PER_TURN);
}

#[test]
fn long_polls_make_no_longer_turns_of_a_lone_pump() {
    let now = Instant::now();
    let mut pace = begun(now);
    for _ in 0..4 {
        assert_eq!(polls_of_turn(&mut pace, now + ALONE / 2, TURN_MIN / 4), 4);
        pace.end_at(now);
    }
}

#[test]
fn a_pump_that_slept_was_not_kept_away() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let now = Instant::now();
    polls_of_turn(&mut pace, now, SHORT);
    let later = now + Duration::from_secs(1);
    assert_eq!(
        polls_of_pass(&mut pace, later, 1_000, SHORT),
        POLLS_PER_TURN
    );
}

#[test]
fn without_a_clock_only_polls_count() {
    let mut pace = Pace::new(3, false);
    for _ in 0..2 {
        pace.begin(|| 100);
        assert!(!pace.is_over());
        assert!(!pace.is_over());
        assert!(pace.is_over());
        assert_eq!(pace.end(), Yield::Deferred);
    }
}
