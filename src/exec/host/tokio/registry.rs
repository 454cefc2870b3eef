//! Which runtime has which executor. An entry keeps nothing alive, and goes with its executor.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};

use tokio::runtime::{Handle, Id};

use super::shared::Shared;
use crate::exec::options::Options;
use crate::sync::Mutex;

static EXECUTORS: LazyLock<Mutex<HashMap<Id, Weak<Shared>>>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The runtime that this thread was in when it last asked, and its executor.
    static LAST: RefCell<Option<(Id, Weak<Shared>)>> = const { RefCell::new(None) };
}

/// What an attachment may find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::exec) enum Attach<'a> {
    /// Whatever is there is right; if nothing is, the defaults.
    Any,
    /// Exactly these options.
    With(&'a Options),
    /// The runtime was built for this executor.
    Own(&'a Options),
}

/// The runtime has an executor with other options: the name of one.
#[derive(Debug)]
pub(in crate::exec) struct OtherOptions(pub(in crate::exec) &'static str);

/// The executor of the runtime of `handle`; a new one if there is none.
pub(in crate::exec) fn attach(
    handle: &Handle,
    how: Attach<'_>,
) -> Result<Arc<Shared>, OtherOptions> {
    let mut executors = EXECUTORS.lock();
    if let Some(shared) = executors.get(&handle.id()).and_then(Weak::upgrade) {
        return match how {
            Attach::With(options) | Attach::Own(options) => {
                match shared.options().difference(options) {
                    Some(name) => Err(OtherOptions(name)),
                    None => Ok(shared),
                }
            }
            Attach::Any => Ok(shared),
        };
    }
    let (options, is_attached) = match how {
        Attach::Any => (Options::default(), true),
        Attach::With(options) => (options.clone(), true),
        Attach::Own(options) => (options.clone(), false),
    };
    let (shared, locals) = Shared::new(handle, options, is_attached);
    executors.insert(handle.id(), Arc::downgrade(&shared));
    // Pumps of a runtime that has ended are dropped at once, and then remove the entry.
    drop(executors);
    shared.start(handle, locals);
    Ok(shared)
}

/// The executor of the runtime around; attaches one if there is none.
pub(in crate::exec) fn current() -> Option<Arc<Shared>> {
    let handle = Handle::try_current().ok()?;
    let id = handle.id();
    if let Some(shared) = cached(id) {
        return Some(shared);
    }
    let shared = attach(&handle, Attach::Any).ok()?;
    // The thread may be going down, and its locals with it: then there is no cache.
    let entry = Some((id, Arc::downgrade(&shared)));
    let _ = LAST.try_with(|last| last.replace(entry));
    Some(shared)
}

fn cached(id: Id) -> Option<Arc<Shared>> {
    let of_runtime = |last: &RefCell<Option<(Id, Weak<Shared>)>>| match &*last.borrow() {
        Some((last, shared)) if *last == id => shared.upgrade(),
        _ => None,
    };
    LAST.try_with(of_runtime).ok().flatten()
}

/// Takes the executor's entry out.
pub(in crate::exec) fn remove(shared: &Shared) {
    let mut executors = EXECUTORS.lock();
    let is_ours = executors
        .get(&shared.runtime())
        .is_some_and(|entry| std::ptr::eq(entry.as_ptr(), shared));
    if is_ours {
        executors.remove(&shared.runtime());
    }
}

/// Whether the runtime has an entry.
#[cfg(test)]
pub(super) fn knows(runtime: Id) -> bool {
    EXECUTORS.lock().contains_key(&runtime)
}
