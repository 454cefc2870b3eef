//! The cell's task: the future of a handler or hook that is at an await.

use std::alloc::Layout;
use std::mem::ManuallyDrop;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

use super::{Running, Step};
use crate::actor::cell::ROOM_ALIGN;
use crate::contain::{catch, contain};
use crate::pool;
use crate::task::borrow_waker;

/// A future of a handler or hook, in the room or in a block from the pool.
pub(super) struct Task {
    pub(super) at: NonNull<u8>,
    pub(super) vtable: &'static TaskVtable,
}

/// A future that is polled for the first time; unless it is done, it becomes the cell's task.
struct Placed(Running, Task);

/// The same, beside others: unless it is done, it takes a seat.
struct Seated(Running, Task);

impl Drop for Seated {
    /// Also if the poll panics, as above.
    fn drop(&mut self) {
        self.0.sit(Task { ..self.1 });
    }
}

impl Drop for Placed {
    /// Also if the poll panics: the task is dropped later, when its asker has been told.
    fn drop(&mut self) {
        let task = Task { ..self.1 };
        self.0.with(|run| run.task = Some(task));
    }
}

pub(super) struct TaskVtable {
    /// `# Safety`: the place is that of the running cell's task, of this vtable's type.
    pub(super) poll: unsafe fn(Running, NonNull<u8>) -> Step,
    /// Drops in place. `# Safety`: as `poll`, and the task is not used again.
    pub(super) drop: unsafe fn(NonNull<u8>),
    pub(super) layout: Layout,
    /// Whether it is a [`Crowd`](super::crowd::Crowd).
    pub(super) is_crowd: bool,
}

impl Running {
    /// Runs a future as the cell's task, as far as it goes at once; `finish` gets its output.
    ///
    /// # Safety
    ///
    /// - There is no task; the future borrows at most state and context.
    pub(in crate::actor) unsafe fn place<F: Future, O: Finish<F::Output>>(
        self,
        future: F,
        _finish: O,
    ) -> Step {
        const { assert!(size_of::<O>() == 0, "the task keeps the future alone") };
        let layout = Layout::new::<F>();
        let at = self.memory(layout);
        // SAFETY: room or block are free and of the future's layout (C3).
        unsafe { at.cast::<F>().write(future) };
        let vtable = &TaskOf::<F, O>::VTABLE;
        // Most are done at once, and never become the task.
        let placed = Placed(self, Task { at, vtable });
        // SAFETY: it was just placed.
        match unsafe { TaskOf::<F, O>::poll_once(self, at) } {
            Poll::Pending => Step::Suspended,
            Poll::Ready(output) => {
                std::mem::forget(placed);
                // SAFETY: it is placed, and not the task.
                unsafe { TaskOf::<F, O>::complete(self, at, output) };
                Step::Done
            }
        }
    }

    /// Runs a future beside others, as far as it goes at once; `finish` gets its output. If it is
    /// not done, it has a seat, which [`Running::seat`] gives over to it.
    ///
    /// # Safety
    ///
    /// - No task, or a crowd; the future borrows at most state and context, and those shared.
    pub(in crate::actor) unsafe fn place_beside<F: Future, O: Finish<F::Output>>(
        self,
        future: F,
        _finish: O,
    ) -> Step {
        const { assert!(size_of::<O>() == 0, "a seat keeps the future alone") };
        let at = pool::alloc(Layout::new::<F>());
        // SAFETY: the block is free and of the future's layout (C3).
        unsafe { at.cast::<F>().write(future) };
        let vtable = &TaskOf::<F, O>::BESIDE;
        let seated = Seated(self, Task { at, vtable });
        // SAFETY: it was just placed; the holder of `running` has a count for as long as this.
        match unsafe { TaskOf::<F, O>::poll_by(at, &borrow_waker(self.0.cast())) } {
            Poll::Pending => Step::Beside,
            Poll::Ready(output) => {
                std::mem::forget(seated);
                // SAFETY: it is placed in a block, and has no seat.
                unsafe { TaskOf::<F, O>::complete_in(true, self, at, output) };
                Step::Done
            }
        }
    }

    /// Room, or a block from the pool, for the cell's task.
    #[inline]
    pub(super) fn memory(self, layout: Layout) -> NonNull<u8> {
        if self.has_room(layout) {
            self.part(self.head().kind.room)
        } else {
            pool::alloc(layout)
        }
    }

    /// Whether the room takes a future of this layout.
    #[inline]
    fn has_room(self, layout: Layout) -> bool {
        layout.size() <= self.head().kind.room_size && layout.align() <= ROOM_ALIGN
    }

    /// Polls the task, if there is one.
    pub(in crate::actor) fn resume(self) -> Step {
        match self.with(|run| run.task.as_ref().map(|task| (task.at, task.vtable))) {
            // SAFETY: the task's own vtable and place.
            Some((at, vtable)) => unsafe { (vtable.poll)(self, at) },
            None => Step::Done,
        }
    }

