use greenroom::{Context, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn end(&mut self, ctx: Context<Self>) {
        ctx.stop();
    }
}

fn main() {}
