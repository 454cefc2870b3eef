//! Two programs on two sides, and the wire between them.

use std::time::Duration;

use super::actor::Actor;
use super::pair::{From, Pair, Side};
use crate::remote::frame::TargetId;
use crate::remote::limits::Limits;

/// Targets that each side holds of the other, numbered from 0.
pub(super) const TARGETS: u32 = 3;

/// Both sides with their programs, and targets of both that the other holds.
pub(super) struct World {
    pub(super) pair: Pair,
    pub(super) client: Actor,
    pub(super) server: Actor,
}

impl World {
    pub(super) fn new(limits: &Limits) -> Self {
        let mut pair = Pair::new(limits, limits);
        for _ in 0..TARGETS {
            pair.target(64);
            let target = pair
                .client
                .session
                .export(64)
                .expect("there is room for it");
            pair.server
                .session
                .imports
                .give(target)
                .expect("there is room for it");
        }
        Self {
            pair,
            client: Actor::default(),
            server: Actor::default(),
        }
    }

    /// The program on a side, and the side.
    pub(super) fn at(&mut self, at: From) -> (&mut Actor, &mut Side) {
        match at {
            From::Client => (&mut self.client, &mut self.pair.client),
            From::Server => (&mut self.server, &mut self.pair.server),
        }
    }

    pub(super) fn send(&mut self, from: From, target: TargetId, size: usize, is_ask: bool) {
        let (actor, side) = self.at(from);
        actor.send(side, target, size, is_ask);
    }

    /// Handles one message; false if there is none.
    pub(super) fn serve(&mut self, at: From, size: usize) -> bool {
        let (actor, side) = self.at(at);
        actor.serve(side, size)
    }

    pub(super) fn hear(&mut self) {
        self.client.hear(&mut self.pair.client);
        self.server.hear(&mut self.pair.server);
    }

    /// The wire is whole from now on, and both programs do what is left to do.
    pub(super) fn heal(&mut self) {
        loop {
            self.pair.settle();
            // What a cancel has given back is told of without a beat.
            self.pair.wait(Duration::ZERO);
            self.hear();
            let served = [From::Client, From::Server]
                .map(|at| std::iter::from_fn(|| self.serve(at, 10).then_some(())).count());
            if served == [0, 0] && !self.pair.client.session.has_output() {
                break;
            }
        }
        // Two heartbeats bring credits and acknowledgements that nobody waits for.
        for _ in 0..4 {
            self.pair.wait(Duration::from_secs(6));
            self.hear();
        }
    }

    pub(super) fn check(&mut self) {
        self.client.check(&self.server);
        self.server.check(&self.client);
        for from in [From::Client, From::Server] {
            let counters = self.pair.ends(from).0.session.counters();
            assert_eq!(counters.asks_open, 0, "{counters:?}");
            assert_eq!(counters.asks_running, 0, "{counters:?}");
            assert_eq!(counters.bytes_held, 0, "{counters:?}");
            assert_eq!(
                counters.bytes_under_way, 0,
                "credits come back: {counters:?}"
            );
            assert_eq!(
                counters.records_known, 0,
                "nothing is sent twice for nothing"
            );
            assert!(
                counters.retained_bytes < 200,
                "all is acknowledged: {counters:?}"
            );
        }
    }
}
