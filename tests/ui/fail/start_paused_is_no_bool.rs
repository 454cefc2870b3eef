#[greenroom::main(flavor = "current_thread", start_paused = 1)]
async fn main() {}
