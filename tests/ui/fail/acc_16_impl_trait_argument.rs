use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    async fn put(&mut self, item: impl std::fmt::Display) {
        let _ = item.to_string();
    }
}

#[greenroom::main]
async fn main() {
    Counter.spawn().put(1).await.unwrap();
}
