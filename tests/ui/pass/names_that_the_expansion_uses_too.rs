//! An actor, a message and parameters may have the names that the expansion likes for its own.

use greenroom::actor;

#[actor]
struct R {
    next: Option<RHandle>,
}

#[actor(prefix = "")]
impl R {
    fn link(&mut self, next: RHandle) {
        self.next = Some(next);
    }

    #[message(name = R1)]
    fn r(&mut self, m: u8, reply: u8, ctx: u8, this: u8) -> u8 {
        m + reply + ctx + this
    }
}

#[actor]
struct A<M, F>(M, F);

#[actor]
impl<M: Send + 'static, F: Send + 'static> A<M, F> {
    fn both<C: Send + 'static>(&mut self, c: C) -> C {
        c
    }
}

#[greenroom::main]
async fn main() {
    let r = R { next: None }.spawn();
    r.link(r.clone()).await.unwrap();
    assert_eq!(r.r(1, 2, 3, 4).await.unwrap(), 10);
    assert_eq!(r.ask(R1 { m: 1, reply: 1, ctx: 1, this: 1 }).await.unwrap(), 4);
    let a = A(1, 2).spawn();
    assert_eq!(a.both("c").await.unwrap(), "c");
}
