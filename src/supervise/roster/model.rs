//! Any events in any order lead to what a naive model makes of the whole history.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;

use super::stage::{Line, Move, Stage};
use super::{Action, Moment, Place, Policy, Rules, Standing, Why};
use crate::supervise::decision::Exit;
use crate::supervise::{AutoShutdown, Backoff, Intensity, Restart, Shutdown, Strategy as Kind};

const MS: Duration = Duration::from_millis(1);

/// The history of a stage, read anew for each question.
struct History<'a> {
    rules: Rules,
    log: &'a [(Moment, Line)],
}

/// What is to become of a child when everything comes to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Up,
    Resting,
    Gone,
}

impl History<'_> {
    fn policy(&self, place: Place) -> Policy {
        let mut lines = self.log.iter();
        let found = lines.find_map(|(_, line)| match line {
            Line::Added(other, policy) if *other == place => Some(*policy),
            _ => None,
        });
        found.expect("it was added")
    }

    fn places(&self) -> Vec<Place> {
        let lines = self.log.iter();
        let added = lines.filter_map(|(_, line)| match line {
            Line::Added(place, _) => Some(*place),
            _ => None,
        });
        added.collect()
    }

    /// Whether a policy brings a child back after an end that nobody asked for.
    fn returns(&self, place: Place, exit: Exit) -> bool {
        match exit {
            Exit::Told | Exit::Halted => false,
            Exit::Finished => self.policy(place).restart == Restart::Permanent,
            Exit::Failed => self.policy(place).restart != Restart::Temporary,
        }
    }

    /// The last thing that was asked of a child before a line.
    fn last_action(&self, place: Place, before: usize) -> Option<Action> {
        let lines = self.log[..before].iter().rev();
        let mut actions = lines.filter_map(|(_, line)| match line {
            Line::Did(action) => Some(*action),
            _ => None,
        });
        actions.find(|action| match *action {
            Action::Start(other) | Action::Halt(other) | Action::Stop(other) => other == place,
            Action::Kill { place: other, .. } => other == place,
            Action::Retire(_) | Action::Remove(_) => false,
        })
    }

    /// The failure that a line is, if it is one that nobody asked for and that is to be mended.
    fn failure(&self, line: usize) -> Option<Place> {
        let (_, Line::Saw(Move::Ended(place, exit))) = self.log[line] else {
            return None;
        };
        let asked = self.last_action(place, line) != Some(Action::Start(place));
        (!asked && self.returns(place, exit)).then_some(place)
    }

    /// The failures before a line that still count at a time.
    fn counting(&self, line: usize, place: Option<Place>, within: Duration) -> usize {
        let now = self.log[line].0;
        let lines = 0..line;
        let failures = lines.filter(|earlier| {
            let failed = self.failure(*earlier);
            failed.is_some() && (place.is_none() || failed == place)
        });
        failures
            .filter(|earlier| self.log[*earlier].0 + within > now)
            .count()
    }

    fn exceeds(&self, line: usize, place: Option<Place>, intensity: Intensity) -> bool {
        let Some((restarts, within)) = intensity.parts() else {
            return false;
        };
        self.counting(line, place, within) >= usize::from(restarts)
    }

    /// Why the supervisor ends, if it does: the first cause in the history.
    fn closing(&self) -> Option<Why> {
        (0..self.log.len()).find_map(|line| {
            if let (_, Line::Saw(Move::Close)) = self.log[line] {
                return Some(Why::Told);
            }
            if let Some(place) = self.failure(line) {
                let own = self.policy(place).intensity.unwrap_or(self.rules.each);
                let together = self.rules.together;
                let is_over = self.exceeds(line, Some(place), own)
                    || together.is_some_and(|all| self.exceeds(line, None, all));
                return is_over.then_some(Why::GaveUp(place));
            }
            self.is_significant_end(line).then_some(Why::Significant)
        })
    }

    /// Whether a significant child ended for good here, of itself, and that is enough.
    fn is_significant_end(&self, line: usize) -> bool {
        let (_, Line::Saw(Move::Ended(place, exit))) = self.log[line] else {
            return false;
        };
        if !self.policy(place).is_significant || exit == Exit::Halted {
            return false;
        }
        let before = History {
            log: &self.log[..line],
            ..*self
        };
        let after = History {
            log: &self.log[..=line],
            ..*self
        };
        let asked_for = before.fate(place) != Fate::Up;
        let is_end = after.fate(place) == Fate::Gone && !asked_for;
        let others = before.places().into_iter().any(|other| {
            let is_there = before.fate(other) == Fate::Up;
            other != place && self.policy(other).is_significant && is_there
        });
        is_end
            && match self.rules.auto_shutdown {
                AutoShutdown::Never => false,
                AutoShutdown::AnySignificant => true,
                AutoShutdown::AllSignificant => !others,
            }
    }

    fn fate(&self, place: Place) -> Fate {
        let temporary = self.policy(place).restart == Restart::Temporary;
        let mut fate = Fate::Up;
        let (mut is_live, mut is_by_hand) = (false, false);
        for (line, (_, what)) in self.log.iter().enumerate() {
            match *what {
                Line::Did(Action::Start(other)) if other == place => {
                    (is_live, is_by_hand) = (true, false);
                }
                Line::Saw(Move::Terminate(other)) if other == place && fate == Fate::Up => {
                    let for_good = temporary && !is_live;
                    fate = if for_good { Fate::Gone } else { Fate::Resting };
                    is_by_hand = false;
                }
                Line::Saw(Move::Restart(other)) if other == place && fate != Fate::Gone => {
                    (fate, is_by_hand) = (Fate::Up, true);
                }
                Line::Saw(Move::Delete(other))
                    if other == place && fate == Fate::Resting && !is_live =>
                {
                    fate = Fate::Gone;
                }
                Line::Saw(Move::Ended(other, exit)) if other == place => {
                    is_live = false;
                    fate = self.after_end(line, place, exit, fate, is_by_hand);
                }
                _ => {}
            }
        }
        fate
    }

    fn after_end(&self, line: usize, place: Place, exit: Exit, fate: Fate, by_hand: bool) -> Fate {
        let temporary = self.policy(place).restart == Restart::Temporary;
        match (fate, self.last_action(place, line), exit) {
            (Fate::Resting, ..) if temporary => Fate::Gone,
            (Fate::Resting | Fate::Gone, ..) => fate,
            // Terminated, and called back before its end.
            (Fate::Up, Some(Action::Stop(_)), _) => fate,
            (
                Fate::Up,
                Some(Action::Kill {
                    comes_back: false, ..
                }),
                _,
            ) => fate,
            (Fate::Up, _, Exit::Halted) if temporary && !by_hand => Fate::Gone,
            (Fate::Up, _, Exit::Halted) => fate,
            (Fate::Up, ..) if self.returns(place, exit) => fate,
            (Fate::Up, ..) => Fate::Gone,
        }
    }

    /// How often it was restarted: at each of its ends after which it was to be up.
    fn restarts(&self, place: Place) -> u64 {
        let until = |line| History {
            log: &self.log[..=line],
            ..*self
        };
        let is_end = |line: &usize| {
            let (_, line) = self.log[*line];
            matches!(line, Line::Saw(Move::Ended(other, _)) if other == place)
        };
        let ends = (0..self.log.len()).filter(is_end);
        ends.filter(|line| until(*line).fate(place) == Fate::Up)
            .count() as u64
    }

    /// How long each restart of a child alone had to wait, and did.
    fn delays(&self, place: Place) -> Vec<(Duration, Duration)> {
        let policy = self.policy(place);
        let (mut delays, mut in_a_row, mut up_since) = (Vec::new(), 0, None);
        let mut failed = None;
        for (line, (at, what)) in self.log.iter().enumerate() {
            match *what {
                Line::Saw(Move::Started(other)) if other == place => up_since = Some(*at),
                Line::Did(Action::Start(other)) if other == place => {
                    if let Some((since, delay)) = failed.take() {
                        delays.push((delay, *at - since));
                    }
                    up_since = None;
                }
                _ if self.failure(line) == Some(place) => {
                    if up_since.is_some_and(|since| policy.backoff.is_healthy(*at - since)) {
                        in_a_row = 0;
                    }
                    failed = Some((*at, (10 * MS * (1 << in_a_row)).min(35 * MS)));
                    in_a_row += 1;
                }
                _ => {}
            }
        }
        delays
    }
}

