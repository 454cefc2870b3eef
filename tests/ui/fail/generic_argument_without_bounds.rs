use greenroom::actor;

#[actor]
struct Cell<T>(T);

#[actor]
impl<T: Send + 'static> Cell<T> {
    fn put<U>(&mut self, value: U) {
        drop(value);
    }
}

fn main() {}
