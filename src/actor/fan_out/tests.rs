use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::{Ask, Sealed, ask_all};
use crate::actor::AskError;

/// An ask that is answered by hand.
#[derive(Default)]
struct Slip {
    answer: Cell<Option<usize>>,
    waker: Cell<Option<Waker>>,
    polls: Cell<usize>,
}

struct SlipAsk(Rc<Slip>);

impl Future for SlipAsk {
    type Output = Result<usize, AskError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let slip = &self.0;
        slip.polls.set(slip.polls.get() + 1);
        slip.waker.set(Some(cx.waker().clone()));
        match slip.answer.take() {
            Some(answer) => Poll::Ready(Ok(answer)),
            None => Poll::Pending,
        }
    }
}

impl Sealed for SlipAsk {}

impl Ask for SlipAsk {
    type Reply = usize;
    type Error = std::convert::Infallible;

    fn poll_queued(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll(cx)
    }
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Answers a crowd of so many one by one, from the last, with a poll after each; says how many
/// polls of asks that took.
fn answered_one_by_one(count: usize) -> usize {
    let slips: Vec<_> = (0..count).map(|_| Rc::new(Slip::default())).collect();
    let mut all = ask_all(slips.iter().map(|slip| SlipAsk(Rc::clone(slip))));
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let mut cx = Context::from_waker(&waker);
    assert!(Pin::new(&mut all).poll(&mut cx).is_pending());
    for (index, slip) in slips.iter().enumerate().rev() {
        slip.answer.set(Some(index));
        let before = wakes.0.load(Ordering::Relaxed);
        let waker = slip.waker.take().expect("it was polled");
        waker.wake_by_ref();
        assert_eq!(wakes.0.load(Ordering::Relaxed), before + 1);
        match Pin::new(&mut all).poll(&mut cx) {
            Poll::Pending => assert!(index > 0, "all are answered"),
            Poll::Ready(results) => {
                assert_eq!(index, 0, "not before all are answered");
                let answers: Vec<_> = results.into_iter().map(Result::unwrap).collect();
                assert_eq!(answers, (0..count).collect::<Vec<_>>());
            }
        }
    }
    slips.iter().map(|slip| slip.polls.get()).sum()
}

#[test]
fn every_ask_is_answered_in_its_place_however_many_there_are() {
    for count in [1, 2, 31, 32, 33, 64, 65, 500] {
        answered_one_by_one(count);
    }
}

#[test]
fn the_polls_of_a_large_crowd_grow_with_it_and_not_with_its_square() {
    let polls = answered_one_by_one(4000);
    assert!(polls <= 4000 * 40, "{polls}");
}
