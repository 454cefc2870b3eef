//! Workers that fail when tests say so, and a log of what they did.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use greenroom::{Child, Context, ExitReason, actor};

use crate::actor::support::Gate;

pub(crate) const fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Lets the paused clock go on, with all that is due on the way.
pub(crate) async fn pass(ms: u64) {
    tokio::time::sleep(millis(ms)).await;
}

/// What workers share.
#[derive(Clone, Default)]
pub(crate) struct Scene(Arc<Mutex<Parts>>);

#[derive(Default)]
struct Parts {
    log: Vec<String>,
    /// How many of its next starts fail, by worker.
    failing: HashMap<&'static str, u32>,
    /// What a worker's start waits for, and its stop.
    start_gates: HashMap<&'static str, Gate>,
    stop_gates: HashMap<&'static str, Gate>,
}

impl Scene {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().log.push(line.into());
    }

    /// What was noted since the last call.
    pub(crate) fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().log)
    }

    pub(crate) fn fail_starts(&self, name: &'static str, times: u32) {
        self.0.lock().unwrap().failing.insert(name, times);
    }

    pub(crate) fn gate_start(&self, name: &'static str) -> Gate {
        let gate = Gate::shut();
        self.0
            .lock()
            .unwrap()
            .start_gates
            .insert(name, gate.clone());
        gate
    }

    pub(crate) fn gate_stop(&self, name: &'static str) -> Gate {
        let gate = Gate::shut();
        self.0.lock().unwrap().stop_gates.insert(name, gate.clone());
        gate
    }

    fn fails_to_start(&self, name: &str) -> bool {
        let mut parts = self.0.lock().unwrap();
        let Some(left) = parts.failing.get_mut(name) else {
            return false;
        };
        let fails = *left > 0;
        *left = left.saturating_sub(1);
        fails
    }

    /// A child whose states are workers of this name.
    pub(crate) fn worker(&self, name: &'static str) -> Child<Worker> {
        let scene = self.clone();
        Child::new(move || Worker {
            name,
            scene: scene.clone(),
            count: 0,
            spoilt: false,
        })
        .name(name)
    }
}

#[actor(mailbox = 16)]
pub(crate) struct Worker {
    name: &'static str,
    scene: Scene,
    count: u32,
    spoilt: bool,
}

#[actor]
impl Worker {
    #[on(start)]
    async fn begin(&mut self) -> Result<(), String> {
        let gate = self
            .scene
            .0
            .lock()
            .unwrap()
            .start_gates
            .get(self.name)
            .cloned();
        if let Some(gate) = gate {
            gate.pass().await;
        }
        if self.scene.fails_to_start(self.name) {
            self.scene.note(format!("fail {}", self.name));
            return Err("no paper".to_owned());
        }
        self.scene.note(format!("start {}", self.name));
        Ok(())
    }

    #[on(stop)]
    async fn end(&mut self, _reason: &ExitReason) {
        let gate = self
            .scene
            .0
            .lock()
            .unwrap()
            .stop_gates
            .get(self.name)
            .cloned();
        if let Some(gate) = gate {
            gate.pass().await;
        }
        self.scene.note(format!("stop {}", self.name));
        assert!(!self.spoilt, "{} is torn", self.name);
    }

    /// How often it was called in this life.
    pub(crate) fn count(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    pub(crate) fn note(&mut self, word: u32) {
        self.scene.note(format!("{} handles {word}", self.name));
    }

    pub(crate) fn crash(&mut self) {
        panic!("{} is out of ink", self.name)
    }

    /// Ends with a panic in the stop hook.
    pub(crate) fn spoil(&mut self) {
        self.spoilt = true;
    }

    pub(crate) fn finish(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
    }

    pub(crate) async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.scene.note(format!("drop {}", self.name));
    }
}
