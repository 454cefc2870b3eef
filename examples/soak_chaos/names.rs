//! Who has which name, and who is in which group.

use std::collections::{BTreeSet, HashMap};

use greenroom::{ChildInfo, Id, registry};

use crate::audit::{Fault, require};
use crate::clerk::{CREWS, Clerk, crew};
use crate::ledger::Book;

/// Each name that is found is that of the clerk that says it has it, and of no other. The members
/// of each group are those that are up.
pub fn at_rest<'a>(clerks: impl Iterator<Item = &'a ChildInfo>, book: &Book) -> Result<(), Fault> {
    let ids = clerks.filter_map(|info| Some((info.actor.as_ref()?.id(), number(&info.name)?)));
    let numbers: HashMap<Id, usize> = ids.collect();
    let names = registry().list();
    for (name, owner) in &names {
        let says = number(name).and_then(|desk| book.desks.get(&desk));
        let is_right = numbers.contains_key(&owner.id()) && says == Some(&owner.id());
        require(is_right, || format!("{name} is {owner}, not {says:?}"))?;
        let got = registry().get::<Clerk>(name).map(|clerk| clerk.id());
        require(got == Ok(owner.id()), || format!("{name} is not {owner}"))?;
    }
    // Who says that it has a name, and is up, has it.
    for (desk, clerk) in &book.desks {
        let is_listed = names.iter().any(|(name, _)| number(name) == Some(*desk));
        let is_up = numbers.contains_key(clerk);
        require(is_up == is_listed, || format!("desk {desk}: {clerk}"))?;
    }
    for group in 0..CREWS {
        let members: BTreeSet<_> = crew(group)
            .members()
            .iter()
            .map(|clerk| clerk.id())
            .collect();
        let expected = numbers.iter().filter(|(_, clerk)| *clerk % CREWS == group);
        let expected: BTreeSet<_> = expected.map(|(id, _)| *id).collect();
        require(members == expected, || {
            format!("crew {group}: {members:?}, and up are {expected:?}")
        })?;
    }
    Ok(())
}

/// The number of a clerk, or of a desk.
fn number(name: &str) -> Option<usize> {
    name.rsplit(' ').next()?.parse().ok()
}

/// Nobody has a name, and nobody is in a group.
pub fn at_the_end() -> Result<(), Fault> {
    let names = registry().list();
    require(names.is_empty(), || format!("names: {names:?}"))?;
    let left: usize = (0..CREWS).map(|number| crew(number).len()).sum();
    require(left == 0, || format!("{left} are in groups"))
}
