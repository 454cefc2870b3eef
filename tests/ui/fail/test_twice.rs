#[greenroom::test]
#[test]
async fn works() {}

fn main() {}
