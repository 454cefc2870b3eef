use std::sync::Arc;
use std::task::{Poll, Waker};

use super::{Answer, channel};
use crate::limits::FORWARDS_MAX;

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

fn hand(receiver: &super::Receiver) -> Option<(Option<u64>, usize, usize)> {
    // SAFETY: the receiver has its slot.
    let hand = unsafe { receiver.probe().hand() }?;
    Some((hand.holder, hand.run, hand.forwards))
}

#[test]
fn each_forward_leads_to_its_holder_until_there_were_too_many() {
    let (end, receiver) = channel::<Said>();
    end.run_as(7);
    assert_eq!(hand(&receiver), Some((None, 7, 0)));
    for count in 1..=FORWARDS_MAX {
        assert_eq!(end.forward(Some(300 + count as u64)), count);
        let holder = Some(300 + count as u64);
        assert_eq!(hand(&receiver), Some((holder, 0, count)));
        end.run_as(count);
        end.run_as(200);
        assert_eq!(hand(&receiver), Some((holder, count, count)));
    }
    assert!(end.forward(Some(1)) > FORWARDS_MAX);
    assert_eq!(hand(&receiver), None);
}

#[test]
fn an_ask_leads_nowhere_while_nobody_knows_who_holds_it() {
    let (end, receiver) = channel::<Said>();
    end.pass_on();
    assert_eq!(hand(&receiver), None);
    end.forward(Some(3));
    assert_eq!(hand(&receiver), Some((Some(3), 0, 1)));
    end.forward(None);
    assert_eq!(hand(&receiver), None);
    end.forward(Some(u64::MAX));
    assert_eq!(hand(&receiver), None);
}

#[test]
fn who_holds_an_ask_is_told_apart_from_who_held_it_before_as_often_as_can_be_counted() {
    let (end, receiver) = channel::<Said>();
    end.hold(None);
    assert_eq!(hand(&receiver), None);
    end.hold(Some(5));
    end.hold(Some(5));
    assert_eq!(hand(&receiver), Some((Some(5), 0, 1)));
    end.hold(None);
    assert_eq!(hand(&receiver), None);
    for count in 2..64 {
        end.hold(Some(5 + count % 2));
        let seen = hand(&receiver);
        assert_eq!(seen, Some((Some(5 + count % 2), 0, count as usize)));
    }
    end.hold(Some(7));
    assert_eq!(hand(&receiver), None);
}
