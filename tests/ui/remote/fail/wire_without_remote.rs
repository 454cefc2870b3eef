use greenroom::actor;

#[actor]
struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    #[message(wire = "plus")]
    fn add(&mut self, #[wire(version = "1")] n: u64) {
        self.count += n;
    }
}

fn main() {}