fn policies() -> impl Strategy<Value = Policy> {
    let restart = prop_oneof![
        3 => Just(Restart::Permanent),
        2 => Just(Restart::Transient),
        1 => Just(Restart::Temporary)
    ];
    let shutdown = prop_oneof![
        Just(Shutdown::Within(20 * MS)),
        Just(Shutdown::Unlimited),
        Just(Shutdown::Brutal)
    ];
    let backoff = prop_oneof![
        Just(Backoff::none()),
        Just(Backoff::exponential(10 * MS, 35 * MS).reset_after(50 * MS))
    ];
    let intensity = prop_oneof![
        4 => Just(None),
        1 => (0_u16..4).prop_map(|n| Some(Intensity::new(n, 40 * MS)))
    ];
    (
        restart,
        shutdown,
        backoff,
        intensity,
        prop::bool::weighted(0.2),
    )
        .prop_map(
            |(restart, shutdown, backoff, intensity, is_significant)| Policy {
                restart,
                shutdown,
                backoff,
                intensity,
                is_significant,
            },
        )
}

fn rules() -> impl Strategy<Value = Rules> {
    let strategy = prop_oneof![
        Just(Kind::OneForOne),
        Just(Kind::OneForAll),
        Just(Kind::RestForOne)
    ];
    let auto_shutdown = prop_oneof![
        Just(AutoShutdown::Never),
        Just(AutoShutdown::AnySignificant),
        Just(AutoShutdown::AllSignificant)
    ];
    let together = prop_oneof![
        Just(None),
        (0_u16..9).prop_map(|n| Some(Intensity::new(n, 100 * MS)))
    ];
    let each = (1_u16..5).prop_map(|n| Intensity::new(n, 60 * MS));
    (strategy, auto_shutdown, each, together).prop_map(
        |(strategy, auto_shutdown, each, together)| Rules {
            strategy,
            auto_shutdown,
            each,
            together,
        },
    )
}

