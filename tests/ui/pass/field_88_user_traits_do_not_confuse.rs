//! Traits in scope with methods of common names change no call of an expansion.

use greenroom::{Context, actor};
use std::hash::{Hash, Hasher};

pub trait Everything {
    fn fmt(&self) -> u8 {
        1
    }
    fn clone(&self) -> u8 {
        2
    }
    fn into(&self) -> u8 {
        3
    }
    fn send(&self) -> u8 {
        4
    }
    fn poll(&self) -> u8 {
        5
    }
    fn deref(&self) -> u8 {
        6
    }
    fn eq(&self) -> u8 {
        7
    }
    fn hash(&self) -> u8 {
        8
    }
    fn fit(&self) -> u8 {
        9
    }
    fn mailbox(&self) -> u8 {
        10
    }
    fn add(&mut self, _: u64) -> &'static str {
        "not this one"
    }
    fn into_start(&self) -> u8 {
        11
    }
    fn handle_now(&self) -> u8 {
        12
    }
    fn spawn_all(&self) -> u8 {
        13
    }
}
impl<T: ?Sized> Everything for T {}

#[actor(mailbox = 4)]
pub struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    pub async fn add(&self, n: u64) -> u64 {
        self.count + n
    }

    pub fn poll(&mut self, _ctx: &mut Context<Self>) -> u64 {
        self.count
    }

    pub fn send(&mut self) -> u64 {
        self.count
    }

    #[on(start)]
    fn begin(&mut self) {
        self.count = 1;
    }
}

#[greenroom::main]
async fn main() {
    let counter = Counter { count: 0 }.spawn();
    assert_eq!(counter.add(2).await.expect("lives"), 3);
    assert_eq!(counter.send().await.expect("lives"), 1);
    assert_eq!(counter.poll().await.expect("lives"), 1);
    let mut hasher = std::hash::DefaultHasher::new();
    Hash::hash(&counter, &mut hasher);
    let _ = hasher.finish();
    assert!(PartialEq::eq(&counter, &Clone::clone(&counter)));
    let _ = format!("{counter:?}");
}
