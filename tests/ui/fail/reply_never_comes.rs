use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    async fn run(&mut self) -> ! {
        std::future::pending().await
    }
}

fn main() {}
