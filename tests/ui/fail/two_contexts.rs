use greenroom::{Context, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn add(&mut self, one: &mut Context<Self>, other: &Context<Self>) {
        let _ = (one, other);
    }
}

fn main() {}
