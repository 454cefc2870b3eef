//! It does not matter what is dropped first: the runtime, or what was made on it.

use std::pin::Pin;
use std::sync::mpsc;
use std::task::Poll;
use std::thread;

use futures::future::join_all;
use futures::poll;
use greenroom::runtime::Handle;
use greenroom::{AskError, ExitReason, JoinHandle, Runtime, actor};
use tokio::sync::oneshot;

use super::support::{Drops, Guard, LONG, both, multi, tokio_multi, tokio_single, within};

/// Never answers.
#[actor(mailbox = 4)]
struct Silent {
    _kept: Guard,
}

/// What is asked for.
struct Question(Guard);

#[actor]
impl Silent {
    async fn ask_for(&mut self, question: Question) -> u32 {
        let _ = &question.0;
        std::future::pending().await
    }
}

type Ask = Pin<Box<dyn Future<Output = Result<u32, AskError>> + Send>>;

/// All that a client of a runtime may hold on to.
struct Client {
    actor: SilentHandle,
    /// In the handler, queued, and waiting for a slot.
    asks: Vec<Ask>,
    tasks: Vec<JoinHandle<()>>,
    handle: Handle,
}

/// Messages, states and futures that a client's deeds make.
const GUARDS: usize = 8 + 1 + 3;

impl Client {
    async fn new(handle: Handle, drops: &Drops) -> Self {
        let actor = Silent {
            _kept: drops.guard(),
        }
        .spawn();
        let mut asks: Vec<Ask> = Vec::new();
        for _ in 0..8 {
            let mut ask: Ask = Box::pin(actor.ask_for(Question(drops.guard())).into_owned());
            assert!(poll!(&mut ask).is_pending());
            asks.push(ask);
        }
        let tasks = (0..3).map(|_| {
            let guard = drops.guard();
            greenroom::spawn(async move {
                let _guard = guard;
                std::future::pending::<()>().await;
            })
        });
        Self {
            tasks: tasks.collect(),
            actor,
            asks,
            handle,
        }
    }
}

struct ClientFirst<R> {
    _client: Client,
    _runtime: R,
}

struct RuntimeFirst<R> {
    _runtime: R,
    _client: Client,
}

/// Drops on a thread of its own, which tells a hang from an end.
fn drop_elsewhere(value: impl Send + 'static) {
    let (ended, end) = mpsc::channel();
    thread::spawn(move || {
        drop(value);
        ended.send(()).unwrap();
    });
    end.recv_timeout(LONG).expect("the drop hangs");
}

#[test]
fn a_struct_of_a_client_and_its_runtime_may_be_dropped_in_either_order() {
    for is_client_first in [true, false] {
        for runtime in both() {
            let drops = Drops::default();
            let client = Client::new(runtime.handle().clone(), &drops);
            let client = runtime.block_on(client);
            if is_client_first {
                drop_elsewhere(ClientFirst {
                    _client: client,
                    _runtime: runtime,
                });
            } else {
                drop_elsewhere(RuntimeFirst {
                    _runtime: runtime,
                    _client: client,
                });
            }
            assert_eq!(drops.count(), GUARDS, "client first: {is_client_first}");
        }
    }
}

#[test]
fn the_same_holds_for_a_host_that_a_scheduler_is_attached_to() {
    for is_client_first in [true, false] {
        for host in [tokio_single(), tokio_multi(2)] {
            let drops = Drops::default();
            let handle = greenroom::runtime::attach(host.handle()).unwrap();
            let client = host.block_on(Client::new(handle, &drops));
            if is_client_first {
                drop_elsewhere(ClientFirst {
                    _client: client,
                    _runtime: host,
                });
            } else {
                drop_elsewhere(RuntimeFirst {
                    _runtime: host,
                    _client: client,
                });
            }
            assert_eq!(drops.count(), GUARDS, "client first: {is_client_first}");
        }
    }
}

#[test]
fn a_client_that_outlives_its_runtime_is_told_so_by_each_of_its_parts() {
    for runtime in both() {
        let drops = Drops::default();
        let client = runtime.block_on(Client::new(runtime.handle().clone(), &drops));
        drop(runtime);
        let Client {
            actor,
            asks,
            tasks,
            handle,
        } = client;
        multi(1).block_on(async {
            for answer in within("the answers", join_all(asks)).await {
                let error = answer.unwrap_err();
                assert!(error.to_string().contains("its runtime ended"), "{error}");
            }
            for task in within("the ends", join_all(tasks)).await {
                assert!(task.unwrap_err().is_cancelled());
            }
            let error = within("a refusal", actor.ask_for(Question(drops.guard()))).await;
            assert!(matches!(error, Err(AskError::NotHandled(_))));
            let reason = within("the reason", actor.join()).await;
            assert!(matches!(reason, ExitReason::RuntimeGone));
        });
        assert!(handle.is_closed());
        assert_eq!(handle.metrics().live, 0);
        assert_eq!(drops.count(), GUARDS + 1);
    }
}

#[test]
fn either_may_be_dropped_first_inside_a_task_of_another_runtime() {
    for is_client_first in [true, false] {
        for runtime in both() {
            let drops = Drops::default();
            let client = runtime.block_on(Client::new(runtime.handle().clone(), &drops));
            let outer = multi(1);
            let (ended, end) = oneshot::channel::<()>();
            let watch = runtime.spawn(async move {
                let _ended = ended;
                std::future::pending::<()>().await;
            });
            let task = outer.spawn(async move {
                if is_client_first {
                    drop(client);
                    drop(runtime);
                } else {
                    drop(runtime);
                    drop(client);
                }
            });
            outer.block_on(within("the drop", task)).unwrap();
            // In async code nobody waits for the end: it comes all the same.
            assert!(outer.block_on(within("the end", end)).is_err());
            assert!(outer.block_on(within("the end", watch)).is_err());
            while drops.count() < GUARDS {
                thread::yield_now();
            }
        }
    }
}

#[test]
fn a_task_that_owns_a_client_of_its_own_runtime_ends_with_it() {
    for runtime in both() {
        let drops = Drops::default();
        let client = runtime.block_on(Client::new(runtime.handle().clone(), &drops));
        runtime.spawn(async move {
            let _client = client;
            std::future::pending::<()>().await;
        });
        drop_elsewhere(runtime);
        assert_eq!(drops.count(), GUARDS);
    }
}

#[test]
fn a_runtime_that_is_kept_by_an_output_of_its_own_may_go_with_it() {
    // The output keeps the runtime, the handle keeps the output.
    for runtime in both() {
        let (to_task, from_main) = oneshot::channel::<Runtime>();
        let mut task = runtime.spawn(async move { from_main.await.unwrap() });
        let waits = runtime.block_on(async { matches!(poll!(&mut task), Poll::Pending) });
        assert!(waits);
        let handle = runtime.handle().clone();
        let is_single = handle.metrics().workers.len() == 1;
        assert!(to_task.send(runtime).is_ok());
        if !is_single {
            while !task.is_finished() {
                thread::yield_now();
            }
        }
        drop_elsewhere(task);
        // A runtime of one thread that nobody drives keeps what its task has not taken yet.
        assert!(is_single || handle.is_closed());
    }
}
