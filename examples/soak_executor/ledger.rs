//! What was begun and how it ended, counted twice: by the work itself, and by who joins it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use greenroom::JoinError;

use super::class::Class;

/// How work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Completed,
    Cancelled,
    Panicked,
}

impl End {
    /// What a join handle said.
    pub fn of<T>(result: &Result<T, JoinError>) -> Self {
        match result {
            Ok(_) => Self::Completed,
            Err(error) if error.is_panic() => Self::Panicked,
            Err(_) => Self::Cancelled,
        }
    }
}

#[derive(Debug, Default)]
struct Account {
    begun: AtomicU64,
    /// By [`End`], as the work itself saw it.
    ended: [AtomicU64; 3],
    /// By [`End`], as whoever joined was told.
    told: [AtomicU64; 3],
}

/// A reading of one account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub begun: u64,
    pub ended: [u64; 3],
    pub told: [u64; 3],
}

impl Reading {
    pub fn ended(&self) -> u64 {
        self.ended.iter().sum()
    }
}

/// All accounts.
#[derive(Clone, Debug)]
pub struct Ledger(Arc<[Account; Class::ALL.len()]>);

/// Accounts that do not balance.
#[derive(Debug, PartialEq, Eq)]
pub struct Imbalance {
    class: Class,
    reading: Reading,
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, reading } = self;
        write!(
            f,
            "{class:?} does not balance: {} begun, {:?} ended, {:?} told (completed, cancelled, \
             panicked)",
            reading.begun, reading.ended, reading.told
        )
    }
}

impl Ledger {
    pub fn new() -> Self {
        Self(Arc::new(std::array::from_fn(|_| Account::default())))
    }

    fn account(&self, class: Class) -> &Account {
        &self.0[class as usize]
    }

    /// Begins work: the entry goes with it.
    pub fn begin(&self, class: Class) -> Entry {
        // Ordering: Relaxed, as for all counts: they are judged after all threads were joined.
        self.account(class).begun.fetch_add(1, Ordering::Relaxed);
        Entry {
            ledger: self.clone(),
            class,
            end: None,
        }
    }

    /// Counts what whoever joined was told.
    pub fn told(&self, class: Class, end: End) {
        self.account(class).told[end as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub fn read(&self, class: Class) -> Reading {
        let account = self.account(class);
        let read = |counts: &[AtomicU64; 3]| {
            std::array::from_fn(|end| counts[end].load(Ordering::Relaxed))
        };
        Reading {
            begun: account.begun.load(Ordering::Relaxed),
            ended: read(&account.ended),
            told: read(&account.told),
        }
    }

    /// Work that has ended, by class.
    pub fn progress(&self) -> [u64; Class::ALL.len()] {
        Class::ALL.map(|class| self.read(class).ended())
    }

    /// Checks that all that was begun has ended, and as it was told.
    pub fn balance(&self) -> Result<(), Imbalance> {
        for class in Class::ALL {
            let reading = self.read(class);
            let is_told = !class.is_joined() || reading.told == reading.ended;
            if reading.begun != reading.ended() || !is_told {
                return Err(Imbalance { class, reading });
            }
        }
        Ok(())
    }
}

/// Work that has begun. Dropped before it is completed it was cancelled, or panicked.
#[derive(Debug)]
#[must_use = "it counts as cancelled when it is dropped"]
pub struct Entry {
    ledger: Ledger,
    class: Class,
    end: Option<End>,
}

impl Entry {
    pub fn complete(mut self) {
        self.end = Some(End::Completed);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let unfinished = if thread::panicking() {
            End::Panicked
        } else {
            End::Cancelled
        };
        let end = self.end.unwrap_or(unfinished);
        let account = self.ledger.account(self.class);
        account.ended[end as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::*;

    #[test]
    fn an_entry_ends_as_its_work_does() {
        let ledger = Ledger::new();
        ledger.begin(Class::Ask).complete();
        drop(ledger.begin(Class::Ask));
        let entry = ledger.begin(Class::Ask);
        let work = AssertUnwindSafe(move || {
            let _entry = entry;
            resume_unwind(Box::new(()));
        });
        assert!(catch_unwind(work).is_err());
        assert_eq!(ledger.read(Class::Ask).ended, [1, 1, 1]);
        assert_eq!(ledger.balance(), Ok(()));
    }

    #[test]
    fn work_that_never_ends_is_an_imbalance() {
        let ledger = Ledger::new();
        let entry = ledger.begin(Class::Echo);
        let imbalance = ledger.balance().unwrap_err();
        assert_eq!(imbalance.class, Class::Echo);
        assert!(imbalance.to_string().contains("1 begun, [0, 0, 0] ended"));
        entry.complete();
        assert_eq!(ledger.balance(), Ok(()));
    }

    #[test]
    fn an_end_that_is_told_otherwise_is_an_imbalance() {
        let ledger = Ledger::new();
        ledger.begin(Class::Inside).complete();
        ledger.told(Class::Inside, End::Cancelled);
        assert_eq!(ledger.balance().unwrap_err().class, Class::Inside);
    }
}
