use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn name(&self) -> &str {
        "x"
    }
}

#[greenroom::main]
async fn main() {
    let _: &str = Counter.spawn().name().await.unwrap();
}
