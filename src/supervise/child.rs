//! A child as it is described to its supervisor.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use super::backoff::Backoff;
use super::error::ChildError;
use super::intensity::Intensity;
use super::link::Link;
use super::restart::Restart;
use super::roster::Policy;
use super::shutdown::Shutdown;
use super::spec::{Cell, Parts, Supervised};
use crate::actor::{Actor, Builder, Factory, Head, Local, SpawnErrorKind, Undelivered};
use crate::error::BoxError;

/// A child of a supervisor: how its state is made, each time that it starts, and what becomes of it
/// when it ends.
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::{Backoff, Child, Restart, Shutdown, Supervisor, actor};
/// #[actor]
/// struct Counter {
///     count: u64,
/// }
///
/// #[actor]
/// impl Counter {
///     fn add(&mut self, n: u64) -> u64 {
///         self.count += n;
///         self.count
///     }
/// }
///
/// # #[greenroom::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let start = 7; // what the factory needs it owns, or shares
/// let counter = Child::new(move || Counter { count: start })
///     .name("counter")
///     .restart(Restart::Transient)
///     .backoff(Backoff::exponential(Duration::from_millis(10), Duration::from_secs(1)))
///     .shutdown(Shutdown::Within(Duration::from_secs(1)))
///     .mailbox(1024);
/// let supervisor = Supervisor::builder().child(counter).spawn();
/// let counter = supervisor.child::<Counter>("counter").await?;
/// assert_eq!(counter.add(1).await?, 8);
/// # Ok(()) }
/// ```
#[must_use = "it is started by the supervisor that it is given to"]
pub struct Child<A> {
    pub(super) recipe: Recipe<A>,
}

pub(super) type Dress<A> = Arc<dyn Fn(Builder<A>) -> Builder<A> + Send + Sync>;

pub(super) type Linked = Box<dyn Fn(&Arc<Link>, &Head) + Send + Sync>;

/// What cells of a child are made of.
pub(crate) struct Recipe<A> {
    pub(super) factory: Factory<A>,
    pub(super) name: Option<Arc<str>>,
    pub(super) mailbox: Option<usize>,
    pub(super) mailbox_bytes: Option<usize>,
    pub(super) undelivered: Option<Arc<dyn Fn(Undelivered) + Send + Sync>>,
    pub(super) is_blocking: bool,
    /// What else is said of each cell.
    pub(super) dress: Option<Dress<A>>,
    pub(super) policy: Policy,
    /// Given the link of each cell, by which it tells when it has started: that is not when its
    /// start hook has returned.
    pub(super) linked: Option<Linked>,
    /// Where its cells live, if not in the process at large.
    #[cfg(feature = "world")]
    pub(super) place: Option<crate::actor::Place>,
    /// What is wrong with it.
    pub(super) check: Result<(), ChildError>,
}

impl<A: Actor> Child<A> {
    /// A child whose state is what `factory` returns.
    ///
    /// It is called on the worker that runs the child. A panic in it is a failure of the child's
    /// start.
    pub fn new<F>(factory: F) -> Self
    where
        F: Fn() -> A + Send + Sync + 'static,
    {
        Self::of(Factory::new(move || ready(Ok(factory()))))
    }

    /// A child whose state can't always be made: an error is a failure of the child's start.
    pub fn fallible<F, E>(factory: F) -> Self
    where
        F: Fn() -> Result<A, E> + Send + Sync + 'static,
        E: Into<BoxError>,
    {
        Self::of(Factory::new(move || ready(factory().map_err(Into::into))))
    }

    /// A child whose state takes a while to be made. Its mailbox takes messages meanwhile.
    ///
    /// ```
    /// # use greenroom::{Child, actor};
    /// # #[actor] struct Page { text: String }
    /// # #[actor] impl Page {}
    /// let page = Child::future(|| async {
    ///     let text = tokio::fs::read_to_string("page.html").await?;
    ///     Ok::<_, std::io::Error>(Page { text })
    /// });
    /// # let _ = page;
    /// ```
    pub fn future<F, Fut, E>(factory: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::of(Factory::new(move || {
            let made = factory();
            async move { made.await.map_err(Into::into) }
        }))
    }

    fn of(factory: Factory<A>) -> Self {
        Self {
            recipe: Recipe::new(factory),
        }
    }
}

impl<A> Recipe<A> {
    pub(super) fn new(factory: Factory<A>) -> Self {
        Self {
            factory,
            name: None,
            mailbox: None,
            mailbox_bytes: None,
            undelivered: None,
            is_blocking: false,
            dress: None,
            policy: Policy::default(),
            linked: None,
            #[cfg(feature = "world")]
            place: None,
            check: Ok(()),
        }
    }
}

