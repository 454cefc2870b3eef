use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    fn oops(&mut self, text: &str) {
        let _ = text;
    }
}

fn main() {}
