//! Messages for other processes keep what others have: parameters, `cfg`s, foreign types.

#![deny(warnings)]

use greenroom::remote::{Remote, RemoteHandle, Wire, serde};
use greenroom::{AskError, Delegated, actor};
use serde::{Deserialize, Serialize};

mod foreign {
    use super::serde;

    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(crate = "greenroom::remote::serde")]
    pub struct Level(pub u8);
}

#[derive(Serialize, Deserialize, Wire)]
#[serde(crate = "greenroom::remote::serde")]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next: Option<Box<Page<T>>>,
}

#[derive(Serialize, Deserialize, Wire)]
#[serde(crate = "greenroom::remote::serde")]
pub struct Tick;

#[derive(Serialize, Deserialize, Wire, Debug)]
#[serde(crate = "greenroom::remote::serde")]
pub enum Refused {
    Full,
    TooLarge { most: u64 },
}

#[actor]
pub struct Store<T> {
    items: Vec<T>,
}

#[actor(remote)]
impl<T: Wire + Clone + Send> Store<T> {
    pub fn put(
        &mut self,
        item: T,
        #[wire(version = "1")] level: foreign::Level,
    ) -> Result<u64, Refused> {
        match self.items.len() as u64 {
            most @ 4.. => Err(Refused::TooLarge { most }),
            _ if level.0 == 0 => Err(Refused::Full),
            _ => {
                self.items.push(item);
                Ok(self.items.len() as u64)
            }
        }
    }

    #[message(wire = "all")]
    async fn page(&mut self) -> Page<T> {
        let items = self.items.clone();
        Page { items, next: None }
    }

    #[message]
    fn on_tick(&mut self, _tick: Tick) {}

    fn later(
        &self,
        #[cfg(all())] here: u8,
        #[cfg(any())] not_here: Box<dyn Send>,
    ) -> Delegated<u8> {
        Delegated::ready(here)
    }

    #[cfg(any())]
    fn never(&self, what: NoSuchType) {}
}

#[actor(extend)]
impl<T: Wire + Clone + Send> Store<T> {
    fn local(&self, f: fn()) {
        f();
    }
}

async fn use_any<R: StoreRoute<u8>>(store: &StoreHandle<u8, R>) -> u64 {
    store.on_tick(Tick).tell().await.expect("it lives");
    match store.put(1, foreign::Level(1)).await {
        Ok(count) => count,
        Err(AskError::Handler(refused)) => panic!("{refused:?}"),
        Err(error) => panic!("{error:?}"),
    }
}

async fn use_remote(store: &RemoteHandle<Store<u8>>) -> Page<u8> {
    let again: StoreHandle<u8, Remote> = store.clone();
    use_any(&again).await;
    store.page().await.expect("it lives")
}

#[greenroom::main]
async fn main() {
    let store = Store { items: vec![] }.spawn();
    assert_eq!(use_any(&store).await, 1);
    assert_eq!(store.later(7).await.expect("it lives"), 7);
    let _ = use_remote;
}
