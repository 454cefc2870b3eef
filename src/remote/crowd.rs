//! Futures that one task polls, each only when it was woken.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::contain::{catch, contain, discard};
use crate::sync::Mutex;

/// Futures with a key each. They get no task, and who polls them polls nothing that was not woken.
///
/// A future that panics is gone, and says `None`.
pub(super) struct Crowd<K, F> {
    seats: Vec<Place<K, F>>,
    free: Vec<usize>,
    taken: HashMap<K, usize>,
    bell: Arc<Bell>,
}

struct Place<K, F> {
    seat: Arc<Seat>,
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

impl<K: Hash + Eq + Copy, F: Future + Unpin> Crowd<K, F> {
    pub(super) fn new() -> Self {
        Self {
            seats: Vec::new(),
            free: Vec::new(),
            taken: HashMap::new(),
            bell: Arc::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.taken.len()
    }

    /// Polls a new one at once. It stays if it waits.
    pub(super) fn admit(&mut self, key: K, future: F) -> Poll<Option<F::Output>> {
        let number = self.free.pop().unwrap_or_else(|| {
            let number = self.seats.len();
            let seat = Arc::new(Seat {
                number,
                is_rung: AtomicBool::new(false),
                bell: self.bell.clone(),
            });
            self.seats.push(Place { seat, guest: None });
            number
        });
        self.seats[number].guest = Some((key, future));
        let polled = self.poll(number);
        if polled.is_pending() {
            self.taken.insert(key, number);
        }
        polled.map(|(_, output)| output)
    }

    /// Polls one that was woken; if it is done, its seat is free.
    fn poll(&mut self, number: usize) -> Poll<(K, Option<F::Output>)> {
        let place = &mut self.seats[number];
        // Ordering: AcqRel; pairs with the swap in `wake_by_ref`.
        place.seat.is_rung.swap(false, Ordering::AcqRel);
        let Some((key, future)) = &mut place.guest else {
            return Poll::Pending; // woken after it was dismissed
        };
        let waker = Waker::from(place.seat.clone());
        let key = *key;
        let polled = catch(|| Pin::new(future).poll(&mut Context::from_waker(&waker)));
        let output = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Some(output),
            Err(payload) => {
                discard(payload);
                None
            }
        };
        self.empty(number);
        Poll::Ready((key, output))
    }

    fn empty(&mut self, number: usize) {
        let guest = self.seats[number].guest.take();
        self.free.push(number);
        contain(|| drop(guest));
    }

    /// Polls all that were woken, and has the task woken for those that will be.
    pub(super) fn poll_woken(&mut self, cx: &Context<'_>, done: &mut Vec<(K, Option<F::Output>)>) {
        let woken = {
            let mut rung = self.bell.inner.lock();
            rung.owner = Some(cx.waker().clone());
            std::mem::take(&mut rung.seats)
        };
        for number in woken {
            if let Poll::Ready((key, output)) = self.poll(number) {
                self.taken.remove(&key);
                done.push((key, output));
            }
        }
    }

    /// Drops all but those whose key is to stay.
    pub(super) fn retain(&mut self, stays: impl Fn(&K) -> bool) {
        let going: Vec<K> = self
            .taken
            .keys()
            .filter(|key| !stays(key))
            .copied()
            .collect();
        for key in going {
            self.dismiss(key);
        }
    }

    /// Drops one. Says whether it was there.
    pub(super) fn dismiss(&mut self, key: K) -> bool {
        let number = self.taken.remove(&key);
        if let Some(number) = number {
            self.empty(number);
        }
        number.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};

    use super::*;

    type Boxed = Pin<Box<dyn Future<Output = u32> + Send>>;

    fn woken(crowd: &mut Crowd<u8, Boxed>) -> Vec<(u8, Option<u32>)> {
        let mut done = Vec::new();
        crowd.poll_woken(&Context::from_waker(Waker::noop()), &mut done);
        done
    }

    #[test]
    fn what_is_ready_at_once_takes_no_seat() {
        let mut crowd: Crowd<u8, Boxed> = Crowd::new();
        let polled = crowd.admit(1, Box::pin(async { 7 }));
        assert_eq!(polled, Poll::Ready(Some(7)));
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
        assert!(crowd.admit(1, waits).is_pending());
        assert!(crowd.admit(2, Box::pin(pending())).is_pending());
        assert!(woken(&mut crowd).is_empty());
        gate.notify_one();
        assert_eq!(woken(&mut crowd), [(1, Some(7))]);
        assert_eq!(crowd.len(), 1);
    }

    #[test]
    fn a_panic_ends_its_own_future_alone() {
        let mut crowd: Crowd<u8, Boxed> = Crowd::new();
        assert!(crowd.admit(1, Box::pin(pending())).is_pending());
        let polled = crowd.admit(2, Box::pin(async { panic!("oh") }));
        assert_eq!(polled, Poll::Ready(None));
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
        assert!(crowd.admit(1, waits).is_pending());
        assert!(crowd.dismiss(1));
        assert_eq!(Arc::strong_count(&kept), 1);
        assert!(!crowd.dismiss(1));
    }
}
