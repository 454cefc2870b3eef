//! Which ends are followed by a restart.

/// After which ends a child is restarted.
///
/// What it was told by [`stop`](crate::Handle::stop) ends it for good, whatever stands here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Restart {
    /// After all others: it failed, or stopped by itself.
    #[default]
    Permanent,
    /// When it failed: a panic, an error of its start, a kill.
    Transient,
    /// Never.
    Temporary,
}
