use greenroom::actor;

#[actor]
struct Counter;

#[actor(mailbox = 4)]
impl Counter {
    fn get(&self) {}
}

fn main() {}
