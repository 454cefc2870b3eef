use greenroom::actor;

#[actor]
struct Counter {
    count: u64,
}

#[actor(remote)]
impl Counter {
    fn add<N: Into<u64> + Send + 'static>(&mut self, n: N) {
        self.count += n.into();
    }
}

fn main() {}
