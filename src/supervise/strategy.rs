//! Who else is restarted with a child.

/// Which children are restarted when one of them is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// That one.
    #[default]
    OneForOne,
    /// All: the others are halted in the reverse of the order in which they were added, and then
    /// all are started in that order.
    OneForAll,
    /// That one and all that were added after it, in the same way.
    RestForOne,
}

/// Which ends of [significant](crate::Child::significant) children end their supervisor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AutoShutdown {
    /// None.
    #[default]
    Never,
    /// The first, of any of them.
    AnySignificant,
    /// The last: none is left.
    AllSignificant,
}
