//! Two sessions and what flies between them.

use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use super::super::{Event, Session, Terms};
use crate::remote::frame::{TargetId, Violation};
use crate::remote::limits::Limits;

/// One side, and the bytes that it has written and the other has not read.
pub(super) struct Side {
    pub(super) session: Session,
    pub(super) input: BytesMut,
    pub(super) flying: BytesMut,
    pub(super) events: Vec<Event>,
}

pub(super) struct Pair {
    pub(super) client: Side,
    pub(super) server: Side,
    pub(super) now: Instant,
}

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Client,
    Server,
}

impl Side {
    fn new(ours: &Limits, theirs: &Limits, now: Instant) -> Self {
        Self {
            session: Session::new(ours, Terms::of(theirs), now),
            input: BytesMut::new(),
            flying: BytesMut::new(),
            events: Vec::new(),
        }
    }

    /// Writes one turn of the writer's; returns how many bytes it had.
    pub(super) fn write(&mut self) -> usize {
        let mut out: Vec<Bytes> = Vec::new();
        let bytes = self.session.transmit(&mut out);
        assert_eq!(
            bytes,
            out.iter().map(Bytes::len).sum::<usize>(),
            "says what it wrote"
        );
        out.iter()
            .for_each(|slice| self.flying.extend_from_slice(slice));
        bytes
    }

    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    fn lose_connection(&mut self) {
        self.session.disconnected();
        self.input.clear();
        self.flying.clear();
    }
}

impl Pair {
    /// Connected, with nothing said yet.
    pub(super) fn new(client: &Limits, server: &Limits) -> Self {
        let now = Instant::now();
        let mut pair = Self {
            client: Side::new(client, server, now),
            server: Side::new(server, client, now),
            now,
        };
        pair.resume();
        pair
    }

    pub(super) fn with_defaults() -> Self {
        Self::new(&Limits::new(), &Limits::new())
    }

    /// A target of the server's that the client holds.
    pub(super) fn target(&mut self, capacity: u32) -> TargetId {
        let target = self
            .server
            .session
            .export(capacity)
            .expect("there is room for it");
        self.client
            .session
            .imports
            .give(target)
            .expect("there is room for it");
        target
    }

    pub(super) fn ends(&mut self, from: From) -> (&mut Side, &mut Side) {
        match from {
            From::Client => (&mut self.client, &mut self.server),
            From::Server => (&mut self.server, &mut self.client),
        }
    }

    /// Has up to `bytes` of what flies arrive; writes first if nothing flies.
    pub(super) fn fly(&mut self, from: From, bytes: usize) -> Result<usize, Violation> {
        let now = self.now;
        let (sender, receiver) = self.ends(from);
        if sender.flying.is_empty() {
            sender.write();
        }
        let arriving = sender.flying.split_to(bytes.min(sender.flying.len()));
        if !arriving.is_empty() {
            receiver.input.extend_from_slice(&arriving);
            receiver
                .session
                .receive(&mut receiver.input, now, &mut receiver.events)?;
        }
        Ok(arriving.len())
    }

    /// Until neither side has anything to say.
    pub(super) fn settle(&mut self) {
        while self
            .fly(From::Client, usize::MAX)
            .expect("the client is honest")
            + self
                .fly(From::Server, usize::MAX)
                .expect("the server is honest")
            > 0
        {}
    }

    pub(super) fn cut(&mut self) {
        self.client.lose_connection();
        self.server.lose_connection();
    }

    pub(super) fn resume(&mut self) {
        let (client, server) = (
            self.client.session.received(),
            self.server.session.received(),
        );
        self.client
            .session
            .connected(server, self.now)
            .expect("the server did not lie");
        self.server
            .session
            .connected(client, self.now)
            .expect("the client did not lie");
    }

    /// Time passes on both sides, and what they say because of it arrives.
    pub(super) fn wait(&mut self, time: Duration) {
        self.now += time;
        for from in [From::Client, From::Server] {
            let now = self.now;
            let (side, _) = self.ends(from);
            side.session
                .on_timeout(now, &mut side.events)
                .expect("nobody stalls");
        }
        self.settle();
    }
}
