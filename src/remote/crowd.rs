//! Futures that one task polls, each only when it was woken.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use tokio::task::coop::unconstrained;

use crate::contain::{catch, contain, discard};
use crate::sync::Mutex;

/// Futures with a word on each. They get no task, and who polls them polls nothing that was not
/// woken.
///
/// A future that panics is gone, and gives `None`. What the futures do is at no cost of the budget
/// that the task has from its runtime: those that wait for it would all be polled again and again.
pub(super) struct Crowd<K, F> {
    seats: Vec<Place<K, F>>,
    free: Vec<usize>,
    bell: Arc<Bell>,
    /// Kept for its room.
    woken: Vec<usize>,
}

struct Place<K, F> {
    seat: Arc<Seat>,
    /// The seat's.
    waker: Waker,
    guest: Option<(K, F)>,
}

/// Who was woken, and whom that wakes.
#[derive(Default)]
struct Bell {
    inner: Mutex<Rung>,
}

#[derive(Default)]
struct Rung {
    seats: Vec<usize>,
    owner: Option<Waker>,
}

/// Wakes the future of one seat. It outlives its guest: who comes after it may be polled in vain.
struct Seat {
    number: usize,
    is_rung: AtomicBool,
    bell: Arc<Bell>,
}

impl Wake for Seat {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Ordering: AcqRel; pairs with the swap in `poll`: what was done before a wake that finds
        // the seat rung is seen by the poll that clears it.
        if self.is_rung.swap(true, Ordering::AcqRel) {
            return;
        }
        let owner = {
            let mut rung = self.bell.inner.lock();
            rung.seats.push(self.number);
            rung.owner.take()
        };
        if let Some(owner) = owner {
            owner.wake();
        }
    }
}

/// What a future has come to.
pub(super) enum Seated<T> {
    /// It waits, in this seat.
    At(usize),
    Done(Option<T>),
}

