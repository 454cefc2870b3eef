//! The policy of a runtime: asked before an actor is spawned.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::Overload;
use crate::contain::{catch, contain, discard, text_of};
use crate::exec::Executor;
use crate::exec::runtime::NoRuntime;
use crate::sync::Mutex;
use crate::task::Extension;
use crate::trace;

/// Says whether there is room for more. See [`set_resource_policy`].
pub trait ResourcePolicy: Send + Sync + 'static {
    /// Asked before each spawn of an actor, on the spawner's thread; it must not block. A panic in
    /// it is reported, and admits the actor.
    ///
    /// # Errors
    ///
    /// When the actor is not to be spawned, and why.
    fn admit_spawn(&self, spawn: &SpawnRequest<'_>) -> Result<(), Overload>;
}

/// An actor that is about to be spawned.
#[derive(Debug)]
#[non_exhaustive]
pub struct SpawnRequest<'a> {
    /// Its name: its type's, unless one was given.
    pub name: &'a str,
}

/// Has a policy asked before each spawn of an actor on the current runtime; with `None` nobody is.
///
/// Restarts in place are no spawns, and messages are not asked about: they have their mailboxes'
/// bounds. A child that its supervisor is to start, and that is refused, has failed to start: it is
/// tried again as its [`Restart`](crate::Restart) says. Without a policy in the process, a spawn
/// looks at one flag.
///
/// ```
/// use std::sync::Arc;
/// use greenroom::{Builder, Pressure, PressureMonitor, SpawnErrorKind, actor, set_resource_policy};
///
/// #[actor]
/// struct Session;
///
/// #[actor]
/// impl Session {}
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let monitor = PressureMonitor::builder().live(1, 2).spawn()?; // few, for the example
/// set_resource_policy(Some(Arc::new(monitor.clone())))?;
/// let sessions = [Session.spawn(), Session.spawn()];
/// assert_eq!(monitor.sample(), Pressure::Critical); // as it does by itself, every second
/// let error = Builder::new(Session).try_spawn().unwrap_err();
/// let SpawnErrorKind::Overload(overload) = error.kind() else { unreachable!() };
/// println!("{overload}"); // what is too much, and how much there is
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Outside a tokio runtime.
pub fn set_resource_policy(policy: Option<Arc<dyn ResourcePolicy>>) -> Result<(), NoRuntime> {
    Executor::with_current(|executor| {
        let admission = executor.extension::<Admission>();
        // Ordering: who shall see it is told of it by other means, which order this too.
        IS_USED.store(true, Ordering::Relaxed);
        let old = std::mem::replace(&mut *admission.0.lock(), policy);
        contain(|| drop(old));
    })
}

/// Whether any runtime has ever had a policy.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// The policy of one runtime.
#[derive(Default)]
struct Admission(Mutex<Option<Arc<dyn ResourcePolicy>>>);

impl Extension for Admission {
    fn end(&self) {
        let policy = self.0.lock().take();
        drop(policy);
    }
}

/// Whether an actor of this name may be spawned.
#[inline]
pub(crate) fn check_spawn(executor: &Executor, name: &str) -> Result<(), Overload> {
    // Ordering: as where it is stored.
    if IS_USED.load(Ordering::Relaxed) {
        ask(executor, name)
    } else {
        Ok(())
    }
}

#[cold]
fn ask(executor: &Executor, name: &str) -> Result<(), Overload> {
    let admission = executor.extension::<Admission>();
    let Some(policy) = admission.0.lock().clone() else {
        return Ok(());
    };
    let answer = catch(|| policy.admit_spawn(&SpawnRequest { name }));
    contain(|| drop(policy));
    answer.unwrap_or_else(|payload| {
        contain(|| trace::contained(&name, "a resource policy", text_of(&payload)));
        discard(payload);
        Ok(())
    })
}
