//! The way over greenroom's handles.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use greenroom::remote::{Link, RemoteHandle};
use greenroom::{Error, Reply};

use crate::canvas::Canvas;
use crate::render::{Change, Surface};
use crate::server::Place;

/// By greenroom.
pub(crate) struct Remote {
    link: Link,
    canvas: RemoteHandle<Canvas>,
    /// Changes as asks, whose answers nobody needs: those that are open.
    unmarked: Option<Mutex<Vec<Reply<()>>>>,
}

impl Remote {
    pub(crate) async fn connect(place: &Place, marked: bool) -> Result<Self, Error> {
        let node = Place::node(&place.secret)?;
        let link = node.connect(place.greenroom.as_str()).await?;
        Ok(Self {
            canvas: link.lookup::<Canvas>("canvas").await?,
            link,
            unmarked: (!marked).then(Mutex::default),
        })
    }

    pub(crate) fn link(&self) -> &Link {
        &self.link
    }
}

/// A reply that does come.
pub(crate) struct Answered(Reply<u32>);

impl Future for Answered {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
        let reply = Pin::new(&mut self.0).poll(cx);
        reply.map(|name| name.expect("the server lives"))
    }
}

impl Surface for Remote {
    type Answer = Answered;

    async fn create(&self) -> Answered {
        let reply = self.canvas.create(1.0, 2.0).enqueue().await;
        Answered(reply.expect("the server lives"))
    }

    async fn change(&self, change: Change) {
        let canvas = &self.canvas;
        let Some(unmarked) = &self.unmarked else {
            let told = match change {
                Change::Update(name) => canvas.update(name, 3.0, 4.0).tell().await.is_ok(),
                Change::Destroy(name) => canvas.destroy(name).tell().await.is_ok(),
                Change::Show => canvas.show().tell().await.is_ok(),
            };
            return assert!(told, "the server lives");
        };
        let reply = match change {
            Change::Update(name) => canvas.update(name, 3.0, 4.0).enqueue().await.ok(),
            Change::Destroy(name) => canvas.destroy(name).enqueue().await.ok(),
            Change::Show => canvas.show().enqueue().await.ok(),
        };
        let mut open = {
            let mut unmarked = unmarked.lock().unwrap_or_else(PoisonError::into_inner);
            unmarked.extend(reply);
            match change {
                Change::Show => std::mem::take(&mut *unmarked),
                _ => Vec::new(),
            }
        };
        for reply in open.drain(..) {
            reply.await.expect("the server lives");
        }
    }
}
