//! The cell: an actor's one allocation.
//!
//! `Head` (which starts with the unit's header and holds the mailbox's head), then the state, then
//! room for a suspended handler's future.
//!
//! # Invariants
//!
//! - **C1 (run right).** Only the holder of RUNNING reaches `run`, `context`, state and room. While
//!   a task (a suspended or running handler or hook) exists, state and context are reached only
//!   through it: it borrows both. Of handlers that run beside others the task is their crowd.
//! - **C2 (raw pointers).** Nobody forms a reference to the whole cell. Pointers to state and room
//!   are derived from the pointer of the allocation; references are to `Head` alone, and what the
//!   run-right holder changes there lies in an `UnsafeCell`.
//! - **C3 (pinned by place).** The cell never moves. A future is written once, polled in place and
//!   dropped in place before the room is used again or freed.
//! - **C4 (state).** The state is initialised in the stages of which `Stage::has_state` says so, in
//!   no other. The run-right holder alone changes that: `Running::drop_state` drops it in place,
//!   at the end of an incarnation, and `Running::put_state` writes that of the next. None is left
//!   when the last activation ends.
//! - **C5 (counts).** While `handles` is above zero, the handles hold one count of the unit among
//!   them. The owned list and the context hold one each from spawn to the end. So a cell is
//!   disposed of only when it has ended, or was never spawned.
//! - **C6 (alone or beside).** A handler that runs alone, and a hook, borrow state and context
//!   exclusively, and begin only when there is no task. Handlers that run beside others borrow them
//!   shared, and begin only when there is no task or a crowd, which is dissolved when the last of
//!   them is gone. So no exclusive borrow is made while any other lives. One is polled at a time.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use once_cell::race::OnceBox;

use super::cause::CauseCell;
use super::context::ContextCell;
use super::envelope::Entry;
use super::exit::{Crash, ExitReason};
use super::extras::Extras;
use super::identity::{Identity, Name};
use super::life::Life;
use super::panics::Choice;
use super::running::{Run, Running, Stage, Step};
use super::strong::Handles;
use super::traits::Actor;
use super::undelivered::Undelivered;
use crate::contain::contain;
use crate::ending::Ending;
use crate::exec::Executor;
use crate::id::Id;
use crate::mailbox::Mailbox;
use crate::task::{Header, Schedule, State, Unit, Vtable, current};
use crate::trace;

/// Alignment of room and state at least; larger alignments of the state are kept.
pub(super) const ROOM_ALIGN: usize = 16;

/// The part of a cell that needs no type.
#[repr(C)]
pub(crate) struct Head {
    header: Header,
    pub(super) mailbox: Mailbox,
    pub(super) cause: CauseCell,
    /// Whether the handler or hook that runs has waited for another actor.
    has_waited: AtomicBool,
    pub(super) messages_per_activation: u32,
    handling: AtomicPtr<Entry>,
    pub(super) kind: &'static Kind,
    name: Name,
    /// Strong handles. Among what is seldom written: a clone takes this line from other cores, and
    /// none that the worker or a sender writes for each message.
    pub(super) handles: Handles,
    pub(super) ending: Ending<Identity, ExitReason>,
    /// What few actors have. Made at spawn, or when it is first needed.
    extras: OnceBox<Extras>,
    /// C1.
    pub(super) run: UnsafeCell<Run>,
    /// C1.
    pub(super) context: UnsafeCell<ContextCell>,
}

// SAFETY: its fields are atomics, immutable or locked, but for `run` and `context`, which only the
// holder of the run right reaches (C1), one thread at a time.
unsafe impl Sync for Head {}

/// What differs between types of actors.
pub(super) struct Kind {
    layout: Layout,
    pub(super) state: usize,
    pub(super) room: usize,
    pub(super) room_size: usize,
    /// Begins the start hook, if there is one. `# Safety`: [`Running::start`].
    pub(super) start: Option<unsafe fn(Running) -> Step>,
    /// Begins the stop hook, if there is one. `# Safety`: [`Running::stop`].
    pub(super) stop: Option<unsafe fn(Running, ExitReason) -> Step>,
    /// Runs the panic hook, if there is one. `# Safety`: [`Running::panicked`].
    pub(super) panic: Option<unsafe fn(Running, &Crash) -> Choice>,
    /// Takes messages that are not delivered.
    pub(super) undelivered: Option<fn(Undelivered)>,
    /// Drops the state in place. `# Safety`: it is a state of this kind, and there (C4).
    pub(super) drop_state: unsafe fn(NonNull<u8>),
}

/// The kind of cells of `A`.
struct KindOf<A>(PhantomData<A>);

