//! Stop, kill, join and the drop of a handle come in any number and order, at any time.

use std::sync::Mutex;

use futures::future::join_all;
use greenroom::{Builder, ExitReason, WeakHandle, actor};

use crate::actor::support::{Gate, Ledger, Note, on_each_seat, within};

#[actor(mailbox = 4)]
struct Slow {
    start: Gate,
}

#[actor]
impl Slow {
    #[on(start)]
    async fn begin(&mut self) {
        self.start.pass().await;
    }

    async fn hold(&mut self, note: Note, gate: Gate) {
        note.handled();
        gate.pass().await;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Stop,
    Kill,
    Join,
    Drop,
}

const DEEDS: [Deed; 4] = [Deed::Stop, Deed::Kill, Deed::Join, Deed::Drop];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Starting,
    Restarting,
    Idle,
    Handling,
    Stopped,
}

/// An actor at some moment of its life, with the gates that keep it there.
struct Subject {
    slow: SlowHandle,
    gates: [Gate; 3],
    ledger: Ledger,
}

async fn subject(moment: Moment) -> Subject {
    let (gates, ledger) = ([(); 3].map(|()| Gate::shut()), Ledger::default());
    let starts = Mutex::new(vec![gates[2].clone(), gates[0].clone()]);
    let start = move || {
        let gate = starts.lock().unwrap().pop();
        Slow {
            start: gate.expect("it starts twice at most"),
        }
    };
    let slow = match moment {
        Moment::Restarting => Builder::restartable(start).spawn(),
        _ => start().spawn(),
    };
    gates[0].reached().await;
    if moment != Moment::Starting {
        gates[0].open();
    }
    if moment == Moment::Restarting {
        slow.restart().unwrap();
        gates[2].reached().await;
    }
    match moment {
        Moment::Starting | Moment::Restarting => slow
            .hold(ledger.note(0, 0), gates[1].clone())
            .try_tell()
            .unwrap(),
        Moment::Handling => {
            slow.hold(ledger.note(0, 0), gates[1].clone())
                .tell()
                .await
                .unwrap();
            gates[1].reached().await;
        }
        Moment::Idle | Moment::Stopped => {
            gates[1].open();
            within(slow.hold(ledger.note(0, 0), gates[1].clone()))
                .await
                .unwrap();
        }
    }
    if moment == Moment::Stopped {
        slow.stop();
        within(slow.join()).await;
    }
    Subject {
        slow,
        gates,
        ledger,
    }
}

/// Which reasons the deeds, done one after the other at this moment, may lead to.
fn is_expected(reason: &ExitReason, moment: Moment, deeds: [Deed; 3]) -> bool {
    let place = |deed| deeds.iter().position(|&d| d == deed);
    match (reason, place(Deed::Stop), place(Deed::Kill)) {
        _ if moment == Moment::Stopped => matches!(reason, ExitReason::Stopped),
        (ExitReason::Dropped, None, None) => true,
        (ExitReason::Stopped, Some(_), None) => true,
        // An idle actor may have stopped before it is killed.
        (ExitReason::Stopped, Some(stop), Some(kill)) => moment == Moment::Idle && stop < kill,
        (ExitReason::Killed, _, Some(_)) => true,
        _ => false,
    }
}

async fn play(moment: Moment, deeds: [Deed; 3]) {
    let Subject {
        slow,
        gates,
        ledger,
    } = subject(moment).await;
    let weak = slow.downgrade();
    let mut joins = vec![join(weak.clone())];
    let mut handles = [Some(slow.clone()), Some(slow.clone()), Some(slow)];
    for (deed, handle) in deeds.into_iter().zip(&mut handles) {
        let strong = handle.take().expect("one for each deed");
        match deed {
            Deed::Stop => strong.stop(),
            Deed::Kill => strong.kill(),
            Deed::Join => joins.push(join(strong.downgrade())),
            Deed::Drop => continue,
        }
        *handle = Some(strong);
    }
    drop(handles);
    gates.iter().for_each(Gate::open);
    joins.push(join(weak));
    let reasons = within(join_all(joins)).await;
    for reason in &reasons {
        assert_eq!(
            reason.to_string(),
            reasons[0].to_string(),
            "{moment:?} {deeds:?}"
        );
        assert!(
            is_expected(reason, moment, deeds),
            "{moment:?} {deeds:?}: {reason:?}"
        );
    }
    let tally = ledger.settle();
    let started = !matches!(moment, Moment::Starting | Moment::Restarting);
    assert_eq!(tally.handled + tally.discarded, 1);
    assert!(
        tally.handled == 1 || !started && deeds.contains(&Deed::Kill),
        "{moment:?} {deeds:?}"
    );
}

type Joining = std::pin::Pin<Box<dyn Future<Output = ExitReason>>>;

fn join(weak: WeakHandle<Slow>) -> Joining {
    Box::pin(async move { weak.join().await })
}

async fn play_all(moment: Moment) {
    for first in DEEDS {
        for second in DEEDS {
            for third in DEEDS {
                play(moment, [first, second, third]).await;
            }
        }
    }
}

#[test]
fn any_three_deeds_end_an_actor_that_is_starting_for_one_reason() {
    on_each_seat(|| play_all(Moment::Starting));
}

#[test]
fn any_three_deeds_end_an_actor_that_is_restarted_for_one_reason() {
    on_each_seat(|| play_all(Moment::Restarting));
}

#[test]
fn any_three_deeds_end_an_idle_actor_for_one_reason() {
    on_each_seat(|| play_all(Moment::Idle));
}

#[test]
fn any_three_deeds_end_an_actor_that_handles_a_message_for_one_reason() {
    on_each_seat(|| play_all(Moment::Handling));
}

#[test]
fn any_three_deeds_leave_a_stopped_actor_stopped() {
    on_each_seat(|| play_all(Moment::Stopped));
}
