//! Law 13: seeds are split per fork, and a seeded run repeats.

use std::collections::HashSet;
use std::convert::Infallible;
use std::thread;

use greenroom::world::{Handlers, Program, Run, Scope, Step, World};

use super::support::{FIRST, Fold, SECOND, left_alone, started};

#[test]
fn forks_of_one_source_have_seeds_of_their_own_that_repeat() {
    let seeds = || {
        let mut world = World::seeded(5);
        let mut seeds = vec![world.seed()];
        for _ in 0..100 {
            let mut fork = world.fork();
            seeds.push(fork.seed());
            seeds.extend((0..10).map(|_| fork.fork().seed()));
        }
        seeds
    };
    let all = seeds();
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    assert_eq!(all, seeds());
}

#[test]
fn forks_elsewhere_change_no_seed() {
    let second_site = |takes_anchor: bool| {
        let mut run = started(3);
        let anchor = takes_anchor.then(|| run.fork().expect("pending"));
        run.resume(1).expect("pending");
        let seed = run
            .fork()
            .expect("pending")
            .world()
            .expect("suspended")
            .seed();
        drop(anchor);
        seed
    };
    assert_eq!(second_site(false), second_site(true));
}

#[test]
fn forks_of_one_place_alternate_with_plain_forks_and_never_repeat() {
    let mut run = started(3);
    let mut seeds = HashSet::new();
    for _ in 0..20 {
        assert!(
            seeds.insert(
                run.fork()
                    .expect("pending")
                    .world()
                    .expect("suspended")
                    .seed()
            )
        );
        assert!(seeds.insert(run.world_mut().expect("suspended").fork().seed()));
    }
}

#[test]
fn an_explicit_address_that_comes_again_has_other_seeds() {
    let program = Fold {
        id: Some(9),
        ..Fold::of(20)
    };
    let mut run = Run::start(World::seeded(1), program, &left_alone());
    let mut seeds = HashSet::new();
    let mut addresses = HashSet::new();
    while let Some((site, address)) = run.point() {
        addresses.insert((site, address));
        assert!(
            seeds.insert(
                run.fork()
                    .expect("pending")
                    .world()
                    .expect("suspended")
                    .seed()
            )
        );
        run.resume(0).expect("pending");
    }
    assert_eq!((seeds.len(), addresses.len()), (20, 2));
}

/// Enters two keys by turns, and stops once in each.
#[derive(Debug, Clone)]
struct Turns(u64);

impl Program for Turns {
    type Payload = u64;
    type Value = u64;
    type Output = ();
    type Error = Infallible;

    fn step(&mut self, scope: &mut Scope<'_>, _: Option<u64>) -> Step<Self> {
        if self.0 == 20 {
            return Step::Done(());
        }
        self.0 += 1;
        scope.leave();
        scope.enter(self.0 % 2);
        Step::savepoint(FIRST, self.0)
    }
}

#[test]
fn a_key_that_is_entered_again_gives_the_same_addresses_and_other_seeds_of_forks() {
    let handlers = Handlers::<Turns>::new().on(FIRST, |_savepoint| ());
    let mut run = Run::start(World::seeded(1), Turns(0), &handlers);
    let (mut seeds, mut addresses) = (HashSet::new(), HashSet::new());
    while let Some((_, address)) = run.point() {
        addresses.insert(address);
        let fork = run.fork().expect("pending");
        seeds.insert(fork.world().expect("suspended").seed());
        run.resume(0).expect("pending");
    }
    assert_eq!((seeds.len(), addresses.len()), (20, 2));
}

#[test]
fn draws_are_keyed_by_what_is_drawn() {
    let world = World::seeded(3);
    let draw = |what| world.stream(what).next_u64();
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    assert_ne!(draw(1), World::seeded(4).stream(1).next_u64());
    let mut stream = world.stream(1);
    let numbers: Vec<f64> = (0..1000).map(|_| stream.uniform()).collect();
    assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
}

/// Forks at each of its sites, and draws at each.
fn search(threads: usize) -> Vec<(u64, u64)> {
    let handlers =
        Handlers::<Fold>::new()
            .on(FIRST, |_savepoint| ())
            .on(SECOND, |mut savepoint| {
                let value = savepoint.stream().next_u64();
                savepoint.resume(value);
            });
    let mut first = Run::start(World::seeded(11), Fold::of(4), &handlers);
    let forks: Vec<_> = (0..8).map(|_| first.fork().expect("pending")).collect();
    let mut parts: Vec<Vec<(usize, Run<Fold>)>> = (0..threads).map(|_| Vec::new()).collect();
    for (index, fork) in forks.into_iter().enumerate() {
        parts[index % threads].push((index, fork));
    }
    let workers = parts.into_iter().map(|part| {
        thread::spawn(move || {
            let run = |(index, mut run): (usize, Run<Fold>)| {
                while let Ok(_status) = run.resume(run.world().map_or(0, World::seed)) {}
                let seed = run.world().expect("not abandoned").seed();
                (index, (seed, *run.output().expect("done")))
            };
            part.into_iter().map(run).collect::<Vec<_>>()
        })
    });
    let workers: Vec<_> = workers.collect();
    let mut results: Vec<_> = workers
        .into_iter()
        .flat_map(|worker| worker.join().expect("no panic"))
        .collect();
    results.sort_unstable();
    results.into_iter().map(|(_, result)| result).collect()
}

#[test]
fn a_seeded_search_is_the_same_on_one_two_and_four_threads() {
    let one = search(1);
    assert_eq!(one, search(1));
    assert_eq!(one, search(2));
    assert_eq!(one, search(4));
}
