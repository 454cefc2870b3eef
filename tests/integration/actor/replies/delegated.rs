//! Replies that are given after their handler's end, from elsewhere.

use std::time::Duration;

use greenroom::{
    AskError, Context, Deferred, Delegated, ExitReason, Handle, Handler, Plain, ReplyTo,
    TimeoutState, actor, ask_all,
};
use tokio::sync::mpsc;

use crate::actor::support::{
    Flavor, assert_at_rest, on_each_runtime, on_runtime, poll_once, until, within,
};

/// Passes the right to answer on.
#[actor(mailbox = 8)]
struct Shelf {
    numbers: mpsc::UnboundedSender<ReplyTo<u32>>,
    results: mpsc::UnboundedSender<ReplyTo<Result<u32, String>>>,
    kept: Vec<ReplyTo<u32>>,
}

#[actor]
impl Shelf {
    #[message(inline = always)]
    fn inline(&mut self) -> Delegated<u32> {
        let (reply, later) = Delegated::new();
        self.numbers.send(reply).expect("the test is there");
        later
    }

    /// The right is passed on before the handler ends.
    #[message(inline = never)]
    async fn queued(&mut self) -> Delegated<u32> {
        let (reply, later) = Delegated::new();
        self.numbers.send(reply).expect("the test is there");
        tokio::task::yield_now().await;
        later
    }

    fn fallible(&mut self) -> Delegated<Result<u32, String>> {
        let (reply, later) = Delegated::new();
        self.results.send(reply).expect("the test is there");
        later
    }

    #[message(plain)]
    fn plain(&mut self) -> Delegated<Result<u32, String>> {
        self.fallible()
    }

    /// Answers before the handler's end.
    fn early(&mut self, answer: Result<u32, String>) -> Delegated<Result<u32, String>> {
        let (reply, later) = Delegated::new();
        assert!(reply.is_wanted());
        reply.send(answer).expect("the handler has not ended");
        later
    }

    fn ready(&mut self, n: u32) -> Delegated<u32> {
        Delegated::ready(n)
    }

    fn keep(&mut self) -> Delegated<u32> {
        let (reply, later) = Delegated::new();
        self.kept.push(reply);
        later
    }

    fn drop_kept(&mut self) -> usize {
        self.kept.drain(..).count()
    }
}

/// By hand.
struct Twice(u32);

impl Handler<Twice> for Shelf {
    type Reply = Delegated<u32>;
    type Shape = Deferred<Plain>;

    async fn handle(&mut self, Twice(n): Twice, _: &mut Context<Self>) -> Delegated<u32> {
        let (reply, later) = Delegated::new();
        greenroom::spawn(async move { reply.send(n * 2) });
        later
    }
}

struct Answers {
    numbers: mpsc::UnboundedReceiver<ReplyTo<u32>>,
    results: mpsc::UnboundedReceiver<ReplyTo<Result<u32, String>>>,
}

impl Answers {
    async fn next(&mut self) -> ReplyTo<u32> {
        within(self.numbers.recv())
            .await
            .expect("the shelf is there")
    }

    async fn next_result(&mut self) -> ReplyTo<Result<u32, String>> {
        within(self.results.recv())
            .await
            .expect("the shelf is there")
    }
}

fn shelf() -> (ShelfHandle, Answers) {
    let (numbers, results) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
    let shelf = Shelf {
        numbers: numbers.0,
        results: results.0,
        kept: Vec::new(),
    };
    let answers = Answers {
        numbers: numbers.1,
        results: results.1,
    };
    (shelf.spawn(), answers)
}

#[test]
fn the_actor_goes_on_and_the_asker_waits_until_somebody_answers() {
    on_each_runtime(|| async {
        let (shelf, mut answers) = shelf();
        let mut inline = Box::pin(shelf.inline());
        let mut queued = Box::pin(shelf.queued());
        assert!(poll_once(&mut inline).await.is_pending());
        assert!(poll_once(&mut queued).await.is_pending());
        let (first, second) = (answers.next().await, answers.next().await);
        assert_eq!(within(shelf.ready(5)).await.unwrap(), 5);
        assert!(first.is_wanted() && second.is_wanted());
        assert!(poll_once(&mut inline).await.is_pending());
        assert!(poll_once(&mut queued).await.is_pending());
        second.send(2).unwrap();
        assert_eq!(within(queued).await.unwrap(), 2);
        first.send(1).unwrap();
        assert_eq!(within(inline).await.unwrap(), 1);
        assert_at_rest(&shelf);
    });
}

