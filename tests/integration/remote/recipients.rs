//! Handles of one message type, for actors here and elsewhere.

use std::time::Duration;

use futures::SinkExt;
use greenroom::remote::{Crossing, Lent};
use greenroom::{AskError, AskRecipient, Recipient, Refusal, actor, ask_all};

use super::scene::{
    Counter, CounterAdd, CounterLength, CounterTake, CounterWait, Scene, until, within,
};

#[tokio::test(start_paused = true)]
async fn one_list_tells_actors_here_and_elsewhere() {
    let scene = Scene::new().await;
    let here = Counter::new(&scene.gate).spawn();
    let any = [here.any_of(), scene.counter.any_of()];
    let listeners: Vec<Recipient<CounterAdd>> = vec![
        here.recipient(),
        scene.counter.recipient(),
        any[0].recipient(),
        any[1].recipient(),
    ];
    for (n, listener) in (0..).zip(&listeners) {
        let add = |m: u64| CounterAdd { n: 10 * n + m };
        within(listener.tell(add(0))).await.expect("it lives");
        listener.try_tell(add(1)).expect("there is room");
        let limit = Duration::from_secs(1);
        let told = listener.tell(add(2)).into_owned().timeout(limit);
        within(told).await.expect("it lives");
        let many = listener.tell_all([add(3), add(4)]);
        within(many).await.expect("it lives");
        listener.try_tell_all([add(5)]).expect("there is room");
        let mut sink = listener.sink();
        for m in 6..9 {
            within(sink.feed(add(m))).await.expect("it lives");
        }
        within(sink.flush()).await.expect("it lives");
    }
    let seen = [
        within(here.seen()).await.expect("it lives"),
        within(scene.counter.seen()).await.expect("it lives"),
    ];
    let sums = [[0, 20], [10, 30]].map(|tens| tens.map(|ten| (ten..ten + 9).collect::<Vec<_>>()));
    assert_eq!(seen, sums.map(|both| both.concat()));
    assert!(listeners[0] == listeners[2] && listeners[1] == listeners[3]);
    assert!(listeners[0] != listeners[1]);
    assert_eq!(listeners[1].identity(), scene.counter.identity());
}

#[tokio::test(start_paused = true)]
async fn one_list_asks_actors_here_and_elsewhere() {
    let scene = Scene::new().await;
    let here = Counter::new(&scene.gate).spawn();
    let both: [AskRecipient<CounterTake, u64, String>; 2] =
        [here.ask_recipient(), scene.counter.ask_recipient()];
    for one in &both {
        let adder = one.recipient();
        assert_eq!(adder.identity(), one.identity());
        let error = within(one.ask(CounterTake { n: 1 })).await;
        assert!(matches!(error, Err(AskError::Handler(why)) if why == "too little"));
    }
    for counter in [here.any_of(), scene.counter.any_of()] {
        within(counter.add(9)).await.expect("it lives");
    }
    let answers = within(ask_all(
        both.iter().map(|one| one.ask(CounterTake { n: 2 })),
    ))
    .await;
    for answer in answers {
        assert_eq!(answer.expect("there is enough"), 7);
    }
    for one in both {
        let limit = Duration::from_secs(1);
        let ask = one.ask(CounterTake { n: 3 }).into_owned().timeout(limit);
        assert_eq!(within(ask).await.expect("there is enough"), 4);
    }
}

