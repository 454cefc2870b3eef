//! What keeps an actor alive, row by row.

use std::time::Duration;

use futures::stream;
use greenroom::{Builder, Child, Context, Down, Group, Handle, Supervisor, Topic, actor};

use crate::actor::support::{Gate, on_each_runtime, poll_once, within};

#[derive(Clone)]
struct Word;

#[actor(mailbox = 4)]
struct Guest {
    own: Option<GuestHandle>,
}

#[actor]
impl Guest {
    #[message]
    fn on_word(&mut self, _word: Word) {}

    #[message]
    fn on_down(&mut self, _down: Down) {}

    fn nothing(&self) {}

    async fn wait(&mut self, gate: Gate) {
        gate.pass().await;
    }

    fn set_timers(&self, ctx: &mut Context<Self>) {
        let _ = ctx.after(Duration::from_secs(3600), Word);
        let _ = ctx.every(Duration::from_secs(3600), || Word);
        let _ = ctx.idle_timeout(Duration::from_secs(3600), || Word);
    }

    fn attach(&self, ctx: &mut Context<Self>) {
        let _ = ctx.attach(stream::pending::<Word>(), |word| word);
        ctx.spawn(std::future::pending::<()>());
        ctx.pipe(std::future::pending::<()>(), |_| Word);
    }

    fn watch(&self, other: GuestHandle, ctx: &mut Context<Self>) {
        ctx.monitor(&other);
    }

    fn keep_itself(&mut self, ctx: &mut Context<Self>) {
        self.own = Some(ctx.handle());
    }

    fn let_itself_go(&mut self, ctx: &mut Context<Self>) {
        drop(ctx.handle());
        self.own = None;
    }
}

fn guest() -> GuestHandle {
    Builder::new(Guest { own: None }).spawn()
}

/// With the handle the last that keeps the actor goes: the tie does not.
async fn assert_weak<T>(guest: GuestHandle, tie: T) {
    within(guest.nothing()).await.unwrap();
    assert_eq!(Handle::handle_count(&guest), 1);
    let weak = guest.downgrade();
    drop(guest);
    assert_eq!(
        within(weak.join()).await.to_string(),
        "its last handle was dropped"
    );
    drop(tie);
}

/// The tie keeps the actor, and goes last.
async fn assert_strong<T>(guest: GuestHandle, tie: T) {
    let weak = guest.downgrade();
    drop(guest);
    let again = weak.upgrade().expect("it is kept");
    within(again.nothing()).await.unwrap();
    drop(again);
    assert!(weak.upgrade().is_some());
    drop(tie);
    assert_eq!(
        within(weak.join()).await.to_string(),
        "its last handle was dropped"
    );
}

#[test]
fn handles_and_recipients_keep_an_actor() {
    on_each_runtime(|| async {
        let actor = guest();
        let tie = actor.clone();
        assert_strong(actor, tie).await;
        let actor = guest();
        let tie = actor.erase();
        assert_strong(actor, tie).await;
        let actor = guest();
        let tie = actor.recipient::<Word>();
        assert_strong(actor, tie).await;
    });
}

#[test]
fn a_request_that_is_its_own_keeps_its_actor_until_it_is_done() {
    on_each_runtime(|| async {
        let (actor, gate) = (guest(), Gate::shut());
        let weak = actor.downgrade();
        let mut request = Box::pin(actor.wait(gate.clone()).into_owned());
        assert!(poll_once(&mut request).await.is_pending());
        drop(actor);
        gate.reached().await;
        assert!(weak.upgrade().is_some());
        gate.open();
        within(&mut request).await.unwrap();
        drop(request);
        assert_eq!(
            within(weak.join()).await.to_string(),
            "its last handle was dropped"
        );
    });
}

#[test]
fn an_accepted_message_is_handled_though_nobody_keeps_its_actor() {
    on_each_runtime(|| async {
        let (actor, gate) = (guest(), Gate::shut());
        let first = within(actor.wait(gate.clone()).enqueue()).await.unwrap();
        let second = within(actor.nothing().enqueue()).await.unwrap();
        let weak = actor.downgrade();
        drop(actor);
        assert!(weak.upgrade().is_none());
        gate.open();
        within(first).await.unwrap();
        within(second).await.unwrap();
        assert_eq!(
            within(weak.join()).await.to_string(),
            "its last handle was dropped"
        );
    });
}

#[test]
fn a_supervisor_keeps_its_children() {
    on_each_runtime(|| async {
        let child = Child::new(|| Guest { own: None }).name("guest");
        let supervisor = Supervisor::builder().child(child).spawn();
        let guest = within(supervisor.child::<Guest>("guest")).await.unwrap();
        let weak = guest.downgrade();
        drop(guest);
        let again = weak.upgrade().expect("it is kept");
        within(again.nothing()).await.unwrap();
        drop(again);
        drop(supervisor);
        assert!(within(weak.join()).await.is_normal());
    });
}

#[test]
fn names_groups_and_topics_keep_nobody() {
    on_each_runtime(|| async {
        let actor = guest();
        let tie = actor.register("guest").unwrap();
        assert_weak(actor, tie).await;
        let (actor, group) = (guest(), Group::<Guest>::new());
        assert!(group.join(&actor).unwrap());
        assert_weak(actor, group).await;
        let (actor, topic) = (guest(), Topic::<Word>::new());
        let tie = topic.subscribe(&*actor).unwrap();
        assert_weak(actor, (tie, topic)).await;
    });
}

#[test]
fn timers_streams_and_tasks_keep_nobody() {
    on_each_runtime(|| async {
        let actor = guest();
        within(actor.set_timers()).await.unwrap();
        assert_weak(actor, ()).await;
        let actor = guest();
        within(actor.attach()).await.unwrap();
        assert_weak(actor, ()).await;
    });
}

#[test]
fn monitors_and_links_keep_neither_side() {
    on_each_runtime(|| async {
        let (actor, other) = (guest(), guest());
        within(actor.watch(other.clone())).await.unwrap();
        assert_weak(actor, &other).await;
        let watcher = guest();
        within(watcher.watch(other.clone())).await.unwrap();
        assert_weak(other, &watcher).await;
        let other = guest();
        Handle::link(&watcher, &other);
        assert_weak(other, &watcher).await;
        within(watcher.nothing()).await.unwrap();
    });
}

#[test]
fn a_weak_handle_keeps_nobody() {
    on_each_runtime(|| async {
        let actor = guest();
        let tie = actor.downgrade();
        assert_weak(actor, tie).await;
    });
}

#[test]
fn its_own_context_keeps_nobody_but_a_handle_of_its_own_does() {
    on_each_runtime(|| async {
        let actor = guest();
        within(actor.let_itself_go()).await.unwrap();
        assert_weak(actor, ()).await;
        let actor = guest();
        within(actor.keep_itself()).await.unwrap();
        let weak = actor.downgrade();
        drop(actor);
        let again = weak.upgrade().expect("it keeps itself");
        within(again.let_itself_go()).await.unwrap();
        drop(again);
        assert_eq!(
            within(weak.join()).await.to_string(),
            "its last handle was dropped"
        );
    });
}
