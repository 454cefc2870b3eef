use std::sync::Arc;
use std::task::{Poll, Waker};

use super::{Answer, channel};

#[derive(Debug, PartialEq)]
enum Said {
    Word(Arc<()>),
    Nothing,
}

impl Answer for Said {
    fn orphaned() -> Self {
        Self::Nothing
    }
}

fn poll(receiver: &mut super::Receiver) -> Poll<Said> {
    // SAFETY: every slot of these tests was made by `channel::<Said>()`.
    unsafe { receiver.poll::<Said>(Waker::noop()) }
}

#[test]
fn an_answer_sent_before_the_first_poll_is_there() {
    let (end, mut receiver) = channel::<Said>();
    let word = Arc::new(());
    // SAFETY: as in `poll`.
    assert_eq!(unsafe { end.send(Said::Word(Arc::clone(&word))) }, None);
    assert_eq!(
        poll(&mut receiver),
        Poll::Ready(Said::Word(Arc::clone(&word)))
    );
    drop(receiver);
    assert_eq!(Arc::strong_count(&word), 1);
}

#[test]
fn an_answer_that_nobody_read_is_dropped_once() {
    let (end, mut receiver) = channel::<Said>();
    let word = Arc::new(());
    assert_eq!(poll(&mut receiver), Poll::Pending);
    // SAFETY: as in `poll`.
    assert_eq!(unsafe { end.send(Said::Word(Arc::clone(&word))) }, None);
    drop(receiver);
    assert_eq!(Arc::strong_count(&word), 1);
}

#[test]
fn an_answer_comes_back_when_the_asker_has_gone() {
    let (end, mut receiver) = channel::<Said>();
    assert_eq!(poll(&mut receiver), Poll::Pending);
    drop(receiver);
    let word = Arc::new(());
    // SAFETY: as in `poll`.
    let back = unsafe { end.send(Said::Word(Arc::clone(&word))) };
    assert_eq!(back, Some(Said::Word(word)));
}

#[test]
fn an_end_dropped_without_an_answer_says_so() {
    let (end, mut receiver) = channel::<Said>();
    assert_eq!(poll(&mut receiver), Poll::Pending);
    drop(end);
    assert_eq!(poll(&mut receiver), Poll::Ready(Said::Nothing));
}
