//! What floors above keep for each scheduler: names, groups. It ends with the scheduler.

use std::any::Any;
use std::sync::Arc;

use crate::contain::contain;
use crate::sync::Mutex;

/// Something of which a scheduler has at most one of each type.
pub(crate) trait Extension: Any + Send + Sync {
    /// The scheduler has ended: who waits for anything of it hears so.
    fn end(&self) {}
}

/// The extensions of one scheduler, made at first need.
#[derive(Default)]
pub(crate) struct Extensions(Mutex<Made>);

#[derive(Default)]
struct Made {
    /// One or two.
    list: Vec<Arc<dyn Extension>>,
    has_ended: bool,
}

impl Extensions {
    /// The one of this type. Its `default` runs under the lock, and no user code in it.
    pub(crate) fn get<T: Extension + Default>(&self) -> Arc<T> {
        let mut made = self.0.lock();
        let known = made.list.iter().find_map(|extension| {
            let any: Arc<dyn Any + Send + Sync> = Arc::clone(extension) as _;
            any.downcast().ok()
        });
        if let Some(known) = known {
            return known;
        }
        let new = Arc::new(T::default());
        if made.has_ended {
            drop(made);
            new.end();
        } else {
            made.list.push(Arc::clone(&new) as _);
        }
        new
    }

    /// The scheduler has ended.
    pub(crate) fn end(&self) {
        let list = {
            let mut made = self.0.lock();
            made.has_ended = true;
            std::mem::take(&mut made.list)
        };
        for extension in list {
            contain(|| extension.end());
        }
    }
}
