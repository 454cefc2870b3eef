//! Asks that are polled together.
//!
//! A wake-up says that one of them can go on, not which. So large crowds are cut into groups with a
//! waker each, and only what a woken group holds is polled: the work grows with the number of
//! asks, not with its square. A crowd of one group is woken by the waker of its task.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker, ready};

use tokio::task::coop;

use super::Ask;
use crate::contain::contain;
use crate::sync::Mutex;

/// Asks of one group: few enough that polling all of them for one costs about what a wake-up does.
const GROUP: usize = 32;

pub(super) struct Crowd<F> {
    /// Emptied one by one, as they are answered.
    asks: Pin<Box<[Option<F>]>>,
    groups: Box<[Arc<Group>]>,
    /// Those that are not answered.
    left: usize,
    /// All have been polled, and so sent.
    begun: bool,
}

/// Who is behind the waker that a group's asks have.
struct Group {
    is_woken: AtomicBool,
    board: Arc<Board>,
}

/// The waker of whoever polls the crowd, taken by the first group that is woken.
#[derive(Default)]
struct Board(Mutex<Option<Waker>>);

impl Group {
    /// So many, on one board, and each to be polled first of all.
    fn some(count: usize) -> Box<[Arc<Self>]> {
        let board = Arc::new(Board::default());
        let group = |_| {
            Arc::new(Self {
                is_woken: AtomicBool::new(true),
                board: Arc::clone(&board),
            })
        };
        (0..count).map(group).collect()
    }
}

impl Wake for Group {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Ordering: Release; pairs with the Acquire of `poll`. If the board is empty, the one that
        // emptied it has not been polled for yet: the poll that it brings puts a waker there, under
        // the lock, and looks at the mark after that.
        self.is_woken.store(true, Ordering::Release);
        let waker = self.board.0.lock().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<F: Ask> Crowd<F> {
    pub(super) fn new(asks: impl IntoIterator<Item = F>) -> Self {
        let asks: Box<[_]> = asks.into_iter().map(Some).collect();
        let left = asks.len();
        let groups = match left > GROUP {
            true => Group::some(left.div_ceil(GROUP)),
            false => Box::default(),
        };
        Self {
            asks: Box::into_pin(asks),
            groups,
            left,
            begun: false,
        }
    }

    /// As many as there were.
    pub(super) fn len(&self) -> usize {
        self.asks.len()
    }

    /// Drops those that are not answered.
    pub(super) fn clear(&mut self) {
        self.asks = Box::into_pin(Box::default());
        self.left = 0;
    }

    /// Polls what can go on. `take` gets each result with its place, and ends it all by giving
    /// `Some`. With `None` it ends when all are answered.
    pub(super) fn poll<R>(
        &mut self,
        cx: &mut Context<'_>,
        mut take: impl FnMut(usize, F::Output) -> Option<R>,
    ) -> Poll<Option<R>> {
        if let Some(group) = self.groups.first() {
            group.board.wait(cx.waker());
        }
        // Without a budget, which would cut the pass short; what is answered then pays for it.
        let pass = pin!(coop::unconstrained(poll_fn(|cx| {
            Poll::Ready(self.pass(cx, &mut take))
        })));
        let ended = ready!(pass.poll(cx));
        if ended.is_none() && self.left > 0 {
            return Poll::Pending;
        }
        if let Poll::Ready(budget) = coop::poll_proceed(cx) {
            budget.made_progress();
        }
        Poll::Ready(ended)
    }

    fn pass<R>(
        &mut self,
        cx: &mut Context<'_>,
        take: &mut impl FnMut(usize, F::Output) -> Option<R>,
    ) -> Option<R> {
        let len = self.len();
        // The first pass sends: it goes to the end also when it is decided before.
        let sends = !std::mem::replace(&mut self.begun, true);
        let mut ended = None;
        for (nth, start) in (0..len).step_by(GROUP).enumerate() {
            let waker = match self.groups.get(nth) {
                None => cx.waker().clone(),
                // Ordering: Acquire; pairs with the Release of the group's wake-up.
                Some(group) if group.is_woken.swap(false, Ordering::Acquire) => {
                    Waker::from(Arc::clone(group))
                }
                Some(_) => continue,
            };
            let mut cx = Context::from_waker(&waker);
            for index in start..len.min(start + GROUP) {
                let Poll::Ready(result) = self.poll_one(index, &mut cx) else {
                    continue;
                };
                self.left -= 1;
                if ended.is_none() {
                    ended = take(index, result);
                }
                if ended.is_some() && !sends {
                    return ended;
                }
            }
        }
        ended
    }

    /// Pending for one that is answered.
    fn poll_one(&mut self, index: usize, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the slice is pinned: its parts stay in place, and are dropped there.
        let mut slot = unsafe {
            self.asks
                .as_mut()
                .map_unchecked_mut(|asks| &mut asks[index])
        };
        let Some(ask) = slot.as_mut().as_pin_mut() else {
            return Poll::Pending;
        };
        let result = ready!(ask.poll_queued(cx));
        slot.set(None);
        Poll::Ready(result)
    }
}

impl Board {
    /// No user code runs under the lock: the new waker is cloned, and the old dropped, outside.
    fn wait(&self, waker: &Waker) {
        let waker = waker.clone();
        let old = self.0.lock().replace(waker);
        contain(|| drop(old));
    }
}
