//! Groups of actors.

mod changes;
mod members;

use std::sync::{Arc, Mutex};

use greenroom::actor;

use crate::actor::support::Gate;

/// A member that notes what it is told.
#[actor(mailbox = 2)]
pub(crate) struct Worker {
    done: Arc<Mutex<Vec<u32>>>,
}

impl Worker {
    pub(crate) fn new() -> (Self, Arc<Mutex<Vec<u32>>>) {
        let done = Arc::default();
        (
            Self {
                done: Arc::clone(&done),
            },
            done,
        )
    }
}

#[actor]
impl Worker {
    #[message(derive(Clone))]
    pub(crate) fn work(&mut self, n: u32) {
        self.done.lock().unwrap().push(n);
    }

    pub(crate) async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    pub(crate) fn ping(&self) {}

    pub(crate) async fn crash(&mut self) {
        panic!("at work");
    }
}
