use greenroom::actor;
use std::io;

#[actor]
struct Counter {
    count: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
pub struct Plain;

#[actor(remote)]
impl Counter {
    fn put(&mut self, _what: Plain) {}

    fn load(&mut self) -> io::Result<u64> {
        Ok(self.count)
    }
}

fn main() {}