impl<A: Actor> KindOf<A> {
    const KIND: Kind = {
        let (with_state, state) = extend(Layout::new::<Head>(), Layout::new::<A>());
        let room_layout = match Layout::from_size_align(A::ROOM.0, ROOM_ALIGN) {
            Ok(layout) => layout,
            Err(_) => panic!("a room is small"),
        };
        let (whole, room) = extend(with_state, room_layout);
        Kind {
            layout: whole.pad_to_align(),
            state,
            room,
            room_size: A::ROOM.0,
            start: if A::STARTS {
                Some(Running::start::<A>)
            } else {
                None
            },
            stop: if A::STOPS {
                Some(Running::stop::<A>)
            } else {
                None
            },
            panic: if A::PANICS {
                Some(Running::panicked::<A>)
            } else {
                None
            },
            undelivered: A::UNDELIVERED,
            // SAFETY: the caller of `drop_state` passes a state of this kind, to drop.
            drop_state: |state| unsafe { state.cast::<A>().drop_in_place() },
        }
    };
}

const fn extend(first: Layout, second: Layout) -> (Layout, usize) {
    match first.extend(second) {
        Ok(extended) => extended,
        Err(_) => panic!("the actor's state is larger than the address space"),
    }
}

static VTABLE: Vtable = Vtable {
    run: super::activation::run,
    dispose,
    describe,
    name,
    is_actor: true,
};

/// How a cell is made.
pub(super) struct Plan {
    pub(super) name: Name,
    pub(super) id: Id,
    pub(super) scheduler: Arc<dyn Schedule>,
    pub(super) capacity: usize,
    pub(super) extras: Option<Box<Extras>>,
    pub(super) bytes: Option<usize>,
    pub(super) spawned_at: &'static Location<'static>,
    /// [`Stage::New`] if there is a state already.
    pub(super) stage: Stage,
}

impl Plan {
    /// Whether the spawned actor is scheduled at once. The others have nothing to run.
    pub(super) fn runs_at_once<A: Actor>(&self) -> bool {
        match self.stage {
            Stage::New => A::STARTS,
            Stage::Waiting(_) | Stage::Live => false,
            _ => true,
        }
    }
}

/// Makes a cell, and two counts: its context's, and the result, which is its first handle's.
/// Without an actor, its life builds one.
pub(super) fn create<A: Actor>(actor: Option<A>, plan: Plan, executor: &Executor) -> Unit {
    let kind = &KindOf::<A>::KIND;
    let id = plan.id;
    // Before there is anything that a panic in the subscriber could leak.
    let span = trace::actor_span(plan.name.as_str(), id.as_u64());
    // SAFETY: a head is not zero-sized.
    let raw = unsafe { alloc(kind.layout) };
    let Some(cell) = NonNull::new(raw) else {
        handle_alloc_error(kind.layout)
    };
    let mailbox = Mailbox::new(plan.capacity, plan.bytes, A::SLOT.stride());
    let has_started = match plan.stage {
        Stage::Live => true,
        _ => !A::STARTS && actor.is_some(),
    };
    // A start hook is scheduled at once; without one there is nothing to run.
    let state = if plan.runs_at_once::<A>() {
        // Its activation looks at the mailbox next.
        mailbox.attend();
        State::scheduled(2)
    } else {
        State::idle(2)
    };
    let head = Head {
        header: Header::new(state, &VTABLE, plan.scheduler, id, plan.spawned_at),
        mailbox,
        handles: Handles::one(),
        cause: CauseCell::none(),
        has_waited: AtomicBool::new(false),
        handling: AtomicPtr::new(ptr::null_mut()),
        messages_per_activation: u32::try_from(executor.messages_per_activation())
            .expect("it is at most `BATCH_MAX`"),
        kind,
        name: plan.name,
        ending: Ending::new(has_started),
        extras: plan.extras.map_or_else(OnceBox::new, OnceBox::with_value),
        run: UnsafeCell::new(Run::new(plan.stage, span)),
        // SAFETY: the first of the two counts.
        context: UnsafeCell::new(ContextCell::new(unsafe { Unit::from_raw(cell.cast()) })),
    };
    // SAFETY: fresh memory of the kind's layout, which has a head first and the state at `state`.
    unsafe {
        cell.cast::<Head>().write(head);
        if let Some(actor) = actor {
            cell.add(kind.state).cast::<A>().write(actor);
        }
        Unit::from_raw(cell.cast())
    }
}

