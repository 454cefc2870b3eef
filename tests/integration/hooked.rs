//! A waker that calls back, also when it is cloned or dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{RawWaker, RawWakerVTable, Waker};

/// What is done with a waker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Cloned,
    Woken,
    Dropped,
}

struct Hook(Box<dyn Fn(Use) + Send + Sync>);

/// A waker that calls `hook` at each use. A wake by value counts as a wake alone.
pub(crate) fn waker(hook: impl Fn(Use) + Send + Sync + 'static) -> Waker {
    let data = Arc::into_raw(Arc::new(Hook(Box::new(hook))));
    // SAFETY: the functions of the table treat the data as one count of a hook, which may be
    // called and dropped on any thread.
    unsafe { Waker::from_raw(RawWaker::new(data.cast(), &TABLE)) }
}

static TABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_it);

/// # Safety: as all here, the data is a count of a hook.
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: the caller's count is there during the call.
    unsafe {
        wake_as(data, Use::Cloned);
        Arc::increment_strong_count(data.cast::<Hook>());
    }
    RawWaker::new(data, &TABLE)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: the caller gives its count up.
    let hook = unsafe { Arc::from_raw(data.cast::<Hook>()) };
    hook.0(Use::Woken);
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: the caller's count is there during the call.
    unsafe { wake_as(data, Use::Woken) }
}

unsafe fn drop_it(data: *const ()) {
    // SAFETY: the caller gives its count up.
    let hook = unsafe { Arc::from_raw(data.cast::<Hook>()) };
    hook.0(Use::Dropped);
}

unsafe fn wake_as(data: *const (), what: Use) {
    // SAFETY: the caller's count is there during the call.
    let hook = unsafe { &*data.cast::<Hook>() };
    hook.0(what);
}

/// A waker that panics at one of its uses as long as it is armed.
pub(crate) struct Mine {
    waker: Option<Waker>,
    armed: Arc<AtomicBool>,
    blasts: Arc<AtomicUsize>,
}

impl Mine {
    /// Goes off at this use.
    pub(crate) fn at(trigger: Use) -> Self {
        let (armed, blasts) = (Arc::new(AtomicBool::new(true)), Arc::default());
        let (arm, count) = (Arc::clone(&armed), Arc::<AtomicUsize>::clone(&blasts));
        let hook = move |what| {
            if what == trigger && arm.load(Ordering::SeqCst) {
                count.fetch_add(1, Ordering::SeqCst);
                assert!(std::thread::panicking(), "a waker that panics: {what:?}");
            }
        };
        Self {
            waker: Some(waker(hook)),
            armed,
            blasts,
        }
    }

    pub(crate) fn waker(&self) -> &Waker {
        self.waker.as_ref().expect("there until the drop")
    }

    /// How many times it went off.
    pub(crate) fn blasts(&self) -> usize {
        self.blasts.load(Ordering::SeqCst)
    }

    /// Polls with this waker; `None` if it went off in the poll.
    pub(crate) fn poll<F: Future + Unpin>(
        &self,
        future: &mut F,
    ) -> Option<std::task::Poll<F::Output>> {
        let mut context = std::task::Context::from_waker(self.waker());
        let future = std::pin::Pin::new(future);
        catch_unwind(AssertUnwindSafe(|| future.poll(&mut context))).ok()
    }
}

impl Drop for Mine {
    fn drop(&mut self) {
        self.armed.store(false, Ordering::SeqCst);
        self.waker = None;
    }
}

/// A waker that counts its wakes.
pub(crate) fn counting() -> (Waker, Arc<AtomicUsize>) {
    let count = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&count);
    let hook = move |what| {
        if what == Use::Woken {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    };
    (waker(hook), count)
}
