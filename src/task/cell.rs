//! A task's one allocation: the trunk, then the stage, which is the future and later the output,
//! then the label, which is the name of a task that has one.
//!
//! # Invariants
//!
//! - **C1 (stage).** From birth to the end of the last run the stage holds the future, and is the
//!   runner's (U4). From Complete on it holds the output, or nothing once that was read or dropped;
//!   whose it is says J4. Between, the runner has dropped the future and not yet written.
//! - **C2 (place of the output).** The stage starts at the same offset in `Cell<F>` and in
//!   `Prefix<F::Output>`, so that a join handle, which does not know `F`, finds the output. Futures
//!   that are aligned more strictly than the prefix are boxed, which keeps this true.
//! - **C3 (sendable).** The future and the output are `Send`, or the one who made the cell sees to
//!   it that all of its counts and its join handle stay on one thread.

use std::future::Future;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::Location;
use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::error::JoinError;
use super::join::JoinHandle;
use super::priority::Priority;
use super::run::run;
use super::trunk::{Trunk, trunk_of};
use super::unit::{Header, Schedule, Unit, Vtable};
use crate::contain::{Payload, catch, contain};
use crate::id::Id;
use crate::limits::FUTURE_IN_PLACE_MAX;

/// How a task ended.
pub(super) type Outcome<T> = Result<T, JoinError>;

/// All of a task. `L` is its label.
#[repr(C)]
pub(super) struct Cell<F: Future, L> {
    trunk: Trunk,
    // Not the facade's cell, whose layout under the model checker depends on its content;
    // `Trunk::with_stage` stands in for it there.
    stage: std::cell::UnsafeCell<Stage<F>>,
    /// Behind the stage, so that C2 holds and a task without a name has no room for it.
    label: L,
}

#[repr(C)]
union Stage<F: Future> {
    future: ManuallyDrop<F>,
    output: ManuallyDrop<Outcome<F::Output>>,
}

/// What a join handle sees of a [`Cell`] (C2).
#[repr(C)]
pub(super) struct Prefix<T> {
    trunk: Trunk,
    output: std::cell::UnsafeCell<MaybeUninit<Outcome<T>>>,
}

/// Whether a task holds such a future in a box. Whoever takes one from a user boxes it first: each
/// further frame that it is passed through would need room for it.
pub(crate) const fn is_large<F>() -> bool {
    size_of::<F>() > FUTURE_IN_PLACE_MAX
}

/// What a task is called.
pub(crate) trait Label: Send + Sync + 'static {
    fn name(&self) -> Option<&str>;
}

impl Label for () {
    fn name(&self) -> Option<&str> {
        None
    }
}

impl Label for Box<str> {
    fn name(&self) -> Option<&str> {
        Some(self)
    }
}

/// What a task is made with, apart from its future.
pub(crate) struct Plan<L> {
    pub(crate) scheduler: Arc<dyn Schedule>,
    pub(crate) id: Id,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) priority: Priority,
    pub(crate) label: L,
}

/// Makes a task of normal priority without a name, spawned where it is called.
#[cfg(test)]
#[track_caller]
pub(crate) fn new_task<F>(
    future: F,
    scheduler: Arc<dyn Schedule>,
    id: Id,
) -> (Unit, JoinHandle<F::Output>)
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let plan = Plan {
        scheduler,
        id,
        spawned_at: Location::caller(),
        priority: Priority::Normal,
        label: (),
    };
    new_planned(future, plan)
}

/// Makes a task that the caller queues once, by the unit.
pub(crate) fn new_planned<F, L>(future: F, plan: Plan<L>) -> (Unit, JoinHandle<F::Output>)
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
    L: Label,
{
    // SAFETY: both are `Send`.
    unsafe { new_unchecked(future, plan) }
}

/// As [`new_planned`], for futures that need not be `Send`.
///
/// # Safety
///
/// - C3: future and output are `Send`, or all counts of the unit and the handle stay on one thread.
unsafe fn new_unchecked<F, L>(future: F, plan: Plan<L>) -> (Unit, JoinHandle<F::Output>)
where
    F: Future + 'static,
    F::Output: 'static,
    L: Label,
{
    if is_large::<F>() || align_of::<F>() > align_of::<Prefix<F::Output>>() {
        allocate(Box::pin(future), plan)
    } else {
        allocate(future, plan)
    }
}

fn allocate<F, L>(future: F, plan: Plan<L>) -> (Unit, JoinHandle<F::Output>)
where
    F: Future + 'static,
    L: Label,
{
    let cell = Box::new(Cell {
        trunk: Trunk::new(
            Cell::<F, L>::VTABLE,
            plan.scheduler,
            plan.id,
            plan.spawned_at,
            plan.priority,
        ),
        stage: std::cell::UnsafeCell::new(Stage {
            future: ManuallyDrop::new(future),
        }),
        label: plan.label,
    });
    assert_eq!(
        std::mem::offset_of!(Cell<F, L>, stage),
        std::mem::offset_of!(Prefix<F::Output>, output),
        "C2: the output is not where the join handle looks for it"
    );
    let header = NonNull::from(Box::leak(cell)).cast::<Header>();
    // SAFETY: U1: the pointer is to the whole box, which nobody moves. The trunk was made with two
    // counts: one is the unit's, one the handle's.
    unsafe { (Unit::from_raw(header), JoinHandle::from_raw(header)) }
}

