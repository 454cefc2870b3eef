use greenroom::actor;

#[actor]
struct Counter {
    count: u64,
}

#[actor]
impl Counter {}

#[actor(extend, remote)]
impl Counter {
    fn add(&mut self, n: u64) {
        self.count += n;
    }
}

fn main() {}
