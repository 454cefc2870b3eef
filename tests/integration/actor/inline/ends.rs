//! Actors that end while they run on an asker's stack.

use greenroom::{AskError, Context, ExitReason, Handle, actor};

use super::super::support::{Flavor, on_each_runtime, on_thread, poll_once, within};
use super::{marked, on_the_stack_of};

/// Ends in many ways.
#[actor]
struct Mayfly {
    state: Option<MayflyHandle>,
}

#[actor]
impl Mayfly {
    #[message(inline = always)]
    fn panic(&mut self) -> bool {
        assert!(on_the_stack_of() > 0);
        panic!("no more");
    }

    #[message(inline = always)]
    async fn panic_later(&mut self) {
        tokio::task::yield_now().await;
        panic!("no more");
    }

    #[message(inline = always)]
    fn stop(&mut self, ctx: &mut Context<Self>) -> bool {
        ctx.stop();
        on_the_stack_of() > 0
    }

    #[message(inline = always)]
    fn kill(&mut self, ctx: &mut Context<Self>) -> bool {
        Handle::kill(&ctx.handle());
        on_the_stack_of() > 0
    }

    #[message(inline = always)]
    fn let_go(&mut self) -> bool {
        self.state = None;
        on_the_stack_of() > 0
    }

    #[message(inline = always)]
    fn keep(&mut self, ctx: &mut Context<Self>) {
        self.state = Some(ctx.handle());
    }
}

fn mayfly() -> MayflyHandle {
    Mayfly { state: None }.spawn()
}

#[test]
fn a_panic_in_an_inline_handler_ends_its_actor_and_not_its_asker() {
    on_each_runtime(|| async {
        let mayfly = mayfly();
        let error = marked(mayfly.panic()).await.unwrap_err();
        assert!(matches!(error, AskError::Interrupted(_)), "{error}");
        assert!(error.to_string().contains("no more"), "{error}");
        let reason = within(mayfly.join()).await;
        assert!(matches!(reason, ExitReason::Panicked(_)));
        let later = mayfly.stop().await.unwrap_err();
        assert!(matches!(later, AskError::NotHandled(_)), "{later}");
    });
}

#[test]
fn a_panic_after_the_first_await_of_an_inline_handler_is_told_to_its_asker() {
    on_each_runtime(|| async {
        let mayfly = mayfly();
        let error = within(mayfly.panic_later()).await.unwrap_err();
        assert!(matches!(error, AskError::Interrupted(_)), "{error}");
        let reason = within(mayfly.join()).await;
        assert!(matches!(reason, ExitReason::Panicked(_)));
    });
}

#[test]
fn an_actor_that_stops_or_kills_itself_inline_replies_first() {
    on_each_runtime(|| async {
        let stopped = mayfly();
        assert!(marked(stopped.stop()).await.unwrap());
        assert!(matches!(within(stopped.join()).await, ExitReason::Stopped));
        let killed = mayfly();
        assert!(marked(killed.kill()).await.unwrap());
        assert!(matches!(within(killed.join()).await, ExitReason::Killed));
    });
}

#[test]
fn an_actor_that_lets_its_own_handle_go_inline_lives_while_its_asker_has_one() {
    on_each_runtime(|| async {
        let mayfly = mayfly();
        mayfly.keep().await.unwrap();
        assert!(marked(mayfly.let_go()).await.unwrap());
        assert!(!mayfly.is_stopped());
        let weak = mayfly.downgrade();
        drop(mayfly);
        assert!(weak.upgrade().is_none());
    });
}

#[test]
fn an_ask_after_a_stop_or_a_kill_is_refused_and_never_run() {
    on_each_runtime(|| async {
        let (stopped, killed) = (mayfly(), mayfly());
        Handle::stop(&stopped);
        Handle::kill(&killed);
        for mayfly in [stopped, killed] {
            let asked = within(marked(mayfly.let_go())).await;
            assert!(matches!(asked, Err(AskError::NotHandled(_))));
        }
    });
}

#[test]
fn a_runtime_may_end_while_a_handler_that_began_inline_is_suspended() {
    on_thread(|| {
        let runtime = Flavor::TwoWorkers.build();
        let mayfly = runtime.block_on(async { mayfly() });
        let gate = super::Gate::shut();
        let probe = runtime.block_on(async {
            let probe = super::probe();
            let mut ask = Box::pin(probe.wait(0, gate.clone()));
            assert!(poll_once(&mut ask).await.is_pending());
            drop(ask);
            probe
        });
        drop(runtime);
        assert!(mayfly.is_stopped() && probe.is_stopped());
    });
}
