//! A desk that takes orders out of a stock: errors, a panic, a restart.

mod greenroom;
mod kameo;

/// There is less than was asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct SoldOut {
    pub left: u32,
}

impl std::fmt::Display for SoldOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "only {} left", self.left)
    }
}

impl std::error::Error for SoldOut {}

/// What became of each order, and how much was sold.
type Day = (Vec<String>, u32);

/// Of a stock of ten: nothing to take is a mistake that the stock panics at.
const ORDERS: [u32; 5] = [3, 20, 0, 1, 9];

fn expected() -> Day {
    let orders = [
        "sold, 7 left",
        "only 7 left",
        "out of order",
        "sold, 9 left",
        "sold, 0 left",
    ];
    (orders.map(str::to_owned).to_vec(), 13)
}

#[tokio::test]
async fn the_stock_on_kameo_does_what_is_expected() {
    assert_eq!(kameo::day().await, expected());
}

#[tokio::test]
async fn the_stock_on_greenroom_does_the_same() {
    assert_eq!(greenroom::day().await, expected());
}
