//! An actor that writes down what happens to it.

use std::sync::{Arc, Mutex};
use std::task::Poll;

use greenroom::{AskError, Builder, Context, ExitReason, Refusal, Request, Tell, actor};

use crate::actor::support::{Gate, Ledger, Note, poll_once, seated, within};

/// What happened, in order.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(super) fn say(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    /// All that was said so far.
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    #[track_caller]
    pub(super) fn assert(&self, lines: &[&str]) {
        assert_eq!(*self.0.lock().unwrap(), lines);
    }
}

/// Says so when it is dropped.
pub(super) struct Parting(pub(super) &'static str, pub(super) Log);

impl Drop for Parting {
    fn drop(&mut self) {
        self.1.say(self.0);
    }
}

/// What a hook does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conduct {
    Proper,
    Fails,
    Panics,
    YieldsThenPanics,
}

impl Conduct {
    pub(super) async fn follow(self, hook: &'static str) -> Result<(), String> {
        match self {
            Self::Proper => Ok(()),
            Self::Fails => Err(format!("no luck in the {hook} hook")),
            Self::Panics => panic!("fell in the {hook} hook"),
            Self::YieldsThenPanics => {
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                panic!("fell in the {hook} hook")
            }
        }
    }
}

#[actor(mailbox = 2)]
pub(super) struct Witness {
    log: Log,
    start: Conduct,
    stop: Conduct,
    _parting: Parting,
}

impl Witness {
    pub(super) fn new(log: &Log, start: Conduct, stop: Conduct) -> Self {
        Self {
            log: log.clone(),
            start,
            stop,
            _parting: Parting("state dropped", log.clone()),
        }
    }
}

#[actor]
impl Witness {
    #[on(start)]
    async fn begin(&mut self) -> Result<(), String> {
        self.log.say("start hook");
        self.start.follow("start").await
    }

    #[on(stop)]
    async fn end(&mut self, reason: ExitReason) {
        self.log.say(format!("stop hook: {reason}"));
        self.stop
            .follow("stop")
            .await
            .expect("a stop hook has no error");
    }

    /// Handles a letter.
    pub(super) fn read(&mut self, letter: Letter) {
        self.log.say(format!("handled {}", letter.name));
        letter.open().handled();
    }

    /// Handles a letter, and is busy until the gate lets it go on; then follows the order.
    pub(super) async fn hold(
        &mut self,
        letter: Letter,
        gate: Gate,
        order: Order,
        ctx: &mut Context<Self>,
    ) {
        let _parting = Parting("future dropped", self.log.clone());
        self.log.say(format!("handled {}", letter.name));
        let note = letter.open();
        match order {
            Order::Crash => note.lost(),
            Order::Return | Order::Finish => note.handled(),
        }
        gate.pass().await;
        match order {
            Order::Return => {}
            Order::Finish => ctx.stop(),
            Order::Crash => panic!("fell in a handler"),
        }
    }
}

/// What a handler does at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Return,
    Finish,
    Crash,
}

/// A message that says when it is dropped unread.
pub(super) struct Letter {
    name: &'static str,
    note: Option<Note>,
    log: Log,
}

impl Letter {
    fn open(mut self) -> Note {
        self.note.take().expect("opened once")
    }
}

impl Drop for Letter {
    fn drop(&mut self) {
        if self.note.is_some() {
            self.log.say(format!("{} dropped unread", self.name));
        }
    }
}

pub(super) struct Scene {
    pub(super) log: Log,
    pub(super) ledger: Ledger,
    pub(super) gate: Gate,
    pub(super) witness: WitnessHandle,
}

type Telling = std::pin::Pin<Box<Tell<'static, Witness, WitnessRead>>>;
type Asking = std::pin::Pin<Box<Request<'static, Witness, WitnessRead>>>;

/// A tell and two asks that are under way: one stands in the mailbox, two wait for a slot.
pub(super) struct UnderWay {
    queued: Asking,
    waiting_tell: Telling,
    waiting_ask: Asking,
}

impl Scene {
    /// An actor whose hooks behave like this.
    pub(super) fn set(start: Conduct, stop: Conduct) -> Self {
        let (log, ledger) = (Log::default(), Ledger::default());
        let witness = Builder::new(Witness::new(&log, start, stop)).name("witness");
        let witness = seated(witness).spawn();
        Self {
            log,
            ledger,
            gate: Gate::shut(),
            witness,
        }
    }

    pub(super) fn letter(&self, name: &'static str) -> Letter {
        Letter {
            name,
            note: Some(self.ledger.single()),
            log: self.log.clone(),
        }
    }

    /// Begins the handling of `held`, without waiting for it to begin.
    pub(super) fn occupy(&self, order: Order) {
        self.witness
            .hold(self.letter("held"), self.gate.clone(), order)
            .try_tell()
            .expect("a slot");
    }

    pub(super) fn tell(&self) {
        self.witness
            .read(self.letter("told"))
            .try_tell()
            .expect("a slot");
    }

    /// Tells and asks, which fills the mailbox; then tells and asks once more.
    pub(super) async fn fill(&self) -> UnderWay {
        self.tell();
        let ask = |name| Box::pin(self.witness.read(self.letter(name)).into_owned());
        let mut queued = ask("asked");
        assert!(poll_once(&mut queued).await.is_pending());
        assert_eq!(self.witness.free_slots(), 0);
        let late = self.witness.read(self.letter("late told")).tell();
        let mut waiting_tell = Box::pin(late.into_owned());
        let mut waiting_ask = ask("late asked");
        assert!(poll_once(&mut waiting_tell).await.is_pending());
        assert!(poll_once(&mut waiting_ask).await.is_pending());
        assert_eq!(self.witness.waiting_senders(), 2);
        UnderWay {
            queued,
            waiting_tell,
            waiting_ask,
        }
    }
}

impl UnderWay {
    /// The two that waited for a slot get their messages back, with this reason.
    pub(super) async fn assert_waiters_refused(&mut self, reason: &str) {
        let error = within(&mut self.waiting_tell).await.expect_err("refused");
        assert_eq!(refused(error.refusal()), reason);
        error.into_message().letter.open().returned();
        assert_ask_refused(within(&mut self.waiting_ask).await, reason);
    }

    /// The ask that was queued gets its message back, with this reason.
    pub(super) async fn assert_queued_handed_back(&mut self, reason: &str) {
        assert_ask_refused(within(&mut self.queued).await, reason);
    }

    pub(super) async fn assert_queued_answered(&mut self) {
        within(&mut self.queued).await.expect("answered");
    }

    pub(super) async fn assert_queued_pending(&mut self) {
        assert!(matches!(poll_once(&mut self.queued).await, Poll::Pending));
    }
}

fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Ended(reason) => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

fn assert_ask_refused(result: Result<(), AskError>, reason: &str) {
    match result.expect_err("refused") {
        AskError::NotHandled(error) => {
            assert_eq!(refused(error.refusal()), reason);
            error
                .into_message::<WitnessRead>()
                .expect("its message")
                .letter
                .open()
                .returned();
        }
        other => panic!("{other:?}"),
    }
}
