//! Who does the works: tasks and threads, with a count of those that have not left.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use greenroom::runtime::Handle;

use super::rng::Rng;
use super::stage::Stage;
use super::works::{
    aborts, actors, blocking, churn, echo, endings, messages, panics, sets, tasks, timers,
};

/// Tasks that do the same work at a time.
const ROUNDS: usize = 2;

/// All who work.
pub struct Crew {
    present: Arc<AtomicUsize>,
}

/// Counts as present until it is dropped, in whatever way.
struct Presence(Arc<AtomicUsize>);

impl Drop for Presence {
    fn drop(&mut self) {
        // Ordering: Release; pairs with the Acquire in `present`.
        self.0.fetch_sub(1, Ordering::Release);
    }
}

impl Crew {
    /// Starts all works.
    pub fn start(stage: &Arc<Stage>, rng: &mut Rng) -> io::Result<Self> {
        let crew = Self {
            present: Arc::new(AtomicUsize::new(0)),
        };
        for round in 0..ROUNDS {
            crew.start_tasks(stage, rng);
            let peer = &stage.peers[round % stage.peers.len()];
            crew.task(peer, tasks::foreign(Arc::clone(stage), rng.fork()));
        }
        crew.thread("outside", stage, rng, tasks::outside)?;
        crew.thread("messages", stage, rng, messages::with_thread)?;
        crew.thread("churn", stage, rng, churn::churn)?;
        Ok(crew)
    }

    fn start_tasks(&self, stage: &Arc<Stage>, rng: &mut Rng) {
        macro_rules! start {
            ($($work:path),* $(,)?) => {$(
                self.task(&stage.host, $work(Arc::clone(stage), rng.fork()));
            )*};
        }
        start![
            tasks::inside,
            tasks::nested,
            tasks::parting,
            aborts::abort,
            sets::sets,
            panics::in_polls,
            panics::in_drops,
            panics::in_outputs,
            messages::between_runtimes,
            timers::timers,
            echo::echo,
            blocking::jobs,
            blocking::in_place,
            actors::ask,
            actors::tell,
            endings::end,
        ];
    }

    fn enter(&self) -> Presence {
        self.present.fetch_add(1, Ordering::Relaxed);
        Presence(Arc::clone(&self.present))
    }

    fn task(&self, runtime: &Handle, work: impl Future<Output = ()> + Send + 'static) {
        let presence = self.enter();
        // Detached: a panic is a fault, which the hook has told of.
        drop(runtime.spawn(async move {
            let _presence = presence;
            work.await;
        }));
    }

    fn thread(
        &self,
        name: &str,
        stage: &Arc<Stage>,
        rng: &mut Rng,
        work: fn(&Stage, Rng),
    ) -> io::Result<()> {
        let (presence, stage, rng) = (self.enter(), Arc::clone(stage), rng.fork());
        let body = move || {
            let _presence = presence;
            work(&stage, rng);
        };
        thread::Builder::new()
            .name(format!("soak-{name}"))
            .spawn(body)?;
        Ok(())
    }

    /// How many have not left.
    pub fn present(&self) -> usize {
        // Ordering: Acquire; what they counted is seen by who sees them gone.
        self.present.load(Ordering::Acquire)
    }
}
