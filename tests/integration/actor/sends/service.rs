//! Actors as services of `tower`.

use std::time::Duration;

use greenroom::{AskError, BoxError, Handle, actor};
use tower::timeout::error::Elapsed;
use tower::{Service, ServiceBuilder, ServiceExt};

use crate::actor::support::{Gate, LIMIT, assert_at_rest, on_each_runtime, poll_once, within};

/// Counts those who are in it at a time.
#[actor(mailbox = 2)]
struct Shop {
    served: u32,
    gate: Gate,
}

#[actor]
impl Shop {
    async fn serve(&mut self, guests: u32) -> Result<u32, std::fmt::Error> {
        self.gate.pass().await;
        if guests == 0 {
            return Err(std::fmt::Error);
        }
        self.served += guests;
        Ok(self.served)
    }

    fn served(&self) -> u32 {
        self.served
    }
}

fn shop() -> (ShopHandle, Gate) {
    let gate = Gate::shut();
    let shop = Shop {
        served: 0,
        gate: gate.clone(),
    };
    (shop.spawn(), gate)
}

#[test]
fn a_handle_is_a_service_of_each_of_its_messages() {
    on_each_runtime(|| async {
        let (shop, gate) = shop();
        gate.open();
        let mut service: Handle<Shop> = Handle::clone(&shop);
        let ready = ServiceExt::<ShopServe>::ready(&mut service);
        let response = within(ready).await.unwrap().call(ShopServe { guests: 3 });
        let task = tokio::spawn(response); // it borrows nothing
        assert_eq!(within(task).await.unwrap().unwrap(), 3);
        assert_eq!(within(service.oneshot(ShopServed)).await.unwrap(), 3);
        let failed = within(shop.ask_recipient().oneshot(ShopServe { guests: 0 })).await;
        assert!(matches!(failed, Err(AskError::Handler(std::fmt::Error))));
    });
}

#[test]
fn a_timeout_layer_ends_the_wait_for_a_slot_and_for_the_reply() {
    on_each_runtime(|| async {
        let (shop, gate) = shop();
        let recipient = shop.ask_recipient::<ShopServe>();
        let layer = |limit| {
            ServiceBuilder::new()
                .timeout(limit)
                .service(recipient.clone())
        };
        let short = layer(Duration::from_millis(1));
        let mut first = Box::pin(short.clone().oneshot(ShopServe { guests: 1 }));
        assert!(poll_once(&mut first).await.is_pending());
        gate.reached().await;
        assert!(within(first).await.unwrap_err().is::<Elapsed>());
        // Two are queued, and the others wait.
        for _ in 0..4 {
            let error: BoxError = within(short.clone().oneshot(ShopServe { guests: 1 }))
                .await
                .unwrap_err();
            assert!(error.is::<Elapsed>());
        }
        assert_eq!(shop.waiting_senders(), 0);
        gate.open();
        let served = within(layer(LIMIT).oneshot(ShopServe { guests: 1 }))
            .await
            .unwrap();
        assert_eq!(served, 2, "those that were queued are skipped");
        assert_at_rest(&shop);
    });
}

#[test]
fn a_concurrency_limit_counts_the_calls_in_flight() {
    on_each_runtime(|| async {
        let (shop, gate) = shop();
        let service = ServiceBuilder::new()
            .concurrency_limit(2)
            .service(shop.ask_recipient::<ShopServe>());
        let calls = (0..4).map(|_| Box::pin(service.clone().oneshot(ShopServe { guests: 1 })));
        let mut calls: Vec<_> = calls.collect();
        for call in &mut calls {
            assert!(poll_once(call).await.is_pending());
        }
        // One is with its handler, or about to be, and one queued.
        gate.reached().await;
        assert_eq!(shop.mailbox().used, 1);
        assert_eq!(shop.waiting_senders(), 0);
        gate.open();
        let served = within(futures::future::join_all(calls)).await;
        assert!(served.into_iter().map(Result::unwrap).eq(1..=4));
        assert_at_rest(&shop);
    });
}

#[test]
fn field_19_clones_that_are_ready_and_idle_keep_nobody_from_being_served() {
    on_each_runtime(|| async {
        let (shop, gate) = shop();
        gate.open();
        let mut idle: Vec<_> = (0..10).map(|_| shop.ask_recipient::<ShopServe>()).collect();
        for service in &mut idle {
            within(service.ready()).await.unwrap();
        }
        assert_eq!(shop.mailbox().used, 0);
        let mut busy = shop.ask_recipient::<ShopServe>();
        for served in 1..=10 {
            let response = within(busy.ready())
                .await
                .unwrap()
                .call(ShopServe { guests: 1 });
            assert_eq!(within(response).await.unwrap(), served);
        }
    });
}

#[test]
fn a_service_of_an_actor_that_has_ended_fails_and_hands_the_request_back() {
    on_each_runtime(|| async {
        let (shop, _gate) = shop();
        within(shop.shutdown()).await;
        let refused = within(shop.ask_recipient().oneshot(ShopServe { guests: 7 })).await;
        let request = refused.unwrap_err().into_message::<ShopServe>();
        assert_eq!(request.expect("handed back").guests, 7);
    });
}
