//! Budgets: moved to a fork, spent there, and given back once.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use crate::error::Error;
use crate::sync::Mutex;

/// Who has how much of one resource: wallets of worlds, and a reserve.
///
/// A fork copies state, and moves authority: what a world may spend goes to its fork by a
/// [`Grant`], and comes back when the fork ends, to the nearest of its forebears that still lives,
/// or to the reserve. Cheap to clone; all clones are one ledger.
///
/// ```
/// use greenroom::world::{Grant, Ledger, Options, World};
///
/// let ledger = Ledger::new(100);
/// let mut world = World::new();
/// world.fund(&ledger, 100)?;
/// let mut branch = world.fork_with(Options::new().grant(Grant::of(30)))?;
/// branch.spend(1, 10)?;
/// assert_eq!((world.balance(), branch.balance()), (70, 20));
/// branch.discard();
/// assert_eq!(world.balance(), 90);
/// # Ok::<(), greenroom::Error>(())
/// ```
#[derive(Clone)]
pub struct Ledger(Arc<Mutex<Books>>);

/// An amount that a fork is given out of its source's wallet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant(u64);

impl Grant {
    /// So much.
    #[must_use]
    pub const fn of(amount: u64) -> Self {
        Self(amount)
    }

    pub(super) const fn amount(self) -> u64 {
        self.0
    }
}

/// A ledger in numbers: `initial` is the sum of the others, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// What there was in the beginning.
    pub initial: u64,
    /// What no world has.
    pub reserve: u64,
    /// What worlds have.
    pub wallets: u64,
    /// What has left the process with runs that were exported, and was not claimed.
    pub escrow: u64,
    /// What was spent.
    pub spent: u64,
    /// How many worlds have a wallet.
    pub worlds: usize,
}

impl Ledger {
    /// A ledger with all of `initial` in its reserve.
    #[must_use]
    pub fn new(initial: u64) -> Self {
        Self(Arc::new(Mutex::new(Books {
            initial,
            spent: 0,
            next: 1,
            accounts: HashMap::from([(RESERVE, Account::of(initial, RESERVE))]),
            escrow: HashMap::new(),
            claimed: HashSet::new(),
        })))
    }

    /// The ledger in numbers, all of one moment.
    #[must_use]
    pub fn statement(&self) -> Statement {
        let books = self.0.lock();
        let total: u64 = books.accounts.values().map(|account| account.balance).sum();
        let reserve = books.accounts[&RESERVE].balance;
        Statement {
            initial: books.initial,
            reserve,
            wallets: total - reserve,
            escrow: books.escrow.values().sum(),
            spent: books.spent,
            worlds: books.accounts.len() - 1,
        }
    }

    /// Opens a wallet for what comes in, once: with what lies in escrow for it, or, if it has left
    /// another ledger, with as much of the reserve.
    pub(super) fn claim(&self, content: u64, amount: u64) -> Result<Option<Wallet>, NotFunded> {
        let account = self.0.lock().claim(content, amount)?;
        Ok(account.map(|account| Wallet {
            ledger: self.clone(),
            account,
        }))
    }

    pub(super) fn open(&self, amount: u64) -> Result<Wallet, NotFunded> {
        let account = self.0.lock().open(RESERVE, amount)?;
        let ledger = self.clone();
        Ok(Wallet { ledger, account })
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement().fmt(f)
    }
}

/// A world's account; what is left in it goes back when it is dropped.
pub(super) struct Wallet {
    ledger: Ledger,
    account: u64,
}

impl Wallet {
    pub(super) fn split(&self, grant: Grant) -> Result<Self, NotFunded> {
        let account = self.ledger.0.lock().open(self.account, grant.0)?;
        let ledger = self.ledger.clone();
        Ok(Self { ledger, account })
    }

    pub(super) fn balance(&self) -> u64 {
        self.ledger.0.lock().accounts[&self.account].balance
    }

    /// Puts all of it in escrow, for what leaves.
    pub(super) fn escrow(self, content: u64) {
        self.ledger.0.lock().escrow(self.account, content);
    }

