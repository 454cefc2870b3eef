//! Wakers are user code: they panic, they call back, and they do so wherever they are used.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use greenroom::{AskError, Builder, ExitReason, TellError, TimeoutState, actor};

use super::spin_until;
use crate::actor::clerk::{ClerkFile, busy_clerk};
use crate::actor::support::{
    BUSY, Flavor, Gate, Ledger, Note, assert_at_rest, on_each_runtime, on_thread, poll_once, until,
    within,
};
use crate::hooked::{self, Mine, Use};

/// Gives notes back as its replies, so that the ledger knows of replies that get lost.
#[actor(mailbox = 1)]
struct Echo;

#[actor]
impl Echo {
    fn echo(&mut self, note: Note) -> Note {
        note.handled();
        note
    }

    async fn hold(&mut self, note: Note, gate: Gate) -> Note {
        note.handled();
        gate.pass().await;
        note
    }

    fn ping(&mut self) {}
}

/// An echo that is busy until the gate is opened.
async fn busy_echo(ledger: &Ledger) -> (EchoHandle, Gate) {
    let (echo, gate) = (Builder::new(Echo).spawn(), Gate::shut());
    let hold = echo.hold(ledger.note(BUSY, 0), gate.clone());
    hold.tell().await.unwrap();
    gate.reached().await;
    (echo, gate)
}

/// The actor answers, all its slots are free, and others can be spawned.
async fn assert_unharmed(echo: &EchoHandle) {
    within(echo.ping()).await.unwrap();
    assert_at_rest(echo);
    within(Builder::new(Echo).spawn().ping()).await.unwrap();
    within(greenroom::spawn(async {})).await.unwrap();
}

#[test]
fn a_waker_whose_drop_panics_keeps_no_message_that_is_accepted_at_once() {
    on_each_runtime(|| async {
        let (ledger, echo) = (Ledger::default(), Builder::new(Echo).spawn());
        let mine = Mine::at(Use::Dropped);
        let note = ledger.note(0, 0);
        let id = note.id;
        let mut tell = Box::pin(echo.echo(note).tell());
        let sent = mine.poll(&mut tell);
        assert!(matches!(sent, None | Some(Poll::Ready(Ok(())))));
        ledger.withdraw(id, tell);
        assert_unharmed(&echo).await;
        let mut ask = Box::pin(echo.echo(ledger.note(0, 1)));
        match mine.poll(&mut ask) {
            Some(Poll::Ready(reply)) => drop(reply.unwrap()),
            Some(Poll::Pending) => drop(within(ask).await.unwrap()),
            // It went off in its own poll.
            None => drop(catch_unwind(AssertUnwindSafe(|| drop(ask)))),
        }
        drop(mine);
        assert_unharmed(&echo).await;
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn a_waker_whose_drop_panics_loses_and_doubles_nothing_that_waits_for_a_slot() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (echo, gate) = busy_echo(&ledger).await;
        echo.echo(ledger.note(0, 0)).try_tell().unwrap();
        let mines = [0; 4].map(|_| Mine::at(Use::Dropped));
        let (granted, dropped) = (ledger.note(1, 0), ledger.note(2, 0));
        let id = dropped.id;
        let mut granted = Box::pin(echo.echo(granted).tell());
        let mut dropped = Box::pin(echo.echo(dropped));
        for [first, second] in [[&mines[0], &mines[1]], [&mines[2], &mines[3]]] {
            // The second poll replaces the waker of the first.
            assert!(matches!(first.poll(&mut granted), Some(Poll::Pending)));
            assert!(matches!(first.poll(&mut dropped), Some(Poll::Pending)));
            assert!(!matches!(second.poll(&mut granted), Some(Poll::Ready(_))));
            assert!(!matches!(second.poll(&mut dropped), Some(Poll::Ready(_))));
        }
        let drop_it = AssertUnwindSafe(|| ledger.withdraw(id, dropped));
        let _ = catch_unwind(drop_it);
        gate.open();
        within(granted).await.unwrap();
        assert_unharmed(&echo).await;
        assert!(mines.iter().map(Mine::blasts).sum::<usize>() > 0);
        drop(mines);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.withdrawn), (3, 1));
    });
}

