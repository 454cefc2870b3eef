use greenroom::actor;
use greenroom::remote::Remote;

#[actor]
struct Counter {
    count: u64,
}

#[actor(remote)]
impl Counter {
    fn add(&mut self, n: u64) {
        self.count += n;
    }
}

#[actor(extend)]
impl Counter {
    fn slow(&mut self) {}
}

async fn all(counter: CounterHandle<Remote>) {
    counter.add(1).await.unwrap();
    counter.slow().await.unwrap();
}

fn main() {}
