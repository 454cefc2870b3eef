//! States, messages, futures and replies of all sizes and alignments.

use std::cell::Cell;
use std::sync::Arc;

use greenroom::{Context, Handler, Plain, actor};

use crate::actor::support::{Gate, assert_at_rest, on_each_seat, poll_once, within};

/// A value that must lie where its alignment says.
#[repr(align(128))]
#[derive(Clone, Debug)]
struct Aligned {
    byte: u8,
    token: Arc<()>,
}

impl Aligned {
    #[track_caller]
    fn assert_in_place(&self) {
        assert_eq!(
            std::ptr::from_ref(self).addr() % 128,
            0,
            "out of its alignment"
        );
    }
}

#[actor(mailbox = 4)]
struct Block {
    state: Aligned,
}

#[actor]
impl Block {
    fn now(&mut self, sent: Aligned) -> Aligned {
        self.state.assert_in_place();
        sent.assert_in_place();
        sent
    }

    async fn later(&mut self, sent: Aligned, gate: Gate) -> Aligned {
        let own = self.state.clone();
        gate.pass().await;
        self.state.assert_in_place();
        own.assert_in_place();
        sent.assert_in_place();
        sent
    }

    async fn large(&mut self, sent: [u64; 2_000], gate: Gate) -> [u64; 2_000] {
        let own = sent;
        gate.pass().await;
        assert_eq!(own, sent);
        sent
    }

    async fn nothing(&mut self) {}

    fn generic<T: Clone + Send + 'static>(&mut self, value: T) -> (T, T) {
        (value.clone(), value)
    }
}

/// A message that no attribute has seen.
struct Foreign([Aligned; 3]);

impl Handler<Foreign> for Block {
    type Reply = [Aligned; 3];
    type Shape = Plain;

    async fn handle(&mut self, message: Foreign, ctx: &mut Context<Self>) -> [Aligned; 3] {
        let id = ctx.id();
        tokio::task::yield_now().await;
        message.0.iter().for_each(Aligned::assert_in_place);
        assert_eq!(id, ctx.id());
        message.0
    }
}

fn block() -> (BlockHandle, Aligned) {
    let aligned = Aligned {
        byte: 7,
        token: Arc::new(()),
    };
    (
        Block {
            state: aligned.clone(),
        }
        .spawn(),
        aligned,
    )
}

#[test]
fn values_of_a_large_alignment_lie_where_they_must() {
    on_each_seat(|| async {
        let (block, value) = block();
        let gate = Gate::shut();
        gate.open();
        for _ in 0..10 {
            let back = within(block.now(value.clone())).await.unwrap();
            back.assert_in_place();
            assert_eq!(back.byte, 7);
            let back = within(block.later(value.clone(), gate.clone()))
                .await
                .unwrap();
            back.assert_in_place();
            let three = Foreign([value.clone(), value.clone(), value.clone()]);
            let back = within(block.ask(three)).await.unwrap();
            back.iter().for_each(Aligned::assert_in_place);
            block.now(value.clone()).tell().await.unwrap();
            block
                .later(value.clone(), gate.clone())
                .tell()
                .await
                .unwrap();
            let three = Foreign([value.clone(), value.clone(), value.clone()]);
            block.tell(three).await.unwrap();
        }
        within(block.nothing()).await.unwrap();
        assert_at_rest(&block);
        assert!(!block.is_stopped());
        assert_eq!(Arc::strong_count(&value.token), 2);
    });
}

#[test]
fn large_messages_futures_and_replies_arrive_whole_in_any_mix_with_small_ones() {
    on_each_seat(|| async {
        let (block, value) = block();
        let gate = Gate::shut();
        let large: [u64; 2_000] = std::array::from_fn(|index| index as u64);
        let mut asks = Vec::new();
        for _ in 0..2 {
            let mut ask = Box::pin(block.large(large, gate.clone()));
            assert!(poll_once(&mut ask).await.is_pending());
            block.nothing().tell().await.unwrap();
            asks.push(ask);
        }
        gate.open();
        for ask in asks {
            assert_eq!(within(ask).await.unwrap(), large);
        }
        assert_eq!(within(block.generic(3_u8)).await.unwrap(), (3, 3));
        assert_eq!(within(block.generic(())).await.unwrap(), ((), ()));
        let text = within(block.generic("text".to_owned())).await.unwrap();
        assert_eq!(text, ("text".to_owned(), "text".to_owned()));
        assert_eq!(within(block.generic(large)).await.unwrap().1, large);
        assert_at_rest(&block);
        assert!(!block.is_stopped());
        drop(value);
    });
}

#[test]
fn values_of_any_size_are_dropped_when_their_actor_is_killed_or_refuses_them() {
    on_each_seat(|| async {
        let (block, value) = block();
        let gate = Gate::shut();
        block
            .later(value.clone(), gate.clone())
            .tell()
            .await
            .unwrap();
        gate.reached().await;
        block.now(value.clone()).tell().await.unwrap();
        block
            .tell(Foreign([value.clone(), value.clone(), value.clone()]))
            .await
            .unwrap();
        block.generic(value.clone()).tell().await.unwrap();
        block
            .generic((value.clone(), [0_u8; 5_000]))
            .tell()
            .await
            .unwrap();
        let mut waits = Box::pin(block.generic((value.clone(), 1_u8)));
        assert!(poll_once(&mut waits).await.is_pending());
        assert!(Arc::strong_count(&value.token) > 9);
        block.kill();
        within(block.join()).await;
        let error = within(waits).await.unwrap_err();
        assert_eq!(
            Arc::strong_count(&value.token),
            2,
            "the last is in the error"
        );
        drop(error);
        assert_eq!(Arc::strong_count(&value.token), 1);
        assert_at_rest(&block);
    });
}

/// Holds what only one thread at a time may look at.
#[actor]
struct Unshared {
    cell: Cell<u8>,
}

#[actor]
impl Unshared {
    async fn swap(&mut self, other: Cell<u8>) -> Cell<u8> {
        self.cell.swap(&other);
        tokio::task::yield_now().await;
        other
    }
}

#[test]
fn states_messages_and_replies_need_not_be_sync_not_even_to_be_carried_by_errors() {
    type Any = Box<dyn std::error::Error + Send + Sync>;

    async fn use_it(unshared: UnsharedHandle) -> Result<u8, Any> {
        unshared.swap(Cell::new(2)).tell().await?;
        unshared.swap(Cell::new(3)).try_tell()?;
        unshared
            .tell(UnsharedSwap {
                other: Cell::new(4),
            })
            .await?;
        let last = unshared.swap(Cell::new(5)).await?;
        Ok(last.get())
    }

    on_each_seat(|| async {
        let unshared = Unshared { cell: Cell::new(1) }.spawn();
        let last = within(greenroom::spawn(use_it(unshared.clone())))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(last, 4);
        let owned = unshared.swap(Cell::new(6)).into_owned();
        assert_eq!(within(tokio::spawn(owned)).await.unwrap().unwrap().get(), 5);
        unshared.kill();
        let error = within(greenroom::spawn(use_it(unshared.clone())))
            .await
            .unwrap()
            .unwrap_err();
        assert!(error.to_string().ends_with("it was killed"), "{error}");
    });
}
