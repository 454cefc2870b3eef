//! Who runs in a world, and who is let in.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::carried::Flight;
use super::cell::{AnyCell, CellOf};
use super::fork_actor::ForkActor;
use crate::actor::{Handle, Identity, Refusal};
use crate::id::Id;

/// What becomes of who wants to send.
pub(super) enum Admission<A> {
    /// It waits at the gate.
    Wait,
    /// It is not let in.
    Refused(Refusal),
    /// It sends to this one.
    Open(Handle<A>, Flight),
}

/// An actor that runs in a world.
///
/// | `as_of` | its state | when another state takes the world's place |
/// | --- | --- | --- |
/// | none | was never saved, or is no part of the world | it goes on |
/// | the world's | is the world's, and what it has done since | it goes, with its state |
/// | an older one | is of no world any more | it goes when it is next sent to |
pub(super) struct Member {
    cell: Arc<dyn AnyCell>,
    identity: Identity,
    in_flight: usize,
    is_forked: bool,
    is_dirty: bool,
    as_of: Option<u64>,
}

/// The actors that run in a world, and the epoch of its state.
#[derive(Default)]
pub(super) struct Members {
    members: BTreeMap<Id, Member>,
    epoch: u64,
    /// Those whose state is to be saved.
    dirty: Vec<Id>,
}

impl Members {
    /// Something that was in flight to this one is so no more.
    pub(super) fn land(&mut self, part: Id) {
        if let Some(member) = self.members.get_mut(&part) {
            // One that was counted before there was a member was not counted here.
            member.in_flight = member.in_flight.saturating_sub(1);
        }
    }

    /// The actor that runs, for a message which is in flight.
    pub(super) fn find<A: ForkActor>(&mut self, part: Id, reads: bool) -> Option<Handle<A>> {
        let epoch = self.epoch;
        let member = self.members.get_mut(&part)?;
        if member.as_of.is_some_and(|as_of| as_of != epoch) {
            return None;
        }
        let cell: &dyn Any = &*member.cell;
        let handle = cell.downcast_ref::<CellOf<A>>()?.0.clone();
        member.in_flight += 1;
        if !reads && member.is_forked {
            self.mark(part);
        }
        Some(handle)
    }

    /// Its state is to be saved.
    pub(super) fn mark(&mut self, part: Id) {
        if let Some(member) = self.members.get_mut(&part)
            && !std::mem::replace(&mut member.is_dirty, true)
        {
            self.dirty.push(part);
        }
    }

    /// Puts one in that has never been saved.
    pub(super) fn spawned(&mut self, part: Id, cell: Arc<dyn AnyCell>, identity: Identity) {
        self.put(part, cell, identity, None);
        self.mark(part);
    }

    /// Puts one in that was made of the world's state. Gives what it takes the place of.
    pub(super) fn resumed(
        &mut self,
        part: Id,
        cell: Arc<dyn AnyCell>,
        identity: Identity,
    ) -> Option<Arc<dyn AnyCell>> {
        self.put(part, cell, identity, Some(self.epoch))
    }

    fn put(
        &mut self,
        part: Id,
        cell: Arc<dyn AnyCell>,
        identity: Identity,
        as_of: Option<u64>,
    ) -> Option<Arc<dyn AnyCell>> {
        let member = Member {
            is_forked: cell.is_forked(),
            cell,
            identity,
            in_flight: 0,
            is_dirty: false,
            as_of,
        };
        let before = self.members.insert(part, member)?;
        Some(before.cell)
    }

    /// Takes out the next one whose state is to be saved.
    pub(super) fn next_dirty(&mut self) -> Option<(Id, Arc<dyn AnyCell>)> {
        while let Some(part) = self.dirty.pop() {
            let Some(member) = self.members.get_mut(&part) else {
                continue;
            };
            member.is_dirty = false;
            if member.as_of.is_none_or(|as_of| as_of == self.epoch) {
                return Some((part, Arc::clone(&member.cell)));
            }
        }
        None
    }

    /// Its state is the world's now.
    pub(super) fn saved(&mut self, part: Id) {
        if let Some(member) = self.members.get_mut(&part)
            && member.is_forked
        {
            member.as_of = Some(self.epoch);
        }
    }

    /// Another state has taken the place of the world's.
    pub(super) fn replace_state(&mut self) {
        self.epoch += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// How many have messages before them, and the first of them.
    pub(super) fn busy(&self) -> (usize, Option<Identity>) {
        let busy = || self.members.values().filter(|member| member.in_flight > 0);
        (
            busy().count(),
            busy().next().map(|member| member.identity.clone()),
        )
    }

    /// Takes all out.
    pub(super) fn end(&mut self) -> Vec<Arc<dyn AnyCell>> {
        self.dirty.clear();
        let members = std::mem::take(&mut self.members);
        members.into_values().map(|member| member.cell).collect()
    }
}
