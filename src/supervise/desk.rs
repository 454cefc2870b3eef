//! Where reports come in and decisions go out: a [`Roster`], and the cells that it is about.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use tokio::time::Instant;

use super::ascending::Ascending;
use super::decision::Exit;
use super::error::{ChildError, ChildKey};
use super::inbox::{Event, What};
use super::link::{Phase, Post};
use super::plan::Plan;
use super::roster::{Moment, Place, Roster};
use super::spec::{Cell, Parts, Spec};
use crate::actor::{ExitReason, Handle, ReplyTo};
use crate::id::{ById, Id};

mod end;
mod reports;

pub(crate) type Ack = ReplyTo<Result<(), ChildError>>;

/// A child, on the side of what is real.
pub(super) struct Member {
    pub(super) spec: Arc<dyn Spec>,
    pub(super) cell: Option<Cell>,
    /// That of its last cell.
    id: Option<Id>,
    /// Its number among those that the supervisor was built with.
    index: Option<usize>,
    /// Its cell ends for good.
    is_retiring: bool,
    /// Then it is to be started in a new one.
    starts_anew: bool,
    pub(super) last_failure: Option<ExitReason>,
    /// Who waits for its end, and for its start.
    on_end: Vec<Ack>,
    on_start: Vec<Ack>,
}

pub(crate) struct Desk {
    plan: Arc<Plan>,
    epoch: u64,
    /// When the supervisor's time began.
    began: Instant,
    pub(super) roster: Roster,
    pub(super) members: Ascending<Place, Member>,
    names: HashMap<Arc<str>, Place>,
    /// Of their cells, or those that they had last.
    ids: ById<Id, Place>,
    /// No children any more, but their cells have not gone yet.
    leaving: BTreeMap<Place, Member>,
    has_launched: bool,
    on_launch: Vec<ReplyTo<()>>,
    /// Whether it is told of each start; and whether somebody has ever asked to be.
    heeds_starts: bool,
    owes_starts: bool,
    /// Empty between turns: its memory is used again.
    events: VecDeque<Event>,
}

impl Desk {
    pub(crate) fn new(plan: Arc<Plan>) -> Self {
        Self {
            epoch: plan.next_epoch(),
            began: Instant::now(),
            roster: Roster::new(plan.rules, plan.seed),
            members: Ascending::default(),
            names: HashMap::new(),
            ids: ById::default(),
            leaving: BTreeMap::new(),
            has_launched: false,
            on_launch: Vec::new(),
            heeds_starts: true,
            owes_starts: false,
            events: VecDeque::new(),
            plan,
        }
    }

    pub(super) fn now(&self) -> Moment {
        self.began.elapsed()
    }

    /// When there is something to do, if nothing is reported before.
    pub(crate) fn alarm(&self) -> Option<Instant> {
        let at = self.roster.alarm()?;
        // What is that far away does not come.
        self.began.checked_add(at)
    }

    /// Starts the children that the supervisor was built with.
    pub(crate) fn begin(&mut self) {
        let now = self.now();
        let is_child = self.plan.link().is_some();
        let children = self.plan.take_children(is_child);
        for (index, (spec, cell)) in children.into_iter().enumerate() {
            let added = self.roster.add(spec.policy(), now);
            let place = added.expect("it does not close before it has begun");
            self.enter(place, Parts { spec, cell }, is_child.then_some(index));
        }
        self.roster.begin(now);
        // What is there already is read now.
        let _ = self.plan.inbox.heed_starts(true);
        self.turn();
    }

