//! Who waits for others, and is waited for, and is in no circle.

use futures::future::{join, join_all};
use greenroom::{AskError, Context, Handle, actor};
use tokio::sync::oneshot;

use super::{NodeHandle, looked_at, nodes};
use crate::actor::support::{Gate, on_each_runtime, until, within};

#[test]
fn acc_02_two_chains_that_share_actors_and_form_no_circle_are_not_accused() {
    on_each_runtime(|| async {
        let [a, b, c] = nodes();
        let gate = Gate::shut();
        let held = c.go_late(gate.clone(), Vec::new());
        // Both wait for `c` in the end, and one for the other's actor.
        let first = a.go(vec![b.clone(), c.clone()]);
        let second = b.go(vec![c.clone()]);
        let open = async {
            gate.reached().await;
            looked_at().await;
            gate.open();
        };
        let (held, both) = join(held, join(join(first, second), open)).await;
        held.unwrap();
        both.0.0.unwrap();
        both.0.1.unwrap();
    });
}

#[test]
fn a_handler_that_joins_asks_which_meet_in_one_actor_is_not_accused() {
    on_each_runtime(|| async {
        let [a, b, c, d] = nodes();
        let gate = Gate::shut();
        let held = d.go_late(gate.clone(), Vec::new());
        let chains = vec![vec![b, d.clone()], vec![c, d.clone()], vec![d.clone()]];
        let open = async {
            gate.reached().await;
            looked_at().await;
            gate.open();
        };
        let (held, (all, ())) = join(held, join(a.go_all(chains), open)).await;
        held.unwrap();
        all.unwrap();
    });
}

#[test]
fn a_chain_of_a_thousand_actors_is_not_accused() {
    on_each_runtime(|| async {
        let chain: Vec<NodeHandle> = (0..1000).map(|_| super::node("link")).collect();
        let gate = Gate::shut();
        let last = chain.last().unwrap();
        let held = last.go_late(gate.clone(), Vec::new());
        let open = async {
            gate.reached().await;
            looked_at().await;
            gate.open();
        };
        let asked = chain[0].go(chain[1..].to_vec());
        let (held, (asked, ())) = within(join(held, join(asked, open))).await;
        held.unwrap();
        asked.unwrap();
    });
}

#[test]
fn who_sends_and_returns_is_not_accused_and_who_waits_for_the_reply_is() {
    on_each_runtime(|| async {
        let [a, b] = nodes();
        a.send(vec![b.clone(), a.clone()]).await.unwrap();
        let kept = within(a.kept()).await.unwrap().expect("it is kept");
        within(kept).await.expect("no circle");

        // Now `a` waits for the reply while `b` waits for `a`.
        let gate = Gate::shut();
        let held = tokio::spawn(b.go_late(gate.clone(), vec![a.clone()]).into_owned());
        gate.reached().await;
        a.send(vec![b.clone()]).await.unwrap();
        let begun = Gate::shut();
        let waits = tokio::spawn(a.wait_for_kept(begun.clone()).into_owned());
        within(begun.pass()).await;
        gate.open();
        let first = within(held).await.unwrap();
        let second = within(waits).await.unwrap();
        assert!(first.is_err() != second.is_err(), "{first:?}, {second:?}");
    });
}

#[test]
fn who_selects_between_an_ask_in_no_circle_and_something_else_is_not_accused() {
    #[actor]
    struct Chooser;
    #[actor]
    impl Chooser {
        async fn choose(
            &mut self,
            node: NodeHandle,
            gate: Gate,
            signal: oneshot::Receiver<()>,
        ) -> bool {
            tokio::select! {
                told = node.go_late(gate, Vec::new()) => told.is_ok(),
                Ok(()) = signal => false,
            }
        }
    }
    on_each_runtime(|| async {
        for signals in [true, false] {
            let (chooser, [a]) = (Chooser.spawn(), nodes());
            let (gate, (signal, signalled)) = (Gate::shut(), oneshot::channel());
            let chosen = chooser.choose(a.clone(), gate.clone(), signalled);
            let decide = async {
                gate.reached().await;
                looked_at().await;
                if signals {
                    signal.send(()).unwrap();
                } else {
                    gate.open();
                }
            };
            let (chosen, ()) = within(join(chosen, decide)).await;
            assert_eq!(chosen.unwrap(), !signals);
            gate.open();
        }
    });
}

/// Answers, and then asks back.
#[actor]
struct Polite {
    failed: Option<String>,
}

#[actor]
impl Polite {
    fn ping(&mut self) {}

    /// Answers at once; the next message asks back.
    #[message(inline = never)]
    async fn greet(&mut self, back: PoliteHandle, ctx: &mut Context<Self>) {
        let told = ctx.handle().ask_back(back).tell().await;
        told.expect("there is a slot");
    }

    async fn ask_back(&mut self, back: PoliteHandle) {
        if let Err(error) = back.ping().await {
            self.failed = Some(error.to_string());
        }
    }

    async fn visit(
        &mut self,
        other: PoliteHandle,
        ctx: &mut Context<Self>,
    ) -> Result<(), AskError> {
        other.greet(ctx.handle()).await
    }

    fn failed(&mut self) -> Option<String> {
        self.failed.take()
    }
}

#[test]
fn who_has_answered_may_ask_back_at_once() {
    on_each_runtime(|| async {
        let pairs = (0..4).map(|_| async move {
            let pair = [(); 2].map(|()| Polite { failed: None }.spawn());
            for round in 0..1500 {
                let (from, to) = (&pair[round % 2], &pair[1 - round % 2]);
                within(from.visit(to.clone())).await.unwrap();
                // What was told is handled before this.
                assert_eq!(within(to.failed()).await.unwrap(), None);
            }
        });
        for pair in join_all(pairs.map(tokio::spawn)).await {
            pair.unwrap();
        }
    });
}

#[test]
fn what_an_actor_waited_for_that_ends_is_forgotten_before_its_askers_hear_of_it() {
    on_each_runtime(|| async {
        for _ in 0..50 {
            let [a, b, c] = nodes();
            let gate = Gate::shut();
            let back = tokio::spawn(c.go_late(gate.clone(), vec![a.clone()]).into_owned());
            gate.reached().await;
            let asked = tokio::spawn(a.go_anyhow(vec![b.clone(), c.clone()]).into_owned());
            until(|| c.free_slots() == 3).await;
            // `a` waits for `b`, which waits for `c`, which is to ask `a`.
            Handle::kill(&b);
            assert!(!within(asked).await.unwrap().unwrap());
            gate.open();
            within(back).await.unwrap().expect("no circle any more");
        }
    });
}
