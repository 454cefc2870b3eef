//! A supervisor as it is described.

use std::collections::HashSet;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use super::child::{Child, Recipe};
use super::error::ChildError;
use super::handle::SupervisorHandle;
use super::intensity::Intensity;
use super::plan::Plan;
use super::roster::Rules;
use super::shutdown::Shutdown;
use super::spec::{Parts, Supervised};
use super::strategy::{AutoShutdown, Strategy};
use super::supervisor::Supervisor;
use crate::actor::{Builder, Factory};
use crate::exec::Executor;
use crate::rng::Rng;

/// Describes a supervisor and the children that it begins with: see [`Supervisor`].
#[must_use = "nothing is spawned before `.spawn()` or `.try_spawn()`"]
#[derive(Default)]
pub struct SupervisorBuilder {
    name: Option<Arc<str>>,
    rules: Rules,
    seed: Option<u64>,
    children: Vec<Parts>,
}

impl SupervisorBuilder {
    /// Its name in errors, spans and its tree.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Who is restarted with a child that failed: that one alone, by default.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.rules.strategy = strategy;
        self
    }

    /// How often each child may be restarted, if it does not say so itself: three times within five
    /// seconds, by default.
    pub fn intensity(mut self, each: Intensity) -> Self {
        self.rules.each = each;
        self
    }

    /// How often the children may be restarted together: without it, they share nothing.
    pub fn total_intensity(mut self, together: Intensity) -> Self {
        self.rules.together = Some(together);
        self
    }

    /// Which ends of [significant](Child::significant) children end it: none, by default.
    pub fn auto_shutdown(mut self, auto_shutdown: AutoShutdown) -> Self {
        self.rules.auto_shutdown = auto_shutdown;
        self
    }

    /// Draws the jitter of backoffs from a generator with this seed. Without it, it is that of the
    /// runtime, if that has one.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// A child, started after those before it.
    pub fn child(mut self, child: impl Supervised) -> Self {
        self.children.push(child.into_parts());
        self
    }

    /// Spawns it on the current tokio runtime. It begins to start its children.
    ///
    /// # Panics
    ///
    /// When [`SupervisorBuilder::try_spawn`] gives an error.
    #[must_use = "dropping the last handle stops the supervisor, and so its children"]
    #[track_caller]
    pub fn spawn(self) -> SupervisorHandle {
        match self.try_spawn() {
            Ok(handle) => handle,
            Err(error) => panic!("{error}"),
        }
    }

    /// Spawns it on the current tokio runtime, if that can be done.
    ///
    /// # Errors
    ///
    /// [`ChildError::Spawn`] when there is no current runtime, when it is ending, when its
    /// [policy](crate::set_resource_policy) refuses the supervisor, or when the mailbox of a child
    /// can't be as it is said; [`ChildError::NameTaken`] when two children of one supervisor have
    /// the same name.
    #[track_caller]
    pub fn try_spawn(self) -> Result<SupervisorHandle, ChildError> {
        self.check()?;
        let (name, plan) = self.into_plan();
        let mut builder = Builder::new(Supervisor::new(Arc::new(plan)));
        if let Some(name) = name {
            builder = builder.name(name);
        }
        let spawned = builder.try_spawn();
        spawned.map_err(|error| ChildError::Spawn(error.kind()))
    }

    /// What would keep it from running anywhere.
    pub(super) fn check(&self) -> Result<(), ChildError> {
        let mut names = HashSet::new();
        for parts in &self.children {
            parts.spec.check()?;
            if let Some(name) = parts.spec.name()
                && !names.insert(name)
            {
                return Err(ChildError::NameTaken(Arc::clone(name)));
            }
        }
        Ok(())
    }

    fn into_plan(self) -> (Option<Arc<str>>, Plan) {
        let of_runtime = || Executor::current().ok()?.seed();
        let seed = self.seed.or_else(of_runtime);
        let seed = seed.unwrap_or_else(Rng::fresh_seed);
        (self.name, Plan::new(self.rules, seed, self.children))
    }
}

impl Child<Supervisor> {
    /// A supervisor as a child of another.
    ///
    /// It has started when its children have. When it is restarted, the children that it was built
    /// with are, in place: handles to them live on; those that were added later are not.
    ///
    /// ```
    /// # use greenroom::{Child, Strategy, Supervisor, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[greenroom::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (counter, child) = Child::new(|| Counter { count: 0 }).name("counter").prepare()?;
    /// let inner = Supervisor::builder().name("inner").strategy(Strategy::RestForOne).child(child);
    /// let root = Supervisor::builder().name("root").child(Child::supervisor(inner)).spawn();
    /// assert_eq!(counter.add(1).await?, 1);
    /// println!("{}", root.tree().await?);
    /// # Ok(()) }
    /// ```
    pub fn supervisor(builder: SupervisorBuilder) -> Self {
        let check = builder.check();
        let (name, plan) = builder.into_plan();
        let plan = Arc::new(plan);
        let belonging = Arc::clone(&plan);
        let factory = Factory::new(move || ready(Ok(Supervisor::new(Arc::clone(&plan)))));
        let mut recipe = Recipe::new(factory);
        recipe.check = check;
        recipe.name = name;
        recipe.linked = Some(Box::new(move |link, head| belonging.belong(link, head)));
        recipe.policy.shutdown = Shutdown::Unlimited;
        Self { recipe }
    }
}

impl fmt::Debug for SupervisorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisorBuilder")
            .field("name", &self.name)
            .field("rules", &self.rules)
            .field("children", &self.children.len())
            .finish_non_exhaustive()
    }
}
