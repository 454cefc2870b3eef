use greenroom::actor;

trait Shape {}

#[actor]
impl dyn Shape {
    fn get(&self) {}
}

fn main() {}
