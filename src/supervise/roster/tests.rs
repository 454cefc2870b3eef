use std::time::Duration;

use super::orders::OrderError;
use super::stage::{Line, Move, Stage};
use super::{Action, Place, Policy, Rules, Standing, Why};
use crate::supervise::decision::Exit;
use crate::supervise::{AutoShutdown, Backoff, Intensity, Restart, Shutdown, Strategy};

const MS: Duration = Duration::from_millis(1);

fn stage(rules: Rules, policies: &[Policy]) -> Stage {
    let mut stage = Stage::new(rules, policies);
    stage.settle();
    stage.log.clear();
    stage
}

fn of(strategy: Strategy) -> Rules {
    Rules {
        strategy,
        ..Rules::default()
    }
}

fn place(n: u64) -> Place {
    Place(n)
}

fn fail(stage: &mut Stage, n: u64, at: Duration) {
    stage.now = at;
    stage.play(Move::Ended(place(n), Exit::Failed));
}

/// What was done, as words.
fn done(stage: &Stage) -> Vec<String> {
    let lines = stage.log.iter();
    let done = lines.filter_map(|(_, line)| match line {
        Line::Did(Action::Start(place)) => Some(format!("start {}", place.0)),
        Line::Did(Action::Halt(place)) => Some(format!("halt {}", place.0)),
        Line::Did(Action::Stop(place)) => Some(format!("stop {}", place.0)),
        Line::Did(Action::Kill { place, .. }) => Some(format!("kill {}", place.0)),
        Line::Did(Action::Retire(place)) => Some(format!("retire {}", place.0)),
        Line::Did(Action::Remove(place)) => Some(format!("remove {}", place.0)),
        _ => None,
    });
    done.collect()
}

#[test]
fn three_restarts_in_a_second_are_too_many_only_where_they_fall_into_one() {
    let rules = Rules {
        each: Intensity::new(3, Duration::from_secs(1)),
        ..Rules::default()
    };
    let why_after = |times: [u32; 4]| {
        let mut stage = stage(rules, &[Policy::default()]);
        for at in times {
            fail(&mut stage, 0, MS * at);
            stage.settle();
        }
        stage.roster.closing()
    };
    assert_eq!(why_after([0, 300, 600, 900]), Some(Why::GaveUp(place(0))));
    assert_eq!(why_after([0, 400, 800, 1300]), None);
    assert_eq!(why_after([0, 1, 2, 1000]), None);
}

#[test]
fn siblings_share_a_budget_only_where_that_is_asked_for() {
    let mut rules = Rules {
        each: Intensity::new(1, Duration::from_secs(1)),
        ..Rules::default()
    };
    let why_after_five = |rules| {
        let mut stage = stage(rules, &[Policy::default(); 5]);
        for n in 0..5 {
            fail(&mut stage, n, MS);
            stage.settle();
        }
        stage.roster.closing()
    };
    assert_eq!(why_after_five(rules), None);
    rules.together = Some(Intensity::new(4, Duration::from_secs(1)));
    assert_eq!(why_after_five(rules), Some(Why::GaveUp(place(4))));
}

#[test]
fn a_child_has_its_own_intensity_before_that_of_its_supervisor() {
    let own = Policy {
        intensity: Some(Intensity::new(0, Duration::from_secs(1))),
        ..Policy::default()
    };
    let mut stage = stage(Rules::default(), &[own, Policy::default()]);
    fail(&mut stage, 1, MS);
    assert_eq!(stage.roster.closing(), None);
    fail(&mut stage, 0, MS);
    assert_eq!(stage.roster.closing(), Some(Why::GaveUp(place(0))));
}

#[test]
fn any_number_of_restarts_is_allowed_without_a_limit() {
    let rules = Rules {
        each: Intensity::unlimited(),
        ..Rules::default()
    };
    let mut stage = stage(rules, &[Policy::default()]);
    for _ in 0..200_u32 {
        fail(&mut stage, 0, MS);
        stage.play(Move::Started(place(0)));
    }
    assert_eq!(stage.roster.look(place(0)).unwrap().1, 200);
}

