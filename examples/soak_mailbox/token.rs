//! What a message carries: it notes, once, what became of the message.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

/// What may become of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Handled,
    /// Its sender got it back in an error.
    HandedBack,
    /// Its sender went before it was accepted.
    Withdrawn,
    /// The actor's hook got it, which ended or lost its asker.
    Undelivered,
    /// The hook got it, for there was no room.
    Overflowed,
    /// None of these: it was dropped by nobody who should.
    Lost,
}

const FATES: [Fate; 6] = [
    Fate::Handled,
    Fate::HandedBack,
    Fate::Withdrawn,
    Fate::Undelivered,
    Fate::Overflowed,
    Fate::Lost,
];

thread_local! {
    /// The fate of the tokens that this thread drops just now.
    static NOW: Cell<Fate> = const { Cell::new(Fate::Lost) };
}

/// Runs `f`; the tokens that it drops meet this fate.
pub fn during<R>(fate: Fate, f: impl FnOnce() -> R) -> R {
    /// Puts the outer fate back.
    struct Reset(Fate);
    impl Drop for Reset {
        fn drop(&mut self) {
            NOW.set(self.0);
        }
    }
    let _reset = Reset(NOW.replace(fate));
    f()
}

/// Every message and its fate.
#[derive(Debug, Default)]
pub struct Ledger {
    made: CachePadded<AtomicU64>,
    fates: [CachePadded<AtomicU64>; FATES.len()],
}

impl Ledger {
    pub fn made(&self) -> u64 {
        // Relaxed, as all in here: numbers, read for good when all who count have ended.
        self.made.load(Ordering::Relaxed)
    }

    pub fn met(&self, fate: Fate) -> u64 {
        self.fates[fate as usize].load(Ordering::Relaxed)
    }

    /// What is wrong, once all messages have met their fates.
    pub fn fault(&self) -> Option<String> {
        let met: u64 = FATES.iter().map(|fate| self.met(*fate)).sum();
        let is_whole = met == self.made() && self.met(Fate::Lost) == 0;
        (!is_whole).then(|| format!("messages are not conserved:\n{self}"))
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12}{:>12}", "sent", self.made())?;
        for fate in FATES {
            writeln!(f, "{:<12}{:>12}", format!("{fate:?}"), self.met(fate))?;
        }
        Ok(())
    }
}

#[derive(Debug)]
pub struct Token(Arc<Ledger>);

impl Token {
    pub fn new(ledger: &Arc<Ledger>) -> Self {
        ledger.made.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(ledger))
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.fates[NOW.get() as usize].fetch_add(1, Ordering::Relaxed);
    }
}
