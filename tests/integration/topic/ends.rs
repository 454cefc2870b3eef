//! How subscriptions end.

use std::sync::Arc;

use greenroom::limits::TOPIC_STRAYS_MAX;
use greenroom::{Child, ExitReason, SubscribeError, Supervisor, Topic};

use super::{Mark, Read, Reader, after, busy_reader, publish, reader};
use crate::actor::support::{Choices, Flavor, Gate, on_each_runtime, on_runtime, until, within};

#[test]
fn a_subscription_keeps_no_actor_running_and_ends_with_it() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        for cause in 0..4 {
            let (reader, _) = reader();
            let subscription = topic.subscribe(&reader).unwrap();
            publish(&topic, [1]);
            assert_eq!(reader.handle_count(), 1);
            let weak = reader.downgrade();
            match cause {
                0 => reader.stop(),
                1 => reader.kill(),
                2 => drop(reader.crash().await.unwrap_err()),
                _ => {}
            }
            drop(reader);
            within(weak.join()).await;
            assert!(!subscription.is_active(), "by {cause}");
            assert_eq!((topic.subscribers(), subscription.waiting()), (0, 0));
            assert_eq!(topic.publish(Mark(2)).reached, 0);
        }
    });
}

#[test]
fn what_was_published_before_a_stop_is_handled_and_what_comes_after_is_not() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscription = topic.subscribe(&reader).unwrap();
        publish(&topic, 0..3);
        reader.stop();
        assert_eq!(topic.publish(Mark(3)).reached, 0);
        gate.open();
        assert!(matches!(within(reader.join()).await, ExitReason::Stopped));
        assert!(!subscription.is_active());
        assert_eq!(*read.lock().unwrap(), [0, 1, 2]);
    });
}

#[test]
fn an_actor_that_has_ended_is_not_subscribed() {
    on_each_runtime(|| async {
        let (topic, (reader, _)) = (Topic::<Mark>::new(), reader());
        within(reader.shutdown()).await;
        let error = topic.subscribe(&reader).unwrap_err();
        assert_eq!(error.to_string(), "the actor has ended: it was stopped");
        assert!(matches!(error, SubscribeError::Ended(ExitReason::Stopped)));
        assert_eq!(topic.subscribers(), 0);
    });
}

#[test]
fn a_subscription_that_is_ended_drops_what_waits_and_nothing_more_comes() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscription = topic.subscribe(&reader).unwrap();
        let mark = Arc::new(());
        let marks = Topic::new();
        let other = marks
            .subscriber()
            .actor_map(&reader, |_: Arc<()>| super::ReaderNote { n: 100 })
            .unwrap();
        publish(&topic, 0..3);
        marks.publish(Arc::clone(&mark));
        assert!(subscription.end() && other.end());
        assert!(!subscription.end() && !subscription.is_active());
        assert_eq!((topic.subscribers(), subscription.waiting()), (0, 0));
        assert_eq!(Arc::strong_count(&mark), 1, "what waits is dropped at once");
        publish(&topic, [3]);
        gate.open();
        within(reader.ping()).await.unwrap();
        assert!(read.lock().unwrap().is_empty());
        let again = topic.subscribe(&reader).unwrap();
        publish(&topic, [4]);
        assert_eq!(after(&reader, &read, 1).await, [4]);
        drop(again);
        publish(&topic, [5]);
        assert_eq!(after(&reader, &read, 2).await, [4, 5]);
    });
}

#[test]
fn who_subscribes_and_ends_in_a_loop_fills_no_mailbox_of_an_actor_that_is_stuck() {
    on_each_runtime(|| async {
        let (reader, read, gate) = busy_reader().await;
        let room = TOPIC_STRAYS_MAX / 10;
        let subscribe = |topic: &Topic<Mark>| topic.subscriber().buffer(room).actor(&reader);
        let mut rounds = 0;
        let error = loop {
            let topic = Topic::new();
            let subscription = match subscribe(&topic) {
                Ok(subscription) => subscription,
                Err(error) => break error,
            };
            publish(&topic, 0..room as u32);
            assert!(subscription.end());
            rounds += 1;
            assert!(rounds <= 11, "its mailbox grows and grows");
        };
        assert!(matches!(error, SubscribeError::Behind), "{error}");
        gate.open();
        within(reader.ping()).await.unwrap();
        let topic = Topic::new();
        subscribe(&topic).unwrap();
        publish(&topic, [7]);
        assert_eq!(after(&reader, &read, 1).await, [7]);
    });
}

