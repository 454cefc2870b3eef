//! Asks and tells of a session's peer, on their way to who they are for.

use bytes::Bytes;

use super::super::crowd::Seated;
use super::super::failure::Failure;
use super::super::frame::{AskKey, TargetId};
use super::super::handler::{Answer, BoxAsked};
use super::super::lent::Passage;
use super::super::outlet::Hold;
use super::super::share::Shared;
use super::super::target::Target;
use super::work::{Done, Job, Request, What, Work};
use super::{Place, STALE, Server, guard, note, note_taken};

impl Server {
    /// An ask or a tell has come.
    pub(super) fn request(&mut self, target: TargetId, request: Request) {
        let ask = match request.what {
            What::Ask(ask) => Some(ask),
            _ => None,
        };
        let Some(mut request) = self.lines.put(target, request) else {
            if let Some(ask) = ask {
                self.place(ask, Place::InLine);
            }
            return;
        };
        match self.target(target) {
            Some(to) if self.pass(&*to, target, &mut request) => self.lines.begin(target, to),
            Some(_) => {}
            None => self.fail(target, &request),
        }
    }

    /// What is asked or told of nobody.
    fn fail(&mut self, target: TargetId, request: &Request) {
        let bytes = request.payload.len() as u64;
        match request.what {
            What::Ask(_) => {
                let what = request.what;
                let done = Done::Ask(Answer::Failed(STALE));
                let job = Job {
                    what,
                    target,
                    bytes,
                    is_taken: false,
                };
                self.done.push((job, Some(done)));
            }
            _ => self.take_tell(target, bytes),
        }
    }

    /// Gives a request to its target. Says whether that is full, and the request, a tell, waits.
    fn pass(&mut self, to: &dyn Target, target: TargetId, request: &mut Request) -> bool {
        let (what, kind) = (request.what, request.kind.index());
        let job = Job {
            what,
            target,
            bytes: request.payload.len() as u64,
            is_taken: false,
        };
        let begun = match what {
            What::Ask(_) => self
                .ask(to, request)
                .map(|future| Some(Work::Ask(future)))
                .map_err(|failure| Done::Ask(Answer::Failed(failure))),
            _ => self
                .passing(to, request, |payload| guard(|| to.tell(kind, payload)))
                .map(|future| future.map(Work::Tell))
                .map_err(|_| Done::Tell),
        };
        match (what, begun) {
            (What::Ask(ask), Ok(Some(work))) => match self.admit(job, work) {
                Seated::At(seat) => self.place(ask, Place::Seat(seat)),
                Seated::Done(done) => self.done.push((job, done)),
            },
            (What::Ask(_), Err(done)) => self.done.push((job, Some(done))),
            (_, Ok(Some(work))) => match self.admit(job, work) {
                Seated::At(_) => return true,
                Seated::Done(_) => self.take_tell(target, job.bytes),
            },
            _ => self.take_tell(target, job.bytes),
        }
        false
    }

    pub(super) fn admit(&mut self, job: Job, work: Work) -> Seated<Done> {
        let taken = &mut self.taken;
        let waits = |job: &mut Job, work: &Work| note_taken(taken, job, work);
        self.crowd.admit(job, work, waits)
    }

    /// The session, if handles may be part of a message or of what is answered.
    fn passage(&self, to: &dyn Target, request: &Request) -> Option<Passage> {
        let message = to.messages().get(request.kind.index())?;
        let hold = || Hold::Guest(self.shared.clone());
        message.lends.then(|| Passage::new(hold()))
    }

    fn passing<T>(
        &self,
        to: &dyn Target,
        request: &mut Request,
        code: impl FnOnce(Bytes) -> T,
    ) -> T {
        let payload = std::mem::take(&mut request.payload);
        match self.passage(to, request) {
            None => code(payload),
            Some(passage) => passage.pass(|| code(payload)).0,
        }
    }

    fn ask(&self, to: &dyn Target, request: &mut Request) -> Result<BoxAsked, Failure> {
        let payload = std::mem::take(&mut request.payload);
        let kind = request.kind.index();
        let ask = || to.ask(kind, payload, request.deadline, self.reply_bytes);
        match self.passage(to, request) {
            None => guard(ask),
            Some(passage) => {
                let answer = passage.clone().pass(|| guard(ask)).0?;
                Ok(passage.follow(answer))
            }
        }
    }

    /// A tell was taken, or refused for good.
    fn take_tell(&mut self, target: TargetId, bytes: u64) {
        note(&mut self.taken, target, bytes);
    }

    /// The tell that waited for a target has been taken: those behind it go on.
    pub(super) fn go_on(&mut self, target: TargetId) {
        let Some(mut line) = self.lines.take(target) else {
            return;
        };
        while let Some(mut request) = line.behind.pop_front() {
            if let What::Ask(ask) = request.what
                && let Some(Place::Cancelled) = self.places.get(ask.index())
            {
                let bytes = request.payload.len() as u64;
                let job = Job {
                    what: request.what,
                    target,
                    bytes,
                    is_taken: false,
                };
                self.done.push((job, None)); // the session knows that nobody waits
            } else if self.pass(&*line.to, target, &mut request) {
                return self.lines.put_back(target, line);
            }
        }
    }

    fn place(&mut self, ask: AskKey, place: Place) {
        if ask.index() >= self.places.len() {
            self.places.resize(ask.index() + 1, Place::InLine);
        }
        self.places[ask.index()] = place;
    }

    /// Nobody waits for an ask any more. One that has been answered is over already.
    pub(super) fn cancel(&mut self, shared: &Shared, ask: AskKey) {
        match self.places.get_mut(ask.index()) {
            Some(Place::Seat(seat)) => {
                let is_it = |job: &Job| job.what == What::Ask(ask);
                if let Some(job) = self.crowd.dismiss(*seat, is_it) {
                    shared.with(|inner, _| {
                        inner.session.ended(ask);
                        if !job.is_taken {
                            inner.session.consumed(job.target, 1, job.bytes);
                        }
                    });
                }
            }
            // Its place in the line is one of the target's window, too: it keeps both.
            Some(place @ Place::InLine) => *place = Place::Cancelled,
            _ => {}
        }
    }
}
