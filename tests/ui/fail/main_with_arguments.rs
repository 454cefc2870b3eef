#[greenroom::main]
async fn main(n: u64) {}
