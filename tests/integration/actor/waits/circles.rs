//! Circles that close are found as they do.

use greenroom::{AskError, Context, Refusal, actor};

use super::{NodeGo, NodeHandle, deadlock, names, node, nodes};
use crate::actor::support::{LIMIT, on_each_runtime, within};

async fn all_answer(nodes: &[NodeHandle]) {
    for node in nodes {
        within(node.ping()).await.expect("it is alive and idle");
    }
}

#[test]
fn acc_02_a_circle_of_asks_fails_at_once_and_names_its_actors_and_messages() {
    on_each_runtime(|| async {
        let [a, b, c] = nodes();
        let chain = vec![b.clone(), c.clone(), a.clone()];
        let error = within(a.go(chain)).await.unwrap_err();
        let found = deadlock(error);
        assert_eq!(
            names(&found),
            ["n2", "n0", "n1"],
            "who closed it comes first"
        );
        let messages = found.path().iter().map(|hop| hop.message());
        assert!(
            messages
                .into_iter()
                .all(|message| message.ends_with("NodeGo"))
        );
        for text in ["n0#", "n1#", "n2#", "NodeGo"] {
            assert!(found.to_string().contains(text), "{found}");
        }
        all_answer(&[a, b, c]).await;
    });
}

#[test]
fn acc_02_a_circle_whose_handlers_run_on_one_stack_fails_at_once() {
    on_each_runtime(|| async {
        let [a, b, c] = nodes();
        let chain = vec![b.clone(), c.clone(), a.clone()];
        let found = deadlock(within(a.go_inline(chain)).await.unwrap_err());
        let mut names = names(&found);
        names.sort_unstable();
        assert_eq!(names, ["n0", "n1", "n2"]);
        all_answer(&[a, b, c]).await;
    });
}

#[test]
fn acc_02_an_actor_that_asks_itself_fails_at_once_and_has_its_message_back() {
    on_each_runtime(|| async {
        let echo = Echo { heard: 0 }.spawn();
        let error = within(echo.ask_itself()).await.unwrap_err();
        let AskError::Handler(AskError::NotHandled(error)) = error else {
            panic!("{error}")
        };
        let Refusal::Deadlock(found) = error.refusal() else {
            panic!("{error}")
        };
        assert_eq!(names(found), ["Echo"]);
        assert_eq!(found.target(), error.actor());
        let message: EchoHeard = error.into_message().expect("handed back");
        let EchoHeard {} = message;
        assert_eq!(
            within(echo.heard()).await.unwrap(),
            0,
            "it was never handled"
        );
    });
}

#[test]
fn acc_02_a_limit_outside_does_not_keep_a_circle_from_being_found() {
    on_each_runtime(|| async {
        let [a, b, c] = nodes();
        let chain = vec![b.clone(), c.clone(), a.clone()];
        let error = a.go(chain).timeout(LIMIT).await.unwrap_err();
        assert_eq!(deadlock(error).path().len(), 3);
        all_answer(&[a, b, c]).await;
    });
}

#[test]
fn an_actor_may_tell_itself_and_call_its_own_methods() {
    on_each_runtime(|| async {
        let echo = Echo { heard: 0 }.spawn();
        assert_eq!(within(echo.tell_itself()).await.unwrap(), 0);
        assert_eq!(within(echo.heard()).await.unwrap(), 1);
    });
}

/// Talks to itself.
#[actor(mailbox = 2)]
struct Echo {
    heard: u32,
}

#[actor]
impl Echo {
    fn heard(&mut self) -> u32 {
        self.heard
    }

    fn hear(&mut self) {
        self.heard += 1;
    }

    async fn ask_itself(&mut self, ctx: &mut Context<Self>) -> Result<u32, AskError> {
        ctx.handle().heard().await
    }

    async fn tell_itself(&mut self, ctx: &mut Context<Self>) -> u32 {
        ctx.handle().hear().tell().await.expect("it has a slot");
        self.heard()
    }