impl<A> Child<A> {
    /// Puts its cells in a place.
    #[cfg(feature = "world")]
    pub(crate) fn within(mut self, place: crate::actor::Place) -> Self {
        self.recipe.place = Some(place);
        self
    }

    /// Its name among its supervisor's children, of which each is given once; and its actor's name.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.recipe.name = Some(name.into());
        self
    }

    /// After which ends it is restarted; all, by default, but those that it was told to.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.recipe.policy.restart = restart;
        self
    }

    /// How long it may take to end; five seconds by default, and for a supervisor as long as it
    /// takes.
    pub fn shutdown(mut self, shutdown: Shutdown) -> Self {
        self.recipe.policy.shutdown = shutdown;
        self
    }

    /// How long its restarts wait; not at all by default.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.recipe.policy.backoff = backoff;
        self
    }

    /// How often it may be restarted, instead of what its supervisor allows each child.
    pub fn intensity(mut self, intensity: Intensity) -> Self {
        self.recipe.policy.intensity = Some(intensity);
        self
    }

    /// Its end, when it is not restarted, may be that of its supervisor: see
    /// [`AutoShutdown`](crate::AutoShutdown).
    pub fn significant(mut self) -> Self {
        self.recipe.policy.is_significant = true;
        self
    }

    /// As [`Builder::mailbox`](crate::Builder::mailbox).
    pub fn mailbox(mut self, slots: usize) -> Self {
        self.recipe.mailbox = Some(slots);
        self
    }

    /// As [`Builder::mailbox_bytes`](crate::Builder::mailbox_bytes).
    pub fn mailbox_bytes(mut self, bytes: usize) -> Self {
        self.recipe.mailbox_bytes = Some(bytes);
        self
    }

    /// As [`Builder::on_undelivered`](crate::Builder::on_undelivered).
    pub fn on_undelivered<F>(mut self, hook: F) -> Self
    where
        F: Fn(Undelivered) + Send + Sync + 'static,
    {
        self.recipe.undelivered = Some(Arc::new(hook));
        self
    }

    /// As [`Builder::blocking`](crate::Builder::blocking): the thread is the child's for all its
    /// restarts. Where there is none for it, that is a failure of its start.
    pub fn blocking(mut self) -> Self {
        self.recipe.is_blocking = true;
        self
    }

    /// Has each cell spawned as this says.
    pub(crate) fn dress<F>(mut self, dress: F) -> Self
    where
        F: Fn(Builder<A>) -> Builder<A> + Send + Sync + 'static,
    {
        self.recipe.dress = Some(Arc::new(dress));
        self
    }
}

impl<A: Actor> Child<A> {
    /// Its handle, before it has a supervisor: what is sent waits in its mailbox until it starts.
    ///
    /// ```
    /// # use greenroom::{Child, Supervisor, actor};
    /// # #[actor] struct Store { rows: u64 }
    /// # #[actor] impl Store { fn put(&mut self) -> u64 { self.rows += 1; self.rows } }
    /// # #[actor] struct Web { store: StoreHandle }
    /// # #[actor] impl Web {
    /// #     async fn hit(&self) -> Result<u64, greenroom::Error> { Ok(self.store.put().await?) }
    /// # }
    /// # #[greenroom::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (store, first) = Child::new(|| Store { rows: 0 }).prepare()?;
    /// let (web, second) = Child::new(move || Web { store: store.clone() }).prepare()?;
    /// let supervisor = Supervisor::builder().child(first).child(second).spawn();
    /// assert_eq!(web.hit().await?, 1);
    /// # drop(supervisor);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Builder::try_spawn`](crate::Builder::try_spawn).
    pub fn prepare(self) -> Result<(A::Handle<Local>, Prepared<A>), SpawnErrorKind> {
        let (handle, cell) = self.recipe.cook()?;
        let prepared = Prepared {
            recipe: self.recipe,
            cell,
        };
        Ok((handle, prepared))
    }
}

impl<A> fmt::Debug for Child<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child")
            .field("name", &self.recipe.name)
            .field("policy", &self.recipe.policy)
            .finish_non_exhaustive()
    }
}

/// A child that others have handles to already. Dropped before it has a supervisor, it ends.
#[must_use = "it is started by the supervisor that it is given to"]
pub struct Prepared<A> {
    recipe: Recipe<A>,
    cell: Cell,
}

impl<A> fmt::Debug for Prepared<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prepared")
            .field(&self.cell.ward.identity())
            .finish()
    }
}

impl<A: Actor> Supervised for Prepared<A> {
    type Actor = A;

    fn into_parts(self) -> Parts {
        Parts {
            spec: Arc::new(self.recipe),
            cell: Some(self.cell),
        }
    }
}

/// Keeps the trait closed: what it needs may then grow.
pub trait Sealed {}

impl<A> Sealed for Child<A> {}

impl<A> Sealed for Prepared<A> {}
