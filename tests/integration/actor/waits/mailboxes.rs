//! Circles of handlers that wait for slots in each other's full mailboxes.

use futures::future::join;
use greenroom::{Builder, ExitReason, Handle, Refusal, TellError, actor};

use super::looked_at;
use crate::actor::support::{Gate, Ledger, Note, assert_at_rest, on_each_runtime, until, within};

/// Throws balls to another.
#[actor(mailbox = 1)]
struct Player {
    failed: Vec<String>,
}

#[actor]
impl Player {
    #[message(inline = never)]
    fn catch(&mut self, ball: Note) {
        ball.handled();
    }

    /// Catches a ball, and throws as many to another; balls that come back are kept as such.
    #[message(inline = never)]
    async fn play(&mut self, ball: Note, other: PlayerHandle, ledger: Ledger, left: u32) {
        ball.handled();
        if left == 0 {
            return;
        }
        for _ in 0..2 {
            let throw = other.play(ledger.single(), other.clone(), ledger.clone(), left - 1);
            if let Err(error) = throw.tell().await {
                self.keep(error, |message| message.ball);
            }
        }
    }

    /// Waits at a gate with its mailbox full, then throws a ball.
    #[message(inline = never)]
    async fn throw(&mut self, gate: Gate, other: PlayerHandle, ball: Note) -> bool {
        gate.pass().await;
        let thrown = other.catch(ball).tell().await;
        let is_in = thrown.is_ok();
        if let Err(error) = thrown {
            self.keep(error, |message| message.ball);
        }
        is_in
    }

    /// As `throw`, and waits for it to be caught.
    #[message(inline = never)]
    async fn hand_over(&mut self, gate: Gate, other: PlayerHandle, ball: Note) -> bool {
        gate.pass().await;
        other.catch(ball).await.is_ok()
    }

    fn failed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.failed)
    }
}

impl Player {
    fn keep<M>(&mut self, error: TellError<M>, ball: impl FnOnce(M) -> Note) {
        let Refusal::Deadlock(deadlock) = error.refusal() else {
            return ball(error.into_message()).returned();
        };
        self.failed.push(deadlock.to_string());
        ball(error.into_message()).returned();
    }
}

fn player(name: &str) -> PlayerHandle {
    Builder::new(Player { failed: Vec::new() })
        .name(name)
        .spawn()
}

#[test]
fn acc_03_two_that_tell_each_other_with_full_mailboxes_go_on_and_one_has_its_message_back() {
    on_each_runtime(|| async {
        for _ in 0..5 {
            let (p, q, ledger, gate) = (player("p"), player("q"), Ledger::default(), Gate::shut());
            let from = |from: &PlayerHandle, to: &PlayerHandle| {
                let throw = from.throw(gate.clone(), to.clone(), ledger.single());
                tokio::spawn(throw.into_owned())
            };
            let (first, second) = (from(&p, &q), from(&q, &p));
            gate.reached().await;
            gate.reached().await;
            for player in [&p, &q] {
                player.catch(ledger.single()).tell().await.unwrap();
            }
            gate.open();
            let (first, second) = within(join(first, second)).await;
            let thrown = [first.unwrap().unwrap(), second.unwrap().unwrap()];
            assert_eq!(
                thrown.iter().filter(|is_in| **is_in).count(),
                1,
                "{thrown:?}"
            );
            let mut failed = within(p.failed()).await.unwrap();
            failed.extend(within(q.failed()).await.unwrap());
            assert_eq!(failed.len(), 1);
            for name in ["p#", "q#", "PlayerCatch"] {
                assert!(failed[0].contains(name), "{failed:?}");
            }
            until(|| ledger.tally().open == 0).await;
            let tally = ledger.settle();
            assert_eq!((tally.handled, tally.returned), (3, 1));
            assert_at_rest(&p);
            assert_at_rest(&q);
        }
    });
}

#[test]
fn acc_03_a_game_of_balls_over_full_mailboxes_ends_and_loses_none() {
    on_each_runtime(|| async {
        let (p, q, ledger) = (player("p"), player("q"), Ledger::default());
        for (from, to) in [(&p, &q), (&q, &p), (&p, &q)] {
            let ball = from.play(ledger.single(), to.clone(), ledger.clone(), 7);
            within(ball.tell()).await.unwrap();
        }
        until(|| ledger.tally().open == 0).await;
        for player in [p, q] {
            Handle::stop(&player);
            assert!(matches!(within(player.join()).await, ExitReason::Stopped));
        }
        let tally = ledger.settle();
        assert_eq!((tally.lost, tally.discarded, tally.withdrawn), (0, 0, 0));
    });
}

#[test]
fn a_circle_of_a_tell_and_an_ask_is_found() {
    on_each_runtime(|| async {
        for _ in 0..5 {
            let (p, q, ledger, gate) = (player("p"), player("q"), Ledger::default(), Gate::shut());
            let throw = tokio::spawn(
                p.throw(gate.clone(), q.clone(), ledger.single())
                    .into_owned(),
            );
            let hand = q.hand_over(gate.clone(), p.clone(), ledger.single());
            let hand = tokio::spawn(hand.into_owned());
            gate.reached().await;
            gate.reached().await;
            for player in [&p, &q] {
                player.catch(ledger.single()).tell().await.unwrap();
            }
            gate.open();
            let (thrown, handed) = within(join(throw, hand)).await;
            let (thrown, handed) = (thrown.unwrap().unwrap(), handed.unwrap().unwrap());
            assert!(thrown != handed, "{thrown}, {handed}");
        }
    });
}

#[test]
fn a_tell_that_waits_for_a_mailbox_in_no_circle_is_not_accused() {
    on_each_runtime(|| async {
        let (p, q, ledger, gates) = (
            player("p"),
            player("q"),
            Ledger::default(),
            [(); 2].map(|()| Gate::shut()),
        );
        let held = q.throw(gates[1].clone(), player("r"), ledger.single());
        let held = tokio::spawn(held.into_owned());
        gates[1].reached().await;
        q.catch(ledger.single()).tell().await.unwrap();
        let throw = p.throw(gates[0].clone(), q.clone(), ledger.single());
        let throw = tokio::spawn(throw.into_owned());
        gates[0].open();
        until(|| q.waiting_senders() == 1).await;
        looked_at().await;
        gates[1].open();
        assert!(within(held).await.unwrap().unwrap());
        assert!(within(throw).await.unwrap().unwrap());
    });
}
