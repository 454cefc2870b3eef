//! The actor at the leaves of the tree.

use std::time::Duration;

use greenroom::{
    Backoff, Child, Context, ExitReason, Group, RegisterError, Registration, Shutdown, Undelivered,
    actor, group,
};

use crate::ledger::{Ledger, Note};
use crate::rng::Rng;

/// Names that clerks want, each of them several.
pub const DESKS: usize = 150;

/// Groups that clerks join, each of them one.
pub const CREWS: usize = 13;

/// The group of a clerk.
pub fn crew(number: usize) -> Group<Clerk> {
    group(format!("crew {}", number % CREWS))
}

#[actor(mailbox = 3, inline = never)]
pub struct Clerk {
    number: usize,
    /// If this life has got it, and has it still.
    desk: Option<Registration>,
    ledger: Ledger,
    rng: Rng,
    has_failed: bool,
}

impl Clerk {
    pub fn child(number: usize, seed: u64, ledger: &Ledger) -> Child<Self> {
        let ledger = ledger.clone();
        let backoff = match number % 3 {
            0 => Backoff::none(),
            _ => Backoff::exponential(Duration::from_millis(5), Duration::from_millis(200)),
        };
        Child::new(move || {
            let mut built = 0;
            ledger.life(number, |life| {
                life.built += 1;
                life.alive += 1;
                built = life.built;
            });
            Self {
                number,
                desk: None,
                ledger: ledger.clone(),
                rng: Rng::seeded(seed ^ (number as u64) << 20 ^ built),
                has_failed: false,
            }
        })
        .name(format!("clerk {number}"))
        .shutdown(Shutdown::Within(Duration::from_millis(30)))
        .backoff(backoff.jitter(0.5))
        .on_undelivered(undelivered)
    }
}

/// Messages that nobody handled and nobody asked for.
fn undelivered(letter: Undelivered) {
    if let Ok(task) = letter.downcast::<ClerkTask>() {
        task.note.undelivered();
    }
}

#[actor]
impl Clerk {
    #[on(start)]
    async fn begin(&mut self, ctx: &mut Context<Self>) -> Result<(), &'static str> {
        let me = ctx.handle();
        if crew(self.number).join(&me).is_ok_and(|is_new| is_new) {
            self.ledger.life(self.number, |life| life.joined += 1);
        }
        let desk = self.number % DESKS;
        match me.register(format!("desk {desk}")) {
            Ok(registration) => {
                self.desk = Some(registration);
                self.ledger.seat(desk, ctx.id());
            }
            // Its own, since an earlier life, or a rival's.
            Err(RegisterError::Taken { by, .. }) if by.id() == ctx.id() => {}
            Err(_) => self.ledger.life(self.number, |life| life.clashes += 1),
        }
        if self.rng.below(3) == 0 {
            self.nap(20).await;
        }
        if self.rng.below(12) == 0 {
            self.has_failed = true;
            return Err("a bad start");
        }
        Ok(())
    }

    #[on(stop)]
    async fn end(&mut self, _reason: &ExitReason) {
        self.nap(60).await;
        assert!(self.rng.below(20) > 0, "a bad end");
    }

    /// Takes a while, and may fail.
    #[message(derive(Clone))]
    pub async fn task(&mut self, mut note: Note, ctx: &mut Context<Self>) -> u64 {
        note.begin();
        if self.rng.below(2) == 0 {
            self.nap(40).await;
        }
        if self.rng.below(15) == 0 {
            self.has_failed = true;
            panic!("a bad task");
        }
        note.handled();
        if self.rng.below(30) == 0
            && let Some(desk) = self.desk.take()
            && desk.unregister()
        {
            self.ledger.leave(self.number % DESKS, ctx.id());
        }
        self.rng.below(100)
    }

    #[message(skip)]
    async fn nap(&mut self, ms: u64) {
        let nap = Duration::from_millis(self.rng.below(ms));
        tokio::time::sleep(nap).await;
    }
}

impl Drop for Clerk {
    fn drop(&mut self) {
        let failed = u64::from(self.has_failed);
        self.ledger.life(self.number, |life| {
            life.failed += failed;
            life.alive -= 1;
        });
    }
}
