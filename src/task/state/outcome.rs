//! What transitions ask of their callers.

/// What a notification asks of its caller.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Notify {
    /// The unit became scheduled: a count was added for the queue, the caller passes it on.
    Queue,
    /// The same, and it is a background unit.
    QueueBackground,
    /// Someone else will run it, or nobody ever will again.
    Nothing,
}

/// How a task's poll that was not its last ends.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// Idle again; the runner's count went with the transition.
    Idle,
    /// The same, and it was the last count: the runner disposes of the unit.
    Last,
    /// Notified meanwhile: a count was added for the queue, beside the runner's own.
    Again,
    /// The same, and it is a background unit.
    AgainBackground,
    /// Cancelled meanwhile: the runner keeps the run right, drops the future and completes.
    Cancelled,
}

/// What became of the waker that the join handle holds out to the runner.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// The transition came before the end: it counts.
    Made,
    /// The task had ended: nothing changed.
    Complete,
}

/// What a join handle that goes away leaves behind.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Nothing; its count went with the transition.
    Gone,
    /// The same, and it was the last count: the handle disposes of the unit.
    Last,
    /// These belong to it now. It still holds its count.
    Owns {
        /// The output, since the task had ended.
        output: bool,
        /// The waker's field, since no runner reads it or will.
        waker: bool,
    },
}

/// How an activation ends.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Idle again; the runner's count went with the transition.
    Idle,
    /// The same, and it was the last count: the runner disposes of the unit.
    Last,
    /// Notified meanwhile: the runner's count goes back to the queue.
    Again,
}
