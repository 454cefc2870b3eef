//! An executor on its tokio runtime.

use std::sync::{Arc, Weak};
use std::thread;

use tokio::runtime::{Handle, Id, RuntimeFlavor};
use tokio::sync::Notify;

use super::context;
use super::express::Express;
use super::place;
use super::pump::Pump;
use super::signal::{Lending, Signal};
use crate::exec::core::{Core, Host, Local};
use crate::exec::drain::Drain;
use crate::exec::hooks::{Hook, TaskMeta};
use crate::exec::options::Options;
use crate::limits;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicUsize};
use crate::task::{Extensions, Header, Lend, Loss, Losses, Observer, Schedule, Unit};

/// What pumps, wakers and handles of one executor share.
///
/// It keeps no runtime alive, and ends with its own: see `end`.
pub(in crate::exec) struct Shared {
    core: Core,
    options: Options,
    losses: Losses,
    /// Threads of actors that have one of their own.
    own_threads: AtomicUsize,
    pub(in crate::exec) extensions: Extensions,
    signals: Box<[Signal]>,
    runtime: Id,
    /// The user's runtime, or one that was built for this executor.
    pub(super) is_attached: bool,
    /// To start spare pumps with; gone at the end.
    pub(super) handle: Mutex<Option<Handle>>,
    /// The halves of spare slots that nobody drives.
    pub(super) spares: Mutex<Vec<Local>>,
    /// Pumps that have not ended.
    pub(super) pumps: AtomicUsize,
    /// The monitor watches, or never shall.
    pub(super) armed: AtomicBool,
    /// Pumps that were stuck when the monitor last looked.
    pub(super) stuck: AtomicUsize,
    pub(super) express: Express,
    pub(super) drain: Drain,
    /// The end is over, and nothing of the host is kept.
    pub(super) is_gone: AtomicBool,
    pub(super) gone: Notify,
    me: Weak<Shared>,
}

impl Shared {
    /// An executor for the runtime of `handle`, with the halves that its pumps need.
    pub(super) fn new(
        handle: &Handle,
        options: Options,
        is_attached: bool,
    ) -> (Arc<Self>, Vec<Local>) {
        let workers = workers_of(handle);
        let spares = if has_threads(handle) { workers } else { 0 };
        let (core, mut locals) = Core::new(workers, spares, options.policy());
        let idle_halves = locals.split_off(workers);
        let shared = Arc::new_cyclic(|me| Self {
            signals: core.slots().iter().map(|_| Signal::default()).collect(),
            core,
            runtime: handle.id(),
            is_attached,
            handle: Mutex::new(Some(handle.clone())),
            spares: Mutex::new(idle_halves),
            pumps: AtomicUsize::new(workers),
            armed: AtomicBool::new(!(spares > 0 && options.monitor)),
            stuck: AtomicUsize::new(0),
            express: Express::new(workers, spares > 0 && options.monitor),
            options,
            losses: Losses::default(),
            own_threads: AtomicUsize::new(0),
            extensions: Extensions::default(),
            drain: Drain::new(),
            is_gone: AtomicBool::new(false),
            gone: Notify::new(),
            me: Weak::clone(me),
        });
        (shared, locals)
    }

    /// Puts the pumps on the runtime. If that has ended they are dropped at once, and so does
    /// this executor.
    pub(super) fn start(self: &Arc<Self>, handle: &Handle, locals: Vec<Local>) {
        for local in locals {
            self.start_pump(handle, local);
        }
    }

    pub(super) fn start_pump(self: &Arc<Self>, handle: &Handle, local: Local) {
        handle.spawn(Pump::new(self, local));
    }

    pub(in crate::exec) fn core(&self) -> &Core {
        &self.core
    }

    pub(in crate::exec) fn options(&self) -> &Options {
        &self.options
    }

    pub(in crate::exec) fn losses(&self) -> &Losses {
        &self.losses
    }

    pub(in crate::exec) fn own_threads(&self) -> &AtomicUsize {
        &self.own_threads
    }

    /// The runtime, until the end.
    pub(in crate::exec) fn host(&self) -> Option<Handle> {
        self.handle.lock().clone()
    }

    pub(super) fn me(&self) -> &Weak<Self> {
        &self.me
    }

    pub(super) fn runtime(&self) -> Id {
        self.runtime
    }

    pub(super) fn signal(&self, slot: usize) -> &Signal {
        &self.signals[slot]
    }

    pub(super) fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// The executor as units hold it.
    pub(in crate::exec) fn scheduler(self: &Arc<Self>) -> Arc<dyn Schedule> {
        Arc::clone(self) as Arc<dyn Schedule>
    }

