//! Handlers that are suspended side by side: the cell's task, where there may be several.
//!
//! A crowd is made when the first of them is suspended, and dissolved when the last is done. Each
//! has a seat, whose number is its own for as long as it runs. What belongs to its message (entry,
//! way back, span) lies there while it is suspended, and where that of a handler which runs alone
//! lies while it is polled.
//!
//! The first poll has the cell's own waker; a handler that is polled again has a bell of its own,
//! so that only those are polled which were woken. Whose bell is new is polled in any activation:
//! the cell's waker does not say whose it was.
//!
//! C6 in `cell` says why they may share state and context.

use std::alloc::Layout;
use std::panic::resume_unwind;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Wake, Waker};

use super::task::{Task, TaskVtable};
use super::{Current, Run, Running, Step};
use crate::actor::cell::lend;
use crate::actor::envelope::{Entry, WayBack};
use crate::actor::{nesting, waits};
use crate::contain::{catch, discard};
use crate::limits::REENTRANT_MAX;
use crate::pool;
use crate::reply::WatchKey;
use crate::task::{Marks, Unit, borrow_waker};
use crate::trace::MaybeSpan;

const WORDS: usize = REENTRANT_MAX.div_ceil(64);

/// A bit for each seat.
type Seats = [u64; WORDS];

#[derive(Default)]
pub(super) struct Crowd {
    chairs: Vec<Chair>,
    taken: usize,
    /// The seat of the handler that is polled, or was just suspended.
    polled: Option<usize>,
    /// Those that were polled with the cell's waker alone.
    fresh: Seats,
    bells: Option<Arc<Bells>>,
    held: Option<Held>,
}

/// A place for one handler after the other.
#[derive(Default)]
struct Chair {
    bell: Option<Waker>,
    seat: Option<Seat>,
}

struct Seat {
    task: Task,
    /// `None` while the handler is polled, or its asker has been told.
    current: Option<Current>,
    span: MaybeSpan,
}

/// A message that waits until all that are suspended are done, or until there is a seat.
///
/// Its envelope lies where the mailbox gave it: nothing is taken out meanwhile. It holds its slot.
pub(in crate::actor) struct Held {
    pub(in crate::actor) slot: NonNull<u8>,
    pub(in crate::actor) has_slot: bool,
    /// By which the cell watches for its asker's leaving.
    pub(in crate::actor) watch: WatchKey,
}

/// Who was woken.
struct Bells {
    rung: Marks<WORDS>,
    unit: Unit,
}

/// The waker of one seat.
struct Bell {
    bells: Arc<Bells>,
    seat: usize,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.bells.rung.set(self.seat);
        self.bells.unit.notify();
    }
}

impl Crowd {
    const VTABLE: TaskVtable = TaskVtable {
        poll: |running, _| running.poll_crowd(),
        // SAFETY: the caller passes the place of a crowd, to drop.
        drop: |at| unsafe { at.cast::<Self>().drop_in_place() },
        layout: Layout::new::<Self>(),
        is_crowd: true,
    };

    /// The seat that the next handler gets.
    fn free(&self) -> usize {
        let free = self.chairs.iter().position(|chair| chair.seat.is_none());
        free.unwrap_or(self.chairs.len())
    }

    /// Takes note of who has to be polled.
    fn take_rung(&mut self) -> Seats {
        let mut rung = std::mem::take(&mut self.fresh);
        if let Some(bells) = &self.bells {
            bells.rung.take(&mut rung);
        }
        rung
    }

    /// The waker of a seat. `unit` makes a count of the cell.
    fn bell(&mut self, seat: usize, unit: impl FnOnce() -> Unit) -> Waker {
        let bells = self.bells.get_or_insert_with(|| {
            Arc::new(Bells {
                rung: Marks::none(),
                unit: unit(),
            })
        });
        let waker = self.chairs[seat].bell.get_or_insert_with(|| {
            let bells = Arc::clone(bells);
            Waker::from(Arc::new(Bell { bells, seat }))
        });
        waker.clone()
    }
}