#[test]
fn subscribers_of_a_topic_that_has_gone_get_what_waits_and_then_the_end() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscription = topic.subscribe(&reader).unwrap();
        let mut stream = topic.stream();
        let waits = {
            let mut idle = topic.stream();
            greenroom::spawn(async move {
                idle.next().await;
                idle.next().await;
                idle.next().await
            })
        };
        publish(&topic, 0..2);
        drop(topic.clone());
        assert!(subscription.is_active());
        drop(topic);
        assert!(!subscription.is_active());
        gate.open();
        assert_eq!(after(&reader, &read, 2).await, [0, 1]);
        let all = [stream.next().await, stream.next().await];
        assert_eq!(all, [Some(Mark(0)), Some(Mark(1))]);
        assert_eq!(within(stream.next()).await, None);
        assert_eq!(within(waits).await.unwrap(), None);
    });
}

#[test]
fn a_stream_that_is_dropped_is_gone() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        let (stream, mark) = (topic.stream(), Arc::new(()));
        topic.publish(Arc::clone(&mark));
        assert_eq!(Arc::strong_count(&mark), 2);
        drop(stream);
        assert_eq!((topic.subscribers(), Arc::strong_count(&mark)), (0, 1));
    });
}

#[test]
fn subscriptions_publishes_and_ends_that_race_lose_no_message_of_who_stays() {
    on_runtime(Flavor::TwoWorkers, || async {
        for seed in 0..5 {
            let topic = Topic::new();
            let (stays, read) = reader();
            topic.subscriber().buffer(1000).actor(&stays).unwrap();
            let comes_and_goes = |task: u64| {
                let topic = topic.clone();
                greenroom::spawn(async move {
                    let mut choices = Choices::seeded(seed * 10 + task);
                    for _ in 0..100 {
                        let (reader, _) = reader();
                        let buffer = 1 + choices.below(3) as usize;
                        let subscriber = topic.subscriber().buffer(buffer);
                        let Ok(subscription) = subscriber.actor(&reader) else {
                            continue;
                        };
                        tokio::task::yield_now().await;
                        match choices.below(4) {
                            0 => reader.kill(),
                            1 => reader.stop(),
                            2 => drop(subscription.end()),
                            _ => {}
                        }
                    }
                })
            };
            let tasks: Vec<_> = (0..3).map(comes_and_goes).collect();
            for n in 0..500 {
                topic.publish(Mark(n));
                if n % 8 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            for task in tasks {
                within(task).await.unwrap();
            }
            let expected: Vec<_> = (0..500).collect();
            assert_eq!(after(&stays, &read, 500).await, expected);
            until(|| topic.subscribers() == 1).await;
        }
    });
}

#[test]
fn what_is_published_while_an_actor_is_about_to_be_restarted_reaches_its_next_incarnation() {
    on_each_runtime(|| async {
        let (topic, read, gate) = (Topic::new(), Read::default(), Gate::shut());
        let child = Child::new({
            let read = Arc::clone(&read);
            move || Reader::new(&read)
        });
        let supervisor = Supervisor::builder().child(child.name("reader")).spawn();
        let reader = supervisor.child::<Reader>("reader").await.unwrap();
        let subscription = topic.subscribe(&reader).unwrap();
        reader.finish(gate.clone()).tell().await.unwrap();
        within(gate.reached()).await;
        assert_eq!(topic.publish(Mark(1)).reached, 1);
        gate.open();
        until(|| reader.incarnation() == 2).await;
        assert!(subscription.is_active());
        assert_eq!(topic.publish(Mark(2)).reached, 1);
        assert_eq!(after(&reader, &read, 2).await, [1, 2]);
        within(supervisor.shutdown()).await;
        assert!(!subscription.is_active());
    });
}
