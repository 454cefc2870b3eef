//! Local actors: generic ones, those with messages by hand, in several blocks.

use std::cell::RefCell;
use std::rc::Rc;

use greenroom::{LocalContext, LocalHandler, OnPanic, OneThread, Plain, ResumeAfterPanic, actor};

#[actor(local, mailbox = 8, name = "cache", spawn = begin)]
pub struct Cache<V: 'static> {
    values: Rc<RefCell<Vec<V>>>,
}

#[actor(local)]
impl<V: Clone + Send + 'static> Cache<V> {
    pub async fn put(&mut self, value: V) -> usize {
        let values = Rc::clone(&self.values);
        tokio::task::yield_now().await;
        values.borrow_mut().push(value);
        self.values.borrow().len()
    }

    #[message(reentrant)]
    pub fn get(&self, n: usize, _: &LocalContext<Self>) -> Option<V> {
        self.values.borrow().get(n).cloned()
    }

    #[on(panic)]
    fn crashed(&mut self) -> OnPanic<Self> {
        OnPanic::resume()
    }
}

impl<V: 'static> ResumeAfterPanic for Cache<V> {}

#[actor(local, extend)]
impl<V: Clone + Send + 'static> Cache<V> {
    pub fn fall(&mut self) {
        panic!("as it was told")
    }
}

pub struct Clear;

#[actor]
impl LocalHandler<Clear> for Cache<u8> {
    fn handle(&mut self, _: Clear) -> usize {
        self.values.borrow_mut().drain(..).count()
    }
}

pub struct Len;

impl LocalHandler<Len> for Cache<u8> {
    type Reply = usize;
    type Shape = Plain;

    async fn handle(&mut self, _: Len, _: &mut LocalContext<Self>) -> usize {
        self.values.borrow().len()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cache = Cache::<u8>::begin(|| Cache {
        values: Rc::default(),
    });
    assert_eq!(cache.put(7).await.unwrap(), 1);
    assert_eq!(cache.get(0).await.unwrap(), Some(7));
    assert!(cache.fall().await.is_err());
    assert_eq!(cache.ask(Len).await.unwrap(), 1);
    let raw: &greenroom::Handle<OneThread<Cache<u8>>> = &cache;
    assert_eq!(raw.ask(Clear).await.unwrap(), 1);
}
