//! What any actor does, done by each kind: on the workers, on a thread of its own, and by one that
//! is not `Send`.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use greenroom::{
    AskError, Builder, Context, Deadlock, Ends, ExitReason, Handle, LocalContext, OneThread,
    Refusal, TellError, TimeoutState, Undelivered, UndeliveredReason, actor, registry,
};

use crate::actor::support::{Gate, assert_at_rest, on_each_runtime, within};

/// The same actor and the same claims for one kind: `$rest` is what its state has besides.
macro_rules! claims {
    (
        $home:ident, type: $on_type:meta, block: $on_block:meta, actor: $Actor:ty,
        context: $Context:ident, rest: $Rest:ty = $rest:expr, builder: |$make:ident| $builder:expr
    ) => {
        mod $home {
            use super::*;

            #[$on_type]
            struct Clerk {
                seen: Vec<u32>,
                log: Sender<&'static str>,
                _rest: $Rest,
            }

            #[$on_block]
            impl Clerk {
                #[on(start)]
                async fn begin(&mut self) {
                    tokio::task::yield_now().await;
                    let _ = self.log.send("begins");
                }

                fn note(&mut self, n: u32) -> u32 {
                    self.seen.push(n);
                    n
                }

                async fn seen(&mut self) -> Vec<u32> {
                    tokio::task::yield_now().await;
                    self.seen.clone()
                }

                async fn hold(&mut self, gate: Gate) {
                    gate.pass().await;
                }

                fn divide(&mut self, n: u32) -> Result<u32, String> {
                    84_u32.checked_div(n).ok_or_else(|| "by zero".into())
                }

                fn fall(&mut self) {
                    panic!("fell");
                }

                fn later(&mut self, ctx: &mut $Context<Self>) {
                    ctx.after(Duration::from_millis(1), ClerkNote { n: 9 });
                }

                async fn ask_self(&mut self, ctx: &mut $Context<Self>) -> Option<Deadlock> {
                    match ctx.handle().ask(ClerkSeen).await {
                        Err(AskError::NotHandled(refused)) => match refused.refusal() {
                            Refusal::Deadlock(deadlock) => Some(deadlock.clone()),
                            _ => None,
                        },
                        _ => None,
                    }
                }

                fn leave(&mut self, ctx: &mut $Context<Self>) {
                    ctx.stop();
                }

                #[on(stop)]
                async fn end(&mut self) {
                    tokio::task::yield_now().await;
                    let _ = self.log.send("ends");
                }
            }

            impl Drop for Clerk {
                fn drop(&mut self) {
                    let _ = self.log.send("dropped");
                }
            }

            fn build() -> (Builder<$Actor>, Receiver<&'static str>) {
                let (log, words) = channel();
                let $make = move || Clerk {
                    seen: Vec::new(),
                    log: log.clone(),
                    _rest: $rest,
                };
                ($builder.mailbox(4), words)
            }

            fn spawn() -> ClerkHandle {
                build().0.spawn()
            }

            fn words(words: &Receiver<&'static str>) -> Vec<&'static str> {
                words.try_iter().collect()
            }

            #[test]
            fn tells_and_asks_of_one_sender_are_handled_in_order() {
                on_each_runtime(|| async {
                    let clerk = spawn();
                    for n in 0..100 {
                        within(clerk.note(n).tell()).await.unwrap();
                    }
                    assert_eq!(within(clerk.note(100)).await.unwrap(), 100);
                    let seen = within(clerk.seen()).await.unwrap();
                    assert!(seen.into_iter().eq(0..=100));
                    assert_at_rest(&clerk);
                });
            }

            #[test]
            fn a_full_mailbox_hands_back_and_lets_wait() {
                on_each_runtime(|| async {
                    let clerk = spawn();
                    let gate = Gate::shut();
                    let held = within(clerk.hold(gate.clone()).enqueue()).await.unwrap();
                    gate.reached().await;
                    for n in 0..4 {
                        clerk.note(n).try_tell().unwrap();
                    }
                    let full: TellError<ClerkNote> = clerk.note(4).try_tell().unwrap_err();
                    assert!(matches!(full.refusal(), Refusal::Full));
                    assert_eq!(full.into_message().n, 4);
                    let waiting = tokio::spawn(clerk.note(5).into_owned());
                    gate.open();
                    within(held).await.unwrap();
                    assert_eq!(within(waiting).await.unwrap().unwrap(), 5);
                    assert_eq!(within(clerk.seen()).await.unwrap(), [0, 1, 2, 3, 5]);
                    assert_at_rest(&clerk);
                });
            }

            #[test]
            fn a_handlers_error_is_its_askers_and_ends_nothing() {
                on_each_runtime(|| async {
                    let clerk = spawn();
                    assert_eq!(within(clerk.divide(2)).await.unwrap(), 42);
                    let error = within(clerk.divide(0)).await.unwrap_err();
                    assert!(matches!(error, AskError::Handler(text) if text == "by zero"));
                    assert_eq!(within(clerk.divide(7)).await.unwrap(), 12);
                });
            }

            #[test]
            fn a_stop_handles_what_was_accepted_and_runs_the_hook() {
                on_each_runtime(|| async {
                    let (builder, log) = build();
                    let clerk = builder.spawn();
                    let gate = Gate::shut();
                    clerk.hold(gate.clone()).try_tell().unwrap();
                    gate.reached().await;
                    let accepted = within(clerk.note(1).enqueue()).await.unwrap();
                    clerk.stop();
                    assert!(within(clerk.note(2)).await.is_err());
                    gate.open();
                    assert_eq!(within(accepted).await.unwrap(), 1);
                    assert!(matches!(within(clerk.join()).await, ExitReason::Stopped));
                    assert_eq!(words(&log), ["begins", "ends", "dropped"]);
                });
            }

            #[test]
            fn a_kill_hands_back_asks_and_reports_tells() {
                on_each_runtime(|| async {
                    let (builder, log) = build();
                    let (lost, letters) = channel::<Undelivered>();
                    let clerk = builder
                        .on_undelivered(move |letter| drop(lost.send(letter)))
                        .spawn();
                    let gate = Gate::shut();
                    let held = within(clerk.hold(gate.clone()).enqueue()).await.unwrap();
                    gate.reached().await;
                    let asked = within(clerk.note(1).enqueue()).await.unwrap();
                    clerk.note(2).try_tell().unwrap();
                    clerk.kill();
                    assert!(matches!(within(clerk.join()).await, ExitReason::Killed));
                    assert!(matches!(within(held).await, Err(AskError::Interrupted(_))));
                    assert!(matches!(within(asked).await, Err(AskError::NotHandled(_))));
                    let letter = letters.try_recv().unwrap();
                    let killed = UndeliveredReason::Ended(ExitReason::Killed);
                    assert_eq!(letter.reason().to_string(), killed.to_string());
                    assert_eq!(letter.downcast::<ClerkNote>().unwrap().n, 2);
                    assert_eq!(words(&log), ["begins", "dropped"]);
                });
            }

            #[test]
            fn a_panic_tells_its_asker_and_all_who_watch() {
                on_each_runtime(|| async {
                    let (builder, log) = build();
                    let clerk = builder.spawn();
                    let mut ends = Ends::new();
                    ends.watch(&clerk);
                    let error = within(clerk.fall()).await.unwrap_err();
                    assert!(matches!(error, AskError::Interrupted(_)));
                    let down = within(Ends::next(&mut ends)).await.unwrap();
                    assert!(matches!(down.reason, ExitReason::Panicked(_)));
                    assert_eq!(words(&log), ["begins", "dropped"]);
                });
            }

            #[test]
            fn with_its_last_handle_it_ends_and_with_its_own_word() {
                on_each_runtime(|| async {
                    let (builder, log) = build();
                    let clerk = builder.spawn();
                    let weak = clerk.downgrade();
                    drop(clerk);
                    assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
                    assert_eq!(words(&log), ["begins", "ends", "dropped"]);
                    let clerk = spawn();
                    within(clerk.leave()).await.unwrap();
                    assert!(matches!(within(clerk.join()).await, ExitReason::Stopped));
                });
            }

            #[test]
            fn a_limit_says_how_far_its_message_came() {
                on_each_runtime(|| async {
                    let clerk = spawn();
                    let gate = Gate::shut();
                    clerk.hold(gate.clone()).try_tell().unwrap();
                    gate.reached().await;
                    let late = clerk.note(1).timeout(Duration::from_millis(1));
                    let Err(AskError::Timeout(timeout)) = within(late).await else {
                        panic!("it was handled");
                    };
                    assert_eq!(timeout.state(), TimeoutState::Skipped);
                    gate.open();
                    assert!(within(clerk.seen()).await.unwrap().is_empty());
                    assert_at_rest(&clerk);
                });
            }

            #[test]
            fn a_timer_sends_its_message() {
                on_each_runtime(|| async {
                    let clerk = spawn();
                    within(clerk.later()).await.unwrap();
                    let seen = async { while clerk.seen().await.unwrap() != [9] {} };
                    within(seen).await;
                });
            }

            #[test]
            fn an_ask_of_itself_is_a_deadlock_that_is_found() {
                on_each_runtime(|| async {
                    let clerk = spawn();
                    let deadlock = within(clerk.ask_self()).await.unwrap();
                    assert!(deadlock.expect("found").to_string().contains("Clerk"));
                });
            }

            #[test]
            fn a_name_is_free_when_its_end_is_told() {
                on_each_runtime(|| async {
                    for _ in 0..2 {
                        let (builder, _log) = build();
                        let clerk = builder.register(stringify!($home)).spawn();
                        let found = registry().get::<$Actor>(stringify!($home));
                        assert_eq!(found.unwrap(), clerk);
                        within(Handle::shutdown(&clerk)).await;
                    }
                });
            }

            #[test]
            fn handles_go_to_other_threads_and_wait_there() {
                on_each_runtime(|| async {
                    let clerk = spawn();
                    let other = clerk.clone();
                    let asked = tokio::task::spawn_blocking(move || other.note(7).blocking());
                    assert_eq!(within(asked).await.unwrap().unwrap(), 7);
                    assert_eq!(within(clerk.seen()).await.unwrap(), [7]);
                });
            }
        }
    };
}

claims! {
    on_workers, type: actor, block: actor, actor: Clerk, context: Context,
    rest: () = (), builder: |make| Builder::new(make())
}

claims! {
    on_a_thread, type: actor(blocking), block: actor, actor: Clerk, context: Context,
    rest: () = (), builder: |make| Builder::new(make())
}

claims! {
    not_send, type: actor(local), block: actor(local), actor: OneThread<Clerk>,
    context: LocalContext, rest: Rc<()> = Rc::default(), builder: |make| Builder::local(make)
}
