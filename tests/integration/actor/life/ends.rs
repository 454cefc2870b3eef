//! The table of ends, row by row: cause by hook, messages, asks, timers, children, name and notice.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use greenroom::{
    AskError, Builder, Context, Down, ExitReason, Handle, Registry, Reply, Undelivered, WeakHandle,
    actor, registry,
};

use super::scene::{Conduct, Log, Order, Parting};
use crate::actor::support::{Flavor, Gate, on_thread, within};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Stop,
    LastHandle,
    StopsItself,
    Kill,
    HandlerPanics,
    StartFails,
    StartPanics,
    StopHookPanics,
    Linked,
    NextStartFails,
    RuntimeEnds,
}

impl Cause {
    fn order(self) -> Order {
        match self {
            Self::StopsItself => Order::Finish,
            Self::HandlerPanics => Order::Crash,
            _ => Order::Return,
        }
    }
}

/// What the asker of a message is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Answered,
    Interrupted,
    HandedBack,
}

struct Row {
    cause: Cause,
    /// With what reason the stop hook ran.
    stop_hook: Option<&'static str>,
    /// Of what is handled as the cause comes; where that is in the start hook, of what is queued.
    current: Told,
    /// Of what is queued. A tell is handled if this is answered, else it is undelivered.
    queued: Told,
    /// As what is told of it begins.
    reason: &'static str,
}

const fn row(
    cause: Cause,
    stop_hook: Option<&'static str>,
    [current, queued]: [Told; 2],
    reason: &'static str,
) -> Row {
    Row {
        cause,
        stop_hook,
        current,
        queued,
        reason,
    }
}

use Told::{Answered, HandedBack, Interrupted};

/// The table of [`greenroom::guarantees::life`].
#[rustfmt::skip]
const TABLE: [Row; 11] = [
    row(Cause::Stop, Some("it was stopped"), [Answered, Answered], "it was stopped"),
    row(Cause::LastHandle, Some("its last handle was dropped"), [Answered, Answered],
        "its last handle was dropped"),
    row(Cause::StopsItself, Some("it was stopped"), [Answered, Answered], "it was stopped"),
    row(Cause::Kill, None, [Interrupted, HandedBack], "it was killed"),
    row(Cause::HandlerPanics, None, [Interrupted, HandedBack],
        concat!("it panicked while handling ", module_path!(), "::SubjectHold: fell in a handler")),
    row(Cause::StartFails, None, [HandedBack, HandedBack],
        "its start hook failed: no luck in the start hook"),
    row(Cause::StartPanics, None, [HandedBack, HandedBack],
        "it panicked in its start hook: fell in the start hook"),
    row(Cause::StopHookPanics, Some("it was stopped"), [Answered, Answered],
        "it panicked in its stop hook: fell in the stop hook"),
    row(Cause::Linked, None, [Interrupted, HandedBack], "it was linked with other"),
    row(Cause::NextStartFails, Some("it was restarted"), [Answered, HandedBack],
        "its start hook failed: no luck in the start hook"),
    row(Cause::RuntimeEnds, None, [Interrupted, HandedBack], "its runtime ended"),
];

#[actor]
struct Child;

#[actor]
impl Child {}

/// What every incarnation of a subject is made of.
#[derive(Clone)]
struct Parts {
    cause: Cause,
    log: Log,
    starts: Gate,
    watcher: WatcherHandle,
    lives: Arc<AtomicU32>,
    children: Arc<Mutex<Vec<WeakHandle<Child>>>>,
}

impl Parts {
    fn subject(&self) -> Subject {
        let child = Child.spawn();
        self.children.lock().unwrap().push(child.downgrade());
        Subject {
            life: self.lives.fetch_add(1, Ordering::Relaxed) + 1,
            parts: self.clone(),
            _child: child,
            _parting: Parting("state dropped", self.log.clone()),
        }
    }

    /// Whom the states alone kept.
    async fn assert_children_ended(&self) {
        let children = self.children.lock().unwrap().clone();
        for child in children {
            let is_right = match within(child.join()).await {
                ExitReason::Dropped => true,
                ExitReason::RuntimeGone => self.cause == Cause::RuntimeEnds,
                _ => false,
            };
            assert!(is_right, "{:?}", self.cause);
        }
    }
}

