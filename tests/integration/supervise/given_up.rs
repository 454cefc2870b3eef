//! The rows of the table of ends that need a supervisor: one that gives up, and one that is told to
//! stop.

use std::sync::{Arc, Mutex};

use greenroom::{
    AskError, Child, Context, Down, ExitReason, Intensity, Prepared, Reply, Supervisor,
    Undelivered, actor, registry,
};

use super::scene::millis;
use crate::actor::support::{Gate, within};

type Log = Arc<Mutex<Vec<String>>>;

/// Says with what reason its stop hook ran, and what became of what it was told.
#[actor(mailbox = 4)]
struct Subject {
    log: Log,
}

#[actor]
impl Subject {
    #[on(stop)]
    fn end(&mut self, reason: &ExitReason) {
        self.log
            .lock()
            .unwrap()
            .push(format!("stop hook: {reason}"));
    }

    async fn hold(&mut self, gate: Gate, crashes: bool) {
        gate.pass().await;
        assert!(!crashes, "fell in a handler");
    }

    fn read(&mut self, log: Log) {
        log.lock().unwrap().push("told handled".to_owned());
    }

    fn answer(&mut self) {}

    #[on(undelivered)]
    fn lost(letter: Undelivered) {
        let reason = letter.reason().to_string();
        if let Ok(SubjectRead { log }) = letter.downcast::<SubjectRead>() {
            log.lock()
                .unwrap()
                .push(format!("told undelivered: {reason}"));
        }
    }
}

#[actor]
struct Watcher {
    log: Log,
}

#[actor]
impl Watcher {
    fn watch(&mut self, subject: SubjectHandle, ctx: &mut Context<Self>) {
        ctx.monitor(&subject);
    }

    #[message]
    fn on_down(&mut self, down: Down) {
        assert!(registry().get::<Subject>(down.actor.name()).is_err());
        self.log
            .lock()
            .unwrap()
            .push(format!("down: {}", down.reason));
    }

    fn nothing(&self) {}
}

/// A child that handles a message at a gate, with a tell and an ask in its queue.
struct Case {
    subject: SubjectHandle,
    watcher: WatcherHandle,
    gate: Gate,
    log: Log,
    asked: [Reply<()>; 2],
}

impl Case {
    async fn prepare(name: &'static str, crashes: bool) -> (Self, Prepared<Subject>) {
        let log = Log::default();
        let state = Arc::clone(&log);
        let child = Child::new(move || Subject {
            log: Arc::clone(&state),
        });
        let (subject, child) = child.name(name).prepare().unwrap();
        subject.register(name).unwrap();
        let watcher = Watcher {
            log: Arc::clone(&log),
        };
        let watcher = watcher.spawn();
        within(watcher.watch(subject.clone())).await.unwrap();
        let gate = Gate::shut();
        let current = within(subject.hold(gate.clone(), crashes).enqueue());
        let current = current.await.unwrap();
        subject.read(Arc::clone(&log)).try_tell().unwrap();
        let queued = within(subject.answer().enqueue()).await.unwrap();
        let asked = [current, queued];
        let case = Self {
            subject,
            watcher,
            gate,
            log,
            asked,
        };
        (case, child)
    }

    /// What is seen of the end: the reason, what both askers are told, and the log.
    async fn seen(self) -> (String, [String; 2], Vec<String>) {
        let reason = within(self.subject.join()).await.to_string();
        let mut told = Vec::new();
        for reply in self.asked {
            told.push(match within(reply).await {
                Ok(()) => "answered".to_owned(),
                Err(AskError::Interrupted(error)) => {
                    format!("interrupted: {}", error.reason().unwrap())
                }
                Err(AskError::NotHandled(_)) => "handed back".to_owned(),
                Err(other) => panic!("{other}"),
            });
        }
        within(self.watcher.nothing()).await.unwrap();
        let log = self.log.lock().unwrap().clone();
        (reason, told.try_into().unwrap(), log)
    }
}

const FELL: &str = concat!(
    "it panicked while handling ",
    module_path!(),
    "::SubjectHold: fell in a handler"
);

fn begins(lines: &[String], words: &[&str]) {
    assert_eq!(lines.len(), words.len(), "{lines:?}");
    for (line, word) in lines.iter().zip(words) {
        assert!(line.starts_with(word), "{line}, not {word}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_child_that_is_given_up_and_its_siblings_keep_their_rows_of_the_table() {
    let (sibling, first) = Case::prepare("sibling", false).await;
    let (given_up, second) = Case::prepare("given up", true).await;
    let supervisor = Supervisor::builder()
        .intensity(Intensity::new(0, millis(1)))
        .child(first)
        .child(second)
        .spawn();
    sibling.gate.reached().await;
    given_up.gate.reached().await;
    given_up.gate.open();
    sibling.gate.open();
    assert!(matches!(
        within(supervisor.join()).await,
        ExitReason::GaveUp(_)
    ));

    let (reason, told, log) = given_up.seen().await;
    begins(&[reason], &[FELL]);
    begins(&told, &[&format!("interrupted: {FELL}"), "handed back"]);
    let undelivered = format!("told undelivered: {FELL}");
    begins(&log, &[&undelivered, &format!("down: {FELL}")]);

    let (reason, told, log) = sibling.seen().await;
    assert_eq!(reason, "it was restarted");
    assert_eq!(told, ["answered", "handed back"]);
    let lines = [
        "stop hook: it was restarted",
        "told undelivered: it was restarted",
        "down: it was restarted",
    ];
    assert_eq!(log, lines);
}

#[tokio::test(start_paused = true)]
async fn children_whose_supervisor_is_stopped_end_as_if_they_were() {
    let (case, child) = Case::prepare("child", false).await;
    let supervisor = Supervisor::builder().child(child).spawn();
    case.gate.reached().await;
    supervisor.stop();
    case.gate.open();
    assert!(within(supervisor.join()).await.is_normal());
    let (reason, told, log) = case.seen().await;
    assert_eq!(reason, "it was stopped");
    assert_eq!(told, ["answered", "answered"]);
    let lines = [
        "told handled",
        "stop hook: it was stopped",
        "down: it was stopped",
    ];
    assert_eq!(log, lines);
}