impl<K: Copy, F: Future + Unpin> Crowd<K, F> {
    pub(super) fn new() -> Self {
        Self {
            seats: Vec::new(),
            free: Vec::new(),
            bell: Arc::default(),
            woken: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.seats.len() - self.free.len()
    }

    /// Polls a new one at once. It stays if it waits, which `waits` is told.
    pub(super) fn admit(
        &mut self,
        key: K,
        future: F,
        mut waits: impl FnMut(&mut K, &F),
    ) -> Seated<F::Output> {
        let number = self.free.pop().unwrap_or_else(|| {
            let number = self.seats.len();
            let seat = Arc::new(Seat {
                number,
                is_rung: AtomicBool::new(false),
                bell: self.bell.clone(),
            });
            let waker = Waker::from(seat.clone());
            self.seats.push(Place {
                seat,
                waker,
                guest: None,
            });
            number
        });
        self.seats[number].guest = Some((key, future));
        match self.poll(number, &mut waits) {
            Poll::Pending => Seated::At(number),
            Poll::Ready((_, output)) => Seated::Done(output),
        }
    }

    /// Polls one that was woken; if it is done, its seat is free.
    fn poll(
        &mut self,
        number: usize,
        waits: &mut impl FnMut(&mut K, &F),
    ) -> Poll<(K, Option<F::Output>)> {
        let place = &mut self.seats[number];
        // Ordering: AcqRel; pairs with the swap in `wake_by_ref`.
        place.seat.is_rung.swap(false, Ordering::AcqRel);
        let Some((key, future)) = &mut place.guest else {
            return Poll::Pending; // woken after it was dismissed
        };
        let mut cx = Context::from_waker(&place.waker);
        let polled = catch(|| pin!(unconstrained(&mut *future)).poll(&mut cx));
        let output = match polled {
            Ok(Poll::Pending) => {
                waits(key, future);
                return Poll::Pending;
            }
            Ok(Poll::Ready(output)) => Some(output),
            Err(payload) => {
                discard(payload);
                None
            }
        };
        let key = *key;
        self.empty(number);
        Poll::Ready((key, output))
    }

    fn empty(&mut self, number: usize) {
        let guest = self.seats[number].guest.take();
        self.free.push(number);
        contain(|| drop(guest));
    }

    /// Polls all that were woken, and has the task woken for those that will be.
    pub(super) fn poll_woken(
        &mut self,
        cx: &Context<'_>,
        done: &mut Vec<(K, Option<F::Output>)>,
        mut waits: impl FnMut(&mut K, &F),
    ) {
        let mut woken = std::mem::take(&mut self.woken);
        {
            let mut rung = self.bell.inner.lock();
            match &mut rung.owner {
                Some(owner) => owner.clone_from(cx.waker()),
                None => rung.owner = Some(cx.waker().clone()),
            }
            std::mem::swap(&mut woken, &mut rung.seats);
        }
        for number in woken.drain(..) {
            if let Poll::Ready(output) = self.poll(number, &mut waits) {
                done.push(output);
            }
        }
        self.woken = woken;
    }

    /// Drops all but those whose key is to stay.
    pub(super) fn retain(&mut self, stays: impl Fn(&K) -> bool) {
        for number in 0..self.seats.len() {
            let guest = &self.seats[number].guest;
            if guest.as_ref().is_some_and(|(key, _)| !stays(key)) {
                self.empty(number);
            }
        }
    }

    /// Drops the one in that seat, if it is the one that is meant. Gives its key.
    pub(super) fn dismiss(&mut self, number: usize, is_it: impl FnOnce(&K) -> bool) -> Option<K> {
        let (key, _) = self.seats.get(number)?.guest.as_ref()?;
        let key = Some(*key).filter(is_it)?;
        self.empty(number);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};
    use std::pin::Pin;

    use super::*;

    type Boxed = Pin<Box<dyn Future<Output = u32> + Send>>;

    fn seat_of(seated: Seated<u32>) -> usize {
        match seated {
            Seated::At(seat) => seat,
            Seated::Done(_) => panic!("it does not wait"),
        }
    }

    fn woken(crowd: &mut Crowd<u8, Boxed>) -> Vec<(u8, Option<u32>)> {
        let mut done = Vec::new();
        crowd.poll_woken(&Context::from_waker(Waker::noop()), &mut done, |_, _| ());
        done
    }

    #[test]
    fn what_is_ready_at_once_takes_no_seat() {
        let mut crowd: Crowd<u8, Boxed> = Crowd::new();
        let admitted = crowd.admit(1, Box::pin(async { 7 }), |_, _| ());
        assert!(matches!(admitted, Seated::Done(Some(7))));
        assert_eq!(crowd.len(), 0);
    }

    #[test]
    fn only_what_was_woken_is_polled() {
        let mut crowd: Crowd<u8, Boxed> = Crowd::new();
        let gate = Arc::new(tokio::sync::Notify::new());
        let opened = gate.clone();
        let waits = Box::pin(async move {
            opened.notified().await;
            7
        });
        seat_of(crowd.admit(1, waits, |_, _| ()));
        seat_of(crowd.admit(2, Box::pin(pending()), |_, _| ()));
        assert!(woken(&mut crowd).is_empty());
        gate.notify_one();
        assert_eq!(woken(&mut crowd), [(1, Some(7))]);
        assert_eq!(crowd.len(), 1);
    }

    #[test]
    fn a_panic_ends_its_own_future_alone() {
        let mut crowd: Crowd<u8, Boxed> = Crowd::new();
        seat_of(crowd.admit(1, Box::pin(pending()), |_, _| ()));
        let admitted = crowd.admit(2, Box::pin(async { panic!("oh") }), |_, _| ());
        assert!(matches!(admitted, Seated::Done(None)));
        assert_eq!(crowd.len(), 1);
    }

    #[test]
    fn one_that_is_dismissed_is_dropped() {
        let mut crowd: Crowd<u8, Boxed> = Crowd::new();
        let kept = Arc::new(());
        let guest = kept.clone();
        let waits = Box::pin(poll_fn(move |_| {
            let _ = &guest;
            Poll::Pending
        }));
        let seat = seat_of(crowd.admit(1, waits, |_, _| ()));
        assert_eq!(crowd.dismiss(seat, |key| *key == 2), None);
        assert_eq!(crowd.dismiss(seat, |key| *key == 1), Some(1));
        assert_eq!(Arc::strong_count(&kept), 1);
        assert_eq!(crowd.dismiss(seat, |key| *key == 1), None);
    }

    #[tokio::test]
    async fn who_waits_for_something_else_is_not_polled_for_want_of_budget() {
        let mut crowd: Crowd<u16, Boxed> = Crowd::new();
        let permits = Arc::new(tokio::sync::Semaphore::new(0));
        for key in 0..1_000 {
            let permits = permits.clone();
            let waits = Box::pin(async move {
                permits.acquire().await.expect("it is open").forget();
                7
            });
            seat_of(crowd.admit(key, waits, |_, _| ()));
        }
        let mut done = Vec::new();
        permits.add_permits(1_000);
        poll_fn(|cx| {
            crowd.poll_woken(cx, &mut done, |_, _| ());
            Poll::Ready(())
        })
        .await;
        assert_eq!(done.len(), 1_000);
    }
}
