//! Existing types as messages: `#[message]` on a method, and `impl Handler`.

use greenroom::{Context, Handler, actor};
use std::io;

#[derive(Debug, PartialEq)]
pub struct Tick(u8);
pub struct Tock {
    n: u8,
}
pub struct Load(String);
pub struct Both<T>(T);

#[actor]
#[derive(Default)]
pub struct Clock {
    seen: Vec<String>,
}

#[actor]
impl Clock {
    #[message]
    async fn on_tick(&mut self, tick: Tick, _ctx: &mut Context<Self>) -> Tick {
        self.seen.push(format!("{tick:?}"));
        tick
    }

    #[message]
    #[message(plain)]
    pub fn on_load(&mut self, load: Load) -> io::Result<String> {
        Ok(load.0)
    }

    #[message]
    pub fn on_both<T: Send + 'static>(&mut self, both: Both<T>) -> T {
        both.0
    }

    pub fn seen(&self) -> Vec<String> {
        self.seen.clone()
    }
}

#[actor]
impl Handler<Tock> for Clock {
    async fn handle(&mut self, Tock { n }: Tock) -> io::Result<u8> {
        Ok(n)
    }
}

#[actor]
impl Handler<()> for Clock {
    fn handle(&mut self, _ctx: &mut Context<Self>, _: ()) -> usize {
        self.seen.len()
    }
}

#[actor(plain)]
impl<T: Send + 'static> Handler<Vec<T>> for Clock {
    fn handle(&mut self, list: Vec<T>) -> io::Result<usize> {
        Ok(list.len())
    }
}

/// By hand, without the attribute.
impl Handler<u64> for Clock {
    type Reply = u64;
    type Shape = greenroom::__private::Plain;
    async fn handle(&mut self, n: u64, _: &mut Context<Self>) -> u64 {
        n
    }
}

#[greenroom::main]
async fn main() {
    let clock = Clock::default().spawn();
    assert_eq!(clock.ask(Tick(1)).await.expect("lives"), Tick(1));
    assert_eq!(clock.on_both(Both(2)).await.expect("lives"), 2);
    let load = clock.on_load(Load("x".to_owned())).await;
    assert_eq!(load.expect("lives").expect("loads"), "x");
    assert_eq!(clock.ask(Tock { n: 4 }).await.expect("lives"), 4);
    assert_eq!(clock.ask(()).await.expect("lives"), 1);
    assert_eq!(clock.ask(vec![1, 2]).await.expect("lives").expect("ok"), 2);
    assert_eq!(clock.ask(7_u64).await.expect("lives"), 7);
    assert_eq!(clock.seen().await.expect("lives"), ["Tick(1)"]);
}
