//! The classes of work.

/// What kind of work an entry of the ledger is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Tasks spawned and joined by a task.
    Inside,
    /// Tasks spawned and joined by a plain thread.
    Outside,
    /// Tasks that runtimes spawn into each other.
    Foreign,
    /// Trees of tasks that spawn tasks.
    Nested,
    /// Tasks that are spawned by the drop of another.
    Parting,
    /// Tasks that are aborted, or end first.
    Abort,
    /// Tasks of join sets.
    Set,
    /// Tasks that panic in a poll.
    PollPanic,
    /// Tasks whose futures panic when they are dropped.
    DropPanic,
    /// Tasks whose outputs panic when they are dropped.
    OutputPanic,
    /// Messages between a task and a plain thread.
    Thread,
    /// Messages between tasks of two runtimes.
    Channel,
    /// Sleeps and time limits.
    Timer,
    /// Round trips over loopback.
    Echo,
    /// Jobs on threads that may block.
    Blocking,
    /// Tasks that block their worker until others have run.
    InPlace,
    /// Asks of actors that live long.
    Ask,
    /// Tells to actors that live long.
    Tell,
    /// Messages to actors that are ended meanwhile.
    Ending,
    /// Tasks on runtimes that come and go.
    Churn,
}

impl Class {
    pub const ALL: [Self; 20] = [
        Self::Inside,
        Self::Outside,
        Self::Foreign,
        Self::Nested,
        Self::Parting,
        Self::Abort,
        Self::Set,
        Self::PollPanic,
        Self::DropPanic,
        Self::OutputPanic,
        Self::Thread,
        Self::Channel,
        Self::Timer,
        Self::Echo,
        Self::Blocking,
        Self::InPlace,
        Self::Ask,
        Self::Tell,
        Self::Ending,
        Self::Churn,
    ];

    /// Whether each entry is a task, and somebody awaits its handle and tells the ledger.
    pub fn is_joined(self) -> bool {
        !matches!(
            self,
            Self::Parting
                | Self::Set
                | Self::OutputPanic
                | Self::Thread
                | Self::Channel
                | Self::Echo
                | Self::Ask
                | Self::Tell
                | Self::Ending
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Class;

    #[test]
    fn the_list_of_classes_is_whole_and_in_order() {
        let places: Vec<_> = Class::ALL.iter().map(|class| *class as usize).collect();
        assert_eq!(places, (0..=Class::Churn as usize).collect::<Vec<_>>());
    }
}