/// Takes the state, if there is one, out of a cell that was never spawned, and frees the cell.
///
/// # Safety
///
/// - `create::<A>` made the unit, and it was neither queued nor bound, nor made a handle.
pub(super) unsafe fn undo<A: Actor>(unit: Unit) -> Option<A> {
    let cell = unit.into_raw();
    let kind = &KindOf::<A>::KIND;
    // SAFETY: nobody else knows the cell, and C4: the state is there.
    unsafe {
        let head = cell.cast::<Head>().as_ref();
        let place = cell.cast::<u8>().add(kind.state).cast::<A>();
        let actor = (*head.run.get()).stage.has_state().then(|| place.read());
        let context = head.context.get();
        drop((*context).take());
        drop(Unit::from_raw(cell));
        actor
    }
}

/// # Safety
///
/// - As [`Vtable::dispose`]; C5: the state is gone.
unsafe fn dispose(header: NonNull<Header>) {
    let head = header.cast::<Head>();
    // SAFETY: the last count has gone, so nobody else reads the head.
    unsafe {
        let layout = head.as_ref().kind.layout;
        // What an error of a start hook does in its drop is its own affair.
        contain(|| head.drop_in_place());
        dealloc(head.as_ptr().cast(), layout);
    }
}

/// # Safety
///
/// - As [`Vtable::describe`], of a cell.
unsafe fn describe(header: NonNull<Header>) -> String {
    // SAFETY: the caller has a count.
    let head = unsafe { header.cast::<Head>().as_ref() };
    let identity = head.identity();
    match head.handling() {
        Some(message) => format!("actor {identity} (in {message})"),
        None => format!("actor {identity}"),
    }
}

/// # Safety
///
/// - As [`Vtable::name`], of a cell.
unsafe fn name(header: NonNull<Header>) -> Option<NonNull<str>> {
    // SAFETY: the caller's count keeps the head, whose name never changes.
    let head = unsafe { header.cast::<Head>().as_ref() };
    Some(NonNull::from(head.name()))
}

impl Head {
    /// What few actors have, if this one does.
    pub(super) fn extras(&self) -> Option<&Extras> {
        self.extras.get()
    }

    /// The same, for an actor that is to have it.
    pub(super) fn extras_or_make(&self) -> &Extras {
        self.extras.get_or_init(Box::default)
    }

    /// Notes whose message is being handled, for those who look from outside.
    pub(super) fn set_handling(&self, entry: Option<&'static Entry>) {
        let entry = entry.map_or(ptr::null_mut(), |entry| ptr::from_ref(entry).cast_mut());
        // Ordering: Relaxed; what it points to is a static, and the reader wants a hint.
        self.handling.store(entry, Ordering::Relaxed);
    }

    /// The message that is being handled.
    pub(super) fn handling(&self) -> Option<&'static str> {
        // Ordering: Relaxed; as in `set_handling`.
        let entry = self.handling.load(Ordering::Relaxed);
        // SAFETY: only `set_handling` stores here: null, or a static's address.
        unsafe { entry.as_ref() }.map(|entry| (entry.message)())
    }

    /// Passes on the actor whose code this thread runs. `f` is called by that code, or for it.
    #[inline]
    pub(super) fn with_current<R>(f: impl FnOnce(&Self) -> R) -> Option<R> {
        let unit = current()?;
        // SAFETY: N1; U1: an actor's header is where its head begins.
        let is_actor = unsafe { unit.as_ref() }.is_actor();
        // SAFETY: as above; the head lives as long.
        is_actor.then(|| f(unsafe { unit.cast::<Self>().as_ref() }))
    }

    /// What an actor has that may live on after a failure.
    #[inline]
    pub(super) fn life(&self) -> Option<&Life> {
        self.extras()?.life.as_ref()
    }

    #[inline]
    pub(super) fn has_waited(&self) -> bool {
        // Ordering: Relaxed; a hint that spares a look at the table, where locks order what counts.
        self.has_waited.load(Ordering::Relaxed)
    }

    pub(super) fn set_waited(&self, has_waited: bool) {
        // Ordering: Relaxed; as in `has_waited`.
        self.has_waited.store(has_waited, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn state(&self) -> &State {
        &self.header.state
    }

    pub(super) fn id(&self) -> Id {
        self.header.id()
    }

    pub(super) fn name(&self) -> &str {
        self.name.as_str()
    }

    pub(super) fn identity(&self) -> Identity {
        Identity::new(self.name.clone(), self.id())
    }

    #[inline]
    pub(super) fn header(&self) -> &Header {
        &self.header
    }
}

/// A count lent by whoever calls.
///
/// # Safety
///
/// - A count of the cell is held as long as the result lives.
pub(super) unsafe fn lend(head: NonNull<Head>) -> ManuallyDrop<Unit> {
    // SAFETY: the lender's count is not given up: the result is never dropped.
    ManuallyDrop::new(unsafe { Unit::from_raw(head.cast()) })
}
