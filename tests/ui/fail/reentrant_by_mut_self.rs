use greenroom::actor;

#[actor]
struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    #[message(reentrant)]
    async fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }
}

fn main() {}
