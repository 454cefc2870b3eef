//! Topics that keep their last message.

use std::collections::BTreeSet;

use greenroom::Topic;

use super::{Mark, after, publish, reader};
use crate::actor::support::{Flavor, on_each_runtime, on_runtime, poll_once, within};

#[test]
fn a_late_subscriber_gets_the_last_message_first() {
    on_each_runtime(|| async {
        let (topic, (reader, read)) = (Topic::keeping_last(), reader());
        assert_eq!(topic.last(), None);
        publish(&topic, 0..3);
        assert_eq!(topic.last(), Some(Mark(2)));
        topic.subscribe(&reader).unwrap();
        let mut stream = topic.stream();
        publish(&topic, [3]);
        assert_eq!(after(&reader, &read, 2).await, [2, 3]);
        let got = (within(stream.next()).await, within(stream.next()).await);
        assert_eq!(got, (Some(Mark(2)), Some(Mark(3))));
    });
}

#[test]
fn without_a_message_a_subscriber_waits_for_the_first() {
    on_each_runtime(|| async {
        let topic = Topic::keeping_last();
        let mut stream = topic.stream();
        let mut next = Box::pin(stream.next());
        assert!(poll_once(&mut next).await.is_pending());
        publish(&topic, [1]);
        assert_eq!(within(next).await, Some(Mark(1)));
    });
}

#[test]
fn a_topic_that_does_not_keep_its_last_message_has_none() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        publish(&topic, [1]);
        assert_eq!(topic.last(), None);
        let stream = topic.stream();
        assert_eq!(stream.waiting(), 0);
    });
}

#[test]
fn a_filter_is_asked_about_the_last_message_too() {
    on_each_runtime(|| async {
        let topic = Topic::keeping_last();
        publish(&topic, [1]);
        let even = |mark: &Mark| mark.0.is_multiple_of(2);
        let mut stream = topic.subscriber().filter(even).stream().unwrap();
        publish(&topic, [2]);
        assert_eq!(within(stream.next()).await, Some(Mark(2)));
        let panics = |_: &Mark| panic!("in the filter");
        let mut ended = topic.subscriber().filter(panics).stream().unwrap();
        assert_eq!(within(ended.next()).await, None);
        assert_eq!(topic.subscribers(), 1);
    });
}

#[test]
fn subscribers_that_come_while_others_publish_have_no_gap_and_no_duplicate() {
    on_runtime(Flavor::TwoWorkers, || async {
        const COUNT: u32 = 300;
        for _ in 0..5 {
            let topic = Topic::keeping_last();
            let publishes = {
                let topic = topic.clone();
                greenroom::spawn(async move {
                    for n in 0..COUNT {
                        topic.publish(Mark(n));
                        if n % 8 == 0 {
                            tokio::task::yield_now().await;
                        }
                    }
                })
            };
            let mut begun = BTreeSet::new();
            for _ in 0..20 {
                let all = |mark: &Mark| mark.0 < COUNT;
                let subscriber = topic.subscriber().filter(all).buffer(COUNT as usize);
                let mut stream = subscriber.stream().unwrap();
                let first = within(stream.next()).await.unwrap().0;
                begun.insert(first);
                for expected in first + 1..COUNT.min(first + 40) {
                    assert_eq!(within(stream.next()).await, Some(Mark(expected)));
                }
            }
            publishes.await.unwrap();
            assert_eq!(topic.last(), Some(Mark(COUNT - 1)));
        }
    });
}
