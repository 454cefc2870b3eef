//! Asks whose answer was left to another actor.

use futures::future::{join, join3};
use greenroom::{Builder, Context, Deadlock, Delegated, ReplyTo, actor};

use super::{deadlock, looked_at, names};
use crate::actor::support::{Gate, on_each_runtime, until, within};

/// What is done with a message, one after the other.
type Way = Vec<Leg>;

enum Leg {
    /// Ask for the rest, and wait.
    Ask(RunnerHandle),
    /// Leave the rest to it.
    Forward(RunnerHandle),
    ForwardBeside(BesideHandle),
    Wait(Gate),
}

use Leg::{Ask, Forward, ForwardBeside, Wait};

#[actor(mailbox = 8)]
struct Runner;

#[actor]
impl Runner {
    #[message(inline = never)]
    async fn go(&mut self, mut way: Way, ctx: &Context<Self>) -> Delegated<Result<(), Deadlock>> {
        while !way.is_empty() {
            match way.remove(0) {
                Ask(next) => return Delegated::ready(next.go(way).await.map_err(deadlock)),
                Forward(next) => return ctx.forward(&next, RunnerGo { way }).await,
                ForwardBeside(next) => return ctx.forward(&next, BesideGo { way }).await,
                Wait(gate) => gate.pass().await,
            }
        }
        Delegated::ready(Ok(()))
    }
}

/// As a runner; its handlers run beside each other.
#[actor(mailbox = 8)]
struct Beside;

#[actor]
impl Beside {
    #[message(reentrant, inline = never)]
    async fn go(&self, mut way: Way) -> Delegated<Result<(), Deadlock>> {
        while !way.is_empty() {
            match way.remove(0) {
                Ask(next) => return Delegated::ready(next.go(way).await.map_err(deadlock)),
                Wait(gate) => gate.pass().await,
                Forward(_) | ForwardBeside(_) => unreachable!("it is asked for neither"),
            }
        }
        Delegated::ready(Ok(()))
    }
}

fn runners<const N: usize>() -> [RunnerHandle; N] {
    std::array::from_fn(|index| Builder::new(Runner).name(format!("n{index}")).spawn())
}

#[test]
fn a_circle_through_an_ask_that_was_forwarded_is_found_at_once_and_named() {
    on_each_runtime(|| async {
        let [a, b, c, d] = runners();
        for hands in [vec![&c], vec![&c, &d]] {
            let last = hands[hands.len() - 1];
            let hands = hands.iter().map(|next| Forward((*next).clone()));
            let way = [Ask(b.clone())].into_iter().chain(hands);
            let way = way.chain([Ask(a.clone())]).collect();
            let found = deadlock(within(a.go(way)).await.unwrap_err());
            assert_eq!(names(&found), [last.name(), "n0"]);
            assert_eq!(found.target(), &a.identity());
            let [_, waits] = found.path() else {
                panic!("{found}");
            };
            assert!(waits.message().ends_with("RunnerGo"), "{found}");
            for runner in [&a, &b, last] {
                within(runner.go(Vec::new())).await.expect("it goes on");
            }
        }
    });
}

#[test]
fn a_circle_that_a_forward_closes_is_found() {
    on_each_runtime(|| async {
        let [a, b, c] = runners();
        let gate = Gate::shut();
        let way = vec![Ask(b), Wait(gate.clone()), Forward(c.clone())];
        let asked = tokio::spawn(a.go(way).into_owned());
        gate.reached().await;
        // It waits behind what `a` handles.
        let back = tokio::spawn(c.go(vec![Ask(a.clone())]).into_owned());
        until(|| a.free_slots() + 1 == a.capacity()).await;
        gate.open();
        let found = deadlock(within(back).await.unwrap().unwrap_err());
        assert_eq!(names(&found), ["n2", "n0"]);
        within(asked).await.unwrap().expect("it is answered");
    });
}

#[test]
fn who_has_forwarded_an_ask_may_ask_back() {
    on_each_runtime(|| async {
        let [a, b, c, d] = runners();
        let gate = Gate::shut();
        // Forwarded by `b` and by `c`; `d` holds it.
        let way = vec![
            Ask(b.clone()),
            Forward(c.clone()),
            Forward(d),
            Wait(gate.clone()),
        ];
        let asked = a.go(way);
        let others = async {
            gate.reached().await;
            let (first, second) = (b.go(vec![Ask(a.clone())]), c.go(vec![Ask(a.clone())]));
            let open = async {
                looked_at().await;
                gate.open();
            };
            join3(first, second, open).await
        };
        let (asked, (first, second, ())) = within(join(asked, others)).await;
        asked.unwrap();
        first.unwrap();
        second.unwrap();
    });
}

