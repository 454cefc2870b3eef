use greenroom::remote::Wire;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Wire)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize, Deserialize, Wire)]
struct Versioned {
    #[wire(versoin = "1")]
    n: u64,
}

fn main() {}
