//! Who subscribes, and to what.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::StreamExt;
use greenroom::limits::TOPIC_BUFFER_MAX;
use greenroom::{SubscribeError, Topic};

use super::{Mark, Reader, ReaderNote, after, busy_reader, publish, reader};
use crate::actor::support::{on_each_runtime, poll_once, within};

#[test]
fn a_message_comes_to_all_subscribers_and_the_report_counts_them() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        assert_eq!(topic.publish(Mark(0)).reached, 0);
        let ((one, one_read), (other, other_read)) = (reader(), reader());
        let mut stream = topic.stream();
        topic.subscribe(&one).unwrap();
        topic.subscribe(&other).unwrap();
        assert_eq!(topic.subscribers(), 3);
        let report = topic.publish(Mark(1));
        assert_eq!(
            (report.reached, report.dropped, report.disconnected),
            (3, 0, 0)
        );
        assert_eq!(within(stream.next()).await, Some(Mark(1)));
        assert_eq!(after(&one, &one_read, 1).await, [1]);
        assert_eq!(after(&other, &other_read, 1).await, [1]);
    });
}

#[test]
fn who_subscribes_twice_gets_messages_twice() {
    on_each_runtime(|| async {
        let (topic, (reader, read)) = (Topic::new(), reader());
        topic.subscribe(&reader).unwrap();
        let second = topic.subscribe(&reader).unwrap();
        publish(&topic, [1]);
        assert_eq!(after(&reader, &read, 2).await, [1, 1]);
        assert!(second.end());
        publish(&topic, [2]);
        assert_eq!(after(&reader, &read, 3).await, [1, 1, 2]);
    });
}

#[test]
fn what_a_filter_does_not_want_takes_no_room_and_counts_nowhere() {
    on_each_runtime(|| async {
        let (topic, (reader, read, gate)) = (Topic::new(), busy_reader().await);
        let subscription = topic
            .subscriber()
            .filter(|mark: &Mark| mark.0.is_multiple_of(2))
            .buffer(2)
            .actor(&reader)
            .unwrap();
        let mut stream = topic
            .subscriber()
            .filter(|mark: &Mark| mark.0 > 3)
            .stream()
            .unwrap();
        let reports = (1..=4).map(|n| topic.publish(Mark(n)).reached);
        assert_eq!(reports.sum::<usize>(), 3);
        assert_eq!((subscription.waiting(), subscription.dropped()), (2, 0));
        gate.open();
        assert_eq!(after(&reader, &read, 2).await, [2, 4]);
        assert_eq!(within(stream.next()).await, Some(Mark(4)));
    });
}

#[test]
fn a_filter_that_panics_ends_its_subscription_and_harms_nobody_else() {
    on_each_runtime(|| async {
        let (topic, (bad, bad_read), (good, good_read)) = (Topic::new(), reader(), reader());
        let calls = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&calls);
        let subscription = topic
            .subscriber()
            .filter(move |_: &Mark| {
                counted.fetch_add(1, Ordering::SeqCst);
                panic!("in the filter")
            })
            .actor(&bad)
            .unwrap();
        topic.subscribe(&good).unwrap();
        publish(&topic, [1, 2]);
        assert_eq!(after(&good, &good_read, 2).await, [1, 2]);
        assert!(!subscription.is_active());
        assert_eq!((topic.subscribers(), calls.load(Ordering::SeqCst)), (1, 1));
        within(bad.ping()).await.unwrap();
        assert!(bad_read.lock().unwrap().is_empty());
    });
}

#[test]
fn an_actor_handles_what_is_made_of_the_message() {
    on_each_runtime(|| async {
        let (topic, (reader, read)) = (Topic::new(), reader());
        topic
            .subscriber()
            .actor_map(&reader, |word: &'static str| ReaderNote {
                n: word.len() as u32,
            })
            .unwrap();
        topic.publish("four");
        topic.publish("eleven");
        assert_eq!(after(&reader, &read, 2).await, [4, 6]);
    });
}