impl Drop for Crowd {
    /// Drops each handler at its await, though others panic as they are dropped.
    fn drop(&mut self) {
        let mut first = None;
        for seat in self.chairs.iter_mut().filter_map(|chair| chair.seat.take()) {
            let Task { at, vtable } = seat.task;
            // SAFETY: C3: dropped in place, once: it had the seat.
            let dropped = catch(|| unsafe { (vtable.drop)(at) });
            // SAFETY: a seated handler lies in a block from the pool, of this layout.
            unsafe { pool::free(at, vtable.layout) };
            match (dropped, &first) {
                (Ok(()), _) => {}
                (Err(payload), None) => first = Some(payload),
                (Err(payload), Some(_)) => discard(payload),
            }
        }
        if let Some(payload) = first {
            resume_unwind(payload);
        }
    }
}

impl Run {
    fn crowd(&mut self) -> Option<&mut Crowd> {
        let task = self.task.as_ref().filter(|task| task.vtable.is_crowd)?;
        // SAFETY: C1: it is the cell's task, and of this type; it is borrowed as long as the run.
        Some(unsafe { task.at.cast::<Crowd>().as_mut() })
    }
}

impl Running {
    /// Reaches the crowd, if there is one.
    fn crowd<R>(self, f: impl FnOnce(&mut Crowd) -> R) -> Option<R> {
        self.with(|run| run.crowd().map(f))
    }

    /// Whether handlers are suspended that let others in, and another one could be now.
    pub(in crate::actor) fn has_seat(self) -> bool {
        self.crowd(|crowd| crowd.held.is_none() && crowd.taken < REENTRANT_MAX)
            .unwrap_or(false)
    }

    /// Whether a message may be handled beside those that are suspended.
    pub(in crate::actor) fn seats(self, entry: &Entry) -> bool {
        entry.is_reentrant
            && self
                .crowd(|crowd| crowd.taken < REENTRANT_MAX)
                .unwrap_or(true)
    }

    /// Whether there is a crowd with nobody in it.
    pub(in crate::actor) fn is_vacant(self) -> bool {
        self.crowd(|crowd| crowd.taken == 0).unwrap_or(false)
    }

    /// Whether there is a crowd.
    pub(in crate::actor) fn is_beside(self) -> bool {
        self.crowd(|_| ()).is_some()
    }

    /// The number of the handler that runs now: 0, if it runs alone.
    pub(in crate::actor) fn number(self) -> usize {
        self.with(|run| {
            let is_reentrant = (run.current.as_ref()).is_some_and(|now| now.entry.is_reentrant);
            match run.crowd() {
                Some(crowd) if crowd.polled.is_some() => crowd.polled.map_or(0, |seat| seat + 1),
                Some(crowd) if is_reentrant => crowd.free() + 1,
                None if is_reentrant => 1,
                _ => 0,
            }
        })
    }

    /// The numbers of those that are suspended.
    pub(in crate::actor) fn numbers(self) -> Vec<usize> {
        let numbers = self.crowd(|crowd| {
            let chairs = crowd.chairs.iter().enumerate();
            let taken = chairs.filter(|(_, chair)| chair.seat.is_some());
            taken.map(|(seat, _)| seat + 1).collect()
        });
        numbers.unwrap_or_default()
    }

    /// Gives a handler that is suspended a seat, and makes a crowd for it, if there is none.
    pub(super) fn sit(self, task: Task) {
        if !self.is_beside() {
            let vtable = &Crowd::VTABLE;
            let at = self.memory(vtable.layout);
            // SAFETY: room or block are free, for there is no task, and of the crowd's layout.
            unsafe { at.cast::<Crowd>().write(Crowd::default()) };
            self.with(|run| run.task = Some(Task { at, vtable }));
        }
        self.crowd(|crowd| {
            let seat = crowd.free();
            if seat == crowd.chairs.len() {
                crowd.chairs.push(Chair::default());
            }
            crowd.chairs[seat].seat = Some(Seat {
                task,
                current: None,
                span: MaybeSpan::default(),
            });
            crowd.taken += 1;
            crowd.fresh[seat / 64] |= 1 << (seat % 64);
            crowd.polled = Some(seat);
        });
    }

    /// The handler that was polled is suspended, and gives way to others.
    pub(in crate::actor) fn seat(self) {
        self.note_number();
        let rest = self.with(|run| {
            let (current, mut span) = (run.current.take(), run.message.take());
            if let Some(crowd) = run.crowd()
                && let Some(seat) = crowd.polled.take()
                && let Some(seat) = &mut crowd.chairs[seat].seat
            {
                std::mem::swap(&mut seat.span, &mut span);
                seat.current = current;
            }
            span
        });
        drop(rest);
    }

