//! A savepoint that waits for whoever claims it first.

use std::fmt;
use std::sync::Arc;

use super::address::{Address, Site};
use super::body::{Answer, Live};
use super::end::Status;
use super::error::{ForkError, NotPending};
use super::lease::{Core, Lease, Waiting};
use super::program::Program;
use super::run::Run;
use super::trampoline;
use super::world::Options;

/// A savepoint that was [held](super::Savepoint::hold): cheap to clone, and good on any thread.
///
/// It names this one occurrence. Of all that resume, abandon or claim it exactly one wins; the
/// others are told that it is not pending. When its last clone is dropped it is abandoned.
pub struct Held<P: Program>(Arc<Ticket<P>>);

struct Ticket<P: Program> {
    core: Arc<Core<P>>,
    /// None if it was refused.
    token: Option<u64>,
    site: Site,
    address: Address,
}

impl<P: Program> Held<P> {
    pub(super) fn publish(mut live: Live<P>, site: Site, address: Address) -> Self {
        let body = live.get_mut();
        let core = body
            .as_ref()
            .and_then(|body| body.lease.as_ref())
            // Without a session it waits in a table of its own.
            .map_or_else(Core::new, |lease| Lease::core(lease).clone());
        let image = body.and_then(|body| body.image());
        let waiting = image.map(|image| Waiting { live, image });
        let token = waiting.and_then(|waiting| {
            let published = core.pending.publish(waiting);
            published
                .map_err(|refused| refused.restore().abandon())
                .ok()
        });
        Self(Arc::new(Ticket {
            core,
            token,
            site,
            address,
        }))
    }

    /// Which kind of point it is.
    #[must_use]
    pub fn site(&self) -> Site {
        self.0.site
    }

    /// Which occurrence of it.
    #[must_use]
    pub fn address(&self) -> Address {
        self.0.address
    }

    /// Whether nobody has claimed it. The answer may be outdated when it comes.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        let look = |token| self.0.core.pending.look(token, |_| ()).is_some();
        self.0.token.is_some_and(look)
    }

    /// Claims it, and runs the rest with this value: now, on this thread; or, if this thread is
    /// running a program, once that has come to its next stop. Nobody owns the run: a savepoint
    /// that a handler leaves alone abandons it, and its end goes to the handler for ends.
    ///
    /// # Errors
    ///
    /// When it is not pending: the value is handed back.
    pub fn resume(&self, value: P::Value) -> Result<(), NotPending<P::Value>> {
        let Some(mut live) = self.0.claim() else {
            return Err(NotPending::new(value));
        };
        if let Some(body) = live.get_mut() {
            body.point = None;
            body.answer = Answer::Resume(value);
        }
        let mut run = Run::new(live, Status::Ready);
        trampoline::run(move || {
            run.advance(usize::MAX);
        });
        Ok(())
    }

    /// Claims it, for the caller to own.
    #[must_use]
    pub fn claim(&self) -> Option<Run<P>> {
        Some(Run::new(self.0.claim()?, Status::Suspended))
    }

    /// Claims it, and gives the run up.
    ///
    /// # Errors
    ///
    /// When it is not pending.
    pub fn abandon(&self) -> Result<(), NotPending<()>> {
        let mut live = self.0.claim().ok_or(NotPending::new(()))?;
        live.abandon();
        Ok(())
    }

    /// The same savepoint, waiting in a new world; this one stays pending.
    ///
    /// # Errors
    ///
    /// When it is not pending, or the session closes.
    pub fn fork(&self) -> Result<Run<P>, ForkError> {
        self.fork_with(Options::new())
    }

    /// The same with a seed or a grant.
    ///
    /// # Errors
    ///
    /// When it is not pending, its world cannot pay the grant, or the session closes.
    pub fn fork_with(&self, options: Options) -> Result<Run<P>, ForkError> {
        let token = self.0.token.ok_or(ForkError::NotPending)?;
        let pending = &self.0.core.pending;
        let looked = pending.look(token, |waiting| {
            let address = waiting.image.point.address;
            let body = waiting.live.get_mut().ok_or(ForkError::NotPending)?;
            let fork = body.fork_shell(address, None, options)?;
            Ok::<_, ForkError>((fork, waiting.image.clone()))
        });
        let (mut fork, image) = looked.ok_or(ForkError::NotPending)??;
        // A clone that panics gives the half-made world back: its lease, and its grant.
        fork.program = Some(image.program.clone());
        fork.point = Some(image.point.clone());
        Ok(Run::new(Live::new(fork), Status::Suspended))
    }
}

impl<P: Program> Ticket<P> {
    fn claim(&self) -> Option<Live<P>> {
        let waiting = self.core.pending.claim(self.token?)?;
        Some(waiting.restore())
    }
}

impl<P: Program> Drop for Ticket<P> {
    fn drop(&mut self) {
        if let Some(mut live) = self.claim() {
            live.abandon();
        }
    }
}

impl<P: Program> Clone for Held<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Program> PartialEq for Held<P> {
    /// Whether both are one occurrence.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<P: Program> Eq for Held<P> {}

impl<P: Program> fmt::Debug for Held<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held")
            .field("site", &self.0.site)
            .field("address", &self.0.address)
            .field("is_pending", &self.is_pending())
            .finish()
    }
}
