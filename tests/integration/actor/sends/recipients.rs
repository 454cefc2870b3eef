//! Handles for one message type.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use greenroom::{
    AskError, AskRecipient, Context, Recipient, RecipientAsk, RecipientTell, Refusal, TimeoutState,
    actor, ask_all,
};
use tokio::task_local;

use crate::actor::clerk::{ClerkFile, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Gate, LIMIT, Ledger, assert_at_rest, on_each_runtime, poll_once, within,
};

#[test]
fn a_recipient_tells_with_limits_from_threads_and_owned_and_hands_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        let recipient: Recipient<ClerkFile> = clerk.recipient();
        let file = |index| ClerkFile {
            note: ledger.note(0, index),
        };
        within(recipient.tell(file(0))).await.unwrap();
        let limit = Duration::from_millis(1);
        let error = within(recipient.tell(file(1)).timeout(limit))
            .await
            .unwrap_err();
        assert!(matches!(error.refusal(), Refusal::Timeout(passed) if *passed == limit));
        error.into_message().note.returned();
        let past = std::time::Instant::now();
        let error = within(recipient.tell(file(2)).deadline(past))
            .await
            .unwrap_err();
        error.into_message().note.returned();
        let mut tell = Box::pin(recipient.tell(file(3)));
        assert!(poll_once(&mut tell).await.is_pending());
        tell.as_mut().cancel().expect("it waits").note.returned();
        let mut owned = Box::pin(recipient.tell(file(4)).into_owned());
        assert!(poll_once(&mut owned).await.is_pending());
        gate.open();
        within(owned).await.unwrap();
        let (there, book) = (recipient.clone(), ledger.clone());
        let thread = tokio::task::spawn_blocking(move || {
            let file = |index| ClerkFile {
                note: book.note(1, index),
            };
            there.tell(file(0)).blocking().unwrap();
            there.tell(file(1)).timeout(LIMIT).blocking().unwrap();
        });
        within(thread).await.unwrap();
        within(clerk.shutdown()).await;
        let error = within(recipient.tell(file(5)).unchecked())
            .await
            .unwrap_err();
        error.into_message().note.returned();
        assert_eq!(ledger.settle().handled, 5);
    });
}

/// What all of them are asked.
#[derive(Debug)]
struct Weigh(u32);

#[derive(Debug, PartialEq)]
struct TooHeavy;

/// Weighs up to a limit.
#[actor(mailbox = 2)]
struct Scale {
    most: u32,
}

/// Weighs anything, after a while.
#[actor(mailbox = 1)]
struct Bridge {
    gate: Gate,
    /// Whether it was asked inline at last.
    inline: bool,
}

task_local! {
    static ASKING: ();
}

#[actor]
impl Scale {
    #[message]
    fn weigh(&mut self, weigh: Weigh) -> Result<u32, TooHeavy> {
        if weigh.0 > self.most {
            Err(TooHeavy)
        } else {
            Ok(weigh.0)
        }
    }
}

#[actor]
impl Bridge {
    #[message]
    async fn weigh(&mut self, weigh: Weigh) -> Result<u32, TooHeavy> {
        self.gate.pass().await;
        Ok(weigh.0)
    }

    #[message(inline = always)]
    fn look(&mut self) {
        self.inline = ASKING.try_with(|()| ()).is_ok();
    }

    #[message(inline = never)]
    fn was_inline(&mut self) -> bool {
        self.inline
    }

    async fn ask_itself(&mut self, ctx: &mut Context<Self>) -> bool {
        let me: AskRecipient<Weigh, u32, TooHeavy> = ctx.handle().ask_recipient();
        matches!(
            me.ask(Weigh(1)).await,
            Err(AskError::NotHandled(error)) if matches!(error.refusal(), Refusal::Deadlock(_))
        )
    }
}

fn bridge() -> (BridgeHandle, Gate) {
    let gate = Gate::shut();
    let bridge = Bridge {
        gate: gate.clone(),
        inline: false,
    };
    (bridge.spawn(), gate)
}

#[test]
fn actors_of_several_types_are_asked_by_message_type_alone() {
    on_each_runtime(|| async {
        let (scale, (bridge, gate)) = (Scale { most: 9 }.spawn(), bridge());
        gate.open();
        let all: [AskRecipient<Weigh, u32, TooHeavy>; 2] =
            [scale.ask_recipient(), bridge.ask_recipient()];
        for recipient in &all {
            assert_eq!(within(recipient.ask(Weigh(5))).await.unwrap(), 5);
        }
        let refused = within(all[0].ask(Weigh(10))).await;
        assert!(matches!(refused, Err(AskError::Handler(TooHeavy))));
        let replies = ask_all(all.iter().map(|recipient| recipient.ask(Weigh(10))));
        let replies = within(replies).await;
        assert!(replies[0].is_err() && replies[1].is_ok());
        within(all[1].recipient().tell(Weigh(1))).await.unwrap();
    });
}

