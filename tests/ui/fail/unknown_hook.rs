use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(crash)]
    fn oops(&mut self, text: &str) {
        let _ = text;
    }
}

fn main() {}