#[test]
fn the_error_of_a_delegated_result_is_the_asks_own() {
    on_each_runtime(|| async {
        let (shelf, mut answers) = shelf();
        let (asked, ()) = tokio::join!(shelf.fallible(), async {
            let reply = answers.next_result().await;
            reply.send(Err("late".into())).unwrap();
        });
        assert!(matches!(asked, Err(AskError::Handler(text)) if text == "late"));
        let (asked, ()) = tokio::join!(shelf.plain(), async {
            let reply = answers.next_result().await;
            reply.send(Err("plain".into())).unwrap();
        });
        assert_eq!(asked.unwrap(), Err("plain".into()));
    });
}

#[test]
fn a_reply_given_before_the_handlers_end_is_given() {
    on_each_runtime(|| async {
        let (shelf, _answers) = shelf();
        assert_eq!(within(shelf.early(Ok(3))).await.unwrap(), 3);
        let failed = within(shelf.early(Err("early".into()))).await;
        assert!(matches!(failed, Err(AskError::Handler(text)) if text == "early"));
        assert_eq!(within(shelf.ready(4)).await.unwrap(), 4);
        shelf.early(Ok(5)).tell().await.unwrap();
        assert_eq!(within(shelf.ready(6)).await.unwrap(), 6);
    });
}

#[test]
fn a_right_to_answer_that_is_dropped_tells_the_asker() {
    on_each_runtime(|| async {
        let (shelf, mut answers) = shelf();
        for ask in [shelf.inline().enqueue(), shelf.inline().enqueue()] {
            let reply = within(ask).await.unwrap();
            drop(answers.next().await);
            let error = within(reply).await.unwrap_err();
            let AskError::Interrupted(cut) = &error else {
                panic!("{error:?}")
            };
            assert_eq!(cut.actor().id(), Handle::id(&shelf));
            assert!(cut.reason().is_none(), "the actor lives");
        }
        let kept = within(shelf.keep().enqueue()).await.unwrap();
        assert_eq!(within(shelf.drop_kept()).await.unwrap(), 1);
        assert!(matches!(within(kept).await, Err(AskError::Interrupted(_))));
    });
}

#[test]
fn an_answer_that_ends_with_its_actor_says_why() {
    on_each_runtime(|| async {
        let (shelf, _answers) = shelf();
        let mut kept = Box::pin(shelf.keep());
        assert!(poll_once(&mut kept).await.is_pending());
        assert_eq!(within(shelf.ready(1)).await.unwrap(), 1);
        shelf.kill();
        let AskError::Interrupted(cut) = within(kept).await.unwrap_err() else {
            panic!("it was kept in the state")
        };
        assert!(matches!(cut.reason(), Some(ExitReason::Killed)));
    });
}

#[test]
fn a_reply_may_come_after_the_actors_end() {
    on_each_runtime(|| async {
        let (shelf, mut answers) = shelf();
        let waiting = within(shelf.queued().enqueue()).await.unwrap();
        let reply = answers.next().await;
        assert!(within(shelf.shutdown()).await.is_normal());
        assert!(reply.is_wanted());
        reply.send(9).unwrap();
        assert_eq!(within(waiting).await.unwrap(), 9);
    });
}

#[test]
fn a_reply_that_nobody_waits_for_is_handed_back() {
    on_each_runtime(|| async {
        let (shelf, mut answers) = shelf();
        for way in 0..3 {
            let mut reply = match way {
                0 => {
                    let mut ask = Box::pin(shelf.inline());
                    assert!(poll_once(&mut ask).await.is_pending());
                    answers.next().await
                }
                1 => {
                    let waiting = within(shelf.queued().enqueue()).await.unwrap();
                    let reply = answers.next().await;
                    drop(waiting);
                    reply
                }
                _ => {
                    shelf.inline().tell().await.unwrap();
                    answers.next().await
                }
            };
            within(shelf.ready(0)).await.unwrap();
            within(reply.asker_gone()).await;
            assert!(!reply.is_wanted(), "{way}");
            assert_eq!(reply.send(7), Err(7), "{way}");
        }
    });
}

