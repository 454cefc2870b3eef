//! Handles whose messages a test answers by hand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use futures::future::join;
use greenroom::limits::STREAM_BUFFER;
use greenroom::testing::{Stub, Unexpected, stub};
use greenroom::{AskError, Delegated, ExitReason, Handle, ReplyStream, Topic, Undelivered, actor};

use super::support::{Flavor, on_thread, poll_once, within};

#[derive(Clone)]
struct Rise(u32);

#[actor(mailbox = 4)]
struct Bank {
    _never: std::convert::Infallible,
}

#[actor]
impl Bank {
    #[on(start)]
    fn begin(&mut self) {
        panic!("there is no bank")
    }

    async fn balance(&self, account: u32) -> Result<u64, String> {
        Err(format!("not {account}"))
    }

    fn name(&self) -> String {
        String::new()
    }

    fn later(&self, n: u32) -> Delegated<u32> {
        Delegated::ready(n)
    }

    fn rows(&self) -> impl futures::Stream<Item = u32> + use<> {
        futures::stream::iter([1])
    }

    /// It borrows the bank.
    fn cents(&mut self) -> impl futures::Stream<Item = usize> {
        futures::stream::iter([&self._never]).map(|never| match *never {})
    }

    #[message(lane = urgent)]
    fn alarm(&mut self) {}

    #[message]
    fn on_rise(&mut self, _rise: Rise) {}

    fn large(&mut self, block: [u64; 64]) -> u64 {
        block[0]
    }
}

#[actor]
struct Teller {
    bank: BankHandle,
}

#[actor]
impl Teller {
    async fn read(&mut self, account: u32) -> String {
        match self.bank.balance(account).await {
            Ok(balance) => format!("{balance}"),
            Err(AskError::Handler(error)) => error,
            Err(other) => other.to_string(),
        }
    }
}

#[test]
fn what_a_stub_is_sent_comes_in_order_and_is_answered_by_hand() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            flavor.build().block_on(async {
                let (bank, mut hand) = stub::<Bank>();
                let teller = Teller { bank: bank.clone() }.spawn();
                for (account, given, told) in
                    [(1, Ok(7), "7"), (2, Err("closed".to_owned()), "closed")]
                {
                    let answer = within(teller.read(account).enqueue()).await.unwrap();
                    let (message, reply) = within(hand.next::<BankBalance>()).await.unwrap();
                    assert_eq!(message.account, account);
                    assert!(reply.is_wanted());
                    reply.send(given).unwrap();
                    assert_eq!(within(answer).await.unwrap(), told);
                }
                bank.balance(3).try_tell().unwrap();
                let name = within(bank.name().enqueue()).await.unwrap();
                let (third, reply) = within(hand.next::<BankBalance>()).await.unwrap();
                assert!(third.account == 3 && !reply.is_wanted());
                let (_, reply) = within(hand.next::<BankName>()).await.unwrap();
                reply.send("the bank".into()).unwrap();
                assert_eq!(within(name).await.unwrap(), "the bank");
            });
        });
    }
}

#[greenroom::test]
async fn replies_that_come_later_and_messages_that_are_boxed_are_answered_as_well() {
    let (bank, mut hand) = stub::<Bank>();
    let later = within(bank.later(1).enqueue()).await.unwrap();
    let large = within(bank.large([3; 64]).enqueue()).await.unwrap();
    let (_, reply) = within(hand.next::<BankLater>()).await.unwrap();
    reply.send(9).unwrap();
    assert_eq!(within(later).await.unwrap(), 9);
    let (message, reply) = within(hand.next::<BankLarge>()).await.unwrap();
    reply.send(message.block[63]).unwrap();
    assert_eq!(within(large).await.unwrap(), 3);
}