#[test]
fn a_waker_whose_drop_panics_loses_no_reply_that_it_waits_for() {
    on_each_runtime(|| async {
        let (ledger, echo, gate) = (Ledger::default(), Builder::new(Echo).spawn(), Gate::shut());
        let mines = [0; 2].map(|_| Mine::at(Use::Dropped));
        let mut ask = Box::pin(echo.hold(ledger.note(0, 0), gate.clone()));
        assert!(matches!(mines[0].poll(&mut ask), Some(Poll::Pending)));
        gate.reached().await;
        assert!(!matches!(mines[1].poll(&mut ask), Some(Poll::Ready(_))));
        assert!(!matches!(mines[0].poll(&mut ask), Some(Poll::Ready(_))));
        // This poll still meets the last of them.
        let (good, _) = hooked::counting();
        let mut context = Context::from_waker(&good);
        let poll = AssertUnwindSafe(|| ask.as_mut().poll(&mut context).is_ready());
        assert!(!matches!(catch_unwind(poll), Ok(true)));
        gate.open();
        drop(within(ask).await.unwrap());
        assert_unharmed(&echo).await;
        assert!(mines.iter().map(Mine::blasts).sum::<usize>() > 0);
        drop(mines);
        assert_eq!(ledger.settle().handled, 1);
    });
}

#[test]
fn a_waker_that_panics_when_it_is_cloned_loses_and_doubles_nothing() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (echo, gate) = busy_echo(&ledger).await;
        let mine = Mine::at(Use::Cloned);
        echo.echo(ledger.note(0, 0)).try_tell().unwrap();
        let (withdrawn, note) = (ledger.note(1, 0), ledger.note(0, 1));
        let id = withdrawn.id;
        let mut withdrawn = Box::pin(echo.echo(withdrawn));
        assert!(mine.poll(&mut withdrawn).is_none());
        ledger.withdraw(id, withdrawn);
        let mut waiting = Box::pin(echo.echo(note));
        assert!(poll_once(&mut waiting).await.is_pending());
        assert!(mine.poll(&mut waiting).is_none());
        assert!(mine.poll(&mut Box::pin(echo.join())).is_none());
        gate.open();
        drop(within(waiting).await.unwrap());
        assert_unharmed(&echo).await;
        echo.stop();
        assert!(matches!(within(echo.join()).await, ExitReason::Stopped));
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.withdrawn), (3, 1));
    });
}

#[test]
fn an_askers_waker_that_panics_harms_neither_the_actor_nor_its_other_askers() {
    on_each_runtime(|| async {
        let (ledger, echo, gate) = (Ledger::default(), Builder::new(Echo).spawn(), Gate::shut());
        let mine = Mine::at(Use::Woken);
        let mut ask = Box::pin(echo.hold(ledger.note(0, 0), gate.clone()));
        assert!(matches!(mine.poll(&mut ask), Some(Poll::Pending)));
        gate.reached().await;
        let mut other = Box::pin(echo.echo(ledger.note(0, 1)));
        assert!(poll_once(&mut other).await.is_pending());
        gate.open();
        drop(within(other).await.unwrap());
        assert_unharmed(&echo).await;
        assert_eq!(mine.blasts(), 1);
        let reply = poll_once(&mut ask).await;
        assert!(matches!(reply, Poll::Ready(Ok(_))), "the reply was sent");
        drop(reply);
        assert!(!echo.is_stopped());
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn an_askers_waker_that_panics_at_the_end_of_its_actor_does_not_keep_it_from_its_end() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (echo, _gate) = busy_echo(&ledger).await;
        let mine = Mine::at(Use::Woken);
        let queued = ledger.note(0, 0);
        let mut queued = Box::pin(echo.echo(queued).into_owned());
        assert!(matches!(mine.poll(&mut queued), Some(Poll::Pending)));
        let held = Builder::new(Echo).spawn();
        let gate = Gate::shut();
        let mut interrupted = Box::pin(held.hold(ledger.note(0, 1), gate.clone()));
        assert!(matches!(mine.poll(&mut interrupted), Some(Poll::Pending)));
        gate.reached().await;
        for echo in [&echo, &held] {
            echo.kill();
            assert!(matches!(within(echo.join()).await, ExitReason::Killed));
            assert_at_rest(echo);
        }
        assert_eq!(mine.blasts(), 2);
        let error = within(queued).await.err().unwrap();
        error
            .into_message::<EchoEcho>()
            .ok()
            .unwrap()
            .note
            .returned();
        let error = within(interrupted).await.err().unwrap();
        assert!(matches!(error, AskError::Interrupted(_)));
        assert_unharmed(&Builder::new(Echo).spawn()).await;
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (2, 1));
    });
}

