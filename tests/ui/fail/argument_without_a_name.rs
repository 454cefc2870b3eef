use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn drop_it(&mut self, _: u64) {}
}

fn main() {}
