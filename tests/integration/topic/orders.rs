//! In which order messages come.

use greenroom::{Lag, Topic};

use super::{Mark, after, publish, reader};
use crate::actor::support::{Flavor, on_each_runtime, on_runtime, within};

const PUBLISHERS: u32 = 3;
const EACH: u32 = 200;

#[test]
fn messages_of_one_task_come_in_its_order() {
    on_each_runtime(|| async {
        let (topic, (reader, read)) = (Topic::new(), reader());
        topic.subscriber().buffer(1000).actor(&reader).unwrap();
        publish(&topic, 0..1000);
        let expected: Vec<_> = (0..1000).collect();
        assert_eq!(after(&reader, &read, 1000).await, expected);
    });
}

#[test]
fn what_a_task_sends_an_actor_comes_after_what_it_has_published() {
    on_runtime(Flavor::TwoWorkers, || async {
        let (topic, (reader, read)) = (Topic::new(), reader());
        topic.subscriber().buffer(1000).actor(&reader).unwrap();
        let publishers = (0..PUBLISHERS).map(|publisher| {
            let (topic, reader, read) = (topic.clone(), reader.clone(), read.clone());
            greenroom::spawn(async move {
                for n in 0..EACH {
                    let n = publisher * EACH + n;
                    topic.publish(Mark(n));
                    within(reader.ping()).await.unwrap();
                    assert!(read.lock().unwrap().contains(&n), "{n} was overtaken");
                }
            })
        });
        for publisher in publishers.collect::<Vec<_>>() {
            publisher.await.unwrap();
        }
        assert_eq!(read.lock().unwrap().len(), (PUBLISHERS * EACH) as usize);
    });
}

#[test]
fn all_subscribers_get_what_many_publish_in_one_order() {
    on_runtime(Flavor::TwoWorkers, || async {
        let topic = Topic::new();
        let (one, one_read) = reader();
        let (other, other_read) = reader();
        let all = (PUBLISHERS * EACH) as usize;
        for reader in [&one, &other] {
            topic.subscriber().buffer(all).actor(reader).unwrap();
        }
        let mut stream = topic.subscriber().buffer(all).stream().unwrap();
        let publishers = (0..PUBLISHERS).map(|publisher| {
            let topic = topic.clone();
            greenroom::spawn(async move {
                for n in 0..EACH {
                    topic.publish(Mark(publisher * EACH + n));
                    if n % 16 == 0 {
                        tokio::task::yield_now().await;
                    }
                }
            })
        });
        for publisher in publishers.collect::<Vec<_>>() {
            publisher.await.unwrap();
        }
        let order = after(&one, &one_read, all).await;
        assert_eq!(after(&other, &other_read, all).await, order);
        for expected in &order {
            assert_eq!(within(stream.next()).await, Some(Mark(*expected)));
        }
        for publisher in 0..PUBLISHERS {
            let own = order.iter().filter(|n| **n / EACH == publisher);
            assert!(own.is_sorted() && order.len() == all, "{publisher}");
        }
    });
}

#[test]
fn a_message_published_by_the_handler_of_another_comes_after_it() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        let mut stream = topic.subscriber().lag(Lag::Disconnect).stream().unwrap();
        let (echo, read) = reader();
        topic
            .subscriber()
            .filter(|mark: &Mark| mark.0 < 3)
            .actor_map(&echo, {
                let topic = topic.clone();
                move |mark: Mark| {
                    topic.publish(Mark(mark.0 + 1));
                    super::ReaderNote { n: mark.0 }
                }
            })
            .unwrap();
        publish(&topic, [0]);
        for n in 0..=3 {
            assert_eq!(within(stream.next()).await, Some(Mark(n)));
        }
        assert_eq!(after(&echo, &read, 3).await, [0, 1, 2]);
    });
}
