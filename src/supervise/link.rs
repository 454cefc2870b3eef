//! What a child tells its supervisor: who is asked at its ends, and passes that on.

use std::sync::Arc;

use tokio::time::Instant;

use super::decision::{Exit, comes_back};
use super::inbox::{Event, Inbox, What};
use super::restart::Restart;
use super::roster::Place;
use crate::actor::{Exit as Ended, ExitReason, Identity, Manner, Overseer, Verdict};
use crate::sync::Mutex;

/// Between one cell and whichever supervisor it has.
///
/// It decides by itself only what is decided anyway: whether an end is one that no policy brings
/// back. Everything else waits for the supervisor, so that one place decides, once.
pub(crate) struct Link {
    restart: Restart,
    /// A supervisor has started when its children have, which it tells by itself.
    tells_its_start: bool,
    state: Mutex<State>,
}

struct State {
    post: Option<Post>,
    phase: Phase,
    /// How it came to the end that it was not brought back from.
    last: Option<Exit>,
}

/// To whom, and as whom, a child reports.
#[derive(Clone)]
pub(crate) struct Post {
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) epoch: u64,
    pub(crate) place: Place,
}

/// What has become of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It waits for its first or next incarnation.
    Down,
    Live,
    /// It has ended for good.
    Gone,
}

impl Link {
    pub(crate) fn new(restart: Restart, tells_its_start: bool) -> Self {
        Self {
            restart,
            tells_its_start,
            state: Mutex::new(State {
                post: None,
                phase: Phase::Down,
                last: None,
            }),
        }
    }

    /// Reports to `post` from now on. What was reported before is seen in the phase.
    pub(crate) fn report_to(&self, post: Post) -> Phase {
        let mut state = self.state.lock();
        let old = state.post.replace(post);
        let phase = state.phase;
        drop(state);
        drop(old);
        phase
    }

    /// Nobody is there to bring it back.
    pub(crate) fn detach(&self) {
        let old = self.state.lock().post.take();
        drop(old);
    }

    /// It is about to be started, unless it has ended for good just now.
    pub(crate) fn begin(&self) {
        let mut state = self.state.lock();
        if state.phase != Phase::Gone {
            state.phase = Phase::Live;
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        self.state.lock().phase
    }

    /// Its children are up.
    pub(crate) fn has_launched(&self) {
        self.report(|_| Some(What::Started(Instant::now())));
    }

    fn report(&self, what: impl FnOnce(&mut State) -> Option<What>) {
        let mut state = self.state.lock();
        let what = what(&mut state);
        let post = state.post.clone();
        drop(state);
        if let (Some(what), Some(post)) = (what, post) {
            post.inbox.push(Event {
                epoch: post.epoch,
                place: post.place,
                what,
            });
        }
    }
}

impl Overseer for Link {
    fn judge(&self, ended: &Ended<'_>) -> Verdict {
        let exit = match ended.manner {
            Manner::Failed => Exit::Failed,
            Manner::Finished => Exit::Finished,
            Manner::Halted => Exit::Halted,
        };
        let mut verdict = Verdict::End;
        self.report(|state| {
            let is_final = exit != Exit::Halted && !comes_back(exit, self.restart);
            if is_final || state.post.is_none() {
                state.last = Some(exit);
                return None;
            }
            state.phase = Phase::Down;
            verdict = Verdict::Wait;
            Some(What::Down(exit, ended.reason.clone()))
        });
        verdict
    }

    fn outlives_stop(&self) -> bool {
        self.restart == Restart::Permanent && self.state.lock().post.is_some()
    }

    fn started(&self, _: &Identity, _: u64) {
        if !self.tells_its_start {
            self.report(|_| Some(What::Started(Instant::now())));
        }
    }

    fn gone(&self, reason: &ExitReason) {
        self.report(|state| {
            state.phase = Phase::Gone;
            let exit = state.last.take().unwrap_or(Exit::Told);
            Some(What::Gone(exit, reason.clone()))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_ended_for_good_is_not_taken_for_one_that_starts() {
        let link = Link::new(Restart::Permanent, false);
        link.begin();
        assert_eq!(link.phase(), Phase::Live);
        link.gone(&ExitReason::Stopped);
        link.begin();
        assert_eq!(link.phase(), Phase::Gone);
    }
}
