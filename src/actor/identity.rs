//! What an actor is called.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::id::Id;

/// A name, of the type or given at spawn.
#[derive(Clone)]
pub(crate) enum Name {
    Type(&'static str),
    Given(Arc<str>),
}

impl Name {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Type(name) => name,
            Self::Given(name) => name,
        }
    }
}

/// Who an error or a report is about: an actor's name and id. Displayed as `Counter#7`.
#[derive(Clone)]
pub struct Identity {
    name: Name,
    id: Id,
}

impl Identity {
    pub(crate) fn new(name: Name, id: Id) -> Self {
        Self { name, id }
    }

    /// The name: the actor's type, unless one was given at spawn.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The process-wide id.
    #[must_use]
    pub fn id(&self) -> Id {
        self.id
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Identity {}

impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.name(), self.id)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
