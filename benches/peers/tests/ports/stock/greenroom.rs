//! After: on greenroom.

use std::time::Duration;

use greenroom::{AskError, Child, Intensity, Restart, Supervisor, actor};

use super::{Day, ORDERS, SoldOut};

#[actor]
pub struct Stock {
    left: u32,
}

#[actor]
impl Stock {
    fn take(&mut self, n: u32) -> Result<u32, SoldOut> {
        assert!(n > 0, "nothing to take");
        let left = self.left;
        self.left = left.checked_sub(n).ok_or(SoldOut { left })?;
        Ok(self.left)
    }
}

/// Takes orders.
#[actor]
pub struct Desk {
    stock: StockHandle,
    sold: u32,
}

#[actor]
impl Desk {
    async fn order(&mut self, n: u32) -> String {
        match self.stock.take(n).await {
            Ok(left) => {
                self.sold += n;
                format!("sold, {left} left")
            }
            Err(AskError::Handler(sold_out)) => sold_out.to_string(),
            Err(_) => "out of order".to_owned(),
        }
    }

    fn sold(&self) -> u32 {
        self.sold
    }
}

pub(super) async fn day() -> Day {
    let (stock, child) = Child::new(|| Stock { left: 10 })
        .restart(Restart::Transient)
        .intensity(Intensity::new(3, Duration::from_secs(10)))
        .prepare()
        .expect("there is a runtime");
    let supervisor = Supervisor::builder().child(child).spawn();
    let desk = Desk { stock, sold: 0 }.spawn();
    let mut answers = Vec::new();
    for n in ORDERS {
        answers.push(desk.order(n).await.expect("the desk is open"));
    }
    let sold = desk.sold().await.expect("the desk is open");
    desk.shutdown().await;
    supervisor.shutdown().await;
    (answers, sold)
}
