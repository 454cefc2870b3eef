use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[cfg_attr(all(), message(skip))]
    fn get(&self) {}
}

fn main() {}