#[test]
fn one_for_all_halts_in_reverse_and_starts_in_order() {
    let mut stage = stage(of(Strategy::OneForAll), &[Policy::default(); 3]);
    fail(&mut stage, 1, MS);
    stage.settle();
    let expected = ["halt 2", "halt 0", "start 0", "start 1", "start 2"];
    assert_eq!(done(&stage), expected);
}

#[test]
fn rest_for_one_leaves_those_before_it_alone() {
    let mut stage = stage(of(Strategy::RestForOne), &[Policy::default(); 4]);
    fail(&mut stage, 1, MS);
    stage.settle();
    let expected = ["halt 3", "halt 2", "start 1", "start 2", "start 3"];
    assert_eq!(done(&stage), expected);
}

#[test]
fn a_backoff_holds_nobody_up_but_those_who_are_restarted_with_it() {
    let slow = Policy {
        backoff: Backoff::exponential(50 * MS, 50 * MS),
        ..Policy::default()
    };
    let mut alone = stage(of(Strategy::OneForOne), &[slow, Policy::default()]);
    fail(&mut alone, 0, MS);
    fail(&mut alone, 1, MS);
    assert_eq!(done(&alone), ["start 1"]);
    assert_eq!(alone.roster.alarm(), Some(51 * MS));

    let mut all = stage(of(Strategy::OneForAll), &[slow, Policy::default()]);
    fail(&mut all, 0, MS);
    all.play(Move::Ended(place(1), Exit::Halted));
    assert_eq!(done(&all), ["halt 1"]);
    assert_eq!(all.roster.alarm(), Some(51 * MS));
    all.settle();
    assert_eq!(done(&all), ["halt 1", "start 0", "start 1"]);
}

#[test]
fn a_child_that_takes_too_long_to_end_is_killed_and_a_brutal_one_at_once() {
    let child = |shutdown| Policy {
        shutdown,
        ..Policy::default()
    };
    let policies = [
        child(Shutdown::Unlimited),
        child(Shutdown::Within(20 * MS)),
        child(Shutdown::Brutal),
    ];
    let mut stage = stage(Rules::default(), &policies);
    stage.play(Move::Close);
    assert_eq!(done(&stage), ["kill 2"]);
    stage.play(Move::Ended(place(2), Exit::Told));
    assert_eq!(done(&stage)[1..], ["remove 2", "stop 1"]);
    assert_eq!(stage.roster.alarm(), Some(20 * MS));
    stage.play(Move::Alarm);
    assert_eq!(done(&stage)[3..], ["kill 1"]);
    stage.play(Move::Ended(place(1), Exit::Told));
    assert_eq!(done(&stage)[4..], ["remove 1", "stop 0"]);
    assert_eq!(stage.roster.alarm(), None);
}

#[test]
fn nothing_is_restarted_while_the_supervisor_ends() {
    let slow = Policy {
        backoff: Backoff::exponential(50 * MS, 50 * MS),
        ..Policy::default()
    };
    let mut stage = stage(
        Rules::default(),
        &[slow, Policy::default(), Policy::default()],
    );
    fail(&mut stage, 0, MS);
    stage.play(Move::Close);
    fail(&mut stage, 1, MS);
    stage.settle();
    assert!(stage.roster.is_closed());
    assert!(!done(&stage).iter().any(|line| line.starts_with("start")));
}

#[test]
fn a_start_that_fails_is_tried_again_and_later_children_do_not_wait_for_it_alone() {
    let slow = Policy {
        backoff: Backoff::exponential(50 * MS, 50 * MS),
        ..Policy::default()
    };
    let mut alone = Stage::new(of(Strategy::OneForOne), &[slow, Policy::default()]);
    alone.play(Move::Ended(place(0), Exit::Failed));
    alone.settle();
    assert_eq!(done(&alone), ["start 0", "start 1", "start 0"]);

    let mut rest = Stage::new(of(Strategy::RestForOne), &[slow, Policy::default()]);
    rest.play(Move::Ended(place(0), Exit::Failed));
    rest.settle();
    assert_eq!(done(&rest), ["start 0", "start 0", "start 1"]);
}

