//! Actors that one side of a session lends to the other.

use std::sync::Arc;

use super::super::frame::TargetId;
use super::super::target::Target;
use super::{Claim, Inner, Shared};
use crate::actor::Identity;

impl Shared {
    /// Lends an actor of this process, once more perhaps. `None` if the peer holds as many as it
    /// may.
    pub(in crate::remote) fn lend(
        &self,
        actor: &Identity,
        target: Arc<dyn Target>,
    ) -> Option<TargetId> {
        self.with(|inner, wakes| {
            if inner.is_over() {
                return None;
            }
            let (session, book) = (&mut inner.session, &mut inner.book);
            let known = book.number(actor);
            if let Some(known) = known.filter(|known| session.export_again(*known)) {
                wakes.drop_later(target); // outside of the lock
                return Some(known);
            }
            let number = session.export(u32::MAX)?;
            wakes.drop_later(book.add(number, actor.clone(), target));
            Some(number)
        })
    }

    /// An actor of this process that the peer was lent, and has not given back.
    pub(in crate::remote) fn lent(&self, number: TargetId) -> Option<Arc<dyn Target>> {
        self.with(|inner, _| {
            let lent = inner.book.target(number);
            lent.filter(|_| inner.session.holds(number))
        })
    }

    /// An actor of the peer's that it lends. `None` for a number that it can't have.
    pub(in crate::remote) fn borrow(&self, number: TargetId) -> Option<Claim> {
        self.with(|inner, _| {
            let may = !inner.is_over() && inner.session.import(number);
            may.then(|| inner.claim(number))
        })
    }

    /// What was to be lent was not sent.
    pub(in crate::remote) fn take_back(&self, numbers: Vec<TargetId>) {
        self.act(|inner, _| {
            for number in numbers {
                inner.session.take_back(number);
            }
        });
    }

    /// The peer has given back what it was lent under that number, unless it was lent again since.
    pub(in crate::remote) fn given_back(&self, number: TargetId) {
        self.with(|inner, wakes| {
            if !inner.session.holds(number) {
                wakes.drop_later(inner.book.remove(number));
            }
        });
    }
}

impl Inner {
    /// What was lent in messages that were not sent, and in no other, is kept no more.
    #[inline]
    pub(super) fn forget_taken_back(&mut self, wakes: &mut super::Wakes) {
        for number in self.session.taken_back() {
            wakes.drop_later(self.book.remove(number));
            self.session.released(number);
        }
    }

    /// The session is over.
    pub(super) fn forget_lent(&mut self, wakes: &mut super::Wakes) {
        wakes.drop_later(std::mem::take(&mut self.book));
    }
}
