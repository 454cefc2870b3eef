//! What runs in a world: a state machine that can be cloned at each of its savepoints.

use super::address::{Frame, Site};
use super::world::World;

/// A computation that stops at savepoints, and that forks because it is `Clone`.
///
/// An `async` block cannot be cloned; so a program is a state and a step, and what is to be
/// remembered across a savepoint lies in the state. What a clone shares is shared by all forks, as
/// with [values](super::Value).
///
/// ```
/// use std::convert::Infallible;
///
/// use greenroom::world::{Handlers, Program, Run, Scope, Site, Step, World};
///
/// const PICK: Site = Site::named("pick");
///
/// /// Adds up what three picks give.
/// #[derive(Clone)]
/// struct Sum {
///     picks: u32,
///     total: u32,
/// }
///
/// impl Program for Sum {
///     type Payload = u32;
///     type Value = u32;
///     type Output = u32;
///     type Error = Infallible;
///
///     fn step(&mut self, _: &mut Scope<'_>, value: Option<u32>) -> Step<Self> {
///         self.total += value.unwrap_or(0);
///         if self.picks == 3 {
///             return Step::Done(self.total);
///         }
///         self.picks += 1;
///         Step::savepoint(PICK, self.picks)
///     }
/// }
///
/// let handlers = Handlers::<Sum>::new().on(PICK, |mut savepoint| {
///     let value = 10 * *savepoint.payload();
///     savepoint.resume(value);
/// });
/// let run = Run::start(World::new(), Sum { picks: 0, total: 0 }, &handlers);
/// assert_eq!(run.output(), Some(&60));
/// ```
pub trait Program: Clone + Send + Sync + 'static {
    /// What a savepoint offers to its handler.
    type Payload: Clone + Send + Sync + 'static;
    /// What the program gets back. Where a site has no handler, that is made of the payload.
    type Value: From<Self::Payload> + Send + 'static;
    /// What it ends with.
    type Output: Send + 'static;
    /// What it fails with.
    type Error: Send + 'static;

    /// Goes on to the next savepoint or to the end, with the value of the savepoint before; there
    /// is none at the start. A panic fails the run.
    fn step(&mut self, scope: &mut Scope<'_>, value: Option<Self::Value>) -> Step<Self>;
}

/// Where a program has got to.
#[derive(Debug)]
pub enum Step<P: Program> {
    /// A savepoint.
    Savepoint {
        /// Which kind.
        site: Site,
        /// What its address is made of, instead of the place in the program.
        id: Option<u64>,
        /// What it offers.
        payload: P::Payload,
    },
    /// The end.
    Done(P::Output),
    /// The end, by an error.
    Failed(P::Error),
}

impl<P: Program> Step<P> {
    /// A savepoint whose address is its place in the program.
    #[inline]
    pub fn savepoint(site: Site, payload: P::Payload) -> Self {
        let id = None;
        Self::Savepoint { site, id, payload }
    }

    /// A savepoint whose address is made of `id`.
    pub fn savepoint_at(site: Site, id: u64, payload: P::Payload) -> Self {
        let id = Some(id);
        Self::Savepoint { site, id, payload }
    }
}

/// What a program may use during a step.
#[derive(Debug)]
pub struct Scope<'a> {
    world: &'a mut World,
    frame: &'a mut Frame,
}

impl<'a> Scope<'a> {
    #[inline]
    pub(super) fn new(world: &'a mut World, frame: &'a mut Frame) -> Self {
        Self { world, frame }
    }

    /// The world that the program runs in.
    #[inline]
    pub fn world(&mut self) -> &mut World {
        self.world
    }

    /// Begins a part of the program, whose savepoints have addresses under `key`. The same key,
    /// entered again, gives the same addresses again.
    pub fn enter(&mut self, key: u64) {
        self.frame.enter(key);
    }

    /// Ends the part that was begun last; whether there was one.
    pub fn leave(&mut self) -> bool {
        self.frame.leave()
    }
}
