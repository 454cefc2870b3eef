//! Laws 3 and 13 with actors: worlds beside a model that copies deeply, on any number of workers.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use greenroom::Runtime;
use greenroom::world::{ForkActor, Stage, Within, World};
use proptest::prelude::*;

use super::support::{Counter, CounterHandle, stage};

const ACTORS: usize = 4;

/// What is done to one of the worlds that live.
#[derive(Debug, Clone)]
enum Op {
    Add { world: usize, actor: usize, n: u64 },
    Tell { world: usize, actor: usize, n: u64 },
    Read { world: usize, actor: usize },
    Fork { world: usize },
    Discard { world: usize },
    Commit { world: usize },
    Advance { world: usize },
}

fn op() -> impl Strategy<Value = Op> {
    let place = (0..8_usize, 0..ACTORS, 1..100_u64);
    prop_oneof![
        4 => place.clone().prop_map(|(world, actor, n)| Op::Add { world, actor, n }),
        3 => place.clone().prop_map(|(world, actor, n)| Op::Tell { world, actor, n }),
        2 => place.clone().prop_map(|(world, actor, _)| Op::Read { world, actor }),
        3 => (0..8_usize).prop_map(|world| Op::Fork { world }),
        1 => (0..8_usize).prop_map(|world| Op::Discard { world }),
        2 => (0..8_usize).prop_map(|world| Op::Commit { world }),
        1 => (0..8_usize).prop_map(|world| Op::Advance { world }),
    ]
}

/// A world as a deep copy, with the number of its parent and what that was written to then.
#[derive(Clone)]
struct Copied {
    counts: [u64; ACTORS],
    now: Duration,
    writes: u64,
    parent: Option<(usize, u64)>,
}

struct Bench {
    counters: Vec<CounterHandle<Within>>,
    worlds: BTreeMap<usize, (Stage, Copied)>,
    next: usize,
    writes: u64,
}

impl Bench {
    fn new() -> Self {
        let stage = stage();
        let counters = (0..ACTORS)
            .map(|_| Counter::of(0).spawn_in(&stage))
            .collect();
        let copied = Copied {
            counts: [0; ACTORS],
            now: Duration::ZERO,
            writes: 0,
            parent: None,
        };
        Self {
            counters,
            worlds: BTreeMap::from([(0, (stage, copied))]),
            next: 1,
            writes: 0,
        }
    }

    /// The one of those that live which this number falls on.
    fn pick(&self, world: usize) -> usize {
        let at = world % self.worlds.len();
        *self.worlds.keys().nth(at).expect("there is one")
    }

    fn written(&mut self, world: usize) -> &mut Copied {
        self.writes += 1;
        let writes = self.writes;
        let copied = &mut self.worlds.get_mut(&world).expect("it lives").1;
        copied.writes = writes;
        copied
    }

    async fn apply(&mut self, op: &Op) {
        match *op {
            Op::Add { world, actor, n } => {
                let world = self.pick(world);
                let counter = self.counters[actor].within(&self.worlds[&world].0);
                let count = counter.add(n).await.expect("it lives");
                let copied = self.written(world);
                copied.counts[actor] += n;
                assert_eq!(count, copied.counts[actor]);
            }
            Op::Tell { world, actor, n } => {
                let world = self.pick(world);
                let counter = self.counters[actor].within(&self.worlds[&world].0);
                counter.add(n).tell().await.expect("it lives");
                self.written(world).counts[actor] += n;
            }
            Op::Read { world, actor } => {
                let (stage, copied) = &self.worlds[&self.pick(world)];
                let counter = self.counters[actor].within(stage);
                let count = counter.count().await.expect("it lives");
                assert_eq!(count, copied.counts[actor]);
            }
            Op::Fork { world } => self.fork(self.pick(world)).await,
            Op::Discard { world } => {
                let world = self.pick(world);
                if self.worlds.len() > 1 && world != 0 {
                    self.worlds.remove(&world);
                }
            }
            Op::Commit { world } => self.commit(self.pick(world)).await,
            Op::Advance { world } => {
                let world = self.pick(world);
                self.worlds[&world].0.advance(Duration::from_secs(1)).await;
                self.written(world).now += Duration::from_secs(1);
            }
        }
    }

