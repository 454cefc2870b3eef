//! What has gone wrong in the field, and must not here: messages that nobody heard of again.

use std::sync::mpsc::channel;
use std::time::Duration;

use greenroom::{
    AskError, Builder, ExitReason, JoinHandle, TimeoutState, UndeliveredReason, actor,
};

use super::undelivered::reported;
use crate::actor::clerk::{Clerk, ClerkHandle};
use crate::actor::support::{
    Choices, Gate, Ledger, Note, assert_at_rest, on_each_runtime, until, within,
};

/// An actor that is not on stage before its gate opens.
#[actor(mailbox = 1)]
struct Late {
    gate: Gate,
}

#[actor]
impl Late {
    #[on(start)]
    async fn arrive(&mut self) {
        self.gate.pass().await;
    }

    fn file(&mut self, note: Note) {
        note.handled();
    }
}

#[test]
fn acc_01_a_kill_before_the_start_leaves_what_was_queued_to_the_hook() {
    on_each_runtime(|| async {
        let (ledger, (lost, letters)) = (Ledger::default(), channel());
        let late = Builder::new(Late { gate: Gate::shut() })
            .on_undelivered(move |letter| lost.send(letter).expect("the test listens"))
            .spawn();
        late.file(ledger.note(0, 0)).tell().await.unwrap();
        let waiting: Vec<_> = (1..8)
            .map(|sender| {
                let (late, note) = (late.clone(), ledger.note(sender, 0));
                greenroom::spawn(async move { late.file(note).tell().await })
            })
            .collect();
        until(|| late.waiting_senders() == 7).await;
        late.kill();
        within(late.join()).await;
        for sent in waiting {
            let error = within(sent).await.unwrap().unwrap_err();
            error.into_message().note.returned();
        }
        let letter = letters.try_recv().expect("one was queued");
        assert!(matches!(
            letter.reason(),
            UndeliveredReason::Ended(ExitReason::Killed)
        ));
        letter.downcast::<LateFile>().unwrap().note.reported();
        let tally = ledger.settle();
        assert_eq!((tally.reported, tally.returned), (1, 7));
    });
}

/// Tells until it is refused.
fn tell_until_refused(sender: u32, clerk: ClerkHandle, ledger: Ledger) -> JoinHandle<usize> {
    greenroom::spawn(async move {
        for index in 0.. {
            if let Err(error) = clerk.file(ledger.note(sender, index)).tell().await {
                error.into_message().note.returned();
                return index as usize;
            }
        }
        unreachable!("it is refused at some time")
    })
}

#[test]
fn acc_08_every_message_accepted_before_an_end_is_handled_or_reported() {
    on_each_runtime(|| async {
        for round in 0..300 {
            let mut choices = Choices::seeded(round + 1);
            let (ledger, (lost, letters)) = (Ledger::default(), channel());
            let clerk = Builder::new(Clerk)
                .mailbox(8)
                .on_undelivered(move |letter| lost.send(letter).expect("the test listens"))
                .spawn();
            let senders: Vec<_> = (0..4)
                .map(|sender| tell_until_refused(sender, clerk.clone(), ledger.clone()))
                .collect();
            for _ in 0..choices.below(12) {
                tokio::task::yield_now().await;
            }
            let is_kill = choices.below(2) == 0;
            match is_kill {
                true => clerk.kill(),
                false => clerk.stop(),
            }
            let mut accepted = 0;
            for sender in senders {
                accepted += within(sender).await.unwrap();
            }
            within(clerk.join()).await;
            let count = reported(&letters).len();
            let tally = ledger.settle();
            assert_eq!(tally.handled + tally.reported, accepted, "{tally:?}");
            assert_eq!((tally.reported, tally.returned), (count, 4), "{tally:?}");
            assert!(is_kill || count == 0, "{tally:?}");
        }
    });
}

/// Handles what it is asked, whoever waits.
#[actor(mailbox = 120_000)]
struct Post;

#[actor]
impl Post {
    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    fn forget(&mut self) {}

    #[message(detached)]
    fn deliver(&mut self) {}
}

const ASKS: u64 = 100_000;

async fn held_post() -> (PostHandle, Gate) {
    let (post, gate) = (Post.spawn(), Gate::shut());
    post.hold(gate.clone()).tell().await.expect("accepted");
    gate.reached().await;
    (post, gate)
}

/// Asks so often, 64 at a time, that each time runs into its limit.
async fn time_out<F, T>(ask: impl Fn() -> F, state: TimeoutState)
where
    F: Future<Output = Result<T, AskError>>,
{
    for round in 0..ASKS.div_ceil(64) {
        let count = 64.min(ASKS - 64 * round);
        for result in futures::future::join_all((0..count).map(|_| ask())).await {
            match result {
                Err(AskError::Timeout(timeout)) => assert_eq!(timeout.state(), state),
                Err(error) => panic!("{error}"),
                Ok(_) => panic!("answered"),
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn acc_12_a_hundred_thousand_asks_that_time_out_leave_nothing_behind() {
    let limit = Duration::from_millis(1);
    let metrics = || greenroom::runtime::Handle::current().metrics();
    let (post, gate) = held_post().await;
    time_out(|| post.forget().timeout(limit), TimeoutState::Skipped).await;
    gate.open();
    post.forget().await.unwrap();
    assert_eq!(metrics().undelivered.expired, ASKS);
    assert_eq!(metrics().late_replies, 0);
    assert_at_rest(&post);
    let (post, gate) = held_post().await;
    time_out(|| post.deliver().timeout(limit), TimeoutState::Queued).await;
    gate.open();
    post.forget().await.unwrap();
    assert_eq!(metrics().undelivered.expired, ASKS);
    assert_eq!(metrics().late_replies, ASKS);
    assert_at_rest(&post);
}
