use std::sync::Arc;

use super::strays::Strays;
use super::{Lag, Subscription, Topic};
use crate::exec::runtime::Runtime;

#[greenroom::actor]
struct Reader;

#[greenroom::actor]
impl Reader {
    fn note(&mut self, _number: u32) {}

    fn ping(&self) {}
}

/// How a subscription ends before its actor.
type End = fn(&mut Option<Topic<u32>>, &Subscription<u32>);

#[test]
fn field_66_an_actor_keeps_nothing_of_subscriptions_that_have_ended_before_it() {
    let ends: [End; 4] = [
        |_, subscription| assert!(subscription.end()),
        |topic, _| drop(topic.take()),
        |topic, _| {
            let topic = topic.as_ref().expect("it is there");
            assert_eq!((0..3).map(|n| topic.publish(n).disconnected).max(), Some(1));
        },
        |topic, _| {
            let topic = topic.as_ref().expect("it is there");
            assert_eq!(topic.publish(u32::MAX).reached, 0);
        },
    ];
    let runtime = Runtime::builder().current_thread().build();
    runtime.expect("a runtime").block_on(async {
        let reader = Reader.spawn();
        for end in ends {
            let mut topic = Some(Topic::new());
            let subscription = topic
                .as_ref()
                .map(|topic| {
                    let subscriber = topic.subscriber().buffer(2).lag(Lag::Disconnect);
                    let subscriber = subscriber.filter(|n| *n < u32::MAX || panic!("too many"));
                    let note = |number| ReaderNote { _number: number };
                    subscriber.actor_map(&reader, note).expect("it lives")
                })
                .expect("it is there");
            let letterbox = &subscription.letterbox;
            // The farewell's own.
            assert_eq!(Arc::weak_count(letterbox), 1);
            end(&mut topic, &subscription);
            assert!(!subscription.is_active());
            assert_eq!(Arc::weak_count(letterbox), 0);
            // Whose visits have been paid.
            reader.ping().await.expect("it lives");
            assert_eq!(Arc::strong_count(letterbox), 1);
        }
        let strays = reader.head().extension::<Strays>();
        assert_eq!(strays.len(), 0);
        let topic = Topic::new();
        let note = |number| ReaderNote { _number: number };
        let subscribe = || {
            topic
                .subscriber()
                .actor_map(&reader, note)
                .expect("it lives")
        };
        for ends in [1, 2] {
            for _ in 0..ends {
                let subscription = subscribe();
                topic.publish(1);
                assert!(subscription.end());
            }
            assert_eq!(strays.len(), 1);
            match ends {
                1 => reader.ping().await.expect("it lives"),
                _ => drop(reader.shutdown().await),
            }
            assert_eq!(strays.len(), 0);
        }
    });
}