    async fn fork(&mut self, world: usize) {
        let (stage, copied) = &self.worlds[&world];
        let fork = stage.fork().await;
        let mut copied = copied.clone();
        copied.parent = Some((world, copied.writes));
        self.worlds.insert(self.next, (fork, copied));
        self.next += 1;
    }

    async fn commit(&mut self, world: usize) {
        let (parent, forked_from) = match self.worlds[&world].1.parent {
            Some((parent, writes)) if self.worlds.contains_key(&parent) => (parent, writes),
            _ => return,
        };
        let is_free = self.worlds[&parent].1.writes == forked_from;
        let committed = {
            let child = self.worlds[&world].0.quiesce().await;
            let mut parent = self.worlds[&parent].0.quiesce().await;
            child.commit(&mut parent)
        };
        assert_eq!(committed.is_ok(), is_free, "{committed:?}");
        if is_free {
            let (_, child) = self.worlds.remove(&world).expect("it lived");
            let copied = &mut self.worlds.get_mut(&parent).expect("it lives").1;
            let before = copied.parent;
            *copied = Copied {
                parent: before,
                ..child
            };
        }
    }

    async fn compare(&self) {
        for (stage, copied) in self.worlds.values() {
            let quiet = stage.quiesce().await;
            let counts = self.counters.iter().map(|counter| quiet.state(counter));
            let counts: Vec<_> = counts.map(|state| state.expect("saved").count).collect();
            assert_eq!(counts, copied.counts);
            assert_eq!(quiet.now(), copied.now);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn each_world_of_actors_sees_what_a_deep_copy_at_its_fork_would(
        ops in prop::collection::vec(op(), 1..60),
    ) {
        let runtime = Runtime::builder().current_thread().build();
        runtime.expect("it is built").block_on(async {
            let mut bench = Bench::new();
            for op in &ops {
                bench.apply(op).await;
            }
            bench.compare().await;
        });
    }
}

/// Fifty actors, forks of forks, drawn numbers and timers: what it comes to.
async fn play() -> Vec<u64> {
    let stage = Stage::new(World::seeded(7));
    let counters: Vec<_> = (0..50).map(|n| Counter::of(n).spawn_in(&stage)).collect();
    let mut forks = Vec::new();
    for _ in 0..8 {
        forks.push(stage.fork().await);
    }
    let counters = &counters;
    let played = forks.iter().map(async |fork| {
        let mut sum = 0_u64;
        for step in 0..30 {
            let at = (step * 7) as usize % counters.len();
            let drawn = counters[at].within(fork).draw(step).await;
            sum = sum.wrapping_mul(31).wrapping_add(drawn.expect("it lives"));
            if step == 10 {
                let inner = fork.fork().await;
                let drawn = counters[at].within(&inner).draw(step).await;
                sum = sum.wrapping_add(drawn.expect("it lives"));
            }
        }
        sum
    });
    futures::future::join_all(played).await
}

fn played(workers: usize) -> Vec<u64> {
    let runtime: Runtime = Runtime::builder()
        .multi_thread()
        .worker_threads(workers)
        .build()
        .expect("it is built");
    runtime.block_on(play())
}

#[test]
fn with_one_seed_worlds_of_actors_come_to_the_same_on_any_number_of_workers() {
    let one = played(1);
    assert_eq!(one, played(1));
    assert_eq!(one, played(2));
    assert_eq!(one, played(4));
}

#[test]
fn with_one_seed_worlds_of_actors_come_to_the_same_in_another_process() {
    const INNER: &str = "GREENROOM_TEST_PLAYED";
    let played = format!("it came to {:?}", played(2));
    if std::env::var_os(INNER).is_some() {
        println!("{played}");
        return;
    }
    let this = std::env::current_exe().expect("the test binary has a path");
    let test = "with_one_seed_worlds_of_actors_come_to_the_same_in_another_process";
    let output = Command::new(this)
        .args([
            "--exact",
            &format!("world::stage::laws::{test}"),
            "--nocapture",
        ])
        .env(INNER, "")
        .output()
        .expect("the test binary runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(&played), "{said}");
}
