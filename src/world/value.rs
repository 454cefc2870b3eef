//! Values of any type in a world's state, owned by it or shared with others.

use std::any::Any;
use std::sync::Arc;

use super::entry::Value;

/// A value whose type its entry knows.
///
/// Pointers to it are values themselves: it is to be called on what they point to.
pub(super) trait Erased: Any + Send + Sync {
    /// A copy that one world owns.
    fn copy(&self) -> Box<dyn Erased>;
    /// A copy that worlds may share.
    fn copy_shared(&self) -> Arc<dyn Erased>;
    /// The value itself, to be shared.
    fn share(self: Box<Self>) -> Arc<dyn Erased>;
    /// The value itself if nobody else has it, else a copy.
    fn take(self: Arc<Self>) -> Box<dyn Erased>;
}

impl<T: Value> Erased for T {
    fn copy(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }

    fn copy_shared(&self) -> Arc<dyn Erased> {
        Arc::new(self.clone())
    }

    fn share(self: Box<Self>) -> Arc<dyn Erased> {
        Arc::new(*self)
    }

    fn take(self: Arc<Self>) -> Box<dyn Erased> {
        Box::new(Arc::unwrap_or_clone(self))
    }
}

/// A value in a small world.
///
/// | cell | the value | a write |
/// | --- | --- | --- |
/// | `Own` | this world's alone | goes to it, without a count or a claim |
/// | `Shared` | perhaps also other worlds' | makes it `Own` first |
/// | `Moved` | on its way from one to the other | never seen |
pub(super) enum Cell {
    Own(Box<dyn Erased>),
    Shared(Arc<dyn Erased>),
    Moved,
}

impl Cell {
    #[inline]
    pub(super) fn get(&self) -> Option<&dyn Erased> {
        match self {
            Self::Own(value) => Some(&**value),
            Self::Shared(value) => Some(&**value),
            Self::Moved => None,
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self) -> Option<&mut dyn Erased> {
        match self {
            Self::Own(value) => Some(&mut **value),
            Self::Shared(_) => self.own(),
            Self::Moved => None,
        }
    }

    #[cold]
    fn own(&mut self) -> Option<&mut dyn Erased> {
        // A clone that panics leaves the shared value where it was.
        if let Self::Shared(value) = self {
            *self = match Arc::get_mut(value) {
                None => Self::Own((**value).copy()),
                Some(_) => match std::mem::replace(self, Self::Moved) {
                    Self::Shared(value) => Self::Own(value.take()),
                    other => other,
                },
            };
        }
        match self {
            Self::Own(value) => Some(&mut **value),
            Self::Shared(_) | Self::Moved => None,
        }
    }

    /// The value, shared from now on.
    pub(super) fn share(&mut self) -> Option<Arc<dyn Erased>> {
        if let Self::Own(_) = self {
            *self = match std::mem::replace(self, Self::Moved) {
                Self::Own(value) => Self::Shared(value.share()),
                other => other,
            };
        }
        match self {
            Self::Shared(value) => Some(value.clone()),
            Self::Own(_) | Self::Moved => None,
        }
    }
}
