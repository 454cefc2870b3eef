//! Actors that ask their own kind, or each other in a circle, make no cycle of types.

use greenroom::actor;

#[actor]
pub struct Even {
    odd: Option<OddHandle>,
}

#[actor]
pub struct Odd {
    even: Option<EvenHandle>,
}

#[actor]
impl Even {
    pub async fn is_even(&mut self, n: u8) -> bool {
        match (&self.odd, n) {
            (_, 0) => true,
            (Some(odd), _) => odd.is_odd(n - 1).await.expect("lives"),
            (None, _) => {
                let odd = Odd { even: None }.spawn();
                odd.is_odd(n - 1).await.expect("lives")
            }
        }
    }
}

#[actor]
impl Odd {
    pub async fn is_odd(&mut self, n: u8) -> bool {
        match (&self.even, n) {
            (_, 0) => false,
            (Some(even), _) => even.is_even(n - 1).await.expect("lives"),
            (None, _) => {
                let even = Even { odd: None }.spawn();
                even.is_even(n - 1).await.expect("lives")
            }
        }
    }
}

#[greenroom::main]
async fn main() {
    let even = Even { odd: None }.spawn();
    assert!(even.is_even(4).await.expect("lives"));
}
