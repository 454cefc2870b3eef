//! What the holder of an actor's run right keeps and does.

use std::alloc::Layout;
use std::mem::ManuallyDrop;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context as TaskContext, Poll};

use super::cell::{Head, ROOM_ALIGN};
use super::context::Context;
use super::envelope::{Entry, WayBack};
use super::exit::{During, ExitReason, StartError};
use super::traits::Actor;
use super::waits;
use crate::contain::{catch, contain};
use crate::error::BoxError;
use crate::mailbox::Queue;
use crate::pool;
use crate::task::{Loss, Unit, borrow_waker};
use crate::trace::{self, MaybeSpan};

/// How far a handler or hook got.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It is done.
    Done,
    /// It is at an await; its future is the cell's task.
    Suspended,
}

/// Where an actor is in its life.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// The start hook has not begun.
    New,
    /// The start hook runs.
    Starting,
    /// Messages are handled.
    Live,
    /// The stop hook runs.
    Stopping(ExitReason),
    /// Nothing is left to run.
    Over(ExitReason),
}

/// A message that is being handled.
struct Current {
    entry: &'static Entry,
    way: WayBack,
}

/// A future of a handler or hook, in the room or in a block from the pool.
struct Task {
    at: NonNull<u8>,
    vtable: &'static TaskVtable,
}

/// A future that is polled for the first time; unless it is done, it becomes the cell's task.
struct Placed(Running, Task);

impl Drop for Placed {
    /// Also if the poll panics: the task is dropped later, when its asker has been told.
    fn drop(&mut self) {
        let task = Task { ..self.1 };
        self.0.with(|run| run.task = Some(task));
    }
}

struct TaskVtable {
    /// `# Safety`: the place is that of the running cell's task, of this vtable's type.
    poll: unsafe fn(Running, NonNull<u8>) -> Step,
    /// Drops in place. `# Safety`: as `poll`, and the task is not used again.
    drop: unsafe fn(NonNull<u8>),
    layout: Layout,
}

/// What the run-right holder keeps (C1).
pub(crate) struct Run {
    /// Messages taken out of the mailbox, whose slots are still held.
    pub(super) batch: Queue,
    pub(super) stage: Stage,
    current: Option<Current>,
    task: Option<Task>,
    /// The actor's life.
    pub(super) life: MaybeSpan,
    /// The message being handled.
    pub(super) message: MaybeSpan,
}

impl Run {
    pub(super) fn new(life: MaybeSpan) -> Self {
        Self {
            batch: Queue::new(),
            stage: Stage::New,
            current: None,
            task: None,
            life,
            message: MaybeSpan::default(),
        }
    }
}

/// The witness that its holder has an actor's run right, and a count of the cell.
#[derive(Clone, Copy)]
pub(crate) struct Running(NonNull<Head>);

impl Running {
    /// # Safety
    ///
    /// - The caller holds the run right and a count of the cell for as long as it, or a copy of
    ///   it, is used.
    #[inline]
    pub(super) unsafe fn new(head: NonNull<Head>) -> Self {
        Self(head)
    }

    #[inline]
    pub(super) fn head(&self) -> &Head {
        // SAFETY: the holder has a count.
        unsafe { self.0.as_ref() }
    }

    /// Reaches what the run-right holder keeps. `f` runs no user code and does not call this.
    #[inline]
    pub(super) fn with<R>(self, f: impl FnOnce(&mut Run) -> R) -> R {
        // SAFETY: C1; the borrow ends with `f`, which is not re-entered.
        f(unsafe { &mut *self.head().run.get() })
    }

    /// A part of the cell beyond its head.
    #[inline]
    fn part(self, offset: usize) -> NonNull<u8> {
        // SAFETY: C2: the pointer covers the whole cell, and offsets come from its kind.
        unsafe { self.0.cast::<u8>().add(offset) }
    }

    /// Borrows state and context for a handler or hook. Here, and only here, lifetimes are
    /// erased: what is made of the borrows is the cell's task, which is gone before either is
    /// reached again (C1) and before the cell is (C3).
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, its state is there (C4), and there is no task.
    #[inline]
    pub(super) unsafe fn borrow<A: Actor>(self) -> (&'static mut A, &'static mut Context<A>) {
        let state = self.part(self.head().kind.state).cast::<A>();
        let context = self.head().context.get().cast::<Context<A>>();
        // SAFETY: C1 and the caller; `Context<A>` is a transparent `ContextCell`.
        unsafe { (&mut *state.as_ptr(), &mut *context) }
    }

    /// Whether the actor waits for its next message, with its life begun.
    #[inline]
    pub(super) fn is_ready(self) -> bool {
        let starts = self.head().kind.start.is_some();
        self.with(|run| {
            if let (Stage::New, false) = (&run.stage, starts) {
                run.stage = Stage::Live;
            }
            debug_assert!(run.task.is_some() || run.batch.is_empty());
            run.task.is_none() && matches!(run.stage, Stage::Live)
        })
    }

    /// A message begins to be handled.
    #[inline]
    pub(super) fn begin(self, entry: &'static Entry, way: WayBack) {
        self.with(|run| run.current = Some(Current { entry, way }));
    }

    /// The message being handled is done; gives its way back.
    #[inline]
    pub(super) fn end(self) -> WayBack {
        waits::end(self.head());
        self.with(|run| run.current.take())
            .map_or(WayBack::None, |current| current.way)
    }