#[test]
fn significant_children_end_their_supervisor_as_it_says() {
    let significant = Policy {
        is_significant: true,
        restart: Restart::Transient,
        ..Policy::default()
    };
    let why_after = |auto_shutdown, count: u64| {
        let rules = Rules {
            auto_shutdown,
            ..Rules::default()
        };
        let mut stage = stage(rules, &[significant, significant, Policy::default()]);
        for n in 0..count {
            stage.play(Move::Ended(place(n), Exit::Finished));
        }
        stage.roster.closing()
    };
    assert_eq!(why_after(AutoShutdown::Never, 2), None);
    assert_eq!(
        why_after(AutoShutdown::AnySignificant, 1),
        Some(Why::Significant)
    );
    assert_eq!(why_after(AutoShutdown::AllSignificant, 1), None);
    assert_eq!(
        why_after(AutoShutdown::AllSignificant, 2),
        Some(Why::Significant)
    );
}

#[test]
fn orders_are_refused_where_they_make_no_sense() {
    let mut stage = stage(Rules::default(), &[Policy::default()]);
    let roster = &mut stage.roster;
    assert_eq!(roster.delete(place(0)), Err(OrderError::Runs));
    assert_eq!(roster.restart(place(7), MS), Err(OrderError::Unknown));
    assert_eq!(roster.terminate(place(0), MS), Ok(()));
    stage.settle();
    assert_eq!(stage.roster.look(place(0)).unwrap().0, Standing::Resting);
    assert_eq!(stage.roster.delete(place(0)), Ok(()));
    assert_eq!(stage.roster.look(place(0)), None);
    stage.roster.close(Why::Told, MS);
    assert_eq!(
        stage.roster.add(Policy::default(), MS),
        Err(OrderError::Closing)
    );
}

#[test]
fn a_child_that_is_restarted_by_hand_waits_for_its_group() {
    let mut stage = stage(of(Strategy::OneForAll), &[Policy::default(); 3]);
    stage.play(Move::Restart(place(2)));
    fail(&mut stage, 0, MS);
    stage.play(Move::Ended(place(2), Exit::Halted));
    assert_eq!(done(&stage), ["halt 2", "halt 1"]);
    stage.settle();
    assert_eq!(done(&stage)[2..], ["start 0", "start 1", "start 2"]);
}

#[test]
fn a_child_that_is_called_back_while_it_is_terminated_starts_again() {
    let mut stage = stage(Rules::default(), &[Policy::default()]);
    stage.play(Move::Terminate(place(0)));
    stage.play(Move::Restart(place(0)));
    stage.play(Move::Ended(place(0), Exit::Told));
    assert_eq!(done(&stage), ["stop 0", "start 0"]);
}

#[test]
fn a_terminated_child_rests_and_a_temporary_one_is_gone() {
    let temporary = Policy {
        restart: Restart::Temporary,
        ..Policy::default()
    };
    let mut stage = stage(
        of(Strategy::OneForAll),
        &[Policy::default(), temporary, temporary],
    );
    stage.is_strict = false;
    stage.play(Move::Terminate(place(0)));
    stage.play(Move::Terminate(place(1)));
    stage.settle();
    let standing = |stage: &Stage, n| stage.roster.look(place(n)).map(|(standing, _)| standing);
    assert_eq!(standing(&stage, 0), Some(Standing::Resting));
    assert_eq!(standing(&stage, 1), None);
    // Who rests is not woken by what happens to others.
    stage.play(Move::Add(0));
    stage.settle();
    fail(&mut stage, 3, MS);
    stage.settle();
    assert_eq!(standing(&stage, 0), Some(Standing::Resting));
    stage.play(Move::Restart(place(0)));
    stage.settle();
    assert!(matches!(standing(&stage, 0), Some(Standing::Up { .. })));
}