#[test]
fn of_handlers_beside_each_other_the_one_that_was_forwarded_to_is_waited_for() {
    on_each_runtime(|| async {
        let [a, b] = runners();
        let beside = Beside.spawn();
        let way = vec![
            Ask(b.clone()),
            ForwardBeside(beside.clone()),
            Ask(a.clone()),
        ];
        let found = deadlock(within(a.go(way)).await.unwrap_err());
        assert_eq!(names(&found), [beside.name(), "n0"]);

        let gate = Gate::shut();
        let way = vec![Ask(b), ForwardBeside(beside.clone()), Wait(gate.clone())];
        let asked = a.go(way);
        let other = async {
            gate.reached().await;
            let open = async {
                looked_at().await;
                gate.open();
            };
            join(beside.go(vec![Ask(a.clone())]), open).await
        };
        let (asked, (other, ())) = within(join(asked, other)).await;
        asked.unwrap();
        other.expect("the handler beside it goes on");
    });
}

/// Answers later, or has another do so.
#[actor(mailbox = 8)]
#[derive(Default)]
struct Keeper {
    kept: Option<ReplyTo<Result<(), Deadlock>>>,
}

#[actor]
impl Keeper {
    #[message(inline = never)]
    fn later(
        &mut self,
        heir: Option<KeeperHandle>,
        ctx: &Context<Self>,
    ) -> Delegated<Result<(), Deadlock>> {
        let (reply, later) = Delegated::new();
        reply.held_by(ctx);
        match heir {
            Some(heir) => heir.keep(reply).try_tell().expect("it has room"),
            None => self.kept = Some(reply),
        }
        later
    }

    #[message(inline = never)]
    fn keep(&mut self, reply: ReplyTo<Result<(), Deadlock>>, ctx: &Context<Self>) {
        reply.held_by(ctx);
        self.kept = Some(reply);
    }

    /// Asks, and answers then.
    #[message(inline = never)]
    async fn serve(&mut self, whom: KeeperHandle) -> Result<(), Deadlock> {
        let asked = whom.ping().await.map_err(deadlock);
        if let Some(kept) = self.kept.take() {
            let _ = kept.send(Ok(()));
        }
        asked
    }

    /// Has a task answer, when the gate is open.
    #[message(inline = never)]
    fn leave_to_a_task(&mut self, gate: Gate) {
        let kept = self.kept.take().expect("it keeps one");
        kept.held_elsewhere();
        tokio::spawn(async move {
            gate.pass().await;
            kept.send(Ok(()))
        });
    }

    #[message(inline = never)]
    fn ping(&mut self) -> Result<(), Deadlock> {
        Ok(())
    }

    #[message(inline = never)]
    async fn wait(
        &mut self,
        whom: KeeperHandle,
        heir: Option<KeeperHandle>,
    ) -> Result<(), Deadlock> {
        whom.later(heir).await.map_err(deadlock)
    }
}

fn keepers() -> [KeeperHandle; 3] {
    std::array::from_fn(|index| {
        let keeper = Builder::new(Keeper::default());
        keeper.name(format!("k{index}")).spawn()
    })
}

#[test]
fn an_asker_waits_for_the_actor_that_says_it_holds_the_reply() {
    on_each_runtime(|| async {
        for heir in [false, true] {
            let [a, b, c] = keepers();
            let (heir, holder) = match heir {
                true => (Some(c.clone()), &c),
                false => (None, &b),
            };
            let waits = tokio::spawn(a.wait(b.clone(), heir).into_owned());
            looked_at().await;
            let found = deadlock(within(holder.serve(a.clone())).await.unwrap_err());
            assert_eq!(names(&found), [holder.name(), "k0"]);
            within(waits).await.unwrap().expect("it is answered");
        }
    });
}

#[test]
fn who_has_handed_a_reply_on_may_ask_back() {
    on_each_runtime(|| async {
        let [a, b, c] = keepers();
        let waits = tokio::spawn(a.wait(b.clone(), Some(c.clone())).into_owned());
        looked_at().await;
        let gate = Gate::shut();
        // It holds none any more.
        let first = tokio::spawn(b.serve(a.clone()).into_owned());
        looked_at().await;
        c.leave_to_a_task(gate.clone()).await.unwrap();
        let second = tokio::spawn(c.serve(a.clone()).into_owned());
        gate.reached().await;
        looked_at().await;
        gate.open();
        for asked in [waits, first, second] {
            within(asked).await.unwrap().unwrap();
        }
    });
}