    /// The message being handled goes on after this activation: its reply goes another way.
    pub(super) fn redirect(self, way: WayBack) {
        self.with(|run| {
            if let Some(current) = &mut run.current {
                current.way = way;
            }
        });
    }

    /// Tells the asker of the message being handled, if there is one, that it was cut short.
    pub(super) fn interrupt(self, reason: &ExitReason) {
        if let Some(Current { entry, way }) = self.with(|run| run.current.take()) {
            // SAFETY: the two began together.
            unsafe { entry.interrupt(way, reason.clone()) };
        }
    }

    pub(super) fn note_unread_error<M>(self) {
        contain(|| trace::unread_error(&self.head().identity(), std::any::type_name::<M>()));
    }

    /// A reply came when its asker had gone.
    #[cold]
    pub(super) fn note_late_reply<M>(self) {
        let head = self.head();
        head.header().scheduler().count_loss(Loss::Reply);
        contain(|| trace::late_reply(&head.identity(), std::any::type_name::<M>()));
    }

    /// What the actor is doing.
    pub(super) fn during(self) -> During {
        self.with(|run| match (&run.stage, &run.current) {
            (Stage::Live, Some(current)) => During::Message((current.entry.message)()),
            (Stage::New | Stage::Starting, _) => During::Start,
            _ => During::Stop,
        })
    }

    /// Runs a future as the cell's task, as far as it goes at once; `finish` gets its output.
    ///
    /// # Safety
    ///
    /// - There is no task; the future borrows at most state and context.
    pub(super) unsafe fn place<F: Future, O: Finish<F::Output>>(
        self,
        future: F,
        _finish: O,
    ) -> Step {
        const { assert!(size_of::<O>() == 0, "the task keeps the future alone") };
        let layout = Layout::new::<F>();
        let at = if self.has_room(layout) {
            self.part(self.head().kind.room)
        } else {
            pool::alloc(layout)
        };
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

    /// Whether the room takes a future of this layout.
    #[inline]
    fn has_room(self, layout: Layout) -> bool {
        layout.size() <= self.head().kind.room_size && layout.align() <= ROOM_ALIGN
    }

    /// Polls the task, if there is one.
    pub(super) fn resume(self) -> Step {
        match self.with(|run| run.task.as_ref().map(|task| (task.at, task.vtable))) {
            // SAFETY: the task's own vtable and place.
            Some((at, vtable)) => unsafe { (vtable.poll)(self, at) },
            None => Step::Done,
        }
    }

    /// Drops the task, if there is one. Its memory is free again even if its drop panics.
    pub(super) fn drop_task(self) {
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

    /// Takes the context's count, when no handler or hook will run any more.
    pub(super) fn take_context(self) -> Option<Unit> {
        // SAFETY: C1; the task that borrowed it has gone.
        unsafe { (*self.head().context.get()).take() }
    }

    /// Drops the state. Called once, at the end (C4), when the task is gone.
    pub(super) fn drop_state(self) {
        let kind = self.head().kind;
        // SAFETY: C4, C1.
        unsafe { (kind.drop_state)(self.part(kind.state)) };
    }

    /// Begins the start hook.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, and there is no task.
    pub(super) unsafe fn start<A: Actor>(self) -> Step {
        // SAFETY: the caller; C4: the state is there before the end.
        unsafe {
            let (actor, ctx) = self.borrow::<A>();
            self.place(actor.on_start(ctx), started)
        }
    }

    /// Begins the stop hook.
    ///
    /// # Safety
    ///
    /// - The actor is an `A`, and there is no task.
    pub(super) unsafe fn stop<A: Actor>(self, reason: ExitReason) -> Step {
        // SAFETY: the caller; C4: the state is there before the end.
        unsafe {
            let (actor, ctx) = self.borrow::<A>();
            self.place(actor.on_stop(ctx, reason), stopped)
        }
    }
}

fn started(running: Running, outcome: Result<(), BoxError>) {
    waits::end(running.head());
    running.with(|run| {
        run.stage = match outcome {
            Ok(()) => Stage::Live,
            Err(error) => Stage::Over(ExitReason::StartFailed(StartError::new(error))),
        }
    });
}

fn stopped(running: Running, (): ()) {
    waits::end(running.head());
    running.with(|run| {
        if let Stage::Stopping(reason) = &run.stage {
            run.stage = Stage::Over(reason.clone());
        }
    });
}

/// What takes a task's output: a function without captures.
pub(super) trait Finish<T>: Fn(Running, T) + Copy + 'static {}

impl<T, F: Fn(Running, T) + Copy + 'static> Finish<T> for F {}

/// The vtable of a future whose output goes to `O`.
struct TaskOf<F, O>(std::marker::PhantomData<fn(F, O)>);

impl<F: Future, O: Finish<F::Output>> TaskOf<F, O> {
    const VTABLE: TaskVtable = TaskVtable {
        poll: Self::poll,
        // SAFETY: the caller passes the place of an `F`, to drop.
        drop: |at| unsafe { at.cast::<F>().drop_in_place() },
        layout: Layout::new::<F>(),
    };

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
        let mut cx = TaskContext::from_waker(&waker);
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
        // SAFETY: C3: dropped in place, once.
        let dropped = catch(|| unsafe { at.cast::<F>().drop_in_place() });
        if !running.has_room(Layout::new::<F>()) {
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
