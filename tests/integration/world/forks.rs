//! What a fork costs and keeps alive.

use greenroom::world::{Entry, World};

use super::support::Token;

const CELL: Entry<u64> = Entry::named("cell");
const TOKEN: Entry<Token> = Entry::named("token");

#[test]
fn a_fork_clones_no_value_and_a_write_clones_the_one_it_writes() {
    for entries in [4, 4000] {
        let token = Token::new();
        let mut world = World::new();
        for key in 0..entries {
            world.insert(TOKEN.at(key), token.clone());
        }
        let before = token.alive();
        let forks: Vec<World> = (0..100).map(|_| world.fork()).collect();
        assert_eq!(token.alive(), before, "{entries} entries");
        let mut fork = forks.into_iter().next().expect("a hundred");
        assert!(fork.get_mut(TOKEN.at(1)).is_some());
        assert_eq!(token.alive(), before + 1, "{entries} entries");
    }
}

#[test]
fn no_fork_keeps_its_parent_alive() {
    let token = Token::new();
    let mut world = World::new();
    for generation in 0..100_000 {
        world.insert(TOKEN, token.clone());
        world.insert(CELL, generation);
        world = world.fork();
        // The test's own, and the one in the state that both share.
        assert_eq!(token.alive(), 2, "generation {generation}");
    }
    assert_eq!(world.lineage().generation, 100_000);
    drop(world);
    assert_eq!(token.alive(), 1);
}

#[test]
fn a_write_to_a_world_whose_forks_are_gone_clones_nothing() {
    let token = Token::new();
    let mut world = World::new();
    world.insert(TOKEN, token.clone());
    drop(world.fork());
    drop(world.fork().snapshot());
    // The spine is copied once more, and shares its values with the one that goes.
    assert!(world.get_mut(TOKEN).is_some());
    assert_eq!(token.alive(), 2);
}

#[test]
fn a_snapshot_is_as_the_world_was_and_opens_new_worlds() {
    let mut world = World::new();
    world.insert(CELL, 1);
    let snapshot = world.snapshot();
    world.insert(CELL, 2);
    assert_eq!(snapshot.get(CELL), Some(&1));
    let mut opened = snapshot.open(7);
    assert_eq!((opened.get(CELL), opened.seed()), (Some(&1), 7));
    opened.insert(CELL, 3);
    assert_eq!(snapshot.get(CELL), Some(&1));
    world.restore(&snapshot);
    assert_eq!(world.revision(), snapshot.revision());
    assert_eq!(world.get(CELL), Some(&1));
}

#[test]
fn a_destructor_that_panics_in_a_restore_leaves_the_world_as_the_snapshot_is() {
    #[derive(Debug, Clone)]
    struct Fragile;
    impl Drop for Fragile {
        fn drop(&mut self) {
            std::panic::panic_any("as told");
        }
    }
    const FRAGILE: Entry<Fragile> = Entry::named("fragile");
    let mut world = World::new();
    let snapshot = world.snapshot();
    world.insert(FRAGILE, Fragile);
    let restore = std::panic::AssertUnwindSafe(|| world.restore(&snapshot));
    std::panic::catch_unwind(restore).expect_err("the destructor panics");
    assert!(world.is_empty());
    assert_eq!(world.revision(), snapshot.revision());
}

#[test]
fn a_clone_that_panics_leaves_both_worlds_as_they_were() {
    #[derive(Debug)]
    struct Fragile(u64);
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert_eq!(self.0, 0, "as told");
            Self(self.0)
        }
    }
    const FRAGILE: Entry<Fragile> = Entry::named("fragile");
    let mut world = World::new();
    world.insert(FRAGILE, Fragile(1));
    let mut fork = world.fork();
    let write = std::panic::AssertUnwindSafe(|| fork.get_mut(FRAGILE).is_some());
    std::panic::catch_unwind(write).expect_err("the clone panics");
    let value = |world: &World| world.get(FRAGILE).map(|fragile| fragile.0);
    assert_eq!((value(&world), value(&fork)), (Some(1), Some(1)));
}
