#[greenroom::test]
async fn a_sum_is_right(n: u64) {}

fn main() {}
