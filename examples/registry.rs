//! Actors that find each other by name, in whatever order they start.
//!
//! ```sh
//! cargo run --example registry
//! ```

use greenroom::{Builder, Error, actor, registry};

/// Sets prices, and is found as "prices".
#[actor]
struct Prices {
    cents: u64,
}

#[actor]
impl Prices {
    fn of(&self, apples: u64) -> u64 {
        self.cents * apples
    }
}

/// Sells apples, once there are prices.
#[actor]
struct Shop;

#[actor]
impl Shop {
    async fn sell(&mut self, apples: u64) -> Result<u64, Error> {
        // Looked up for each sale: there may be a new owner of the name.
        let prices = registry().get::<Prices>("prices")?;
        Ok(prices.of(apples).await?)
    }

    #[on(start)]
    async fn open(&mut self) -> Result<(), Error> {
        registry().wait_for::<Prices>("prices").await?;
        println!("the shop is open");
        Ok(())
    }
}

#[greenroom::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Builder::new(Shop).register("shop").spawn();
    let prices = Builder::new(Prices { cents: 40 })
        .register("prices")
        .spawn();
    println!("three apples: {} cents", shop.sell(3).await?);

    // The name is taken until its owner has ended, and free at once after.
    let refused = Builder::new(Prices { cents: 50 }).register("prices");
    println!("{}", refused.try_spawn().unwrap_err());
    prices.shutdown().await;
    println!("without prices: {}", shop.sell(3).await.unwrap_err());

    let _dearer = Builder::new(Prices { cents: 50 })
        .register("prices")
        .spawn();
    println!("three apples: {} cents", shop.sell(3).await?);
    for (name, actor) in registry().list() {
        println!("{name} is {actor}");
    }
    Ok(())
}