    /// Runs `f` with the worker's half if this thread is polling one of our pumps.
    fn with_local<R>(&self, f: impl FnOnce(Option<&Local>) -> R) -> R {
        context::with_current(|frame| {
            let ours =
                frame.filter(|frame| std::ptr::eq(Arc::as_ptr(frame.executor.shared()), self));
            let half = ours.map(|frame| frame.half.borrow());
            match half.filter(|half| half.is_some()) {
                Some(half) => f(half.as_ref()),
                // Nothing is borrowed here: `f` may run other units, which may hand a half over.
                None => f(None),
            }
        })
    }

    pub(super) fn schedule_remote(&self, unit: Unit) {
        self.inject(unit);
        self.drain.after_push(&self.core);
    }

    /// As `schedule_remote`, for a thread that shall run no units: `drain_elsewhere` is to follow.
    pub(super) fn inject(&self, unit: Unit) {
        // A wake between tasks, on a thread that has run a pump, comes from the driver: the pump
        // that ran here last is the one that finds its data in this core's cache.
        let is_driver = !place::is_in_task();
        let prefer = if is_driver {
            context::last_slot(self)
        } else {
            None
        };
        if let Some(slot) = self.core.schedule_remote(unit, prefer) {
            self.wake(slot);
        }
    }

    /// Runs what waits if the host drops the workers; on a thread of its own, since what is
    /// dropped may block, and the monitor looks after others too.
    pub(super) fn drain_elsewhere(self: &Arc<Self>) {
        if !self.drain.has_ended() {
            return;
        }
        let shared = Arc::clone(self);
        let drain = move || shared.drain.after_push(&shared.core);
        if thread::Builder::new()
            .name("greenroom-drain".into())
            .spawn(drain)
            .is_err()
        {
            self.drain.after_push(&self.core);
        }
    }

    /// Whether the runtime around, if there is one, is this executor's. Asked each time: a unit
    /// may enter another runtime at any moment.
    pub(in crate::exec) fn is_around(&self) -> bool {
        Handle::try_current().is_ok_and(|handle| handle.id() == self.runtime)
    }
}

impl Shared {
    /// Leaves the choice to the seed, where one draws all choices.
    #[cold]
    fn draw(&self) -> Lend {
        self.with_local(|local| match local.map(Local::flip) {
            Some(true) => Lend::Drawn,
            Some(false) | None => Lend::Refused,
        })
    }
}

impl Schedule for Shared {
    fn schedule(&self, unit: Unit) {
        self.with_local(|local| match local {
            Some(local) => self.core.schedule_local(local, unit, self),
            None => {
                if let Err(unit) = self.send_express(unit) {
                    self.schedule_remote(unit);
                }
            }
        });
    }

    fn schedule_calmly(&self, unit: Unit) {
        self.with_local(|local| match local {
            Some(local) => self.core.schedule_calmly(local, unit, self),
            None => self.schedule_remote(unit),
        });
    }

    fn schedule_yielded(&self, unit: Unit) {
        self.with_local(|local| match local {
            Some(local) => self.core.schedule_yielded(local, unit, self),
            None => self.schedule_remote(unit),
        });
    }

    fn schedule_background(&self, unit: Unit) {
        self.with_local(|local| match local {
            Some(local) => self.core.background_local(local, unit, self),
            None => {
                if let Some(slot) = self.core.background_remote(unit) {
                    self.wake(slot);
                }
                self.drain.after_push(&self.core);
            }
        });
    }

    fn schedule_lent(&self, unit: Unit) {
        self.with_local(|local| match local {
            Some(local) => self.core.schedule_lent(local, unit, &Lending(self)),
            None => self.schedule_remote(unit),
        });
    }

    fn unbind(&self, header: &Header) -> Option<Unit> {
        let unit = self.core.owned().unbind(header);
        if let Some(unit) = &unit {
            self.options.hooks.terminated(|| TaskMeta::of(unit));
        }
        if self.core.is_finished() {
            self.wake_all();
        }
        unit
    }

    fn lend(&self) -> Lend {
        // Also on a worker: what it polls may have entered another runtime.
        if !self.is_around() {
            return Lend::Refused;
        }
        match self.options.seed {
            None => Lend::Granted,
            Some(_) => self.draw(),
        }
    }

    fn is_around(&self) -> bool {
        Self::is_around(self)
    }

    fn count_loss(&self, loss: Loss) {
        self.losses.count(loss);
    }

    fn observer(&self) -> Option<&Observer> {
        self.options.hooks.undelivered.as_ref().map(Hook::get)
    }

    fn aborts_on_panic(&self) -> bool {
        self.options.abort_on_actor_panic
    }

    fn extensions(&self) -> Option<&Extensions> {
        Some(&self.extensions)
    }
}

fn has_threads(handle: &Handle) -> bool {
    !matches!(handle.runtime_flavor(), RuntimeFlavor::CurrentThread)
}

fn workers_of(handle: &Handle) -> usize {
    if has_threads(handle) {
        handle.metrics().num_workers().clamp(1, limits::WORKERS_MAX)
    } else {
        1
    }
}
