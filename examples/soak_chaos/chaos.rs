//! A minute of one seed.

use std::fmt;
use std::time::Duration;

use greenroom::{AskError, Child, Intensity, Runtime, Strategy, Supervisor, SupervisorHandle};

use crate::audit::{self, Fault};
use crate::clerk::{CREWS, Clerk, ClerkHandle, ClerkTask, crew};
use crate::ledger::{Fates, Ledger};
use crate::rng::Rng;

/// 10 supervisors of 9 supervisors of 10 clerks, and the root: 1,001 actors.
const BRANCHES: usize = 10;
const TWIGS: usize = 9;
pub const LEAVES: usize = 10;

const STEP: Duration = Duration::from_millis(10);
const STEPS: u32 = 6_000;

/// What a seed came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub fates: Fates,
    pub failures: u64,
    pub incarnations: u64,
    /// Times that somebody wanted a name that was another's.
    pub clashes: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fates {
            made,
            handled,
            lost,
            returned,
            undelivered,
            ..
        } = self.fates;
        write!(
            f,
            "messages {made}: handled {handled}, lost with a failure {lost}, returned {returned}, \
             undelivered {undelivered}; failures {}, incarnations {}, clashes of names {}",
            self.failures, self.incarnations, self.clashes
        )
    }
}

/// The tree, and who is in it.
pub struct Grove {
    pub root: SupervisorHandle,
    pub clerks: Vec<ClerkHandle>,
    pub ledger: Ledger,
    /// Clerks that were told to stop.
    pub told: Vec<bool>,
}

/// Which supervisors, and how they go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub strategy: Strategy,
    pub gives_up: bool,
}

/// The supervisor of a clerk, by the clerk's number.
pub fn kind(clerk: usize) -> Kind {
    let twig = clerk / LEAVES;
    Kind {
        strategy: [
            Strategy::OneForOne,
            Strategy::OneForAll,
            Strategy::RestForOne,
        ][twig % 3],
        gives_up: twig % TWIGS > 5,
    }
}

pub fn run(seed: u64) -> Result<Report, Fault> {
    let host = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .map_err(|error| Fault(error.to_string()))?;
    let options = Runtime::builder().seed(seed);
    let runtime = options
        .attach(host.handle())
        .map_err(|error| Fault(error.to_string()))?;
    host.block_on(async {
        let mut rng = Rng::seeded(seed);
        let mut grove = plant(seed);
        grove
            .root
            .wait_launched()
            .await
            .map_err(|error| Fault(error.to_string()))?;
        for _ in 0..STEPS {
            for _ in 0..rng.below(3) {
                disturb(&mut grove, &mut rng);
            }
            tokio::time::sleep(STEP).await;
        }
        let report = audit::at_rest(&grove).await?;
        grove.root.shutdown().await;
        audit::at_the_end(&grove, &runtime).await?;
        Ok(report)
    })
}

fn plant(seed: u64) -> Grove {
    let ledger = Ledger::default();
    let mut clerks = Vec::new();
    let always = Intensity::unlimited();
    let mut root = Supervisor::builder().name("root").intensity(always);
    for branch in 0..BRANCHES {
        let mut middle = Supervisor::builder()
            .name(format!("branch {branch}"))
            .intensity(always);
        for _ in 0..TWIGS {
            let kind = kind(clerks.len());
            let intensity = match kind.gives_up {
                true => Intensity::new(2, Duration::from_secs(2)),
                false => always,
            };
            let mut twig = Supervisor::builder()
                .strategy(kind.strategy)
                .intensity(intensity);
            for _ in 0..LEAVES {
                let child = Clerk::child(clerks.len(), seed, &ledger);
                let (clerk, child) = child.prepare().expect("it runs on a runtime");
                clerks.push(clerk);
                twig = twig.child(child);
            }
            middle = middle.child(Child::supervisor(twig));
        }
        root = root.child(Child::supervisor(middle));
    }
    Grove {
        root: root.spawn(),
        told: vec![false; clerks.len()],
        clerks,
        ledger,
    }
}

/// Does something to some clerk.
fn disturb(grove: &mut Grove, rng: &mut Rng) {
    let number = rng.index(grove.clerks.len());
    let clerk = grove.clerks[number].clone();
    match rng.below(100) {
        0..=1 => {
            grove.ledger.life(number, |life| life.disturbed += 1);
            clerk.kill();
        }
        2 if rng.below(8) == 0 => {
            clerk.stop();
            grove.told[number] = true;
        }
        3..=4 => {
            grove.ledger.life(number, |life| life.disturbed += 1);
            drop(clerk.restart());
        }
        5 => {
            // To all of a group, whoever has room.
            let report = crew(rng.index(CREWS)).broadcast(grove.task());
            for error in report.refused {
                error.into_message().note.returned();
            }
        }
        6..=40 => {
            // More than its mailbox holds.
            for _ in 0..rng.below(8) {
                if let Err(error) = clerk.try_tell(grove.task()) {
                    error.into_message().note.returned();
                }
            }
        }
        41..=70 => {
            let task = grove.task();
            greenroom::spawn(async move {
                if let Err(AskError::NotHandled(error)) = clerk.ask(task).await
                    && let Ok(task) = error.into_message::<ClerkTask>()
                {
                    task.note.returned();
                }
            });
        }
        _ => {
            let task = grove.task();
            greenroom::spawn(async move {
                if let Err(error) = clerk.tell(task).await {
                    error.into_message().note.returned();
                }
            });
        }
    }
}

impl Grove {
    fn task(&self) -> ClerkTask {
        ClerkTask {
            note: self.ledger.note(),
        }
    }
}
