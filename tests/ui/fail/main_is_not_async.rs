#[greenroom::main]
fn main() {}
