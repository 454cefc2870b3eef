//! Subscribers that are slower than the publishers.

use futures::FutureExt;
use greenroom::limits::TOPIC_BUFFER;
use greenroom::{Lag, Topic};

use super::{Mark, ReaderPing, after, busy_reader, publish, reader};
use crate::actor::support::{assert_at_rest, on_each_runtime, within};

#[test]
fn of_a_subscriber_that_drops_the_oldest_the_last_survive() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscriber = topic.subscriber().buffer(3).lag(Lag::DropOldest);
        let subscription = subscriber.actor(&reader).unwrap();
        let report = (0..10).map(|n| topic.publish(Mark(n)).dropped);
        assert_eq!(report.sum::<usize>(), 7);
        assert_eq!((subscription.waiting(), subscription.dropped()), (3, 7));
        gate.open();
        assert_eq!(after(&reader, &read, 3).await, [7, 8, 9]);
        assert!(subscription.is_active());
    });
}

#[test]
fn of_a_subscriber_that_drops_the_newest_the_first_survive() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscriber = topic.subscriber().buffer(3).lag(Lag::DropNewest);
        let subscription = subscriber.actor(&reader).unwrap();
        publish(&topic, 0..10);
        let report = topic.publish(Mark(10));
        assert_eq!((report.reached, report.dropped), (0, 1));
        assert_eq!(subscription.dropped(), 8);
        gate.open();
        assert_eq!(after(&reader, &read, 3).await, [0, 1, 2]);
        publish(&topic, [11]);
        assert_eq!(after(&reader, &read, 4).await, [0, 1, 2, 11]);
    });
}

#[test]
fn a_subscriber_that_had_better_begin_anew_is_disconnected_after_what_waits() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscriber = topic.subscriber().buffer(2).lag(Lag::Disconnect);
        let subscription = subscriber.actor(&reader).unwrap();
        let subscriber = topic.subscriber().buffer(2).lag(Lag::Disconnect);
        let mut stream = subscriber.stream().unwrap();
        publish(&topic, 0..2);
        assert!(subscription.is_active());
        let report = topic.publish(Mark(2));
        assert_eq!(
            (report.reached, report.dropped, report.disconnected),
            (0, 2, 2)
        );
        assert!(!subscription.is_active());
        assert_eq!(topic.subscribers(), 0);
        gate.open();
        assert_eq!(after(&reader, &read, 2).await, [0, 1]);
        let rest = [stream.next().await, stream.next().await];
        assert_eq!(rest, [Some(Mark(0)), Some(Mark(1))]);
        assert_eq!(within(stream.next()).await, None);
        assert_eq!(stream.dropped(), 1);
    });
}

#[test]
fn a_buffer_of_one_keeps_the_latest() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        topic.subscriber().buffer(1).actor(&reader).unwrap();
        let mut stream = topic.subscriber().buffer(1).stream().unwrap();
        publish(&topic, 0..100);
        gate.open();
        assert_eq!(after(&reader, &read, 1).await, [99]);
        assert_eq!(stream.next().now_or_never(), Some(Some(Mark(99))));
    });
}

#[test]
fn unless_it_says_otherwise_a_subscriber_keeps_the_last_messages() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        let mut stream = topic.stream();
        publish(&topic, 0..TOPIC_BUFFER as u32 + 5);
        assert_eq!((stream.waiting(), stream.dropped()), (TOPIC_BUFFER, 5));
        assert_eq!(stream.next().await, Some(Mark(5)));
    });
}

#[test]
fn field_31_a_slow_subscriber_keeps_neither_the_publisher_nor_the_others_waiting() {
    on_each_runtime(|| async {
        let (topic, (slow, slow_read, gate)) = (Topic::new(), busy_reader().await);
        let slow_one = topic.subscriber().buffer(4).actor(&slow).unwrap();
        let others: Vec<_> = (0..9).map(|_| reader()).collect();
        for (other, _) in &others {
            topic.subscriber().buffer(100).actor(other).unwrap();
        }
        // Publishing is no future, so there is nothing that could wait.
        publish(&topic, 0..100);
        for (other, read) in &others {
            assert_eq!(after(other, read, 100).await, (0..100).collect::<Vec<_>>());
        }
        assert_eq!((slow_one.waiting(), slow_one.dropped()), (4, 96));
        gate.open();
        assert_eq!(after(&slow, &slow_read, 4).await, [96, 97, 98, 99]);
    });
}

#[test]
fn field_29_one_who_never_reads_and_one_who_was_stopped_fill_nobodys_buffer() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        let idle = topic.subscriber().buffer(4).stream().unwrap();
        let (stopped, _) = reader();
        let ended = topic.subscriber().buffer(4).actor(&stopped).unwrap();
        within(stopped.shutdown()).await;
        let (reader, read) = reader();
        topic.subscriber().buffer(4).actor(&reader).unwrap();
        for n in 0..100 {
            topic.publish(Mark(n));
            assert!(idle.waiting() <= 4 && ended.waiting() == 0);
            after(&reader, &read, n as usize + 1).await;
        }
        assert_eq!(idle.dropped(), 96);
        assert_eq!(*read.lock().unwrap(), (0..100).collect::<Vec<_>>());
    });
}

#[test]
fn field_32_publishing_takes_no_slot_and_fills_no_more_than_its_buffer() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscription = topic.subscriber().buffer(3).actor(&reader).unwrap();
        while reader.try_tell(ReaderPing {}).is_ok() {}
        assert_eq!(reader.free_slots(), 0);
        publish(&topic, 0..30);
        let mailbox = reader.mailbox();
        assert_eq!((mailbox.used, subscription.waiting()), (2, 3));
        gate.open();
        assert_eq!(after(&reader, &read, 3).await, [27, 28, 29]);
        assert_at_rest(&reader);
    });
}

#[test]
fn field_18_publishing_in_a_handler_waits_for_no_subscriber() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        topic.subscribe(&reader).unwrap();
        let publisher = Publisher {
            topic,
            reads: reader.clone(),
        };
        let publisher = publisher.spawn();
        within(publisher.publish(1)).await.unwrap();
        gate.open();
        assert_eq!(after(&reader, &read, 1).await, [1]);
    });
}

#[greenroom::actor]
struct Publisher {
    topic: Topic<Mark>,
    reads: super::ReaderHandle,
}

#[greenroom::actor]
impl Publisher {
    async fn publish(&mut self, n: u32) {
        assert_eq!(self.topic.publish(Mark(n)).reached, 1);
        assert_eq!(self.reads.free_slots(), 2);
    }
}
