//! What of a child a restart leaves as it was, and how it looks from outside meanwhile.

use std::sync::{Arc, Mutex};

use greenroom::{
    AskError, Child, Context, Down, ExitReason, Intensity, Supervisor, Topic, actor, group,
    registry,
};

use super::scene::{Scene, millis, pass};
use crate::actor::support::{Gate, within};

/// Hears of what is published, and of what its group is told.
#[actor]
struct Listener {
    heard: Arc<Mutex<Vec<u32>>>,
}

/// What is published.
#[derive(Clone)]
struct Word(u32);

#[actor]
impl Listener {
    #[message(derive(Clone))]
    fn hear(&mut self, word: u32) {
        self.heard.lock().unwrap().push(word);
    }

    #[message]
    fn on_word(&mut self, Word(word): Word) {
        self.hear(word);
    }

    fn crash(&mut self) {
        panic!("it fell off its chair")
    }

    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }
}

fn listener() -> (Child<Listener>, Arc<Mutex<Vec<u32>>>) {
    let heard = Arc::<Mutex<Vec<u32>>>::default();
    let ears = Arc::clone(&heard);
    let child = Child::new(move || Listener {
        heard: Arc::clone(&ears),
    });
    (child.intensity(Intensity::unlimited()), heard)
}

#[tokio::test(start_paused = true)]
async fn its_name_its_groups_and_its_subscriptions_are_a_childs_after_a_restart_too() {
    let (child, heard) = listener();
    let (listener, child) = child.prepare().unwrap();
    listener.register("listener").unwrap();
    let listeners = group::<Listener>("listeners");
    assert!(listeners.join(&listener).unwrap());
    let words = Topic::new();
    let subscription = words.subscribe(&listener).unwrap();
    let _supervisor = Supervisor::builder().child(child).spawn();
    for round in 0..10 {
        let found = registry().get::<Listener>("listener").unwrap();
        assert_eq!(found, listener);
        assert_eq!(words.publish(Word(2 * round)).reached, 1, "round {round}");
        let report = listeners.broadcast(ListenerHear {
            word: 2 * round + 1,
        });
        assert_eq!(report.reached.len(), 1, "round {round}");
        let _ = listener.crash().await;
    }
    assert_eq!(subscription.dropped(), 0);
    pass(1).await;
    assert_eq!(*heard.lock().unwrap(), (0..20).collect::<Vec<_>>());
    assert_eq!(listener.incarnation(), 11);
    assert_eq!(listeners.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_name_is_never_missing_and_never_another_actors_while_its_owner_is_restarted() {
    let (child, _) = listener();
    let (listener, child) = child.prepare().unwrap();
    listener.register("listener").unwrap();
    let supervisor = Supervisor::builder().child(child).spawn();
    let known = listener.clone();
    let looks = tokio::spawn(async move {
        let mut looks = 0_u32;
        while known.incarnation() <= 10 {
            let found = registry().get::<Listener>("listener").unwrap();
            assert_eq!(found, known);
            looks += 1;
            tokio::task::yield_now().await;
        }
        looks
    });
    for _ in 0..10 {
        let _ = listener.crash().await;
        tokio::task::yield_now().await;
    }
    assert!(within(looks).await.unwrap() > 10);
    supervisor.shutdown().await;
    assert!(registry().get::<Listener>("listener").is_err());
}

#[tokio::test(start_paused = true)]
async fn of_two_asks_before_a_crash_the_one_at_fault_fails_and_the_other_is_answered() {
    let scene = Scene::default();
    let (worker, child) = scene.worker("a").prepare().unwrap();
    let crashed = worker.crash().enqueue().await.unwrap();
    let counted = worker.count().enqueue().await.unwrap();
    let _supervisor = Supervisor::builder().child(child).spawn();
    let Err(AskError::Interrupted(error)) = within(crashed).await else {
        panic!("it is the one at fault");
    };
    assert!(matches!(error.reason(), Some(ExitReason::Panicked(_))));
    assert_eq!(within(counted).await.unwrap(), 1, "by the next incarnation");
}

/// Watches a child from outside of its tree.
#[actor]
struct Watcher {
    downs: Arc<Mutex<Vec<String>>>,
}

#[actor]
impl Watcher {
    fn watch(&mut self, listener: ListenerHandle, ctx: &mut Context<Self>) {
        ctx.monitor(&listener);
    }

    #[message]
    fn on_down(&mut self, down: Down) {
        self.downs.lock().unwrap().push(down.reason.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn who_watches_a_child_hears_of_its_end_and_of_no_restart() {
    let (child, _) = listener();
    let supervisor = Supervisor::builder().child(child.name("a")).spawn();
    let listener = supervisor.child::<Listener>("a").await.unwrap();
    let downs = Arc::<Mutex<Vec<String>>>::default();
    let watcher = Watcher {
        downs: Arc::clone(&downs),
    }
    .spawn();
    watcher.watch(listener.clone()).await.unwrap();
    for _ in 0..3 {
        let _ = listener.crash().await;
    }
    pass(1).await;
    assert_eq!(*downs.lock().unwrap(), [""; 0]);
    supervisor.terminate("a").await.unwrap();
    pass(1).await;
    assert_eq!(*downs.lock().unwrap(), ["it was stopped"]);
}

#[tokio::test(start_paused = true)]
async fn a_group_is_left_and_a_name_is_free_when_a_child_is_not_restarted() {
    let (child, _) = listener();
    let (listener, child) = child
        .intensity(Intensity::new(0, millis(1)))
        .prepare()
        .unwrap();
    listener.register("listener").unwrap();
    let listeners = group::<Listener>("listeners");
    listeners.join(&listener).unwrap();
    let supervisor = Supervisor::builder().child(child).spawn();
    let gate = Gate::shut();
    listener.hold(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    assert_eq!(listeners.len(), 1);
    listener.kill();
    assert!(matches!(
        within(supervisor.join()).await,
        ExitReason::GaveUp(_)
    ));
    assert!(listeners.is_empty());
    assert!(registry().get::<Listener>("listener").is_err());
    gate.open();
}

/// What is in a handler's way when it fails half through.
#[actor]
#[derive(Default)]
struct Pair {
    one: u32,
    other: u32,
}

#[actor]
impl Pair {
    fn set(&mut self, n: u32) {
        self.one = n;
        assert!(n < 10, "too much");
        self.other = n;
    }

    fn both(&self) -> (u32, u32) {
        (self.one, self.other)
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_sees_a_state_that_its_handler_left_half_changed() {
    let child = Child::new(Pair::default).name("pair");
    let supervisor = Supervisor::builder().child(child).spawn();
    let pair = supervisor.child::<Pair>("pair").await.unwrap();
    pair.set(7).await.unwrap();
    let set = pair.set(10).enqueue().await.unwrap();
    let both = pair.both().enqueue().await.unwrap();
    assert!(within(set).await.is_err());
    assert_eq!(within(both).await.unwrap(), (0, 0));
    assert_eq!(pair.both().await.unwrap(), (0, 0));
}