    /// Adds a child; gives its cell's handle.
    pub(crate) fn add<A: 'static>(&mut self, parts: Parts) -> Result<Handle<A>, ChildError> {
        let (spec, cell) = self.admit(parts)?;
        let handle = cell.ward.handle()?;
        self.take_in(spec, cell)?;
        Ok(handle)
    }

    /// A child that may be added, and its cell.
    fn admit(&self, parts: Parts) -> Result<(Arc<dyn Spec>, Cell), ChildError> {
        if self.roster.closing().is_some() {
            return Err(ChildError::Closing);
        }
        parts.spec.check()?;
        if let Some(name) = parts.spec.name()
            && self.names.contains_key(name)
        {
            return Err(ChildError::NameTaken(Arc::clone(name)));
        }
        let Parts { spec, cell } = parts;
        let cell = match cell {
            Some(cell) => cell,
            None => spec.make().map_err(ChildError::Spawn)?,
        };
        Ok((spec, cell))
    }

    fn take_in(&mut self, spec: Arc<dyn Spec>, cell: Cell) -> Result<(), ChildError> {
        let now = self.now();
        let place = self.roster.add(spec.policy(), now)?;
        let cell = Some(cell);
        self.enter(place, Parts { spec, cell }, None);
        self.turn_at(now);
        Ok(())
    }

    fn enter(&mut self, place: Place, parts: Parts, index: Option<usize>) {
        let Parts { spec, cell } = parts;
        if let Some(name) = spec.name() {
            self.names.insert(Arc::clone(name), place);
        }
        let kept = cell.map(|cell| (self.adopt(place, &cell), cell));
        let phase = kept.as_ref().map(|(phase, _)| *phase);
        let is_over = phase == Some(Phase::Gone) && index.is_none();
        let cell = match kept {
            Some((Phase::Down | Phase::Live, cell)) => Some(cell),
            Some((Phase::Gone, _)) if is_over => None,
            // So that it has a handle before its turn comes; its start tries again if not.
            Some((Phase::Gone, _)) | None => spec.make().ok().inspect(|cell| {
                self.adopt(place, cell);
            }),
        };
        let id = cell.as_ref().map(|cell| cell.ward.identity().id());
        self.ids.extend(id.map(|id| (id, place)));
        let member = Member {
            spec,
            cell,
            id,
            index,
            is_retiring: false,
            starts_anew: false,
            last_failure: None,
            on_end: Vec::new(),
            on_start: Vec::new(),
        };
        self.members.push(place, member);
        if phase == Some(Phase::Live) {
            // Of an incarnation of the supervisor that was killed: it was told to end.
            self.roster.is_ending(place);
        }
        if is_over {
            self.report(place, What::Gone(Exit::Told, ExitReason::Stopped));
        }
    }

    /// Reports for a child that has no cell to do so.
    fn report(&self, place: Place, what: What) {
        self.plan.inbox.push(Event {
            epoch: self.epoch,
            place,
            what,
        });
    }

    /// Has a cell report as the child at this place.
    fn adopt(&self, place: Place, cell: &Cell) -> Phase {
        cell.link.report_to(Post {
            inbox: Arc::clone(&self.plan.inbox),
            epoch: self.epoch,
            place,
        })
    }

    fn member(&mut self, place: Place) -> &mut Member {
        let member = self.members.get_mut(place);
        member.expect("the roster knows members alone")
    }

    /// The place of the child that is meant.
    pub(super) fn find(&self, key: &ChildKey) -> Option<Place> {
        match key {
            ChildKey::Name(name) => self.names.get(&**name).copied(),
            ChildKey::Id(id) => self.ids.get(id).copied(),
        }
    }

    /// The handle of a child's cell.
    pub(crate) fn handle<A: 'static>(&self, key: &ChildKey) -> Result<Handle<A>, ChildError> {
        let place = self.find(key).ok_or(ChildError::Unknown)?;
        match &self.members[place].cell {
            Some(cell) => cell.ward.handle(),
            None => Err(ChildError::Terminated),
        }
    }

    /// Does what is asked for by hand; `ack` is answered when it is done.
    pub(crate) fn order(&mut self, order: Order, key: &ChildKey, ack: Ack) {
        // What was reported before is not what is asked for now.
        self.turn();
        let now = self.now();
        let Some(place) = self.find(key) else {
            return answer(ack, Err(ChildError::Unknown));
        };
        let done = match order {
            Order::Terminate => self.roster.terminate(place, now),
            Order::Restart => self.roster.restart(place, now),
            Order::Delete => self.roster.delete(place),
        };
        if let Err(error) = done {
            return answer(ack, Err(error.into()));
        }
        let member = self.member(place);
        match order {
            Order::Restart => {
                member.on_start.push(ack);
                self.owes_starts = true;
            }
            Order::Terminate | Order::Delete => member.on_end.push(ack),
        }
        self.turn();
    }

    /// Answers when all children that the supervisor was built with have started.
    pub(crate) fn tell_launch(&mut self, ack: ReplyTo<()>) {
        if self.has_launched {
            let _ = ack.send(());
        } else {
            self.on_launch.push(ack);
        }
    }
}

/// What can be asked for by hand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    Terminate,
    Restart,
    Delete,
}

fn answer(ack: Ack, result: Result<(), ChildError>) {
    // Who asked may have gone.
    let _ = ack.send(result);
}
