use greenroom::actor;
use greenroom::remote::RemoteHandle;

#[actor]
struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    fn add(&mut self, n: u64) {
        self.count += n;
    }
}

async fn all(counter: RemoteHandle<Counter>) {
    counter.add(1).await.unwrap();
}

fn main() {}
