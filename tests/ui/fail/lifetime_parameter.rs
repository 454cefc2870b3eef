use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn first<'a>(&mut self, text: &'static str, more: Vec<&'a str>) -> usize {
        text.len() + more.len()
    }
}

fn main() {}
