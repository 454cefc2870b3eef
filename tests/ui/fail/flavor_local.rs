#[greenroom::main(flavor = "local")]
async fn main() {}