#[actor(mailbox = 4)]
struct Subject {
    life: u32,
    parts: Parts,
    _child: ChildHandle,
    _parting: Parting,
}

#[actor]
impl Subject {
    #[on(start)]
    async fn begin(&mut self, ctx: &mut Context<Self>) -> Result<(), String> {
        let tick = Parting("timer dropped", self.parts.log.clone());
        let _ = ctx.after(Duration::from_secs(3600), tick);
        let conduct = match self.parts.cause {
            Cause::StartFails => Conduct::Fails,
            Cause::StartPanics => Conduct::Panics,
            Cause::NextStartFails if self.life == 2 => Conduct::Fails,
            _ => return Ok(()),
        };
        self.parts.starts.pass().await;
        conduct.follow("start").await
    }

    #[on(stop)]
    async fn end(&mut self, reason: ExitReason) {
        self.parts.log.say(format!("stop hook: {reason}"));
        self.parts.watcher.hear("last word").try_tell().unwrap();
        if self.parts.cause == Cause::StopHookPanics {
            let _ = Conduct::Panics.follow("stop").await;
        }
    }

    async fn hold(&mut self, gate: Gate, order: Order, ctx: &mut Context<Self>) {
        gate.pass().await;
        match order {
            Order::Return => {}
            Order::Finish => ctx.stop(),
            Order::Crash => panic!("fell in a handler"),
        }
    }

    fn read(&mut self, log: Log) {
        log.say("told handled");
    }

    fn answer(&mut self) {}

    #[message]
    fn on_tick(&mut self, _tick: Parting) {
        self.parts.log.say("tick");
    }

    #[on(undelivered)]
    fn lost(letter: Undelivered) {
        let reason = letter.reason().to_string();
        if let Ok(SubjectRead { log }) = letter.downcast::<SubjectRead>() {
            log.say(format!("told undelivered: {reason}"));
        }
    }
}

#[actor(mailbox = 4)]
struct Watcher {
    log: Log,
    names: Option<Registry>,
}

#[actor]
impl Watcher {
    fn watch(&mut self, subject: SubjectHandle, names: Registry, ctx: &mut Context<Self>) {
        self.names = Some(names);
        ctx.monitor(&subject);
    }

    fn hear(&mut self, word: &'static str) {
        self.log.say(word);
    }

    #[message]
    fn on_down(&mut self, down: Down) {
        let names = self.names.as_ref().expect("it watches");
        assert!(names.get::<Subject>("subject").is_err(), "its name is free");
        self.log.say(format!("down: {}", down.reason));
    }

    fn nothing(&self) {}
}

/// Has the cause come. A subject is in its start hook, or handles a message that waits at the gate.
async fn befall(cause: Cause, subject: &mut Option<SubjectHandle>, parts: &Parts, gate: &Gate) {
    let handle = subject.as_ref().expect("it is there");
    match cause {
        Cause::Stop | Cause::StopHookPanics => Handle::stop(handle),
        Cause::Kill => return Handle::kill(handle),
        Cause::Linked => {
            let other = Builder::new(Child).name("other").spawn();
            Handle::link(handle, &other);
            other.kill();
            within(other.join()).await;
            return;
        }
        Cause::NextStartFails => Handle::restart(handle).unwrap(),
        Cause::RuntimeEnds => return,
        Cause::LastHandle => *subject = None,
        _ => {}
    }
    parts.starts.open();
    gate.open();
}

fn told(result: Result<(), AskError>, reason: &str) -> Told {
    let Err(error) = result else {
        return Answered;
    };
    match error {
        AskError::Interrupted(_) => {
            assert!(error.to_string().contains(reason), "{error}");
            Interrupted
        }
        AskError::NotHandled(error) => {
            assert!(error.to_string().contains(reason), "{error}");
            HandedBack
        }
        other => panic!("{other}"),
    }
}

/// What is to be seen of an end.
struct Seen {
    log: Log,
    reason: ExitReason,
    current: Reply<()>,
    queued: Reply<()>,
}

