//! Actors as sinks.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures::{Sink, SinkExt, StreamExt, stream};
use greenroom::Refusal;

use crate::actor::clerk::{ClerkFile, busy_clerk, clerk};
use crate::actor::support::{BUSY, Ledger, assert_at_rest, on_each_runtime, poll_once, within};

#[test]
fn a_stream_is_forwarded_in_order_and_a_flush_is_done_when_all_is_accepted() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(3));
        let notes = stream::iter((0..300).map(|index| ledger.note(0, index)));
        let files = notes.map(|note| Ok(ClerkFile { note }));
        within(files.forward(clerk.sink())).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.handled_without_gaps(0), 300);
        assert_eq!(ledger.settle().handled, 300);
    });
}

#[test]
fn a_sink_that_is_ready_holds_no_slot() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let mut idle: Vec<_> = (0..3).map(|_| clerk.sink::<ClerkFile>()).collect();
        for sink in &mut idle {
            let ready = std::future::poll_fn(|cx| sink.poll_ready_unpin(cx));
            within(ready).await.unwrap();
        }
        assert_eq!(clerk.mailbox().used, 0);
        let mut busy = clerk.recipient().sink();
        for index in 0..10 {
            let note = ledger.note(0, index);
            within(busy.send(ClerkFile { note })).await.unwrap();
        }
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 10);
    });
}

#[test]
fn a_flush_waits_for_a_slot_and_no_longer() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        let mut sink = clerk.sink();
        let file = |index| ClerkFile {
            note: ledger.note(0, index),
        };
        within(sink.send(file(0))).await.unwrap(); // accepted; its handler has not begun
        within(sink.feed(file(1))).await.unwrap();
        let mut flush = Box::pin(SinkExt::<ClerkFile>::flush(&mut sink));
        assert!(poll_once(&mut flush).await.is_pending());
        drop(flush); // the message is still with the sink, and in the line
        assert_eq!(clerk.waiting_senders(), 1);
        gate.open();
        within(SinkExt::<ClerkFile>::close(&mut sink))
            .await
            .unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 3);
    });
}

#[test]
fn a_sink_hands_back_what_is_refused_and_can_be_used_on() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let mut sink = clerk.sink();
        within(clerk.shutdown()).await;
        for index in 0..2 {
            let note = ledger.note(0, index);
            let error = within(sink.send(ClerkFile { note })).await.unwrap_err();
            assert!(matches!(error.refusal(), Refusal::Ended(_)));
            error.into_message().note.returned();
        }
        assert!(sink.cancel().is_none());
        assert_eq!(ledger.settle().returned, 2);
    });
}

#[test]
fn what_a_sink_was_fed_can_be_taken_back_or_goes_with_it() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let mut sink = clerk.sink();
        within(sink.feed(ClerkFile {
            note: ledger.note(0, 1),
        }))
        .await
        .unwrap();
        let mut flush = Box::pin(SinkExt::<ClerkFile>::flush(&mut sink));
        assert!(poll_once(&mut flush).await.is_pending());
        drop(flush);
        sink.cancel().expect("it waits").note.returned();
        assert_eq!(clerk.waiting_senders(), 0);
        let note = ledger.note(0, 2);
        let id = note.id;
        within(sink.feed(ClerkFile { note })).await.unwrap();
        assert!(poll_once(&mut Box::pin(sink.flush())).await.is_pending());
        ledger.withdraw(id, sink);
        assert_eq!(clerk.waiting_senders(), 0);
        gate.open();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned, tally.withdrawn), (2, 1, 1));
    });
}

#[test]
fn a_sink_that_is_fed_while_it_is_not_ready_panics_and_keeps_what_it_has() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let mut sink = clerk.sink();
        sink.start_send_unpin(ClerkFile {
            note: ledger.note(0, 0),
        })
        .unwrap();
        let feed = || {
            sink.start_send_unpin(ClerkFile {
                note: ledger.note(0, 1),
            })
        };
        assert!(std::panic::catch_unwind(AssertUnwindSafe(feed)).is_err());
        let mut cx = Context::from_waker(Waker::noop());
        let flushed = Pin::new(&mut sink).poll_flush(&mut cx);
        assert!(matches!(flushed, Poll::Ready(Ok(()))));
        within(clerk.ping()).await.unwrap();
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.discarded), (1, 1));
    });
}

#[test]
fn a_sink_feeds_from_a_plain_thread_and_from_another_runtime() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(2));
        let (mut sink, book) = (clerk.sink(), ledger.clone());
        let thread = tokio::task::spawn_blocking(move || {
            let mut files = (0..50).map(|index| ClerkFile {
                note: book.note(0, index),
            });
            for file in files.by_ref().take(25) {
                futures::executor::block_on(sink.send(file)).unwrap();
            }
            let other = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            let mut rest = stream::iter(files.map(Ok));
            other.block_on(sink.send_all(&mut rest)).unwrap();
        });
        within(thread).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 50);
    });
}
