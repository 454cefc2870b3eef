#[greenroom::main(flavor = "multi")]
async fn main() {}
