//! Requests with a limit, and requests that are left out.

use std::time::Duration;

use futures::future::join;
use greenroom::{AskError, Context, actor};

use super::{NodeHandle, looked_at, nodes};
use crate::actor::support::{Gate, on_each_runtime, until, within};

/// Asks in ways that end by themselves.
#[actor(mailbox = 1)]
struct Careful;

#[actor]
impl Careful {
    fn ping(&mut self) {}

    async fn ask_itself_for(&mut self, limit: Duration, ctx: &mut Context<Self>) -> bool {
        let asked = ctx.handle().ping().timeout(limit).await;
        matches!(asked, Err(AskError::Timeout(_)))
    }

    async fn tell_itself_for(&mut self, limit: Duration, ctx: &mut Context<Self>) -> String {
        ctx.handle().ping().tell().await.expect("there is a slot");
        let told = ctx.handle().ping().tell().timeout(limit).await;
        told.unwrap_err().to_string()
    }

    /// Asks a node that asks back, and waits for a signal meanwhile.
    async fn ask_until(
        &mut self,
        node: NodeHandle,
        gate: Gate,
        signal: Gate,
        unchecked: bool,
    ) -> bool {
        let ask = node.go_late(gate, Vec::new());
        let ask = if unchecked { ask.unchecked() } else { ask };
        tokio::select! {
            _ = ask => true,
            () = signal.pass() => false,
        }
    }

    async fn ask_itself_until(&mut self, signal: Gate, ctx: &mut Context<Self>) -> bool {
        let me = ctx.handle();
        tokio::select! {
            _ = me.ping().unchecked() => true,
            () = signal.pass() => false,
        }
    }

    async fn tell_itself_until(&mut self, signal: Gate, ctx: &mut Context<Self>) -> bool {
        let me = ctx.handle();
        me.ping().tell().await.expect("there is a slot");
        tokio::select! {
            _ = me.ping().tell().unchecked() => true,
            () = signal.pass() => false,
        }
    }
}

const SHORT: Duration = Duration::from_millis(1);

#[test]
fn a_request_with_a_limit_is_left_to_run_into_it() {
    on_each_runtime(|| async {
        let careful = Careful.spawn();
        assert!(within(careful.ask_itself_for(SHORT)).await.unwrap());
        let text = within(careful.tell_itself_for(SHORT)).await.unwrap();
        assert!(text.contains("no slot came free"), "{text}");
        within(careful.ping()).await.unwrap();
    });
}

#[test]
fn a_request_that_is_left_out_closes_no_circle() {
    on_each_runtime(|| async {
        let careful = Careful.spawn();
        for tells in [false, true] {
            let signal = Gate::shut();
            let end = async {
                signal.reached().await;
                looked_at().await;
                signal.open();
            };
            let ended = if tells {
                within(join(careful.tell_itself_until(signal.clone()), end))
                    .await
                    .0
            } else {
                within(join(careful.ask_itself_until(signal.clone()), end))
                    .await
                    .0
            };
            assert!(!ended.unwrap(), "the signal ends it");
            within(careful.ping()).await.unwrap();
        }
    });
}

#[test]
fn who_is_asked_by_a_request_that_is_left_out_may_ask_back() {
    on_each_runtime(|| async {
        let (careful, [node]) = (Careful.spawn(), nodes());
        let (gate, signal) = (Gate::shut(), Gate::shut());
        let asked = careful.ask_until(node.clone(), gate.clone(), signal.clone(), true);
        let end = async {
            gate.reached().await;
            looked_at().await;
            signal.open();
        };
        let (asked, ()) = within(join(asked, end)).await;
        assert!(!asked.unwrap());
        gate.open();
        within(node.ping()).await.unwrap();
    });
}

#[test]
fn a_circle_is_left_if_any_request_in_it_has_a_limit() {
    on_each_runtime(|| async {
        let [a, b] = nodes();
        // `a` asks `b` with a limit; `b` asks `a`, which can't answer before that has passed.
        let gate = Gate::shut();
        let back = tokio::spawn(b.go_late(gate.clone(), vec![a.clone()]).into_owned());
        gate.reached().await;
        let there = a.go_within(vec![b.clone()], Duration::from_millis(50));
        let there = tokio::spawn(there.into_owned());
        until(|| b.free_slots() == 3).await;
        gate.open();
        assert!(!within(there).await.unwrap().unwrap(), "its limit passed");
        within(back).await.unwrap().expect("it was answered then");
    });
}
