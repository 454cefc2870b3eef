//! What is asked of a message with a limit, or without an asker, when its turn has come.

use crate::actor::nesting::{self, Mark};
use crate::actor::traits::Handler;
use crate::actor::undelivered::UndeliveredReason;
use crate::reply::{ReplyEnd, Turn};

/// Whether a message's handler shall run, now that its turn has come; if so, with the mark of its
/// deadline.
#[cold]
pub(super) fn admit<A: Handler<M>, M: Send + 'static>(
    end: &ReplyEnd,
) -> Result<Option<Mark>, UndeliveredReason> {
    if A::DETACHED {
        end.start();
        return Ok(None);
    }
    match end.turn() {
        Turn::Gone => Err(UndeliveredReason::AskerGone),
        Turn::Expired => Err(UndeliveredReason::Expired),
        Turn::Run(None) => Ok(None),
        Turn::Run(Some(_)) => Ok(Some(nesting::bar())),
    }
}
