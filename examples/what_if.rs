//! A trading desk that tries its plans before it acts: each plan runs in a fork of the desk's
//! world, and the best one is committed.
//!
//! `cargo run --features world --example what_if`

use greenroom::Error;
use greenroom::world::{Entry, World};

/// What the desk owns and what things cost.
const CASH: Entry<f64> = Entry::named("cash");
const SHARES: Entry<u32> = Entry::named("shares");
const PRICE: Entry<f64> = Entry::named("price");

/// How many shares to buy, and below which price to sell them all.
#[derive(Debug, Clone, Copy)]
struct Plan {
    buys: u32,
    stop: f64,
}

fn trade(world: &mut World, bought: i64) {
    let price = world.get(PRICE).copied().unwrap_or_default();
    if let Some(cash) = world.get_mut(CASH) {
        *cash -= bought as f64 * price;
    }
    if let Some(shares) = world.get_mut(SHARES) {
        *shares = shares.saturating_add_signed(bought as i32);
    }
}

fn worth(world: &World) -> f64 {
    let [cash, price] = [CASH, PRICE].map(|entry| world.get(entry).copied().unwrap_or_default());
    cash + price * f64::from(world.get(SHARES).copied().unwrap_or_default())
}

/// Lets the price of the next days happen in the world, and the plan with it.
fn live_through(world: &mut World, plan: Plan, days: u64) {
    for day in 0..days {
        let move_of_day = 0.06 * (world.stream(day).uniform() - 0.48);
        if let Some(price) = world.get_mut(PRICE) {
            *price *= 1.0 + move_of_day;
        }
        let price = world.get(PRICE).copied().unwrap_or_default();
        if price < plan.stop {
            let shares = i64::from(world.get(SHARES).copied().unwrap_or_default());
            trade(world, -shares);
        }
    }
}

/// What a plan is worth on average, in so many futures.
fn expect(desk: &mut World, plan: Plan, futures: usize) -> f64 {
    let worths = (0..futures).map(|_| {
        let mut future = desk.fork();
        trade(&mut future, i64::from(plan.buys));
        live_through(&mut future, plan, 30);
        worth(&future)
    });
    worths.sum::<f64>() / futures as f64
}

fn main() -> Result<(), Error> {
    let mut desk = World::seeded(7);
    desk.insert(CASH, 10_000.0);
    desk.insert(SHARES, 0);
    desk.insert(PRICE, 100.0);

    let plans = [(0, 0.0), (50, 0.0), (50, 92.0), (90, 95.0)];
    let plans = plans.map(|(buys, stop)| Plan { buys, stop });
    let outlooks = plans.map(|plan| (expect(&mut desk, plan, 2_000), plan));
    for (expected, plan) in outlooks {
        println!("{plan:?}: {expected:.2} expected");
    }
    assert_eq!(worth(&desk), 10_000.0, "nothing of this has happened");

    let best = outlooks
        .into_iter()
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let Some((_, plan)) = best else {
        return Ok(());
    };
    let mut branch = desk.fork();
    trade(&mut branch, i64::from(plan.buys));
    branch.commit(&mut desk)?; // refused, had the desk changed meanwhile
    println!("after {plan:?} the desk has {:?} shares", desk.get(SHARES));
    Ok(())
}