    pub(super) fn spend(&self, what: u64, amount: u64) -> Result<(), NotFunded> {
        self.ledger.0.lock().spend(self.account, what, amount)
    }
}

impl Drop for Wallet {
    fn drop(&mut self) {
        self.ledger.0.lock().close(self.account);
    }
}

/// The account that is no world's.
const RESERVE: u64 = 0;

/// Invariant: every account but the reserve is in the `children` of its `home`.
struct Books {
    initial: u64,
    spent: u64,
    next: u64,
    accounts: HashMap<u64, Account>,
    /// By what has left.
    escrow: HashMap<u64, u64>,
    /// What has come in.
    claimed: HashSet<u64>,
}

struct Account {
    balance: u64,
    /// Where what is left goes.
    home: u64,
    /// Whose home this is.
    children: HashSet<u64>,
    /// What was paid for.
    paid: HashSet<u64>,
}

impl Account {
    fn of(balance: u64, home: u64) -> Self {
        Self {
            balance,
            home,
            children: HashSet::new(),
            paid: HashSet::new(),
        }
    }

    fn pay(&mut self, amount: u64) -> Result<(), NotFunded> {
        match self.balance.checked_sub(amount) {
            Some(left) => self.balance = left,
            None => return Err(NotFunded::new(amount, self.balance)),
        }
        Ok(())
    }
}

impl Books {
    fn account(&mut self, number: u64) -> &mut Account {
        self.accounts
            .get_mut(&number)
            .expect("an account is there as long as its wallet")
    }

    fn open(&mut self, home: u64, amount: u64) -> Result<u64, NotFunded> {
        let number = self.next;
        let source = self.account(home);
        source.pay(amount)?;
        source.children.insert(number);
        self.next += 1;
        self.accounts.insert(number, Account::of(amount, home));
        Ok(number)
    }

    fn spend(&mut self, number: u64, what: u64, amount: u64) -> Result<(), NotFunded> {
        let account = self.account(number);
        if account.paid.contains(&what) {
            return Ok(());
        }
        account.pay(amount)?;
        account.paid.insert(what);
        self.spent += amount;
        Ok(())
    }

    fn escrow(&mut self, number: u64, content: u64) {
        let amount = std::mem::take(&mut self.account(number).balance);
        *self.escrow.entry(content).or_default() += amount;
        self.claimed.remove(&content);
    }

    fn claim(&mut self, content: u64, amount: u64) -> Result<Option<u64>, NotFunded> {
        if self.claimed.contains(&content) {
            return Ok(None);
        }
        if let Some(amount) = self.escrow.get(&content).copied() {
            self.account(RESERVE).balance += amount;
            self.escrow.remove(&content);
            let number = self.open(RESERVE, amount)?;
            self.claimed.insert(content);
            return Ok(Some(number));
        }
        let number = self.open(RESERVE, amount)?;
        self.claimed.insert(content);
        Ok(Some(number))
    }

    /// What is left goes home, and so do those whose home this was.
    fn close(&mut self, number: u64) {
        let Some(account) = self.accounts.remove(&number) else {
            return;
        };
        for child in &account.children {
            self.account(*child).home = account.home;
        }
        let home = self.account(account.home);
        home.balance += account.balance;
        home.children.remove(&number);
        home.children.extend(account.children);
    }
}

/// There is not so much to move or to spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotFunded {
    asked: u64,
    balance: u64,
}

impl NotFunded {
    pub(super) const fn new(asked: u64, balance: u64) -> Self {
        Self { asked, balance }
    }

    /// What was asked for.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// What there was.
    #[must_use]
    pub fn balance(&self) -> u64 {
        self.balance
    }
}

impl fmt::Display for NotFunded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} were asked for, of {}", self.asked, self.balance)
    }
}

impl std::error::Error for NotFunded {}

impl From<NotFunded> for Error {
    fn from(error: NotFunded) -> Self {
        Self::new(error)
    }
}
