#[greenroom::main]
async fn add(n: u64) -> u64 {
    n.to_string()
}

fn main() {
    add(1);
}
