#[greenroom::main(flavor = "vanilla")]
async fn main() {}
