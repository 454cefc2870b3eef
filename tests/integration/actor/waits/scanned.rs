//! Circles that are not found as they close are found soon after.

use futures::future::{join, join_all};

use super::{NodeHandle, deadlock, looked_at, names, node, nodes};
use crate::actor::support::{Gate, on_each_runtime, within};

#[test]
fn a_circle_of_many_is_found_and_its_newest_wait_fails() {
    on_each_runtime(|| async {
        let ring: Vec<NodeHandle> = (0..100).map(|index| node(&index.to_string())).collect();
        let mut chain = ring.clone();
        chain.rotate_left(1);
        let found = deadlock(within(ring[0].go(chain)).await.unwrap_err());
        let expected = (0..100).map(|index| ((index + 99) % 100).to_string());
        assert_eq!(names(&found), expected.collect::<Vec<_>>());
        for node in &ring {
            within(node.ping()).await.expect("it goes on");
        }
    });
}

#[test]
fn of_two_that_ask_each_other_at_once_one_fails() {
    on_each_runtime(|| async {
        for _ in 0..20 {
            let [a, b] = nodes();
            let gate = Gate::shut();
            let first = tokio::spawn(a.go_late(gate.clone(), vec![b.clone()]).into_owned());
            let second = tokio::spawn(b.go_late(gate.clone(), vec![a.clone()]).into_owned());
            gate.reached().await;
            gate.reached().await;
            gate.open();
            let (first, second) = within(join(first, second)).await;
            let ended = [first.unwrap(), second.unwrap()];
            assert_eq!(
                ended.iter().filter(|end| end.is_err()).count(),
                1,
                "{ended:?}"
            );
        }
    });
}

#[test]
fn circles_that_meet_in_one_actor_are_all_found() {
    on_each_runtime(|| async {
        let ring: Vec<NodeHandle> = (0..40).map(|index| node(&index.to_string())).collect();
        let gate = Gate::shut();
        // All ask the next two, at once.
        let asks = ring.iter().enumerate().map(|(index, node)| {
            let next = [1, 2].map(|step| vec![ring[(index + step) % ring.len()].clone()]);
            tokio::spawn(node.go_all_late(gate.clone(), next.to_vec()).into_owned())
        });
        let asks: Vec<_> = asks.collect();
        for _ in &ring {
            gate.reached().await;
        }
        gate.open();
        let ended = within(join_all(asks)).await;
        assert!(ended.iter().any(|end| end.as_ref().unwrap().is_err()));
        for node in &ring {
            within(node.ping()).await.expect("it goes on");
        }
    });
}

#[test]
fn whoever_is_told_late_was_waiting_all_the_time() {
    on_each_runtime(|| async {
        // The looks of others do no harm to a circle that is answered between them.
        let [a, b] = nodes();
        for _ in 0..3 {
            let gate = Gate::shut();
            let held = tokio::spawn(b.go_late(gate.clone(), Vec::new()).into_owned());
            gate.reached().await;
            let asked = tokio::spawn(a.go(vec![b.clone()]).into_owned());
            looked_at().await;
            gate.open();
            within(held).await.unwrap().unwrap();
            within(asked).await.unwrap().unwrap();
        }
    });
}
