#[greenroom::main]
struct Counter;

fn main() {}
