//! Values whose drop needs a runtime around: it is there, whoever ends their owner.

use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use futures_util::stream;
use greenroom::actor;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::{mpsc, oneshot};

use crate::support::{listener, within};

/// Gives its place back by a task, as guards of limits do.
struct Permit(mpsc::UnboundedSender<bool>);

impl Drop for Permit {
    fn drop(&mut self) {
        let _ = self.0.send(Handle::try_current().is_ok());
    }
}

struct Permits {
    sender: mpsc::UnboundedSender<bool>,
    dropped: mpsc::UnboundedReceiver<bool>,
}

impl Permits {
    fn new() -> Self {
        let (sender, dropped) = mpsc::unbounded_channel();
        Self { sender, dropped }
    }

    fn get(&self) -> Permit {
        Permit(self.sender.clone())
    }

    /// Waits until this many were dropped; each with a runtime around.
    fn expect(&mut self, runtime: &Runtime, count: usize) {
        runtime.block_on(async {
            for _ in 0..count {
                let around = within("a drop", self.dropped.recv()).await.unwrap();
                assert!(around, "dropped with no runtime around");
            }
        });
    }
}

#[actor]
struct Owner {
    _permit: Permit,
    begun: Option<oneshot::Sender<()>>,
}

#[actor]
impl Owner {
    fn take(&mut self, permit: Permit) {
        drop(permit);
    }

    async fn hold(&mut self, permit: Permit) {
        if let Some(begun) = self.begun.take() {
            let _ = begun.send(());
        }
        std::future::pending::<()>().await;
        drop(permit);
    }

    fn fail(&mut self, permit: Permit) {
        let _permit = permit;
        panic!("on purpose");
    }
}

fn spawn(runtime: &Runtime, permits: &Permits) -> (OwnerHandle, oneshot::Receiver<()>) {
    let (begun, begins) = oneshot::channel();
    let owner = Owner {
        _permit: permits.get(),
        begun: Some(begun),
    };
    (runtime.block_on(async { owner.spawn() }), begins)
}

/// An actor in a handler that does not end, with a message behind it: three permits.
fn spawn_busy(runtime: &Runtime, permits: &Permits) -> OwnerHandle {
    let (owner, begins) = spawn(runtime, permits);
    owner.hold(permits.get()).try_tell().unwrap();
    owner.take(permits.get()).try_tell().unwrap();
    runtime.block_on(within("the handler", begins)).unwrap();
    owner
}

#[test]
fn the_last_handle_is_dropped_on_a_plain_thread() {
    let runtime = Runtime::new().unwrap();
    let mut permits = Permits::new();
    let (owner, _) = spawn(&runtime, &permits);
    drop(owner);
    permits.expect(&runtime, 1);
}

#[test]
fn an_actor_with_messages_is_killed_by_a_plain_thread() {
    let runtime = Runtime::new().unwrap();
    let mut permits = Permits::new();
    let owner = spawn_busy(&runtime, &permits);
    owner.kill();
    permits.expect(&runtime, 3);
}

#[test]
fn a_handler_panics_with_a_message_behind_it() {
    let runtime = Runtime::new().unwrap();
    let mut permits = Permits::new();
    let (owner, _) = spawn(&runtime, &permits);
    owner.fail(permits.get()).try_tell().unwrap();
    // Refused and dropped here if the actor has ended by then: that is not what is tested.
    let behind = owner.take(permits.get()).try_tell().is_ok();
    permits.expect(&runtime, 2 + usize::from(behind));
}

#[test]
fn the_runtime_is_dropped_by_a_plain_thread() {
    let runtime = Runtime::new().unwrap();
    let mut permits = Permits::new();
    let owner = spawn_busy(&runtime, &permits);
    drop(runtime);
    for _ in 0..3 {
        assert_eq!(permits.dropped.try_recv(), Ok(true));
    }
    drop(owner);
}

#[test]
fn a_task_is_aborted_by_a_plain_thread() {
    let runtime = Runtime::new().unwrap();
    let mut permits = Permits::new();
    let permit = permits.get();
    let (begun, begins) = oneshot::channel();
    let task = runtime.spawn(async move {
        let _permit = permit;
        let _ = begun.send(());
        std::future::pending::<()>().await;
    });
    runtime.block_on(within("the task", begins)).unwrap();
    task.abort();
    permits.expect(&runtime, 1);
}

async fn endless(State(permits): State<mpsc::UnboundedSender<bool>>) -> Body {
    let permit = Permit(permits);
    Body::from_stream(stream::repeat_with(move || {
        let _held = &permit;
        Ok::<_, Infallible>("more and more\n")
    }))
}

#[test]
fn a_response_is_dropped_when_its_client_has_gone() {
    let runtime = Runtime::new().unwrap();
    let mut permits = Permits::new();
    let app = Router::new()
        .route("/", get(endless))
        .with_state(permits.sender.clone());
    runtime.block_on(async {
        let (listener, address) = listener().await;
        tokio::spawn(async move { axum::serve(listener, app).await });
        let response = within("the headers", reqwest::get(format!("http://{address}/"))).await;
        let mut response = response.unwrap();
        assert!(within("a part", response.chunk()).await.unwrap().is_some());
    });
    permits.expect(&runtime, 1);
}
