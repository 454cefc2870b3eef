//! What must hold when nothing disturbs the tree any more, and when it has ended.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use greenroom::{ChildInfo, ChildState, Strategy, Tree};

use crate::chaos::{Grove, LEAVES, Report, kind};
use crate::ledger::Book;
use crate::names;

/// What does not hold.
#[derive(Debug)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub fn require(holds: bool, fault: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault(fault())) }
}

/// Everything that failed has come back, and each restart was one of an end.
pub async fn at_rest(grove: &Grove) -> Result<Report, Fault> {
    let tree = come_to_rest(grove).await?;
    let mut infos = HashMap::new();
    leaves(&tree, &mut infos);
    let book = grove.ledger.book();
    for (number, clerk) in grove.clerks.iter().enumerate() {
        let name = format!("clerk {number}");
        let life = book.lives.get(&number).copied().unwrap_or_default();
        let info = infos.get(name.as_str());
        let gives_up = kind(number).gives_up;
        if clerk.is_stopped() {
            let is_told = grove.told[number];
            require(is_told, || format!("{name} ended, and was not told to"))?;
            // Its supervisor, restarted, starts another in its place.
            require(gives_up || info.is_none(), || {
                format!("{name} is still a child")
            })?;
            continue;
        }
        let info = info.ok_or_else(|| Fault(format!("{name} is no child any more")))?;
        require(life.alive == 1, || {
            format!("{name} has {} states", life.alive)
        })?;
        let (builds, lives) = (life.built, clerk.incarnation());
        require(builds == lives, || {
            format!("{name}: {builds} builds, {lives} lives")
        })?;
        if !gives_up {
            restarts(&book, number, info.restarts)?;
        }
        let (free, slots) = (clerk.free_slots(), clerk.capacity());
        require(free == slots, || {
            format!("{name}: {free} slots of {slots} are free")
        })?;
    }
    names::at_rest(infos.values().copied(), &book)?;
    let lives = book.lives.values();
    Ok(Report {
        fates: book.fates,
        failures: lives.clone().map(|life| life.failed).sum(),
        incarnations: lives.clone().map(|life| life.built).sum(),
        clashes: lives.map(|life| life.clashes).sum(),
    })
}

/// What its supervisor says of its restarts is what a naive model makes of the book: each life but
/// the last has ended, and was followed by another. A restart of which nothing was built is one
/// that was overtaken, and there are no more of these than there were causes: who fails takes
/// along those in its reach, and so does who is killed.
fn restarts(book: &Book, number: usize, restarts: u64) -> Result<(), Fault> {
    let life = |clerk| book.lives.get(&clerk).copied().unwrap_or_default();
    let built = life(number).built.saturating_sub(1);
    let overtaken: u64 = reach_of(number)
        .map(|clerk| life(clerk).failed + life(clerk).disturbed)
        .sum();
    let own = life(number).disturbed;
    let most = built + overtaken + own;
    require((built..=most).contains(&restarts), || {
        format!("clerk {number}: {restarts} restarts, and {built} to {most} ends of lives")
    })
}

/// The siblings whose failures have this clerk restarted.
fn reach_of(number: usize) -> Box<dyn Iterator<Item = usize>> {
    let first = number - number % LEAVES;
    let siblings = match kind(number).strategy {
        Strategy::OneForAll => first..first + LEAVES,
        Strategy::RestForOne => first..number,
        _ => first..first,
    };
    Box::new(siblings.filter(move |other| *other != number))
}

/// Waits until no clerk has anything to do, and all are up.
async fn come_to_rest(grove: &Grove) -> Result<Tree, Fault> {
    for _ in 0..600 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let live = grove.clerks.iter().filter(|clerk| !clerk.is_stopped());
        let mut mailboxes = live.map(|clerk| clerk.mailbox());
        if mailboxes.any(|mailbox| mailbox.used > 0 || mailbox.waiting > 0) {
            continue;
        }
        let tree = grove.root.tree().await;
        let tree = tree.map_err(|error| Fault(error.to_string()))?;
        if is_up(&tree) {
            return Ok(tree);
        }
    }
    Err(Fault("the tree does not come to rest".to_owned()))
}

/// A supervisor without children to show is one that did not answer, since it was ending.
fn is_up(tree: &Tree) -> bool {
    let is_leaf = tree.root.name.starts_with("clerk");
    let has_come_up = matches!(tree.root.state, ChildState::Up(_));
    has_come_up && (is_leaf || !tree.children.is_empty()) && tree.children.iter().all(is_up)
}

fn leaves<'a>(tree: &'a Tree, infos: &mut HashMap<&'a str, &'a ChildInfo>) {
    if tree.root.name.starts_with("clerk") {
        infos.insert(&tree.root.name, &tree.root);
    }
    for child in &tree.children {
        leaves(child, infos);
    }
}

/// Nothing is alive, and every message has met a fate.
pub async fn at_the_end(grove: &Grove, runtime: &greenroom::runtime::Handle) -> Result<(), Fault> {
    for clerk in &grove.clerks {
        require(clerk.is_stopped(), || format!("{clerk:?} is alive"))?;
    }
    names::at_the_end()?;
    // Those who were refused say so.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let live = runtime.metrics().live;
    require(live == 0, || format!("{live} tasks and actors are alive"))?;
    let book = grove.ledger.book();
    let alive: i64 = book.lives.values().map(|life| life.alive).sum();
    require(alive == 0, || format!("{alive} states were not dropped"))?;
    let fates = book.fates;
    let sum = fates.handled + fates.lost + fates.returned + fates.undelivered;
    require(fates.vanished == 0 && sum == fates.made, || {
        format!("messages: {fates:?}")
    })
}
