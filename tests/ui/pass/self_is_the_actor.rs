//! `Self` in arguments, replies and bounds means the actor wherever the type goes.

use greenroom::{Context, Handle, actor};

#[actor]
#[derive(Clone, Debug, PartialEq)]
pub enum Tree<T> {
    Leaf(T),
    Fork(Vec<Tree<T>>),
}

pub trait Grows<A> {}
impl<A, T> Grows<A> for T {}

#[actor(derive(Clone, Debug))]
impl<T> Tree<T>
where
    T: Clone + Send + 'static,
    Self: Clone,
{
    pub async fn graft(self: &mut Self, other: Self, more: Vec<Self>) -> Self {
        *self = Self::Fork(vec![self.clone(), other]);
        self.grow(more);
        self.clone()
    }

    pub fn grown<G: Grows<Self> + Send + 'static>(&self, grown: G) -> (G, Self) {
        (grown, self.clone())
    }

    pub fn maybe(&self, ctx: &Context<Self>) -> Option<Self> {
        let _ = ctx;
        Some(self.clone())
    }

    #[message(skip)]
    fn grow(&mut self, more: Vec<Self>) {
        if let Self::Fork(trees) = self {
            trees.extend(more);
        }
    }
}

#[actor]
pub struct Other;

#[actor]
impl Other {
    /// A handle of one's own kind is a message like any other.
    pub async fn meet(&mut self, other: OtherHandle, raw: Handle<Self>) -> bool {
        *other == raw
    }
}

#[greenroom::main]
async fn main() {
    let tree = Tree::Leaf(1).spawn();
    let grown = tree.graft(Tree::Leaf(2), vec![]).await.expect("lives");
    let expected = Tree::Fork(vec![Tree::Leaf(1), Tree::Leaf(2)]);
    assert_eq!(grown, expected);
    assert_eq!(tree.grown('x').await.expect("lives").0, 'x');
    assert_eq!(tree.maybe().await.expect("lives"), Some(expected));
    let other = Other.spawn();
    let raw: Handle<Other> = (*other).clone();
    assert!(other.meet(other.clone(), raw).await.expect("lives"));
}
