use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn get_1(&self) -> u8 {
        1
    }

    fn get1(&self) -> u8 {
        2
    }
}

#[greenroom::main]
async fn main() {
    let counter = Counter.spawn();
    let _ = (counter.get_1().await, counter.get1().await);
}