/// Three tells that wait, the one in the middle with a waker that panics.
#[derive(Clone, Copy, Debug)]
enum Release {
    Granted,
    Refused,
}

#[test]
fn a_waiting_senders_waker_that_panics_harms_neither_the_actor_nor_the_other_senders() {
    for release in [Release::Granted, Release::Refused] {
        on_each_runtime(move || async move {
            let ledger = Ledger::default();
            let (echo, gate) = busy_echo(&ledger).await;
            echo.echo(ledger.note(0, 0)).try_tell().unwrap();
            let mine = Mine::at(Use::Woken);
            let (good, woken) = hooked::counting();
            let wakers = [&good, mine.waker(), &good];
            let mut tells = wakers.map(|waker| {
                let mut tell = Box::pin(echo.echo(ledger.single()).tell());
                let mut context = Context::from_waker(waker);
                assert!(tell.as_mut().poll(&mut context).is_pending());
                tell
            });
            match release {
                Release::Granted => gate.open(),
                Release::Refused => {
                    echo.stop();
                    gate.open();
                }
            }
            until(|| woken.load(Ordering::SeqCst) == 2 && mine.blasts() == 1).await;
            for tell in &mut tells {
                match (release, poll_once(tell).await) {
                    (Release::Granted, Poll::Ready(Ok(()))) => {}
                    (Release::Refused, Poll::Ready(Err(error))) => {
                        error.into_message().note.returned();
                    }
                    (_, sent) => panic!("{release:?}, but {sent:?}"),
                }
            }
            if let Release::Granted = release {
                assert_unharmed(&echo).await;
                echo.stop();
            }
            assert!(matches!(within(echo.join()).await, ExitReason::Stopped));
            drop(tells);
            let handled = ledger.settle().handled;
            assert_eq!(handled, if let Release::Granted = release { 5 } else { 2 });
        });
    }
}

#[test]
fn a_joiners_waker_that_panics_harms_neither_the_other_joiners_nor_the_pump() {
    on_each_runtime(|| async {
        let echo = Builder::new(Echo).spawn();
        let mine = Mine::at(Use::Woken);
        let (good, woken) = hooked::counting();
        let weak = echo.downgrade();
        let mut joins = [&good, mine.waker(), &good].map(|waker| {
            let mut join = Box::pin(weak.join());
            let mut context = Context::from_waker(waker);
            assert!(join.as_mut().poll(&mut context).is_pending());
            join
        });
        echo.kill();
        assert!(matches!(within(echo.join()).await, ExitReason::Killed));
        until(|| woken.load(Ordering::SeqCst) == 2 && mine.blasts() == 1).await;
        for join in &mut joins {
            let joined = poll_once(join).await;
            assert!(matches!(joined, Poll::Ready(ExitReason::Killed)));
        }
        assert_unharmed(&Builder::new(Echo).spawn()).await;
    });
}

