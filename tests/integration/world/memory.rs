//! What forks take in memory, beside what they write. Bytes are those of x86-64.

use greenroom::Runtime;
use greenroom::world::{Entry, ForkActor, Stage, World};

use super::stage::support::Counter;
use crate::actor::support::within;
use crate::allocator::live_bytes;
use crate::alone::alone;

const FORKS: usize = 10_000;
const ACTORS: usize = 1_000;

const CELL: Entry<u64> = Entry::named("cell");

/// How many bytes of those that are allocated since fall on each of the forks.
fn each(before: isize) -> isize {
    (live_bytes() - before) / FORKS as isize
}

/// 136 bytes each, and with a write what lies on the way to it: 464, and 3,864.
#[test]
fn ten_thousand_live_forks_take_as_little_of_a_large_world_as_of_a_small_one() {
    let test = "world::memory::\
                ten_thousand_live_forks_take_as_little_of_a_large_world_as_of_a_small_one";
    alone(test, || {
        for (entries, written_max) in [(10, 640), (100_000, 5_120)] {
            let mut world = World::seeded(1);
            for key in 0..entries {
                world.insert(CELL.at(key), key);
            }
            // The first fork makes the state one to be shared.
            drop(world.fork());
            let before = live_bytes();
            let mut forks: Vec<World> = (0..FORKS).map(|_| world.fork()).collect();
            let forked = each(before);
            assert!(forked <= 192, "{forked} bytes, of {entries} entries");
            for fork in &mut forks {
                *fork.get_mut(CELL.at(7)).expect("it is there") += 1;
            }
            let written = each(before);
            assert!(written <= written_max, "{written} of {entries} entries");
            drop(forks);
            assert_eq!(each(before), 0, "{entries} entries");
        }
    });
}

/// 432 bytes each, and 2,184 with an actor that runs there.
#[test]
fn ten_thousand_forks_of_a_thousand_actors_take_what_runs_in_them_and_little_else() {
    let test = "world::memory::\
                ten_thousand_forks_of_a_thousand_actors_take_what_runs_in_them_and_little_else";
    alone(test, || {
        let runtime: Runtime = Runtime::builder().current_thread().build().expect("built");
        runtime.block_on(weigh_stages());
    });
}

async fn weigh_stages() {
    let stage = Stage::new(World::seeded(1));
    let counters: Vec<_> = (0..ACTORS)
        .map(|n| Counter::of(n as u64).spawn_in(&stage))
        .collect();
    drop(stage.fork().await);
    let before = live_bytes();
    let mut forks = Vec::with_capacity(FORKS);
    for _ in 0..FORKS {
        forks.push(stage.fork().await);
    }
    let forked = each(before);
    assert!(forked <= 640, "{forked} bytes a fork");
    for (at, fork) in forks.iter().enumerate() {
        let actor = at % ACTORS;
        let count = counters[actor].within(fork).add(1).await;
        assert_eq!(count.expect("it lives"), actor as u64 + 1);
    }
    let run = each(before);
    assert!(run <= 3_072, "{run} bytes a fork in which an actor runs");
    drop(forks);
    // Their actors are on their way; free blocks are kept to be used again.
    within(async {
        while each(before) > 64 {
            greenroom::yield_now().await;
        }
    })
    .await;
}
