use std::time::{Duration, Instant};

use super::{ALONE, Pace, STRIDE, Yield};
use crate::limits::{POLLS_PER_TURN, TURN_MAX, TURN_MIN};

/// Polls until a turn is over that began at `now` and whose polls take `poll` each.
fn polls_of_turn(pace: &mut Pace, mut now: Instant, poll: Duration) -> usize {
    pace.start();
    pace.begin_at(now);
    let mut polls = 1;
    loop {
        now += poll;
        if pace.is_over_after(|| now) {
            return polls;
        }
        polls += 1;
    }
}

#[test]
fn short_polls_are_counted() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let polls = polls_of_turn(&mut pace, Instant::now(), Duration::from_nanos(10));
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
    assert_eq!(
        polls_of_turn(&mut pace, now, Duration::from_nanos(10)),
        POLLS_PER_TURN
    );
}

#[test]
fn a_turn_grows_to_what_the_pump_was_kept_away() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let left = Instant::now();
    assert_eq!(pace.end_at(left), Yield::Deferred);
    let away = TURN_MIN * 10;
    let short = Duration::from_nanos(10);
    assert_eq!(
        polls_of_turn(&mut pace, left + away, short),
        POLLS_PER_TURN * 10
    );
    assert_eq!(pace.end_at(left), Yield::Queued);
    let most = usize::try_from(TURN_MAX.as_micros() / TURN_MIN.as_micros()).unwrap();
    assert_eq!(
        polls_of_turn(&mut pace, left + TURN_MAX * 9, short),
        POLLS_PER_TURN * most
    );
    // Nobody kept it away this time.
    assert_eq!(pace.end_at(left), Yield::Queued);
    assert_eq!(
        polls_of_turn(&mut pace, left + ALONE, short),
        POLLS_PER_TURN
    );
    assert_eq!(pace.end_at(left), Yield::Deferred);
}

#[test]
fn a_pump_that_is_alone_takes_longer_turns_until_it_is_not() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let (now, short) = (Instant::now(), Duration::from_nanos(10));
    assert_eq!(polls_of_turn(&mut pace, now, short), POLLS_PER_TURN);
    for times in [2, 4, 8, 8] {
        assert_eq!(pace.end_at(now), Yield::Deferred);
        assert_eq!(
            polls_of_turn(&mut pace, now + ALONE / 2, short),
            POLLS_PER_TURN * times
        );
    }
    assert_eq!(pace.end_at(now), Yield::Deferred);
    assert_eq!(
        polls_of_turn(&mut pace, now + ALONE * 3 / 2, short),
        POLLS_PER_TURN
    );
}

#[test]
fn a_pump_that_slept_was_not_kept_away() {
    let mut pace = Pace::new(POLLS_PER_TURN, true);
    let now = Instant::now();
    polls_of_turn(&mut pace, now, Duration::from_nanos(10));
    let later = now + Duration::from_secs(1);
    assert_eq!(
        polls_of_turn(&mut pace, later, Duration::from_nanos(10)),
        POLLS_PER_TURN
    );
}

#[test]
fn without_a_clock_only_polls_count() {
    let mut pace = Pace::new(3, false);
    for _ in 0..2 {
        pace.begin();
        assert!(!pace.is_over());
        assert!(!pace.is_over());
        assert!(pace.is_over());
        assert_eq!(pace.end(), Yield::Deferred);
    }
}