    /// Tells itself more than its mailbox holds; says how many went in.
    async fn tell_itself_too_much(&mut self, ctx: &mut Context<Self>) -> u32 {
        let handle = ctx.handle();
        for told in 0.. {
            let Err(error) = handle.hear().tell().await else {
                continue;
            };
            assert!(matches!(error.refusal(), Refusal::Deadlock(_)), "{error}");
            let EchoHear {} = error.into_message();
            return told;
        }
        unreachable!("the mailbox is bounded")
    }

    async fn tell_itself_too_much_by_a_recipient(&mut self, ctx: &mut Context<Self>) -> u32 {
        let recipient = ctx.handle().recipient::<EchoHear>();
        for told in 0.. {
            let Err(error) = recipient.tell(EchoHear {}).await else {
                continue;
            };
            assert!(matches!(error.refusal(), Refusal::Deadlock(_)), "{error}");
            return told;
        }
        unreachable!("the mailbox is bounded")
    }
}

#[test]
fn a_tell_into_ones_own_full_mailbox_fails_at_once_and_is_handed_back() {
    on_each_runtime(|| async {
        let echo = Echo { heard: 0 }.spawn();
        assert_eq!(within(echo.tell_itself_too_much()).await.unwrap(), 2);
        assert_eq!(within(echo.heard()).await.unwrap(), 2);
        let told = within(echo.tell_itself_too_much_by_a_recipient()).await;
        assert_eq!(told.unwrap(), 2);
        assert_eq!(within(echo.heard()).await.unwrap(), 4);
    });
}

#[test]
fn a_message_that_would_have_closed_a_circle_is_handed_back_and_never_handled() {
    on_each_runtime(|| async {
        let [a, b] = nodes();
        let found = within(a.go(vec![b.clone(), a.clone()])).await.unwrap_err();
        assert_eq!(names(&deadlock(found)), ["n1", "n0"]);
        assert_eq!(
            within(a.ping()).await.unwrap(),
            1,
            "the second was not handled"
        );
        assert_eq!(within(b.ping()).await.unwrap(), 1);
    });
}

#[test]
fn a_circle_is_found_at_once_up_to_as_many_waits_as_the_limit_says() {
    on_each_runtime(|| async {
        let nodes: Vec<_> = (0..greenroom::limits::WAIT_HOPS)
            .map(|index| node(&index.to_string()))
            .collect();
        let mut chain = nodes.clone();
        chain.rotate_left(1);
        let found = within(nodes[0].go(chain)).await.unwrap_err();
        assert_eq!(names(&deadlock(found)).len(), nodes.len());
        all_answer(&nodes).await;
    });
}

#[test]
fn a_start_hook_that_asks_back_whoever_waits_for_its_actor_fails_at_once() {
    on_each_runtime(|| async {
        let host = Host.spawn();
        let failed = within(host.take_in(host.clone())).await.unwrap();
        assert!(failed.contains("a deadlock"), "{failed}");
    });
}

/// Spawns a guest, and asks it.
#[actor]
struct Host;

#[actor]
impl Host {
    fn greet(&mut self) {}

    async fn take_in(&mut self, host: HostHandle) -> String {
        let guest = Guest { host }.spawn();
        guest.name().await.unwrap_err().to_string()
    }
}

/// Greets its host before anything else.
#[actor]
struct Guest {
    host: HostHandle,
}

#[actor]
impl Guest {
    #[on(start)]
    async fn arrive(&mut self) -> Result<(), AskError> {
        self.host.greet().await
    }

    fn name(&mut self) {}
}

#[test]
fn the_error_of_an_ask_says_what_the_path_says() {
    on_each_runtime(|| async {
        let [a] = nodes();
        let error = within(a.go(vec![a.clone()])).await.unwrap_err();
        let AskError::Handler(found) = &error else {
            panic!("{error}")
        };
        let id = a.id();
        let message = std::any::type_name::<NodeGo>();
        let text = format!("a deadlock: n0#{id} in {message} waits for n0#{id} with {message}");
        assert_eq!(found.to_string(), text);
        assert_eq!(
            format!("{:?}", found.path()[0]),
            format!("n0#{id} -> {message}")
        );
        let _: greenroom::Error = error.into();
    });
}
