//! Defaults, const parameters, bounds of methods and names of parameters that the expansion uses.

#![deny(warnings)]

use greenroom::actor;
use std::fmt::Debug;

#[actor]
pub struct Pair<R = u8, H = R, const N: usize = 2>
where
    R: Debug,
{
    first: R,
    second: H,
}

#[actor]
impl<R, H, const N: usize> Pair<R, H, N>
where
    R: Debug + Clone + Send + 'static,
    H: Send + 'static,
{
    pub fn first(&self) -> R {
        self.first.clone()
    }

    pub fn swap(&mut self, mut first: R, second: H) -> (R, H) {
        std::mem::swap(&mut self.first, &mut first);
        (first, std::mem::replace(&mut self.second, second))
    }

    pub async fn size(&self) -> usize
    where
        H: Sync,
        R: Sync,
    {
        N
    }

    pub async fn show(&mut self) -> String
    where
        H: Debug,
    {
        format!("{:?} {:?}", self.first, self.second)
    }
}

#[actor]
impl<T: Debug + Clone + Send + 'static> greenroom::Handler<[T; 2]> for Pair<T, T, 3> {
    fn handle(&mut self, [first, second]: [T; 2]) -> T {
        self.second = second;
        first
    }
}

#[actor(extend)]
impl Pair<u8, i8, 9> {
    pub fn nine(&self) -> usize {
        9
    }
}

#[actor(mailbox = SLOTS * 2)]
#[deprecated]
#[doc(hidden)]
pub struct Old;

const SLOTS: usize = 4;

#[actor]
#[allow(deprecated)]
impl Old {
    #[doc(hidden)]
    #[deprecated(note = "never was good")]
    pub fn get(&self) -> u8 {
        1
    }
}

#[greenroom::main]
async fn main() {
    let pair: PairHandle = Pair {
        first: 1,
        second: 2,
    }
    .spawn();
    assert_eq!(pair.first().await.expect("lives"), 1);
    assert_eq!(pair.swap(3, 4).await.expect("lives"), (1, 2));
    assert_eq!(pair.size().await.expect("lives"), 2);
    assert_eq!(pair.show().await.expect("lives"), "3 4");
    let three = Pair::<_, _, 3> {
        first: "a",
        second: "b",
    }
    .spawn();
    assert_eq!(three.ask(["c", "d"]).await.expect("lives"), "c");
    let nine = Pair::<u8, i8, 9> {
        first: 1,
        second: -1,
    }
    .spawn();
    assert_eq!(nine.nine().await.expect("lives"), 9);
}
