#[greenroom::main(flavor = "current_thread", unhandled_panic = "shutdown_runtime")]
async fn main() {}
