//! Methods that answer later, or with many items, and calls of them.

use futures::stream::{self, Stream};
use greenroom::{Delegated, ReplyStream, ReplyTo, actor};

#[actor]
struct Desk<T> {
    open: Vec<ReplyTo<Result<T, String>>>,
    items: Vec<T>,
}

#[actor]
impl<T: Clone + Send + Sync + 'static> Desk<T> {
    fn request(&mut self) -> greenroom::Delegated<Result<T, String>> {
        let (reply, later) = Delegated::new();
        self.open.push(reply);
        later
    }

    fn answer(&mut self, item: T) {
        for reply in self.open.drain(..) {
            drop(reply.send(Ok(item.clone())));
        }
    }

    fn all(&mut self) -> impl Stream<Item = T> + Send {
        stream::iter(self.items.iter().cloned())
    }

    async fn copies(&self, n: usize) -> impl futures::Stream<Item = Vec<Self>> + use<T> {
        let _ = n;
        stream::empty()
    }

    #[message]
    fn on_word(&mut self, _word: Word) -> impl Stream<Item = T> + '_ {
        stream::iter(self.items.drain(..))
    }
}

struct Word;

#[tokio::main]
async fn main() -> Result<(), greenroom::Error> {
    let desk = Desk { open: vec![], items: vec![1, 2] }.spawn();
    let first = desk.request().enqueue().await?;
    desk.answer(7).await?;
    let got: u32 = first.await.map_err(|_| ()).expect("it was answered");
    assert_eq!(got, 7);
    let mut all: ReplyStream<u32> = desk.all().await?;
    assert_eq!(all.next().await.transpose()?, Some(1));
    drop(all);
    assert!(desk.copies(3).await?.next().await.is_none());
    assert_eq!(desk.ask(Word).await?.next().await.transpose()?, Some(1));
    Ok(())
}
