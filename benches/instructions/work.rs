//! What is counted, on one thread.

use greenroom::{
    Child, Context, Down, Group, Restart, Runtime, Supervisor, SupervisorHandle, actor,
};

pub(crate) const KINDS: [&str; 5] = [
    "tell",
    "ask_inline",
    "ask_queued",
    "spawn",
    "spawn_supervised",
];

/// What is added to a kind of message that an actor gets which others look after: a supervisor, a
/// monitor, a name, a group. It takes as many instructions.
pub(crate) const WATCHED: &str = "_watched";

/// The kinds of messages.
pub(crate) const MESSAGES: [&str; 3] = ["tell", "ask_inline", "ask_queued"];

#[actor(mailbox = 64)]
struct Counter {
    sum: u64,
}

#[actor]
impl Counter {
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    // Under callgrind each run is too long to stay inline by what is measured of it.
    #[message(inline = always)]
    fn add_inline(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    #[message(inline = never)]
    fn add_queued(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }
}

/// Sends so many messages of one kind, from a task, and waits until all are handled.
pub(crate) fn run(kind: &str, messages: u64) {
    let builder = Runtime::builder().current_thread();
    // With a seed no choice depends on the clock, which callgrind slows down. But half of the asks
    // that may be inline are drawn to be queued.
    let builder = match kind.strip_suffix(WATCHED).unwrap_or(kind) {
        "ask_inline" => builder,
        _ => builder.seed(1),
    };
    let runtime = builder.build().expect("a runtime can be built");
    let kind = kind.to_owned();
    runtime.block_on(async {
        let task = async move { send(&kind, messages).await };
        greenroom::spawn(task).await.expect("no work panics");
    });
}

async fn send(kind: &str, messages: u64) {
    match kind {
        "spawn" => return spawn(messages).await,
        "spawn_supervised" => return spawn_supervised(messages).await,
        _ => {}
    }
    let (kind, is_watched) = match kind.strip_suffix(WATCHED) {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    let guard = match is_watched {
        true => Some(Guard::new().await),
        false => None,
    };
    let counter = match &guard {
        Some(guard) => guard.counter.clone(),
        None => Counter { sum: 0 }.spawn(),
    };
    match kind {
        "tell" => {
            for _ in 0..messages {
                counter.add(1).tell().await.expect("the counter lives");
            }
        }
        "ask_inline" => {
            for _ in 0..messages {
                counter.add_inline(1).await.expect("the counter answers");
            }
        }
        "ask_queued" => {
            for _ in 0..messages {
                counter.add_queued(1).await.expect("the counter answers");
            }
        }
        _ => panic!("no kind `{kind}`; there are: {KINDS:?}"),
    }
    let sum = counter.add_queued(0).await.expect("the counter answers");
    assert_eq!(sum, messages);
}

/// Spawns so many actors, and has each handle a message.
async fn spawn(actors: u64) {
    let mut counters = Vec::new();
    for _ in 0..actors {
        let counter = Counter { sum: 0 }.spawn();
        counter.add_queued(1).await.expect("the counter answers");
        counters.push(counter);
    }
}

/// The same, as children of one supervisor.
async fn spawn_supervised(actors: u64) {
    let supervisor = Supervisor::builder().spawn();
    let mut counters = Vec::new();
    for _ in 0..actors {
        let child = Child::new(|| Counter { sum: 0 }).restart(Restart::Temporary);
        let counter = supervisor.add(child).await.expect("it is added");
        counter.add_queued(1).await.expect("the counter answers");
        counters.push(counter);
    }
}

/// A counter, and all who look after it.
struct Guard {
    counter: CounterHandle,
    _supervisor: SupervisorHandle,
    _group: Group<Counter>,
    _watcher: WatcherHandle,
}

impl Guard {
    async fn new() -> Self {
        let child = Child::new(|| Counter { sum: 0 });
        let (counter, child) = child.prepare().expect("there is a runtime");
        let supervisor = Supervisor::builder().child(child).spawn();
        counter.register("counter").expect("the name is free");
        let group = greenroom::group("counters");
        group.join(&counter).expect("the counter lives");
        let watcher = Watcher.spawn();
        let watched = counter.clone();
        watcher.watch(watched).await.expect("the watcher lives");
        counter.wait_started().await.expect("the counter starts");
        Self {
            counter,
            _supervisor: supervisor,
            _group: group,
            _watcher: watcher,
        }
    }
}

#[actor]
struct Watcher;

#[actor]
impl Watcher {
    fn watch(&mut self, counter: CounterHandle, ctx: &mut Context<Self>) {
        ctx.monitor(&counter);
    }

    #[message]
    fn on_down(&mut self, _down: Down) {}
}
