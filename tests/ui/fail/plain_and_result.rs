use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message(plain, result)]
    fn get(&self) -> Result<u8, u8> {
        Ok(1)
    }
}

fn main() {}
