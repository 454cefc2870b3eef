//! Two programs that ask and tell each other over a wire that is slow, torn and mended.

use std::time::Duration;

use proptest::prelude::*;

use super::pair::From;
use super::world::{TARGETS, World};
use crate::remote::frame::TargetId;
use crate::remote::limits::Limits;

#[derive(Clone, Copy, Debug)]
enum Step {
    Send {
        from: From,
        target: u32,
        size: usize,
        is_ask: bool,
    },
    Cancel {
        from: From,
        pick: usize,
    },
    Serve {
        at: From,
        size: usize,
    },
    Fly {
        from: From,
        bytes: usize,
    },
    Cut,
    Wait {
        ms: u64,
    },
}

/// Longer than all that a run waits.
const PATIENT: Duration = Duration::from_secs(10_000);

fn side() -> impl Strategy<Value = From> {
    prop_oneof![Just(From::Client), Just(From::Server)]
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 0..200usize, 2 => 3_000..6_000usize, 1 => 60_000..200_000usize]
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = prop_oneof![3 => 0..300usize, 1 => 0..100_000usize, 2 => Just(usize::MAX)];
    prop_oneof![
        6 => (side(), 0..TARGETS, size(), any::<bool>())
            .prop_map(|(from, target, size, is_ask)| Step::Send { from, target, size, is_ask }),
        1 => (side(), any::<usize>()).prop_map(|(from, pick)| Step::Cancel { from, pick }),
        4 => (side(), size()).prop_map(|(at, size)| Step::Serve { at, size }),
        6 => (side(), bytes).prop_map(|(from, bytes)| Step::Fly { from, bytes }),
        1 => Just(Step::Cut),
        1 => (0..8_000u64).prop_map(|ms| Step::Wait { ms }),
    ]
}

fn run(world: &mut World, step: Step) {
    let now = world.pair.now;
    match step {
        Step::Send {
            from,
            target,
            size,
            is_ask,
        } => {
            world.send(from, TargetId(target), size, is_ask);
        }
        Step::Cancel { from, pick } => {
            let (actor, side) = world.at(from);
            actor.cancel(side, pick, now);
        }
        Step::Serve { at, size } => {
            world.serve(at, size);
        }
        Step::Fly { from, bytes } => {
            world.pair.fly(from, bytes).expect("both are honest");
        }
        Step::Cut => {
            world.pair.cut();
            world.pair.resume();
        }
        Step::Wait { ms } => {
            world.pair.now += Duration::from_millis(ms);
            for from in [From::Client, From::Server] {
                let now = world.pair.now;
                let side = world.pair.ends(from).0;
                side.session
                    .on_timeout(now, &mut side.events)
                    .expect("nobody stalls");
            }
        }
    }
    world.hear();
}

/// Ten times as many where they cost a tenth.
const CASES: u32 = if cfg!(debug_assertions) { 200 } else { 2_000 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn each_message_is_handled_once_and_in_order_whatever_the_wire_does(
        steps in prop::collection::vec(step(), 1..200)
    ) {
        let mut world = World::new(&Limits::new().progress(PATIENT));
        steps.into_iter().for_each(|step| run(&mut world, step));
        world.heal();
        world.check();
    }

    #[test]
    fn narrow_limits_lose_nothing_either(steps in prop::collection::vec(step(), 1..200)) {
        let limits = Limits::new().progress(PATIENT).asks(4).in_flight_bytes(0).retained_bytes(0);
        let mut world = World::new(&limits);
        steps.into_iter().for_each(|step| run(&mut world, step));
        world.heal();
        world.check();
    }
}
