use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn load(&mut self) -> impl Future<Output = u8> {
        std::future::ready(1)
    }
}

fn main() {}
