//! Panics: those that are part of the work, and those that end the run.

use std::panic;
use std::sync::Mutex;
use std::sync::mpsc::Sender;

/// What works panic with on purpose.
#[derive(Debug)]
pub struct Expected;

/// Where the faults of the present run go.
static FAULTS: Mutex<Option<Sender<String>>> = Mutex::new(None);

/// Panics on purpose.
pub fn panic_as_expected() -> ! {
    panic::panic_any(Expected)
}

/// Sends every other panic to `faults`, and to the hook that was there.
pub fn watch(faults: Sender<String>) {
    let is_first = lock().replace(faults).is_none();
    if !is_first {
        return;
    }
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if info.payload().is::<Expected>() {
            return;
        }
        if let Some(faults) = &*lock() {
            let _ = faults.send(info.to_string());
        }
        before(info);
    }));
}

fn lock() -> std::sync::MutexGuard<'static, Option<Sender<String>>> {
    FAULTS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
