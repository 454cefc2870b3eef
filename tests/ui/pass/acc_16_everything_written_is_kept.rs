//! Generics, bounds, where-clauses, const generics, cfgs and odd argument names survive.

use greenroom::{Context, actor};
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::io;

#[actor]
pub struct Cache<K, V: Debug, const N: usize>
where
    K: Hash + Eq,
{
    entries: HashMap<K, V>,
}

#[actor(derive(Debug))]
impl<K, V: Debug, const N: usize> Cache<K, V, N>
where
    K: Hash + Eq + Debug + Send + 'static,
    V: Clone + Send + 'static,
{
    /// Puts an entry in.
    pub async fn put(&mut self, key: K, value: V) -> io::Result<()> {
        if self.entries.len() == N {
            return Err(io::Error::other("full"));
        }
        self.entries.insert(key, value);
        Ok(())
    }

    pub fn get(&mut self, key: K) -> Option<V> {
        self.entries.get(&key).cloned()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    #[message(skip)]
    pub fn find<F: Fn(&K) -> bool>(&self, filter: F) -> Option<&V> {
        let found = self.entries.iter().find(|(key, _)| filter(key));
        found.map(|(_, value)| value)
    }

    #[message(derive(Clone))]
    pub async fn pair(&mut self, pair: (K, V), extra: Option<u8>) -> (K, V) {
        let _ = extra;
        pair
    }

    pub fn odd(&self, self_ref: u8, msg: u8, ctx: u8, reply: u8, r#type: u8) -> u8 {
        self_ref + msg + ctx + reply + r#type
    }

    pub fn context(&mut self, message: u8, ctx: &mut Context<Self>, value: u8) -> u8 {
        let _ = ctx.id();
        message + value
    }

    #[cfg(any())]
    pub async fn absent(&mut self, missing: NoSuchType) -> NoSuchType {
        missing
    }
}

#[actor]
pub struct Boxes;

#[actor]
impl Boxes {
    pub async fn call(&mut self, call: Option<Box<dyn Fn(&str) -> usize + Send>>) -> usize {
        call.map_or(0, |call| call("four"))
    }

    pub fn pointer(&mut self, pointer: fn(&u8) -> u8, name: &'static str) -> u8 {
        pointer(&(name.len() as u8))
    }

    pub fn any(&mut self, any: Box<dyn for<'a> Fn(&'a u8) -> &'a u8 + Send>) -> u8 {
        *any(&3)
    }
}

#[greenroom::main]
async fn main() {
    let cache = Cache::<String, u8, 2> {
        entries: HashMap::new(),
    }
    .spawn();
    cache.put("a".to_owned(), 1).await.expect("room");
    let get = CacheGet {
        key: "a".to_owned(),
    };
    assert_eq!(format!("{get:?}"), r#"CacheGet { key: "a" }"#);
    assert_eq!(cache.ask(get).await.expect("lives"), Some(1));
    assert_eq!(cache.len().await.expect("lives"), 1);
    assert_eq!(cache.odd(1, 2, 3, 4, 5).await.expect("lives"), 15);
    assert_eq!(cache.context(1, 2).await.expect("lives"), 3);
    let pair = CachePair {
        pair: ("b".to_owned(), 2),
        extra: None,
    };
    cache.ask(pair.clone()).await.expect("lives");
    cache.clear().await.expect("lives");
    let boxes = Boxes.spawn();
    assert_eq!(
        boxes.call(Some(Box::new(str::len))).await.expect("lives"),
        4
    );
    assert_eq!(boxes.pointer(|n| *n, "five5").await.expect("lives"), 5);
    assert_eq!(boxes.any(Box::new(|n| n)).await.expect("lives"), 3);
}
