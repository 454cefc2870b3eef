use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    async fn find(&mut self, key: &str) -> bool {
        key.is_empty()
    }
}

#[greenroom::main]
async fn main() {
    let counter = Counter.spawn();
    let key = String::from("a");
    let _: bool = counter.find(&key).await.unwrap();
}
