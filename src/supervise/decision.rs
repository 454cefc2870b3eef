//! What a supervisor makes of the end of a child: a function of values, and nothing else.
//!
//! The tables that it follows are those of [the module](super). They are tested by a naive model
//! that reads whole histories (`roster/model.rs`), and in all orders of events of a small tree
//! (`roster/explore.rs`).

use super::restart::Restart;
use super::strategy::{AutoShutdown, Strategy};

/// How a child came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Failed,
    /// It stopped by itself.
    Finished,
    /// Somebody told it to stop.
    Told,
    /// Its supervisor halted it, to start it again.
    Halted,
}

/// Everything that a decision depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) exit: Exit,
    pub(crate) restart: Restart,
    pub(crate) strategy: Strategy,
    /// Whether one more restart is within the limits.
    pub(crate) has_budget: bool,
    pub(crate) is_significant: bool,
    pub(crate) auto_shutdown: AutoShutdown,
    /// Whether other significant children are left.
    pub(crate) has_significant_others: bool,
}

/// Who is restarted with a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Alone,
    All,
    Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Restart(Scope),
    /// It is no child any more.
    Remove,
    /// Nor has the supervisor anything left to do.
    ShutDown,
    GiveUp,
}

/// Whether a child with this policy comes back after such an end, budgets aside.
pub(crate) fn comes_back(exit: Exit, restart: Restart) -> bool {
    match (restart, exit) {
        (_, Exit::Told) | (Restart::Temporary, _) | (Restart::Transient, Exit::Finished) => false,
        (Restart::Permanent | Restart::Transient, _) => true,
    }
}

/// The decision: the tables above.
pub(crate) fn decide(case: Case) -> Decision {
    if comes_back(case.exit, case.restart) {
        return match case.strategy {
            _ if !case.has_budget => Decision::GiveUp,
            Strategy::OneForOne => Decision::Restart(Scope::Alone),
            Strategy::OneForAll => Decision::Restart(Scope::All),
            Strategy::RestForOne => Decision::Restart(Scope::Rest),
        };
    }
    let ends_all = match case.auto_shutdown {
        AutoShutdown::Never => false,
        AutoShutdown::AnySignificant => true,
        AutoShutdown::AllSignificant => !case.has_significant_others,
    };
    // A temporary one that was halted for others' sake did not end: it was put aside.
    if case.is_significant && ends_all && case.exit != Exit::Halted {
        return Decision::ShutDown;
    }
    Decision::Remove
}
