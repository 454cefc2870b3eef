use greenroom::actor;

#[actor]
union Counter {
    a: u8,
    b: i8,
}

fn main() {}
