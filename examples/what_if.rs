//! A trading desk that tries its plans before it acts: each plan runs in forks of the desk's world,
//! with all actors that live in it, and the best one is committed.
//!
//! `cargo run --features world --example what_if`

use std::sync::Arc;
use std::time::Duration;

use greenroom::world::{ForkActor, InWorld, Options, Stage, Within, World};
use greenroom::{Context, Error, actor};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const DAYS: u32 = 30;

/// What a share costs: each day something else, as the world's seed has it.
#[actor]
#[derive(Clone)]
struct Market {
    price: f64,
}

#[actor(fork, derive(Clone))] // a timer's message is cloned, in each world
impl Market {
    fn open(&mut self, ctx: &mut Context<Self>) -> Result<(), Error> {
        if let Some(world) = ctx.world() {
            world.after(DAY, MarketMove)?;
        }
        Ok(())
    }

    fn r#move(&mut self, ctx: &mut Context<Self>) -> Result<(), Error> {
        let Some(world) = ctx.world() else {
            return Ok(());
        };
        let drawn = world.stream(world.now().as_secs()).uniform();
        self.price *= 1.0 + 0.06 * (drawn - 0.48);
        world.after(DAY, MarketMove)?;
        Ok(())
    }

    fn price(&self) -> f64 {
        self.price
    }
}

/// How many shares to buy, and below which price to sell them all.
#[derive(Debug, Clone, Copy)]
struct Plan {
    buys: u32,
    stop: f64,
}

/// What the desk owns. Its handle of the market means the market of the world that it is in.
#[actor]
#[derive(Clone)]
struct Desk {
    cash: f64,
    shares: u32,
    market: MarketHandle<Within>,
}

#[actor(fork)]
impl Desk {
    async fn buy(&mut self, shares: u32) -> Result<(), Error> {
        self.cash -= f64::from(shares) * self.market.price().await?;
        self.shares += shares;
        Ok(())
    }

    /// Sells all, if the price has fallen so far.
    async fn watch(&mut self, stop: f64) -> Result<(), Error> {
        let price = self.market.price().await?;
        if price < stop {
            self.cash += f64::from(self.shares) * price;
            self.shares = 0;
        }
        Ok(())
    }

    async fn worth(&self) -> Result<f64, Error> {
        Ok(self.cash + f64::from(self.shares) * self.market.price().await?)
    }
}

/// What a plan is worth on average, in so many futures: the same ones for each plan.
async fn expect(
    stage: Arc<Stage>,
    desk: DeskHandle<Within>,
    plan: Plan,
    futures: u32,
) -> Result<f64, Error> {
    let mut sum = 0.0;
    for number in 0..futures {
        let options = Options::new().seed(u64::from(number));
        let future = stage.quiesce().await.fork_with(options)?;
        let desk = desk.within(&future);
        desk.buy(plan.buys).await?;
        for _ in 0..DAYS {
            future.advance(DAY).await;
            desk.watch(plan.stop).await?;
        }
        sum += desk.worth().await?;
    }
    Ok(sum / f64::from(futures))
}

#[greenroom::main]
async fn main() -> Result<(), Error> {
    let stage = Arc::new(Stage::new(World::seeded(7)));
    let market = Market { price: 100.0 }.spawn_in(&stage);
    market.open().await?;
    let (cash, shares) = (10_000.0, 0);
    let desk = Desk {
        cash,
        shares,
        market,
    }
    .spawn_in(&stage);

    // Each plan by a task of its own: worlds share the workers, and nothing else.
    let plans = [(0, 0.0), (50, 0.0), (50, 92.0), (90, 95.0)];
    let outlooks = plans.map(|(buys, stop)| {
        let plan = Plan { buys, stop };
        let outlook = expect(stage.clone(), desk.clone(), plan, 200);
        (plan, greenroom::spawn(outlook))
    });
    let mut best: Option<(f64, Plan)> = None;
    for (plan, outlook) in outlooks {
        let expected = outlook.await.map_err(std::io::Error::from)??;
        println!("{plan:?}: {expected:.2} expected");
        if best.is_none_or(|(most, _)| expected > most) {
            best = Some((expected, plan));
        }
    }
    assert_eq!(
        desk.worth().await?,
        10_000.0,
        "nothing of this has happened"
    );

    let Some((_, plan)) = best else {
        return Ok(());
    };
    let branch = stage.fork().await;
    desk.within(&branch).buy(plan.buys).await?;
    let mut parent = stage.quiesce().await;
    // Refused, had the desk or the market changed meanwhile.
    branch.quiesce().await.commit(&mut parent)?;
    drop(parent);
    println!(
        "after {plan:?} the desk is worth {:.2}",
        desk.worth().await?
    );
    Ok(())
}
