use greenroom::actor;

#[actor]
struct Job<'a> {
    text: &'a str,
}

#[actor]
impl Job<'static> {
    fn len(&self) -> usize {
        self.text.len()
    }
}

#[greenroom::main]
async fn main() {
    let _ = Job { text: "x" }.spawn().len().await;
}