#[greenroom::test]
async fn a_reply_that_is_a_stream_is_fed_by_hand_until_it_is_finished_cut_short_or_dropped() {
    let (bank, mut hand) = stub::<Bank>();
    let asked = bank.cents().enqueue().await.unwrap();
    let (_, reply) = within(hand.next::<BankCents>()).await.unwrap();
    let (feed, cents) = hand.stream();
    drop(reply.send(cents));
    let mut cents = within(asked).await.unwrap();
    for cent in 0..STREAM_BUFFER {
        feed.give(cent).await.unwrap();
    }
    let mut more = Box::pin(feed.give(7));
    assert!(poll_once(&mut more).await.is_pending());
    assert_eq!(cents.next().await.unwrap().unwrap(), 0);
    within(more).await.unwrap();
    let rest = async {
        let mut rest = 0;
        while let Some(cent) = cents.next().await {
            cent.expect("it is not cut short");
            rest += 1;
        }
        rest
    };
    let ((), rest) = within(join(feed.finish(), rest)).await;
    assert_eq!(rest, STREAM_BUFFER);

    let asked = bank.rows().enqueue().await.unwrap();
    let (_, reply) = within(hand.next::<BankRows>()).await.unwrap();
    let (feed, rows) = hand.stream();
    drop(reply.send(rows));
    let mut rows = within(asked).await.unwrap();
    drop(feed);
    let cut = rows.next().await.unwrap().unwrap_err();
    assert_eq!(cut.actor(), &bank.identity());
    assert!(rows.next().await.is_none());

    let (feed, rows) = hand.stream::<u32>();
    drop(rows);
    assert_eq!(feed.give(3).await, Err(3));
}

#[greenroom::test]
async fn a_reply_that_is_dropped_tells_who_asked_that_there_is_none() {
    let (bank, mut hand) = stub::<Bank>();
    let ask = within(bank.name().enqueue()).await.unwrap();
    drop(within(hand.next::<BankName>()).await.unwrap());
    assert!(matches!(within(ask).await, Err(AskError::Interrupted(_))));
    let rows = within(bank.rows().enqueue()).await.unwrap();
    let letter = within(hand.letter()).await.unwrap();
    assert!(letter.message_type().ends_with("BankRows"));
    drop(letter);
    let rows: Result<ReplyStream<u32>, _> = within(rows).await;
    assert!(matches!(rows.map(drop), Err(AskError::Interrupted(_))));
}

#[greenroom::test]
async fn a_message_of_another_type_is_in_the_error_and_can_be_answered() {
    let (bank, mut hand) = stub::<Bank>();
    let name = within(bank.name().enqueue()).await.unwrap();
    let error = within(hand.next::<BankLater>())
        .await
        .map(drop)
        .unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("the next message is no "), "{text}");
    assert!(
        text.contains("BankLater, but a ") && text.ends_with("BankName"),
        "{text}"
    );
    let Unexpected::Other { letter, .. } = error else {
        panic!("{error}")
    };
    let letter = letter.open::<BankLater>().map(drop).unwrap_err();
    let (_, reply) = letter.open::<BankName>().unwrap();
    reply.send("found".into()).unwrap();
    assert_eq!(within(name).await.unwrap(), "found");
}

#[greenroom::test]
async fn a_message_holds_its_slot_until_it_is_taken_and_lanes_and_names_are_kept() {
    let (bank, mut hand) = Stub::<Bank>::open_with(|bank| bank.mailbox(2).name("bank")).unwrap();
    assert_eq!(Handle::name(&bank), "bank");
    within(Handle::wait_started(&bank)).await.unwrap();
    bank.balance(1).try_tell().unwrap();
    bank.balance(2).try_tell().unwrap();
    assert!(bank.balance(3).try_tell().is_err());
    let mut waiting = Box::pin(bank.alarm().tell());
    assert!(poll_once(&mut waiting).await.is_pending());
    let (first, _) = within(hand.next::<BankBalance>()).await.unwrap();
    assert_eq!(first.account, 1);
    within(waiting).await.unwrap();
    let _ = within(hand.next::<BankAlarm>()).await.unwrap();
    let (second, _) = within(hand.next::<BankBalance>()).await.unwrap();
    assert_eq!((second.account, bank.free_slots()), (2, 2));
}