/// Of what can happen, by numbers: an event of a child mostly, and orders where they are allowed.
fn pick(stage: &Stage, (kind, which): (u8, usize)) -> Option<Move> {
    let moves = stage.moves();
    let places: Vec<Place> = stage.cells.keys().copied().collect();
    let place = || places.get(which % places.len().max(1)).copied();
    match kind {
        0..=49 => stage.quiet_move(),
        50..=79 => moves.get(which % moves.len().max(1)).copied(),
        80..=85 => Some(Move::Pass(MS * u32::try_from(which % 40).unwrap())),
        86 | 87 => Some(Move::Add(which)),
        88..=91 if !stage.is_strict => place().map(Move::Terminate),
        92..=95 if !stage.is_strict => place().map(Move::Restart),
        96..=98 if !stage.is_strict => place().map(Move::Delete),
        99 if which % 4 == 0 => Some(Move::Close),
        _ => None,
    }
}

fn check(stage: &Stage) {
    let history = History {
        rules: stage.rules,
        log: &stage.log,
    };
    let expected = history.closing();
    assert_eq!(stage.roster.closing(), expected);
    assert_eq!(stage.roster.is_closed(), expected.is_some());
    if expected.is_some() {
        return;
    }
    let live: BTreeSet<Place> = stage.cells.keys().copied().collect();
    for place in history.places() {
        let standing = stage.roster.look(place).map(|(standing, _)| standing);
        match history.fate(place) {
            Fate::Up => assert!(matches!(standing, Some(Standing::Up { .. })), "{place:?}"),
            Fate::Resting => assert_eq!(standing, Some(Standing::Resting), "{place:?}"),
            Fate::Gone => assert_eq!(standing, None, "{place:?}"),
        }
        assert_eq!(live.contains(&place), standing.is_some());
        if let Some((_, restarts)) = stage.roster.look(place) {
            assert_eq!(restarts, history.restarts(place), "{place:?}");
        }
        let is_alone = stage.rules.strategy == Kind::OneForOne && stage.is_strict;
        let backs_off = stage
            .policies
            .iter()
            .all(|policy| policy.backoff != Backoff::none());
        if is_alone && backs_off {
            for (expected, waited) in history.delays(place) {
                assert_eq!(waited, expected, "{place:?}");
            }
        }
    }
}

fn replay(rules: Rules, policies: &[Policy], picks: &[(u8, usize)], is_strict: bool) {
    let mut stage = Stage::new(rules, policies);
    stage.is_strict = is_strict;
    for numbers in picks {
        if let Some(next) = pick(&stage, *numbers) {
            stage.play(next);
        }
    }
    stage.settle();
    let outcome = std::panic::catch_unwind(|| check(&stage));
    if outcome.is_err() {
        panic!("{:#?}\n{:#?}", stage.rules, stage.log);
    }
}

fn picks() -> impl Strategy<Value = Vec<(u8, usize)>> {
    prop::collection::vec((0_u8..100, any::<usize>()), 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn children_that_do_what_they_like_lead_to_what_the_model_says(
        rules in rules(),
        policies in prop::collection::vec(policies(), 1..5),
        picks in picks(),
    ) {
        replay(rules, &policies, &picks, true);
    }

    #[test]
    fn orders_by_hand_besides_lead_to_what_the_model_says(
        rules in rules(),
        policies in prop::collection::vec(policies(), 1..5),
        picks in picks(),
    ) {
        replay(rules, &policies, &picks, false);
    }
}
