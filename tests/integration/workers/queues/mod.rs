//! Queues of jobs.

mod crashes;
mod drains;
mod full;
mod limits;
mod order;

use std::sync::{Arc, Mutex};

use greenroom::{Context, QueueBuilder, WorkQueue, actor};

use super::{Census, Citizen};
use crate::actor::support::Gate;

/// What a job is to do.
#[derive(Clone)]
enum Act {
    Note,
    Hold(Gate),
    Crash,
    /// It is done, and its worker ends.
    Leave,
    /// It is never done.
    Wedge,
    Fail,
}

#[derive(Clone)]
struct Job {
    n: u32,
    act: Act,
}

fn note(n: u32) -> Job {
    Job { n, act: Act::Note }
}

fn job(n: u32, act: Act) -> Job {
    Job { n, act }
}

/// The jobs that were begun, in order.
type Begun = Arc<Mutex<Vec<u32>>>;

#[actor]
struct Press {
    _citizen: Citizen,
    begun: Begun,
}

#[actor]
impl Press {
    #[message]
    async fn on_job(&mut self, job: Job, ctx: &mut Context<Self>) -> Result<u32, std::fmt::Error> {
        self.begun.lock().unwrap().push(job.n);
        match job.act {
            Act::Note => {}
            Act::Hold(gate) => gate.pass().await,
            Act::Crash => panic!("at job {}", job.n),
            Act::Leave => ctx.stop(),
            Act::Wedge => std::future::pending().await,
            Act::Fail => return Err(std::fmt::Error),
        }
        Ok(job.n)
    }
}

type Queue = WorkQueue<Press, Job>;

/// A queue to be, what its workers note, and how many there are.
fn presses() -> (QueueBuilder<Press, Job>, Begun, Census) {
    let (begun, census) = (Begun::default(), Census::default());
    let (own, counted) = (Arc::clone(&begun), census.clone());
    let make = move || Press {
        _citizen: Citizen::new(&counted),
        begun: Arc::clone(&own),
    };
    (WorkQueue::builder(make), begun, census)
}

fn list(begun: &Begun) -> Vec<u32> {
    begun.lock().unwrap().clone()
}

/// Keeps one worker busy until the gate is opened.
async fn occupy(queue: &Queue, n: u32) -> Gate {
    let gate = Gate::shut();
    queue.tell(job(n, Act::Hold(gate.clone()))).await.unwrap();
    crate::actor::support::within(gate.reached()).await;
    gate
}
