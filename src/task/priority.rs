//! Who goes first.

/// How urgent a task is, for [`TaskBuilder::priority`](crate::TaskBuilder::priority).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Priority {
    /// In turn with all others.
    #[default]
    Normal,
    /// When a worker finds nothing else to run, and at least once in
    /// [`limits::BACKGROUND_INTERVAL`](crate::limits::BACKGROUND_INTERVAL) of its picks.
    Background,
}
