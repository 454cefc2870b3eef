//! What is built before there is a runtime.

use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use greenroom::{Builder, SpawnErrorKind, actor};
use greenroom_apps::board::{Board, serve};
use greenroom_apps::meter::{Meter, MeterClient, Reading};
use tokio::runtime::Runtime;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Endpoint, Server};

use crate::support::within;

static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(reqwest::Client::new);

fn early_listener() -> TcpListener {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

#[test]
fn a_listener_and_a_client_from_before_the_runtime_serve_in_it() {
    let listener = early_listener();
    let url = format!("http://{}/shout?text=early", listener.local_addr().unwrap());
    let request = CLIENT.get(url);
    let runtime = Runtime::new().unwrap();
    let text = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        tokio::spawn(serve(listener, Board::open().0, std::future::pending()));
        let response = within("the answer", request.send()).await.unwrap();
        response.text().await.unwrap()
    });
    assert_eq!(text, "EARLY");
}

#[test]
fn a_lazy_channel_is_built_outside_a_runtime_by_its_handle() {
    let listener = early_listener();
    let address = listener.local_addr().unwrap();
    let runtime = Runtime::new().unwrap();
    let handle = {
        let _entered = runtime.enter();
        greenroom::runtime::Handle::current()
    };
    // No runtime is around here: what it spawns, it spawns by the handle.
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let channel = endpoint.executor(handle).connect_lazy();
    let summary = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let server = Server::builder().add_service(Meter::default());
        tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        let mut client = MeterClient::new(channel);
        within("the answer", client.read(Reading { watts: 5 })).await
    });
    assert_eq!(summary.unwrap().watts, 5);
}

#[actor]
struct Prepared {
    answer: u32,
}

#[actor]
impl Prepared {
    fn answer(&self) -> u32 {
        self.answer
    }
}

#[test]
fn an_actor_is_prepared_early_and_the_error_says_what_it_lacks() {
    let prepared = Builder::new(Prepared { answer: 42 }).name("early");
    let error = prepared.try_spawn().unwrap_err();
    assert_eq!(error.kind(), SpawnErrorKind::NoRuntime);
    assert!(
        error.to_string().contains("there is no runtime here"),
        "{error}"
    );
    let prepared = error.into_actor();
    let runtime = Runtime::new().unwrap();
    let answer = runtime.block_on(async {
        let handle = prepared.spawn();
        within("the answer", handle.answer()).await.unwrap()
    });
    assert_eq!(answer, 42);
}

#[test]
fn a_spawn_without_a_runtime_says_so() {
    let spawn = || drop(tokio::spawn(async {}));
    let payload = catch_unwind(AssertUnwindSafe(spawn)).unwrap_err();
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.into()));
    assert!(
        text.as_ref().is_some_and(|text| text.contains("runtime")),
        "{text:?}"
    );
}
