#[greenroom::main(current_thread)]
async fn main() {}