impl Seen {
    async fn assert(self, row: &Row, is_restartable: bool) {
        let case = format!("{:?}, restartable: {is_restartable}", row.cause);
        let reason = self.reason.to_string();
        assert!(reason.starts_with(row.reason), "{case}: {reason}");
        let current = told(within(self.current).await, &reason);
        let queued = told(within(self.queued).await, &reason);
        assert_eq!([current, queued], [row.current, row.queued], "{case}");
        let lines = self.log.lines();
        let with = |word: &str| -> Vec<&String> {
            lines.iter().filter(|line| line.starts_with(word)).collect()
        };
        let hook = row.stop_hook.map(|reason| format!("stop hook: {reason}"));
        assert!(with("stop hook").into_iter().eq(&hook), "{case}: {lines:?}");
        let tell = match row.queued {
            Answered => "told handled".into(),
            _ => format!("told undelivered: {reason}"),
        };
        assert_eq!(with("told"), [&tell], "{case}");
        let lives = if row.cause == Cause::NextStartFails {
            2
        } else {
            1
        };
        assert_eq!(with("state dropped").len(), lives, "{case}");
        assert_eq!(with("timer dropped").len(), lives, "{case}");
        assert_eq!(with("tick").len(), 0, "{case}");
        assert_eq!(with("last word").len(), hook.iter().len(), "{case}");
        let down = format!("down: {reason}");
        assert_eq!(with("down"), [&down], "{case}");
        assert_eq!(lines.last(), Some(&down), "{case}: {lines:?}");
    }
}

/// Runs a row; `elsewhere` is where the subject lives, if it is not this runtime.
async fn run(row: &Row, is_restartable: bool, elsewhere: Option<greenroom::Runtime>) {
    let log = Log::default();
    let watcher = Watcher {
        log: log.clone(),
        names: None,
    };
    let parts = Parts {
        cause: row.cause,
        log: log.clone(),
        starts: Gate::shut(),
        watcher: watcher.spawn(),
        lives: Arc::default(),
        children: Arc::default(),
    };
    let made = parts.clone();
    let spawn = async move {
        let builder = match is_restartable {
            true => Builder::restartable(move || made.subject()),
            false => Builder::new(made.subject()),
        };
        (builder.register("subject").spawn(), registry())
    };
    let (subject, names) = match &elsewhere {
        Some(runtime) => runtime.spawn(spawn).await.unwrap(),
        None => spawn.await,
    };
    within(parts.watcher.watch(subject.clone(), names.clone()))
        .await
        .unwrap();
    let gate = Gate::shut();
    let current = within(subject.hold(gate.clone(), row.cause.order()).enqueue())
        .await
        .unwrap();
    match row.cause {
        Cause::StartFails | Cause::StartPanics => parts.starts.reached().await,
        _ => gate.reached().await,
    }
    subject.read(log.clone()).try_tell().unwrap();
    let queued = within(subject.answer().enqueue()).await.unwrap();
    let weak = subject.downgrade();
    let mut subject = Some(subject);
    befall(row.cause, &mut subject, &parts, &gate).await;
    if let Some(runtime) = elsewhere {
        std::thread::spawn(move || drop(runtime)).join().unwrap();
    }
    let reason = within(weak.join()).await;
    assert!(names.get::<Subject>("subject").is_err(), "its name is free");
    assert!(log.lines().iter().any(|line| line == "state dropped"));
    // The notice stands before this.
    within(parts.watcher.nothing()).await.unwrap();
    parts.assert_children_ended().await;
    let seen = Seen {
        log,
        reason,
        current,
        queued,
    };
    seen.assert(row, is_restartable).await;
}

/// Runs the rows of which the condition holds, on runtimes of each kind.
fn rows(condition: fn(Cause) -> bool) {
    let rows = || TABLE.iter().filter(|row| condition(row.cause));
    for (row, flavor) in rows().flat_map(|row| Flavor::ALL.map(|flavor| (row, flavor))) {
        on_thread(move || {
            let runtime = flavor.build();
            let first = row.cause == Cause::NextStartFails;
            for is_restartable in [first, true] {
                let ends = row.cause == Cause::RuntimeEnds;
                let elsewhere = ends.then(|| Flavor::TwoWorkers.build());
                runtime.block_on(run(row, is_restartable, elsewhere));
            }
        });
    }
}

#[test]
fn every_end_keeps_its_row_of_the_table() {
    rows(|cause| cause != Cause::RuntimeEnds);
}

#[test]
fn the_end_of_a_runtime_keeps_its_row_of_the_table() {
    rows(|cause| cause == Cause::RuntimeEnds);
}