#[test]
fn who_waits_for_the_asker_to_go_is_told_whenever_it_began_to_wait() {
    on_each_runtime(|| async {
        for is_early in [true, false] {
            let (shelf, mut answers) = shelf();
            let waiting = within(shelf.queued().enqueue()).await.unwrap();
            let mut reply = answers.next().await;
            if !is_early {
                // Its handler has ended.
                within(shelf.ready(0)).await.unwrap();
            }
            let mut gone = Box::pin(reply.asker_gone());
            assert!(poll_once(&mut gone).await.is_pending());
            within(shelf.ready(0)).await.unwrap();
            assert!(poll_once(&mut gone).await.is_pending());
            let waits = async {
                tokio::task::yield_now().await;
                drop(waiting);
            };
            within(async { tokio::join!(gone, waits) }).await;
            assert!(!reply.is_wanted());
        }
    });
}

#[tokio::test(start_paused = true)]
async fn a_limit_holds_until_the_reply_is_given() {
    let (shelf, mut answers) = shelf();
    let limit = Duration::from_millis(10);
    for is_queued in [true, false] {
        let error = match is_queued {
            true => within(shelf.queued().timeout(limit)).await,
            false => within(shelf.inline().timeout(limit)).await,
        };
        let Err(AskError::Timeout(late)) = error else {
            panic!("{error:?}")
        };
        assert!(matches!(late.state(), TimeoutState::Running));
        let reply = answers.next().await;
        assert!(!reply.is_wanted());
        assert_eq!(reply.send(1), Err(1));
    }
    let (asked, ()) = tokio::join!(shelf.inline().timeout(limit), async {
        answers.next().await.send(3).unwrap();
    });
    assert_eq!(asked.unwrap(), 3);
}

#[test]
fn answers_and_ends_of_handlers_that_race_lose_no_reply() {
    on_runtime(Flavor::TwoWorkers, || async {
        let (shelf, mut answers) = shelf();
        let answering = greenroom::spawn(async move {
            let mut given = 0;
            while let Some(reply) = answers.numbers.recv().await {
                if given % 3 == 0 {
                    tokio::task::yield_now().await;
                }
                reply.send(given).expect("the asker waits");
                given += 1;
            }
            given
        });
        for round in 0..3000 {
            let answer = match round % 2 {
                0 => within(shelf.queued()).await,
                _ => within(shelf.inline()).await,
            };
            assert_eq!(answer.unwrap(), round);
        }
        assert!(within(shelf.shutdown()).await.is_normal());
        drop(shelf);
        assert_eq!(within(answering).await.unwrap(), 3000);
    });
}

#[test]
fn a_handler_by_hand_delegates_too_and_many_are_asked_at_once() {
    on_each_runtime(|| async {
        let (shelf, _answers) = shelf();
        let results = within(ask_all((0..20).map(|n| shelf.ask(Twice(n))))).await;
        let numbers: Vec<u32> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(numbers, (0..40).step_by(2).collect::<Vec<_>>());
    });
}

/// Asks the shelf and is asked by it.
#[actor]
struct Reader {
    shelf: ShelfHandle,
}

#[actor]
impl Reader {
    async fn read(&mut self) -> u32 {
        self.shelf.queued().await.unwrap_or(0)
    }

    fn ping(&mut self) -> u32 {
        1
    }
}

#[actor(extend)]
impl Shelf {
    /// Waits for the reader.
    async fn visit(&mut self, reader: ReaderHandle) -> Result<u32, AskError> {
        reader.ping().await
    }
}

#[test]
fn who_waits_for_a_reply_that_is_delegated_waits_for_no_handler() {
    on_each_runtime(|| async {
        let (shelf, mut answers) = shelf();
        let reader = Reader {
            shelf: shelf.clone(),
        }
        .spawn();
        let read = within(reader.read().enqueue()).await.unwrap();
        let reply = answers.next().await;
        within(shelf.ready(0)).await.unwrap();
        // The shelf waits for the reader, which waits for whoever has the reply.
        let mut visit = Box::pin(shelf.visit(reader.clone()));
        assert!(poll_once(&mut visit).await.is_pending());
        until(|| reader.free_slots() < reader.capacity()).await;
        assert!(poll_once(&mut visit).await.is_pending());
        reply.send(8).unwrap();
        assert_eq!(within(read).await.unwrap(), 8);
        assert_eq!(within(visit).await.unwrap(), 1);
    });
}