#[test]
fn a_panic_as_the_message_is_made_is_the_handlers_own() {
    on_each_runtime(|| async {
        let (topic, (reader, _)) = (Topic::new(), reader());
        topic
            .subscriber()
            .actor_map(&reader, |mark: Mark| -> ReaderNote {
                panic!("made of {}", mark.0)
            })
            .unwrap();
        publish(&topic, [7]);
        let reason = within(reader.join()).await;
        assert!(reason.to_string().contains("made of 7"), "{reason}");
        crate::actor::support::until(|| topic.subscribers() == 0).await;
    });
}

#[test]
fn a_buffer_of_an_impossible_size_is_refused() {
    on_each_runtime(|| async {
        let (topic, (reader, _)) = (Topic::<Mark>::new(), reader());
        for messages in [0, TOPIC_BUFFER_MAX + 1] {
            let error = topic.subscriber().buffer(messages).actor(&reader);
            let error = error.unwrap_err();
            assert!(matches!(error, SubscribeError::Buffer(n) if n == messages));
            assert!(error.to_string().ends_with(&format!("not {messages}")));
            assert!(topic.subscriber().buffer(messages).stream().is_err());
        }
        assert_eq!(topic.subscribers(), 0);
        let most = topic.subscriber().buffer(TOPIC_BUFFER_MAX).stream();
        drop(most.unwrap());
    });
}

#[test]
fn a_stream_waits_for_what_is_published() {
    on_each_runtime(|| async {
        let topic = Topic::new();
        let mut stream = topic.stream();
        let mut next = Box::pin(stream.next());
        assert!(poll_once(&mut next).await.is_pending());
        drop(next); // which loses nothing
        let reads = greenroom::spawn(async move {
            let marks: Vec<_> = StreamExt::take(stream, 3).collect().await;
            marks
        });
        for n in 1..=3 {
            publish(&topic, [n]);
            tokio::task::yield_now().await;
        }
        assert_eq!(within(reads).await.unwrap(), [Mark(1), Mark(2), Mark(3)]);
        assert_eq!(topic.subscribers(), 0);
    });
}

/// A message that counts its clones, and publishes as it is cloned.
struct Meddles {
    topic: Topic<Arc<u32>>,
    clones: Arc<AtomicU32>,
}

impl Clone for Meddles {
    fn clone(&self) -> Self {
        let n = self.clones.fetch_add(1, Ordering::SeqCst);
        self.topic.publish(Arc::new(n));
        Self {
            topic: self.topic.clone(),
            clones: self.clones.clone(),
        }
    }
}

#[test]
fn a_message_is_cloned_for_all_subscribers_but_one_and_may_publish_meanwhile() {
    on_each_runtime(|| async {
        let (topic, inner, clones) = (Topic::new(), Topic::new(), Arc::default());
        let mut streams: Vec<_> = (0..3).map(|_| topic.stream()).collect();
        let mut published = inner.stream();
        topic.publish(Meddles {
            topic: inner,
            clones: Arc::clone(&clones),
        });
        assert_eq!(clones.load(Ordering::SeqCst), 0, "nobody has read it");
        for stream in &mut streams {
            assert!(within(stream.next()).await.is_some());
        }
        assert_eq!(clones.load(Ordering::SeqCst), 2);
        assert_eq!(within(published.next()).await.as_deref(), Some(&0));
    });
}

#[test]
fn field_33_a_published_message_is_handled_by_the_same_handler_as_a_told_one() {
    on_each_runtime(|| async {
        let (topic, (reader, read)) = (Topic::new(), reader());
        topic.subscribe(&reader).unwrap();
        publish(&topic, [1]);
        after(&reader, &read, 1).await;
        reader.tell(Mark(2)).await.unwrap();
        within(reader.ask(Mark(3))).await.unwrap();
        assert_eq!(*read.lock().unwrap(), [1, 2, 3]);
        let _: &Reader = &Reader { read };
    });
}