    /// Others may see which handler the asker of the message being handled waits for.
    pub(in crate::actor) fn note_number(self) {
        let number = self.number();
        if number > 0 {
            self.with(|run| {
                let way = run.current.as_ref().map(|current| &current.way);
                if let Some(WayBack::Slot(end)) = way {
                    end.run_as(number);
                }
            });
        }
    }

    /// The handler that is polled is done, and leaves its seat.
    pub(super) fn rise(self) {
        self.crowd(|crowd| {
            if let Some(seat) = crowd.polled {
                let risen = crowd.chairs[seat].seat.take();
                crowd.taken -= usize::from(risen.is_some());
            }
        });
    }

    /// The cell's own waker.
    pub(in crate::actor) fn waker(self) -> Waker {
        // SAFETY: the holder of `running` has a count.
        let waker = unsafe { borrow_waker(self.0.cast()) };
        (*waker).clone()
    }

    /// The waker of the handler that is polled.
    pub(super) fn bell(self) -> Waker {
        // SAFETY: the holder of `running` has a count.
        let unit = || unsafe { (*lend(self.0)).clone() };
        let bell = self.crowd(|crowd| crowd.polled.map(|seat| crowd.bell(seat, unit)));
        bell.flatten().unwrap_or_else(|| self.waker())
    }

    /// Polls those that were woken.
    fn poll_crowd(self) -> Step {
        let rung = self.crowd(Crowd::take_rung).unwrap_or_default();
        for (word, mut bits) in rung.into_iter().enumerate() {
            while bits != 0 {
                let seat = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if self.head().state().load().is_cancelled() {
                    return Step::Beside;
                }
                self.poll_seat(seat);
            }
        }
        let is_over = self.crowd(|crowd| crowd.taken == 0 && crowd.held.is_none());
        if is_over == Some(true) {
            self.dissolve();
            return Step::Done;
        }
        Step::Beside
    }

    fn poll_seat(self, seat: usize) {
        let called = self.with(|run| {
            let crowd = run.crowd()?;
            let called = crowd.chairs.get_mut(seat)?.seat.as_mut()?;
            let (at, vtable) = (called.task.at, called.task.vtable);
            let (current, span) = (called.current.take(), called.span.take());
            crowd.polled = Some(seat);
            run.current = current;
            Some((at, vtable, span))
        });
        let Some((at, vtable, span)) = called else {
            return;
        };
        self.note_handled();
        let _barred = self.deadline().map(|_| nesting::bar());
        // SAFETY: the handler's own vtable and block.
        match span.within(|| unsafe { (vtable.poll)(self, at) }) {
            Step::Done => drop(self.crowd(|crowd| crowd.polled = None)),
            Step::Suspended | Step::Beside => {
                self.with(|run| run.message = span);
                self.seat();
            }
        }
    }

    /// Says which message is being handled, for those who look from outside.
    fn note_handled(self) {
        let entry = self.with(|run| run.current.as_ref().map(|current| current.entry));
        self.head().set_handling(entry);
    }

    /// The crowd is vacant, and is no more.
    pub(in crate::actor) fn dissolve(self) {
        debug_assert!(self.is_vacant());
        self.head().set_handling(None);
        waits::dissolve(self);
        self.drop_task();
    }

    /// Takes a message out of a seat whose handler will not go on.
    pub(super) fn next_seated(self) -> Option<Current> {
        self.crowd(|crowd| {
            let mut seats = crowd
                .chairs
                .iter_mut()
                .filter_map(|chair| chair.seat.as_mut());
            seats.find_map(|seat| seat.current.take())
        })?
    }

    /// Keeps a message back.
    pub(in crate::actor) fn hold(self, held: Held) {
        self.crowd(|crowd| crowd.held = Some(held));
    }

    /// The message that is kept back, with whether it holds a slot.
    pub(in crate::actor) fn held(self) -> Option<(NonNull<u8>, bool)> {
        self.crowd(|crowd| crowd.held.as_ref().map(|held| (held.slot, held.has_slot)))?
    }

    /// Keeps it back no longer.
    pub(in crate::actor) fn take_held(self) -> Option<Held> {
        self.crowd(|crowd| crowd.held.take())?
    }
}
