//! Who waits for others, and is waited for, and is in no circle.

use futures::future::{join, join_all};

use super::{NodeHandle, nodes};
use crate::actor::support::{Gate, on_each_runtime, within};

#[test]
fn two_chains_that_share_actors_and_form_no_circle_are_not_accused() {
    on_each_runtime(|| async {
        let [a, b, c] = nodes();
        let gate = Gate::shut();
        let held = c.go_late(gate.clone(), Vec::new());
        // Both wait for `c` in the end, and one for the other's actor.
        let first = a.go(vec![b.clone(), c.clone()]);
        let second = b.go(vec![c.clone()]);
        let open = async {
            gate.reached().await;
            gate.open();
        };
        let (held, both) = join(held, join(join(first, second), open)).await;
        held.unwrap();
        both.0.0.unwrap();
        both.0.1.unwrap();
    });
}

#[test]
fn an_actor_that_was_answered_may_ask_back_at_once() {
    on_each_runtime(|| async {
        let [a, b] = nodes();
        let there = |from: NodeHandle, to: NodeHandle| async move {
            for _ in 0..500 {
                from.go(vec![to.clone()]).await.unwrap();
            }
        };
        // Each waits for the other in turn, never both: the outer asks are one after the other.
        for _ in 0..20 {
            within(there(a.clone(), b.clone())).await;
            within(there(b.clone(), a.clone())).await;
        }
    });
}

#[test]
fn a_handler_that_joins_several_asks_is_not_accused() {
    on_each_runtime(|| async {
        let [a, b, c, d] = nodes();
        let all =
            [b.clone(), c.clone(), d.clone()].map(|node| node.go(vec![a.clone()]).into_owned());
        for told in within(join_all(all)).await {
            told.unwrap();
        }
    });
}
