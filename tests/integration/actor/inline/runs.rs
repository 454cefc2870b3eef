//! When an ask runs inline, and in which order.

use greenroom::{Context, Handler, Plain, Runtime, actor};

use super::super::support::{
    Flavor, Gate, assert_at_rest, on_each_runtime, on_runtime, on_thread, poll_once, within,
};
use super::{ProbeHandle, marked, on_the_stack_of, probe};

async fn runs_inline(probe: ProbeHandle) -> bool {
    let now = marked(probe.always(0)).await.unwrap();
    let later = marked(probe.always_async(0)).await.unwrap();
    assert_eq!(now, later);
    now
}

#[test]
fn an_ask_of_an_idle_actor_runs_its_handler_in_the_askers_poll() {
    on_each_runtime(|| async {
        let probe = probe();
        assert!(runs_inline(probe.clone()).await);
        assert!(poll_once(&mut Box::pin(probe.always(1))).await.is_ready());
        assert_at_rest(&probe);
    });
}

#[test]
fn asks_from_tasks_of_ours_from_tasks_of_tokios_and_from_the_main_future_run_alike() {
    on_each_runtime(|| async {
        let probe = probe();
        assert!(runs_inline(probe.clone()).await);
        let ours = greenroom::spawn(runs_inline(probe.clone()));
        assert!(within(ours).await.unwrap());
        let tokios = tokio::spawn(runs_inline(probe.clone()));
        assert!(within(tokios).await.unwrap());
    });
}

#[test]
fn an_ask_of_an_actor_of_another_runtime_is_queued_there() {
    on_thread(|| {
        let [home, away] = [(); 2].map(|()| Flavor::TwoWorkers.build());
        let probe = home.block_on(async { probe() });
        assert!(home.block_on(runs_inline(probe.clone())));
        assert!(!away.block_on(runs_inline(probe.clone())));
        let task = away.spawn(runs_inline(probe));
        assert!(!away.block_on(task).unwrap());
    });
}

#[test]
fn an_ask_outside_any_runtime_is_queued() {
    on_thread(|| {
        let home = Flavor::TwoWorkers.build();
        let probe = home.block_on(async { probe() });
        let ask = marked(probe.always(0));
        assert!(!futures::executor::block_on(ask).unwrap());
    });
}

#[test]
fn a_message_that_says_never_is_queued() {
    on_each_runtime(|| async {
        let probe = probe();
        assert!(!marked(probe.never(0)).await.unwrap());
    });
}

/// Queues its asks, but for one kind.
#[actor(inline = never)]
struct Shy;

#[actor]
impl Shy {
    fn plain(&mut self) -> bool {
        on_the_stack_of() > 0
    }

    #[message(inline = always)]
    fn bold(&mut self) -> bool {
        on_the_stack_of() > 0
    }
}

struct Knock;

#[actor(inline = always)]
impl Handler<Knock> for Shy {
    fn handle(&mut self, _knock: Knock, _ctx: &mut Context<Self>) -> bool {
        on_the_stack_of() > 0
    }
}

/// A message that no attribute has seen follows its actor.
struct Bare;

impl Handler<Bare> for Shy {
    type Reply = bool;
    type Shape = Plain;

    async fn handle(&mut self, _: Bare, _: &mut Context<Self>) -> bool {
        on_the_stack_of() > 0
    }
}

#[test]
fn an_actor_that_says_never_queues_all_but_the_messages_that_say_always() {
    on_each_runtime(|| async {
        let shy = Shy.spawn();
        // In this order: an actor that has replied from the queue may not be idle yet.
        assert!(marked(shy.bold()).await.unwrap());
        assert!(marked(shy.ask(Knock)).await.unwrap());
        assert!(!marked(shy.plain()).await.unwrap());
        assert!(!marked(shy.ask(Bare)).await.unwrap());
    });
}

#[test]
fn an_ask_that_follows_a_tell_is_handled_after_it() {
    on_runtime(Flavor::OneThread, || async {
        let probe = probe();
        probe.never(1).tell().await.unwrap();
        assert!(!marked(probe.always(2)).await.unwrap(), "it was queued");
        assert!(marked(probe.always(3)).await.unwrap(), "it is idle again");
        assert_eq!(probe.order().await.unwrap(), [1, 2, 3]);
    });
}

#[test]
fn asks_that_are_joined_are_handled_in_the_order_of_their_polls() {
    on_each_runtime(|| async {
        let probe = probe();
        let _ = within(async {
            tokio::join!(
                biased;
                probe.always(1),
                probe.never(2),
                probe.always(3),
                probe.always(4)
            )
        })
        .await;
        assert_eq!(probe.order().await.unwrap(), [1, 2, 3, 4]);
    });
}

#[test]
fn a_handler_that_suspends_inline_replies_later_and_all_others_wait_for_it() {
    on_each_runtime(|| async {
        let (probe, gate) = (probe(), Gate::shut());
        let mut first = Box::pin(marked(probe.wait(1, gate.clone())));
        assert!(poll_once(&mut first).await.is_pending());
        gate.reached().await;
        let mut second = Box::pin(marked(probe.always(2)));
        assert!(poll_once(&mut second).await.is_pending());
        probe.always(3).tell().await.unwrap();
        gate.open();
        assert!(within(first).await.unwrap(), "it began inline");
        assert!(!within(second).await.unwrap(), "it was queued");
        assert_eq!(probe.order().await.unwrap(), [1, 2, 3]);
        assert_at_rest(&probe);
    });
}

#[test]
fn a_handler_that_suspended_inline_is_driven_to_its_end_though_its_asker_has_gone() {
    on_each_runtime(|| async {
        let (probe, gate) = (probe(), Gate::shut());
        let mut ask = Box::pin(probe.wait(1, gate.clone()));
        assert!(poll_once(&mut ask).await.is_pending());
        drop(ask);
        gate.open();
        assert_eq!(within(probe.order()).await.unwrap(), [1]);
        assert_at_rest(&probe);
    });
}

#[test]
fn a_start_hook_has_ended_before_an_ask_runs_inline() {
    #[actor]
    struct Late {
        gate: Gate,
        started: bool,
    }

    #[actor]
    impl Late {
        #[on(start)]
        async fn start(&mut self) {
            self.gate.pass().await;
            self.started = true;
        }

        #[message(inline = always)]
        fn started(&mut self) -> bool {
            self.started
        }
    }

    on_each_runtime(|| async {
        let gate = Gate::shut();
        let late = Late {
            gate: gate.clone(),
            started: false,
        }
        .spawn();
        let mut early = Box::pin(late.started());
        assert!(poll_once(&mut early).await.is_pending());
        gate.reached().await;
        let mut meanwhile = Box::pin(late.started());
        assert!(poll_once(&mut meanwhile).await.is_pending());
        gate.open();
        assert!(within(early).await.unwrap());
        assert!(within(meanwhile).await.unwrap());
    });
}

#[test]
fn on_a_seeded_runtime_the_draw_decides_and_repeats() {
    fn run(seed: u64) -> Vec<bool> {
        let runtime = Runtime::builder().current_thread().seed(seed);
        let runtime = runtime.build().unwrap();
        let asker = async {
            let probe = probe();
            let mut seen = Vec::new();
            for n in 0..64 {
                seen.push(marked(probe.always(n)).await.unwrap());
            }
            seen
        };
        runtime.block_on(async { greenroom::spawn(asker).await.unwrap() })
    }

    on_thread(|| {
        let first = run(7);
        assert!(first.contains(&true) && first.contains(&false));
        assert_eq!(first, run(7));
    });
}
