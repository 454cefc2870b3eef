//! The actor whose mailbox is soaked.

use greenroom::{Builder, UndeliveredReason, actor, yield_now};

use crate::token::{Fate, Token, during};

/// Handles each message by noting that.
#[actor(mailbox = 16)]
pub struct Sink {
    handled: u64,
}

impl Sink {
    /// What it can't deliver, and its asker does not want, meets its fate.
    pub fn start() -> SinkHandle {
        Builder::new(Self { handled: 0 })
            .on_undelivered(|letter| {
                let fate = match letter.reason() {
                    UndeliveredReason::Overflow => Fate::Overflowed,
                    _ => Fate::Undelivered,
                };
                during(fate, || drop(letter));
            })
            .spawn()
    }

    fn handle_one(&mut self, token: Token) -> u64 {
        during(Fate::Handled, || drop(token));
        self.handled += 1;
        self.handled
    }
}

#[actor]
impl Sink {
    pub fn plain(&mut self, token: Token) -> u64 {
        self.handle_one(token)
    }

    /// Suspends, so that others find the actor busy.
    pub async fn slow(&mut self, token: Token) -> u64 {
        during(Fate::Handled, || drop(token));
        yield_now().await;
        self.handled
    }

    #[message(overflow = reject)]
    pub fn reject(&mut self, token: Token) {
        self.handle_one(token);
    }

    #[message(overflow = drop_newest)]
    pub fn newest(&mut self, token: Token) {
        self.handle_one(token);
    }

    #[message(overflow = drop_oldest)]
    pub fn oldest(&mut self, token: Token) {
        self.handle_one(token);
    }

    #[message(overflow = latest(key))]
    pub fn latest(&mut self, key: u64, token: Token) {
        let _ = key;
        self.handle_one(token);
    }

    #[message(lane = urgent)]
    pub fn urgent(&mut self, token: Token) {
        self.handle_one(token);
    }

    #[message(lane = background)]
    pub fn background(&mut self, token: Token) {
        self.handle_one(token);
    }
}
