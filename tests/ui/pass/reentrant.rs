//! What `reentrant` may stand beside.

use std::fmt::Debug;
use std::sync::Mutex;

use futures::{Stream, StreamExt};
use greenroom::{Context, Delegated, actor};

#[actor]
struct Cache<T: Debug + Clone>
where
    T: Send + Sync + 'static,
{
    all: Mutex<Vec<T>>,
}

struct Look(usize);

#[actor]
impl<T: Debug + Clone> Cache<T>
where
    T: Send + Sync + 'static,
{
    #[message(reentrant)]
    async fn put(&self, value: T, ctx: &Context<Self>) -> usize {
        assert!(ctx.deadline().is_none());
        let mut all = self.all.lock().unwrap();
        all.push(value);
        all.len()
    }

    #[message(reentrant, inline = never, detached, lane = urgent)]
    fn len(&self, ctx: &Context<Self>) -> usize {
        assert_eq!(ctx.name(), "Cache");
        self.all.lock().unwrap().len()
    }

    #[message]
    #[message(reentrant)]
    async fn look(&self, look: Look) -> Option<T> {
        self.all.lock().unwrap().get(look.0).cloned()
    }

    #[message(reentrant)]
    async fn fail(self: &Self, text: String) -> Result<(), String> {
        Err(text)
    }

    #[message(reentrant)]
    async fn later(&self) -> Delegated<usize> {
        let (reply, later) = Delegated::new();
        reply.send(self.all.lock().unwrap().len()).unwrap();
        later
    }

    #[message(reentrant)]
    async fn of<U: Debug + Send + 'static>(&self, value: U) -> String {
        format!("{value:?}")
    }

    #[message(reentrant)]
    async fn items(&self) -> impl Stream<Item = T> + use<T> {
        futures::stream::iter(self.all.lock().unwrap().clone())
    }

    #[message(reentrant)]
    fn items_now(&self) -> impl Stream<Item = T> + use<T> {
        futures::stream::iter(self.all.lock().unwrap().clone())
    }
}

#[greenroom::main]
async fn main() -> Result<(), greenroom::Error> {
    let cache = Cache {
        all: Mutex::default(),
    }
    .spawn();
    assert_eq!(cache.put(7).await?, 1);
    assert_eq!(cache.len().await?, 1);
    assert_eq!(cache.ask(Look(0)).await?, Some(7));
    assert!(cache.fail("no".into()).await.is_err());
    assert_eq!(cache.later().await?, 1);
    assert_eq!(cache.of(Some(1)).await?, "Some(1)");
    assert_eq!(cache.items().await?.count().await, 1);
    assert_eq!(cache.items_now().await?.count().await, 1);
    Ok(())
}
