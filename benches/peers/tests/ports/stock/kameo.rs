//! Before: on kameo.

use std::time::Duration;

use kameo::error::{Infallible, SendError};
use kameo::prelude::*;
use kameo::supervision::RestartPolicy;

use super::{Day, ORDERS, SoldOut};

#[derive(Clone)]
pub struct Stock {
    left: u32,
}

impl Actor for Stock {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(stock: Self, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(stock)
    }
}

pub struct Take(u32);

impl Message<Take> for Stock {
    type Reply = Result<u32, SoldOut>;

    async fn handle(&mut self, Take(n): Take, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        assert!(n > 0, "nothing to take");
        let left = self.left;
        self.left = left.checked_sub(n).ok_or(SoldOut { left })?;
        Ok(self.left)
    }
}

/// Takes orders, and supervises the stock.
pub struct Desk {
    stock: ActorRef<Stock>,
    sold: u32,
}

impl Actor for Desk {
    type Args = u32;
    type Error = Infallible;

    async fn on_start(left: u32, desk: ActorRef<Self>) -> Result<Self, Infallible> {
        let stock = Stock::supervise(&desk, Stock { left })
            .restart_policy(RestartPolicy::Transient)
            .restart_limit(3, Duration::from_secs(10))
            .spawn()
            .await;
        Ok(Self { stock, sold: 0 })
    }
}

pub struct Order(u32);

impl Message<Order> for Desk {
    type Reply = String;

    async fn handle(&mut self, Order(n): Order, _: &mut Context<Self, String>) -> String {
        match self.stock.ask(Take(n)).await {
            Ok(left) => {
                self.sold += n;
                format!("sold, {left} left")
            }
            Err(SendError::HandlerError(sold_out)) => sold_out.to_string(),
            Err(_) => "out of order".to_owned(),
        }
    }
}

pub struct Sold;

impl Message<Sold> for Desk {
    type Reply = u32;

    async fn handle(&mut self, _: Sold, _: &mut Context<Self, u32>) -> u32 {
        self.sold
    }
}

pub(super) async fn day() -> Day {
    let desk = Desk::spawn(10);
    let mut answers = Vec::new();
    for n in ORDERS {
        answers.push(desk.ask(Order(n)).await.expect("the desk is open"));
    }
    let sold = desk.ask(Sold).await.expect("the desk is open");
    desk.stop_gracefully().await.expect("it was open");
    desk.wait_for_shutdown().await;
    (answers, sold)
}
