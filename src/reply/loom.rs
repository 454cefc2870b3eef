use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::{Answer, channel};

struct Said(Option<Arc<()>>);

impl Answer for Said {
    fn orphaned() -> Self {
        Self(None)
    }
}

#[test]
fn loom_an_answer_reaches_whoever_waits() {
    loom::model(|| {
        let (end, mut receiver) = channel::<Said>();
        // SAFETY: the slot is of `Said`.
        let sender = thread::spawn(move || unsafe { end.send(Said(Some(Arc::new(())))) }.is_none());
        // SAFETY: as above.
        let said = block_on(poll_fn(|cx| unsafe { receiver.poll::<Said>(cx.waker()) }));
        assert!(said.0.is_some());
        assert!(sender.join().unwrap());
    });
}

#[test]
fn loom_an_answer_is_dropped_once_whoever_goes_first() {
    loom::model(|| {
        let (end, mut receiver) = channel::<Said>();
        let word = Arc::new(());
        let sent = Said(Some(Arc::clone(&word)));
        // SAFETY: the slot is of `Said`.
        let sender = thread::spawn(move || drop(unsafe { end.send(sent) }));
        // SAFETY: as above.
        if let Poll::Ready(said) = unsafe { receiver.poll::<Said>(Waker::noop()) } {
            assert!(said.0.is_some());
        }
        drop(receiver);
        sender.join().unwrap();
        assert_eq!(Arc::strong_count(&word), 1);
    });
}
