use std::time::Duration;

use super::{COLD, Gauge, Reading, SAMPLE, State, Verdict};
use crate::limits::{INLINE_PAUSE_MAX, INLINE_RUN_MAX};

const SHORT: Duration = INLINE_RUN_MAX;
const LONG: Duration = Duration::from_millis(20);
const NOW: Duration = Duration::from_secs(100);

fn fresh() -> Reading {
    Reading::of(0)
}

#[test]
fn a_reading_survives_its_word() {
    let reading = Reading {
        state: State::Off,
        offs: 5,
        until: Duration::from_micros(123_456_789),
    };
    assert_eq!(Reading::of(reading.word()), reading);
    assert_eq!(fresh().state, State::Unknown);
}

#[test]
fn a_first_run_that_is_long_turns_its_kind_off() {
    let off = fresh().after(LONG, NOW);
    assert_eq!((off.state, off.offs), (State::Off, 1));
    assert_eq!(off.until, NOW + LONG * 1024);
}

#[test]
fn a_kind_that_was_short_is_turned_off_by_the_second_long_run_in_a_row() {
    let short = fresh().after(SHORT, NOW);
    assert_eq!(short.state, State::Short);
    let suspect = short.after(LONG, NOW);
    assert_eq!(suspect.state, State::Suspect);
    assert_eq!(suspect.after(SHORT, NOW), short);
    assert_eq!(suspect.after(LONG, NOW).state, State::Off);
}

#[test]
fn pauses_double_up_to_a_bound_and_begin_anew_after_a_short_run() {
    let first = fresh().after(LONG, NOW);
    let second = first.after(LONG, first.until);
    assert_eq!(second.until - first.until, (first.until - NOW) * 2);
    let over = |reading: Reading| reading.after(LONG, reading.until);
    let many = (0..100).fold(first, |reading, _| over(reading));
    assert_eq!(over(many).until, many.until + INLINE_PAUSE_MAX);
    let again = many.after(SHORT, NOW).after(LONG, NOW).after(LONG, NOW);
    assert_eq!(again.until, first.until);
}

#[test]
fn a_first_run_that_met_cold_caches_gets_a_second_look() {
    let suspect = fresh().after(COLD, NOW);
    assert_eq!(suspect.state, State::Suspect);
    assert_eq!(suspect.after(SHORT, NOW).state, State::Short);
    assert_eq!(suspect.after(SHORT * 2, NOW).state, State::Off);
}

#[test]
fn a_run_that_began_before_a_pause_does_not_make_it_longer() {
    let off = fresh().after(LONG, NOW);
    assert_eq!(off.after(LONG * 50, off.until - SHORT), off);
}

#[test]
fn a_kind_that_is_off_is_refused_until_its_pause_is_over() {
    let gauge = Gauge::default();
    assert_eq!(gauge.verdict(1), Verdict::Timed);
    gauge.note(LONG * 1000);
    assert_eq!(gauge.verdict(1), Verdict::Refused);
    assert_eq!(gauge.verdict(SAMPLE), Verdict::Refused);
}

#[test]
fn one_run_in_so_many_of_a_short_kind_is_timed() {
    let gauge = Gauge::default();
    gauge.note(SHORT);
    let timed = (0..SAMPLE * 3).filter(|&tick| gauge.verdict(tick) == Verdict::Timed);
    assert_eq!(timed.count(), 3);
    gauge.note(LONG);
    assert_eq!(gauge.verdict(1), Verdict::Timed, "a suspect is looked at");
}
