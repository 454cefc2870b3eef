use greenroom::actor;

#[actor]
struct Counter {
    count: u64,
}

#[actor(remote)]
impl Counter {
    fn add(&mut self, n: u64) {
        self.count += n;
    }

    #[message(wire = "add")]
    fn increase(&mut self, n: u64) {
        self.count += n;
    }
}

fn main() {}