    /// Drops the task, if there is one. Its memory is free again even if its drop panics.
    pub(in crate::actor) fn drop_task(self) {
        /// A block from the pool, given back at the end.
        struct Memory(Option<(NonNull<u8>, Layout)>);
        impl Drop for Memory {
            fn drop(&mut self) {
                if let Some((at, layout)) = self.0.take() {
                    // SAFETY: `place` took it from the pool with this layout.
                    unsafe { pool::free(at, layout) }
                }
            }
        }
        let Some(task) = self.with(|run| run.task.take()) else {
            return;
        };
        let pooled = !self.has_room(task.vtable.layout);
        let _memory = Memory(pooled.then_some((task.at, task.vtable.layout)));
        // SAFETY: C3: dropped in place, once: `task` was taken.
        unsafe { (task.vtable.drop)(task.at) };
    }
}

/// What takes a task's output: a function without captures.
pub(in crate::actor) trait Finish<T>: Fn(Running, T) + Copy + 'static {}

impl<T, F: Fn(Running, T) + Copy + 'static> Finish<T> for F {}

/// The vtable of a future whose output goes to `O`.
struct TaskOf<F, O>(std::marker::PhantomData<fn(F, O)>);

impl<F: Future, O: Finish<F::Output>> TaskOf<F, O> {
    const VTABLE: TaskVtable = TaskVtable {
        poll: Self::poll,
        // SAFETY: the caller passes the place of an `F`, to drop.
        drop: |at| unsafe { at.cast::<F>().drop_in_place() },
        layout: Layout::new::<F>(),
        is_crowd: false,
    };

    const BESIDE: TaskVtable = TaskVtable {
        poll: Self::poll_beside,
        ..Self::VTABLE
    };

    /// # Safety
    ///
    /// - `at` is the block of the handler that is polled in its seat, an `F`.
    unsafe fn poll_beside(running: Running, at: NonNull<u8>) -> Step {
        // SAFETY: the caller.
        match unsafe { Self::poll_by(at, &running.bell()) } {
            Poll::Pending => Step::Suspended,
            Poll::Ready(output) => {
                running.rise();
                // SAFETY: the caller; it has no seat any more.
                unsafe { Self::complete_in(true, running, at, output) };
                Step::Done
            }
        }
    }

    /// # Safety
    ///
    /// - `at` is the place of the running cell's task, an `F`.
    unsafe fn poll(running: Running, at: NonNull<u8>) -> Step {
        // SAFETY: the caller.
        match unsafe { Self::poll_once(running, at) } {
            Poll::Pending => Step::Suspended,
            Poll::Ready(output) => {
                running.with(|run| run.task = None);
                // SAFETY: the caller; it is the task no more.
                unsafe { Self::complete(running, at, output) };
                Step::Done
            }
        }
    }

    /// # Safety
    ///
    /// - `at` is the place of an `F` in the running cell.
    #[inline]
    unsafe fn poll_once(running: Running, at: NonNull<u8>) -> Poll<F::Output> {
        // SAFETY: the holder of `running` has a count for the time of this call.
        let waker: ManuallyDrop<_> = unsafe { borrow_waker(running.0.cast()) };
        // SAFETY: the caller.
        unsafe { Self::poll_by(at, &waker) }
    }

    /// # Safety
    ///
    /// - `at` is the place of an `F`.
    #[inline]
    unsafe fn poll_by(at: NonNull<u8>, waker: &Waker) -> Poll<F::Output> {
        let mut cx = Context::from_waker(waker);
        // SAFETY: C3: it is polled in place and does not move before it is dropped there.
        let future = unsafe { Pin::new_unchecked(&mut *at.cast::<F>().as_ptr()) };
        future.poll(&mut cx)
    }

    /// Drops the future, then hands its output on.
    ///
    /// # Safety
    ///
    /// - `at` is the place of an `F` in the running cell, which is not its task, nor used again.
    #[inline]
    unsafe fn complete(running: Running, at: NonNull<u8>, output: F::Output) {
        let pooled = !running.has_room(Layout::new::<F>());
        // SAFETY: the caller.
        unsafe { Self::complete_in(pooled, running, at, output) }
    }

    /// As `complete`, of a future in a block from the pool, or in the room.
    ///
    /// # Safety
    ///
    /// - As `complete`.
    #[inline]
    unsafe fn complete_in(pooled: bool, running: Running, at: NonNull<u8>, output: F::Output) {
        // SAFETY: C3: dropped in place, once.
        let dropped = catch(|| unsafe { at.cast::<F>().drop_in_place() });
        if pooled {
            // SAFETY: `place` took it from the pool with this layout.
            unsafe { pool::free(at, Layout::new::<F>()) }
        }
        if let Err(payload) = dropped {
            // An output whose drop panics too must not do so in the unwinding.
            contain(|| drop(output));
            resume_unwind(payload);
        }
        // SAFETY: `place` asserts that `O` is zero-sized; such a value, which the caller of `place`
        // had, needs no bytes.
        let finish: O = unsafe { NonNull::<O>::dangling().read() };
        finish(running, output);
    }
}