#[greenroom::test]
async fn a_stub_that_is_stopped_gives_the_rest_and_ends() {
    let (bank, mut hand) = stub::<Bank>();
    let asks = [1, 2, 3].map(|n| bank.balance(n).into_owned().enqueue());
    let mut replies = vec![];
    for ask in asks {
        replies.push(within(ask).await.unwrap());
    }
    bank.stop();
    assert!(bank.name().try_tell().is_err());
    for n in 1..=3 {
        assert!(!bank.is_stopped());
        let (message, reply) = within(hand.next::<BankBalance>()).await.unwrap();
        assert_eq!(message.account, n);
        reply.send(Ok(n.into())).unwrap();
    }
    let error = within(hand.next::<BankBalance>())
        .await
        .map(drop)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("there is no ") && text.ends_with(": it was stopped"),
        "{text}"
    );
    assert!(matches!(within(bank.join()).await, ExitReason::Stopped));
    for (reply, n) in replies.into_iter().zip(1..) {
        assert_eq!(within(reply).await.unwrap(), n);
    }
    let (bank, mut hand) = stub::<Bank>();
    drop(bank);
    assert!(matches!(
        within(hand.letter()).await,
        Err(ExitReason::Dropped)
    ));
}

#[test]
fn a_stub_that_is_dropped_or_killed_hands_back_what_nobody_has_taken() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            flavor.build().block_on(async {
                for is_killed in [false, true] {
                    let lost = Arc::new(Mutex::new(0));
                    let count = lost.clone();
                    let hook = move |_: Undelivered| *count.lock().unwrap() += 1;
                    let opened = Stub::<Bank>::open_with(|bank| bank.on_undelivered(hook));
                    let (bank, mut hand) = opened.unwrap();
                    let ask = within(bank.balance(1).enqueue()).await.unwrap();
                    bank.name().try_tell().unwrap();
                    if is_killed {
                        bank.kill();
                        let ended = within(hand.letter()).await.unwrap_err();
                        assert!(matches!(ended, ExitReason::Killed));
                    } else {
                        drop(hand);
                    }
                    assert!(matches!(within(bank.join()).await, ExitReason::Killed));
                    assert!(matches!(within(ask).await, Err(AskError::NotHandled(_))));
                    assert_eq!(*lost.lock().unwrap(), 1);
                }
            });
        });
    }
}

#[greenroom::test]
async fn a_wait_for_a_message_that_was_dropped_loses_none() {
    let (bank, mut hand) = stub::<Bank>();
    {
        let mut wait = Box::pin(hand.letter());
        assert!(poll_once(&mut wait).await.is_pending());
    }
    let first = within(bank.balance(1).enqueue()).await.unwrap();
    let second = within(bank.balance(2).enqueue()).await.unwrap();
    for (reply, n) in [(first, 1), (second, 2)] {
        let (message, by_hand) = within(hand.next::<BankBalance>()).await.unwrap();
        assert_eq!(message.account, n);
        by_hand.send(Ok(0)).unwrap();
        within(reply).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn limits_of_askers_hold_and_what_comes_too_late_is_skipped() {
    let (bank, mut hand) = stub::<Bank>();
    let ask = bank.name().timeout(Duration::from_secs(1));
    let (late, taken) = tokio::join!(ask, hand.next::<BankName>());
    assert!(matches!(late, Err(AskError::Timeout(_))));
    assert!(!taken.unwrap().1.is_wanted());
    let mut skipped = Box::pin(bank.name().into_owned());
    assert!(poll_once(&mut skipped).await.is_pending());
    drop(skipped);
    bank.balance(5).try_tell().unwrap();
    let (next, _) = within(hand.next::<BankBalance>()).await.unwrap();
    assert_eq!(next.account, 5);
}

#[greenroom::test]
async fn a_stub_can_be_paused_linked_and_subscribed_and_is_not_restarted() {
    let (bank, mut hand) = stub::<Bank>();
    assert!(Handle::restart(&bank).is_err());
    let topic = Topic::<Rise>::new();
    topic.subscribe(&bank).unwrap();
    topic.publish(Rise(2));
    bank.balance(1).try_tell().unwrap();
    let (rise, reply) = within(hand.next::<Rise>()).await.unwrap();
    assert!(rise.0 == 2 && !reply.is_wanted());
    let (message, _) = within(hand.next::<BankBalance>()).await.unwrap();
    assert_eq!(message.account, 1);
    let (other, _other_hand) = stub::<Bank>();
    Handle::link(&bank, &other);
    other.kill();
    assert!(matches!(
        within(hand.letter()).await,
        Err(ExitReason::Linked(_))
    ));
}