/// Polls a timed send to a full mailbox once, whose waker opens the gate when the timer takes it:
/// after the send has looked whether it was granted, and before the timer says that it is over.
fn granted_as_the_limit_passes<T>(
    send: impl for<'h> Fn(&'h crate::actor::clerk::ClerkHandle, Note) -> LimitedSend<'h, T>,
) -> (Ledger, Poll<T>) {
    let runtime = Flavor::TwoWorkers.build();
    let ledger = Ledger::default();
    let (clerk, gate) = runtime.block_on(busy_clerk(1, ledger.note(BUSY, 0)));
    clerk.file(ledger.note(0, 0)).try_tell().unwrap();
    let (watched, host) = (clerk.clone(), runtime.tokio_handle().clone());
    let waker = hooked::waker(move |what| {
        if what == Use::Cloned && watched.waiting_senders() == 1 {
            gate.open();
            spin_until(|| watched.waiting_senders() == 0);
            // The limit has passed when a later one has.
            let later = Duration::from_millis(2);
            let passed = async { tokio::time::timeout(later, std::future::pending::<()>()).await };
            host.block_on(passed).unwrap_err();
        }
    });
    let _inside = runtime.enter();
    let mut sending = send(&clerk, ledger.note(0, 1));
    let sent = sending.as_mut().poll(&mut Context::from_waker(&waker));
    runtime.block_on(within(clerk.ping())).unwrap();
    assert_at_rest(&clerk);
    drop((sending, waker));
    (ledger, sent)
}

type LimitedSend<'h, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'h>>;

#[test]
fn a_tell_that_is_granted_its_slot_as_its_limit_passes_counts_as_accepted() {
    on_thread(|| {
        let (ledger, sent) =
            granted_as_the_limit_passes::<Result<(), TellError<ClerkFile>>>(|clerk, note| {
                Box::pin(clerk.file(note).tell().timeout(Duration::ZERO))
            });
        assert!(matches!(sent, Poll::Ready(Ok(()))), "{sent:?}");
        assert_eq!(ledger.settle().handled, 3);
    });
}

#[test]
fn an_ask_that_is_granted_its_slot_as_its_limit_passes_is_not_handled() {
    on_thread(|| {
        let (ledger, sent) = granted_as_the_limit_passes::<Result<u32, AskError>>(|clerk, note| {
            Box::pin(clerk.file(note).timeout(Duration::ZERO))
        });
        match sent {
            Poll::Ready(Err(AskError::NotHandled(error))) => {
                let file = error.into_message::<ClerkFile>();
                file.expect("it is a `ClerkFile`").note.returned();
            }
            Poll::Ready(Err(AskError::Timeout(error))) => {
                assert_eq!(error.state(), TimeoutState::Skipped);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn a_send_may_be_polled_again_after_a_poll_in_which_its_waker_panicked() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (echo, gate) = busy_echo(&ledger).await;
        let mine = Mine::at(Use::Cloned);
        echo.echo(ledger.note(0, 0)).try_tell().unwrap();
        let mut waiting = Box::pin(echo.echo(ledger.note(0, 1)));
        assert!(mine.poll(&mut waiting).is_none());
        gate.open();
        drop(within(waiting).await.unwrap());
        assert_unharmed(&echo).await;
        assert_eq!(ledger.settle().handled, 3);
    });
}

#[test]
fn a_waker_that_panics_as_its_ask_is_dropped_keeps_no_reply_from_being_dropped() {
    on_each_runtime(|| async {
        let (ledger, echo, gate) = (Ledger::default(), Builder::new(Echo).spawn(), Gate::shut());
        let mine = Mine::at(Use::Dropped);
        let mut ask = Box::pin(echo.hold(ledger.note(0, 0), gate.clone()));
        assert!(matches!(mine.poll(&mut ask), Some(Poll::Pending)));
        gate.reached().await;
        let _ = catch_unwind(AssertUnwindSafe(|| drop(ask)));
        gate.open();
        assert_unharmed(&echo).await;
        drop(mine);
        assert_eq!(ledger.settle().handled, 1);
    });
}
