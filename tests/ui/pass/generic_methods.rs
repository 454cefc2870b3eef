//! A method's own parameters become those of its message.

use greenroom::actor;
use std::fmt::Display;
use std::str::FromStr;

#[actor]
pub struct Desk<T> {
    last: T,
}

#[actor(derive(Clone))]
impl<T: Clone + Display + Send + 'static> Desk<T> {
    pub async fn show<S: Display + Send + 'static>(&mut self, value: S) -> String {
        format!("{value}")
    }

    /// The reply alone names the parameter.
    pub fn parse<U>(&mut self, text: String) -> Option<U>
    where
        U: FromStr + Send + 'static,
    {
        text.parse().ok()
    }

    pub fn zeros<const N: usize>(&self) -> [u8; N] {
        [0; N]
    }

    /// A field with a projection needs its bounds.
    pub fn first<I>(&mut self, first: I::Item, rest: Vec<I>) -> usize
    where
        I: Iterator<Item = T> + Send + 'static,
    {
        self.last = first;
        rest.len()
    }

    pub fn boxed<U: ?Sized + Send + 'static>(&mut self, value: Box<U>) -> usize {
        std::mem::size_of_val(&*value)
    }

    pub fn unsized_where<U>(&mut self, value: Box<U>) -> usize
    where
        U: ?Sized + Send + 'static,
    {
        std::mem::size_of_val(&*value)
    }
}

#[greenroom::main]
async fn main() {
    let desk = Desk {
        last: String::new(),
    }
    .spawn();
    assert_eq!(desk.show(7).await.expect("lives"), "7");
    let parsed = desk.parse::<u8>("8".to_owned()).await.expect("lives");
    assert_eq!(parsed, Some(8));
    let parsed = desk.ask(DeskParse::<i8>::new("-1".to_owned()));
    assert_eq!(parsed.await.expect("lives"), Some(-1));
    assert_eq!(desk.zeros::<3>().await.expect("lives"), [0; 3]);
    let rest = vec![vec![String::new()].into_iter()];
    assert_eq!(desk.first(String::new(), rest).await.expect("lives"), 1);
    let slice: Box<[u8]> = Box::new([1, 2]);
    assert_eq!(desk.boxed(slice).await.expect("lives"), 2);
    let slice: Box<[u8]> = Box::new([1, 2, 3]);
    assert_eq!(desk.unsized_where(slice).await.expect("lives"), 3);
}