impl<F: Future + 'static, L: Label> Cell<F, L> {
    const VTABLE: &'static Vtable = &Vtable {
        run: run::<F, L>,
        dispose: dispose::<F, L>,
        name: name::<F, L>,
        is_actor: false,
        describe: describe::<F, L>,
    };
}

impl<F: Future, L> Cell<F, L> {
    pub(super) fn trunk(&self) -> &Trunk {
        &self.trunk
    }

    /// Polls the future. A panic is caught; the future is still there afterwards.
    ///
    /// # Safety
    ///
    /// - The caller is the runner, and the stage holds the future (C1).
    pub(super) unsafe fn poll(
        &self,
        context: &mut Context<'_>,
    ) -> Result<Poll<F::Output>, Payload> {
        self.trunk.with_stage(|| {
            // SAFETY: C1: the future is there and the runner's; U1: it never moves.
            let future = unsafe { Pin::new_unchecked(&mut *(*self.stage.get()).future) };
            catch(|| future.poll(context))
        })
    }

    /// Drops the future. A panic is caught; the future is gone all the same.
    ///
    /// # Safety
    ///
    /// - As for [`Cell::poll`]; the stage holds nothing afterwards.
    pub(super) unsafe fn drop_future(&self) -> Result<(), Payload> {
        self.trunk.with_stage(|| {
            // SAFETY: C1: the future is there and the runner's.
            catch(|| unsafe { ManuallyDrop::drop(&mut (*self.stage.get()).future) })
        })
    }

    /// Puts the output where the future was.
    ///
    /// # Safety
    ///
    /// - The caller is the runner, and the stage holds nothing.
    pub(super) unsafe fn write_output(&self, output: Outcome<F::Output>) {
        self.trunk.with_stage(|| {
            let output = ManuallyDrop::new(output);
            // SAFETY: the stage is the runner's, and nothing in it is overwritten.
            unsafe { (&raw mut (*self.stage.get()).output).write(output) }
        });
    }

    /// Drops an output that nobody will read.
    ///
    /// # Safety
    ///
    /// - The stage holds the output, and it is the caller's (J4).
    pub(super) unsafe fn drop_output(&self) {
        self.trunk.with_stage(|| {
            // SAFETY: the output is there and the caller's.
            contain(|| unsafe { ManuallyDrop::drop(&mut (*self.stage.get()).output) });
        });
    }
}

impl<T> Prefix<T> {
    pub(super) fn trunk(&self) -> &Trunk {
        &self.trunk
    }

    /// Moves the output out.
    ///
    /// # Safety
    ///
    /// - The stage holds the output, and it is the caller's (J4); it holds nothing afterwards.
    pub(super) unsafe fn take_output(&self) -> Outcome<T> {
        self.trunk.with_stage(|| {
            // SAFETY: the output is there (C2) and the caller's.
            unsafe { (*self.output.get()).assume_init_read() }
        })
    }

    /// Drops an output that nobody will read.
    ///
    /// # Safety
    ///
    /// - As for [`Prefix::take_output`].
    pub(super) unsafe fn drop_output(&self) {
        self.trunk.with_stage(|| {
            // SAFETY: the output is there (C2) and the caller's.
            contain(|| unsafe { (*self.output.get()).assume_init_drop() });
        });
    }
}

/// Says which task it is: by its name, the type of its future, and where it was spawned.
///
/// # Safety
///
/// - As `Vtable::describe`, of a task with this future and label.
unsafe fn describe<F: Future, L: Label>(header: NonNull<Header>) -> String {
    // SAFETY: the caller's count keeps the header, and with it the name.
    let (header, name) = unsafe { (header.as_ref(), name::<F, L>(header).map(|n| n.as_ref())) };
    let name = name.map_or_else(String::new, |name| format!(" {name:?}"));
    let future = std::any::type_name::<F>();
    format!(
        "task {}{name} ({future}, spawned at {})",
        header.id(),
        header.spawned_at()
    )
}

/// Frees a task.
///
/// # Safety
///
/// - As `Vtable::dispose`, of a task with this future and label.
unsafe fn dispose<F: Future, L>(header: NonNull<Header>) {
    let cell = header.cast::<Cell<F, L>>();
    // SAFETY: U2: the last count has gone, so the cell is ours alone; C1 says what the stage holds,
    // and after Complete the output was read or dropped, since the join handle's count has gone.
    unsafe {
        if !cell.as_ref().trunk.header().state.load().is_complete() {
            contain(|| drop(cell.as_ref().drop_future()));
        }
        trunk_of(header).as_ref().clear_waker();
        drop(Box::from_raw(cell.as_ptr()));
    }
}

/// # Safety
///
/// - As `Vtable::name`, of a task with this future and label.
unsafe fn name<F: Future, L: Label>(header: NonNull<Header>) -> Option<NonNull<str>> {
    // SAFETY: U1 and the caller's count; nothing but the disposal changes the label.
    let label = unsafe { &(*header.cast::<Cell<F, L>>().as_ptr()).label };
    label.name().map(NonNull::from)
}
