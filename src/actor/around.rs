//! What an actor reaches of the scheduler that it lives on.

use std::sync::Arc;

use super::cell::Head;
use crate::task::Extension;

impl Head {
    /// What the scheduler has of this type. A scheduler of tests has nothing: then it is fresh.
    pub(crate) fn extension<T: Extension + Default>(&self) -> Arc<T> {
        let extensions = self.header().scheduler().extensions();
        extensions.map_or_else(Arc::default, |extensions| extensions.get())
    }
}
