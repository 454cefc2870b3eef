use greenroom::{Context, actor};

#[actor]
struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    #[message(reentrant)]
    async fn get(&self, ctx: &mut Context<Self>) -> u64 {
        ctx.stop();
        self.count
    }
}

fn main() {}
