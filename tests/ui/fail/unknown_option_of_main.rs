#[greenroom::main(colour = "green")]
async fn main() {}