#[test]
fn recipients_are_equal_if_their_actors_are_and_keep_them_running() {
    on_each_runtime(|| async {
        let (scale, other) = (Scale { most: 9 }.spawn(), Scale { most: 9 }.spawn());
        let recipient = scale.ask_recipient::<Weigh>();
        assert_eq!(recipient, recipient.clone());
        assert_ne!(recipient, other.ask_recipient::<Weigh>());
        assert_eq!(recipient.identity(), scale.identity());
        assert!(format!("{recipient:?}").starts_with("AskRecipient("));
        let set: HashSet<_> = [recipient.clone(), scale.ask_recipient()].into();
        assert_eq!(set.len(), 1);
        drop(set);
        let weak = scale.downgrade();
        drop(scale);
        assert_eq!(within(recipient.ask(Weigh(1))).await.unwrap(), 1);
        drop(recipient);
        assert!(within(weak.join()).await.is_normal());
    });
}

#[test]
fn an_ask_by_a_recipient_runs_inline_as_by_a_handle() {
    on_each_runtime(|| async {
        let (bridge, _gate) = bridge();
        let recipient: AskRecipient<BridgeLook, ()> = bridge.ask_recipient();
        within(ASKING.scope((), recipient.ask(BridgeLook)))
            .await
            .unwrap();
        assert!(within(bridge.was_inline()).await.unwrap());
        let mut queued = ask_all([recipient.ask(BridgeLook)]);
        let queued = async { (&mut queued).await.pop() };
        within(ASKING.scope((), queued)).await.unwrap().unwrap();
        assert!(!within(bridge.was_inline()).await.unwrap());
    });
}

#[test]
fn an_ask_by_a_recipient_has_limits_and_is_found_in_a_circle() {
    on_each_runtime(|| async {
        let (bridge, gate) = bridge();
        let recipient = bridge.ask_recipient::<Weigh>();
        // Long enough for the handler to begin within it, on a machine that is busy.
        let begins = Duration::from_millis(500);
        let mut running = Box::pin(recipient.ask(Weigh(1)).timeout(begins));
        assert!(poll_once(&mut running).await.is_pending());
        within(gate.reached()).await;
        let limit = Duration::from_millis(1);
        let running = within(running).await.unwrap_err();
        assert!(
            matches!(&running, AskError::Timeout(error) if error.state() == TimeoutState::Running)
        );
        let queued = within(recipient.ask(Weigh(2)).timeout(limit))
            .await
            .unwrap_err();
        assert!(
            matches!(&queued, AskError::Timeout(error) if error.state() == TimeoutState::Skipped)
        );
        let refused = within(recipient.ask(Weigh(3)).timeout(limit))
            .await
            .unwrap_err();
        assert_eq!(refused.into_message::<Weigh>().expect("handed back").0, 3);
        gate.open();
        assert!(within(bridge.ask_itself()).await.unwrap());
        let deadline = tokio::time::Instant::now() + LIMIT;
        assert_eq!(
            within(recipient.ask(Weigh(4)).deadline(deadline))
                .await
                .unwrap(),
            4
        );
        let thread = tokio::task::spawn_blocking(move || {
            assert_eq!(recipient.ask(Weigh(5)).blocking().unwrap(), 5);
            assert_eq!(
                recipient.ask(Weigh(6)).timeout(LIMIT).blocking().unwrap(),
                6
            );
            let other = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            assert_eq!(
                other
                    .block_on(recipient.ask(Weigh(7)).into_owned())
                    .unwrap(),
                7
            );
        });
        within(thread).await.unwrap();
        assert_at_rest(&bridge);
    });
}

#[test]
fn a_recipient_of_a_full_mailbox_waits_its_turn() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let recipient: AskRecipient<ClerkFile, u32> = clerk.ask_recipient();
        for index in 0..100 {
            let note = ledger.note(0, index);
            within(recipient.recipient().tell(ClerkFile { note }))
                .await
                .unwrap();
            let note = ledger.note(1, index);
            assert_eq!(
                within(recipient.ask(ClerkFile { note })).await.unwrap(),
                index
            );
        }
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 200);
    });
}

/// With every feature: none takes away what there is without it.
#[test]
fn sends_by_recipients_may_be_shared_between_threads() {
    fn assert_sync<T: Send + Sync>() {}
    assert_sync::<Recipient<Weigh>>();
    assert_sync::<AskRecipient<Weigh, u32>>();
    assert_sync::<RecipientTell<'_, Weigh>>();
    assert_sync::<RecipientAsk<'_, Weigh, u32, Infallible>>();
}