#[tokio::test(start_paused = true)]
async fn a_recipient_elsewhere_hands_back_what_does_not_come_across() {
    let scene = Scene::new().await;
    let waiter: AskRecipient<CounterWait, u64> = scene.counter.ask_recipient();
    let limit = Duration::from_secs(1);
    let late = within(waiter.ask(CounterWait { n: 1 }).timeout(limit)).await;
    assert!(matches!(late, Err(AskError::Timeout(_))), "{late:?}");
    // A deadline that has passed sends nothing.
    let past = tokio::time::Instant::now();
    let late = within(waiter.ask(CounterWait { n: 2 }).deadline(past)).await;
    let Err(AskError::NotHandled(late)) = late else {
        panic!("{late:?}")
    };
    assert_eq!(late.into_message::<CounterWait>().expect("it is").n, 2);
    until(|| scene.server.metrics().asks_running == 0).await;
    let measure: Recipient<CounterLength> = scene.counter.recipient();
    let bytes = vec![0; 17 << 20];
    let error = within(measure.tell(CounterLength { bytes })).await;
    let error = error.expect_err("it is too large");
    let too_large =
        |refusal: &Refusal| matches!(refusal, Refusal::Crossing(Crossing::TooLarge { .. }));
    assert!(too_large(error.refusal()), "{error:?}");
    assert_eq!(error.into_message().bytes.len(), 17 << 20);
    let running = tokio::spawn(waiter.ask(CounterWait { n: 3 }).into_owned());
    until(|| scene.server.metrics().asks_running == 1).await;
    within(scene.link.close()).await;
    let lost = within(running).await.expect("no panic");
    assert!(matches!(lost, Err(AskError::OutcomeUnknown(_))), "{lost:?}");
    let lost = within(waiter.ask(CounterWait { n: 4 })).await;
    let Err(AskError::NotHandled(lost)) = lost else {
        panic!("{lost:?}")
    };
    let ended = |refusal: &Refusal| matches!(refusal, Refusal::Crossing(Crossing::LinkEnded));
    assert!(ended(lost.refusal()), "{lost:?}");
    let many = [5, 6].map(|n| CounterWait { n });
    let error = within(waiter.recipient().tell_all(many)).await;
    let error = error.expect_err("the link has ended");
    assert!(ended(error.refusal()) && error.accepted() == 0, "{error:?}");
    let rest: Vec<_> = error.into_messages().map(|wait| wait.n).collect();
    assert_eq!(rest, [5, 6]);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_room_elsewhere_can_take_its_message_back() {
    let scene = Scene::new().await;
    let waiter: Recipient<CounterWait> = scene.counter.recipient();
    let limit = Duration::from_secs(30); // longer than it takes to hear what was taken
    let full = loop {
        if let Err(full) = within(waiter.tell(CounterWait { n: 0 }).timeout(limit)).await {
            break full;
        }
    };
    assert!(matches!(full.refusal(), Refusal::Timeout(_)), "{full:?}");
    let full = waiter.try_tell(full.into_message());
    assert!(full.expect_err("there is none").is_full());
    let mut tell = Box::pin(waiter.tell(CounterWait { n: 1 }));
    assert!(futures::poll!(&mut tell).is_pending());
    assert_eq!(tell.as_mut().cancel().expect("it waits").n, 1);
    let mut sink = waiter.sink();
    within(sink.feed(CounterWait { n: 2 }))
        .await
        .expect("it is ready");
    assert!(futures::poll!(sink.flush()).is_pending());
    assert_eq!(sink.cancel().expect("it waits").n, 2);
    let many = waiter.tell_all([3, 4].map(|n| CounterWait { n }));
    let error = within(many.timeout(Duration::from_millis(1))).await;
    let rest = error.expect_err("there is no room").into_messages();
    assert_eq!(rest.map(|wait| wait.n).collect::<Vec<_>>(), [3, 4]);
}

/// Hears of what it subscribed to.
#[actor]
#[derive(Default)]
struct Guest {
    heard: Vec<String>,
}

#[actor(remote)]
impl Guest {
    fn hear(&mut self, text: String) {
        self.heard.push(text);
    }

    fn heard(&self) -> Vec<String> {
        self.heard.clone()
    }
}

/// Knows one message of whoever listens.
#[actor]
#[derive(Default)]
struct Room {
    listeners: Vec<Recipient<GuestHear>>,
}

#[actor(remote)]
impl Room {
    fn enter(&mut self, guest: Lent<Guest>) {
        self.listeners.push(guest.recipient());
    }

    async fn say(&mut self, text: String) {
        for listener in &self.listeners {
            let text = text.clone();
            listener.tell(GuestHear { text }).await.expect("it lives");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_handle_that_came_in_a_message_is_a_recipient_there() {
    let scene = Scene::new().await;
    let room = Room::default().spawn();
    scene.server.export("room", &room).expect("it is free");
    let far = within(scene.link.lookup::<Room>("room")).await;
    let far = far.expect("it is exported");
    let guests = [Guest::default().spawn(), Guest::default().spawn()];
    within(far.enter(Lent::of(&guests[0])))
        .await
        .expect("it lives");
    within(room.enter(Lent::of(&guests[1])))
        .await
        .expect("it lives");
    within(far.say("welcome".into())).await.expect("it lives");
    for guest in &guests {
        assert_eq!(within(guest.heard()).await.expect("it lives"), ["welcome"]);
    }
}
