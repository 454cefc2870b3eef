//! A recorded exchange, cut after each of its bytes.

use super::pair::From;
use super::world::World;
use crate::remote::frame::TargetId;
use crate::remote::limits::Limits;

/// Bytes that each side may write before the wire is cut, the first time.
struct Wire {
    cut: Option<(From, usize)>,
    flown: [usize; 2],
}

impl Wire {
    /// Has all that is written arrive, but for what the cut takes.
    fn carry(&mut self, world: &mut World) {
        let mut quiet = 0;
        while quiet < 2 {
            for from in [From::Client, From::Server] {
                let left = match self.cut {
                    Some((side, at)) if side == from => at - self.flown[from as usize],
                    _ => usize::MAX,
                };
                let bytes = world.pair.fly(from, left).expect("both are honest");
                self.flown[from as usize] += bytes;
                quiet = if bytes == 0 { quiet + 1 } else { 0 };
                let is_due = |(side, at)| side == from && self.flown[from as usize] == at;
                if self.cut.is_some_and(is_due) {
                    self.cut = None;
                    world.pair.cut();
                    world.hear();
                    world.pair.resume();
                    quiet = 0;
                }
            }
            world.hear();
        }
    }
}

/// Two rounds of asks and tells in both directions, some cancelled, with answers out of order.
fn exchange(cut: Option<(From, usize)>, sizes: [usize; 4]) -> [usize; 2] {
    let mut world = World::new(&Limits::new());
    let mut wire = Wire { cut, flown: [0; 2] };
    for round in 0..2 {
        for (number, size) in sizes.into_iter().enumerate() {
            let target = TargetId((number % 2) as u32);
            world.send(From::Client, target, size, true);
            world.send(From::Client, target, size / 2, number != round);
            world.send(From::Server, target, 3, true);
        }
        wire.carry(&mut world);
        let now = world.pair.now;
        let (client, side) = world.at(From::Client);
        client.cancel(side, 3 + round, now);
        while world.serve(From::Server, sizes[round]) | world.serve(From::Client, 5) {
            wire.carry(&mut world);
        }
    }
    wire.carry(&mut world);
    assert!(
        wire.cut.is_none_or(|(_, at)| at == usize::MAX),
        "the cut came"
    );
    world.heal();
    world.check();
    wire.flown
}

#[test]
fn a_cut_at_any_byte_of_an_exchange_changes_nothing() {
    let sizes = [0, 30, 7, 200];
    let whole = exchange(None, sizes);
    for (from, bytes) in [From::Client, From::Server].into_iter().zip(whole) {
        assert!(bytes > 500, "there is something to cut: {bytes}");
        (0..=bytes).for_each(|at| {
            exchange(Some((from, at)), sizes);
        });
    }
}

#[test]
fn a_cut_in_a_large_payload_changes_nothing() {
    let sizes = [300_000, 10, 150_000, 70_000];
    let whole = exchange(None, sizes);
    for (from, bytes) in [From::Client, From::Server].into_iter().zip(whole) {
        assert!(bytes > 300_000, "there is something to cut: {bytes}");
        (0..=bytes).step_by(9_973).for_each(|at| {
            exchange(Some((from, at)), sizes);
        });
    }
}
