//! A hyper server and a pooled client that spawn on greenroom's executor.

use bytes::Bytes;
use greenroom::runtime::Handle;
use greenroom_apps::echo::serve;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Version};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::sync::oneshot;

use crate::support::{listener, within};

type Pool = Client<HttpConnector, Full<Bytes>>;

/// Echoes bodies of many lengths by 8 tasks; says which version was spoken.
async fn echo_many(client: Pool, url: String) -> Version {
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let (client, url) = (client.clone(), url.clone());
            tokio::spawn(async move {
                let mut version = None;
                for round in 0..50_usize {
                    let body = Bytes::from(vec![task; round * 2_000]);
                    let request = Request::post(&url).body(Full::new(body.clone())).unwrap();
                    let response = client.request(request).await.unwrap();
                    version = Some(response.version());
                    assert_eq!(response.headers()["in-a-task"], "true");
                    let echoed = response.into_body().collect().await.unwrap().to_bytes();
                    assert_eq!(echoed, body);
                }
                version.unwrap()
            })
        })
        .collect();
    let mut version = None;
    for task in tasks {
        version = Some(within("a task's end", task).await.unwrap());
    }
    version.unwrap()
}

async fn serve_and_echo(client: Pool) -> Version {
    let (listener, address) = listener().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(async move {
        serve(listener, async {
            let _ = stopped.await;
        })
        .await
    });
    let version = echo_many(client, format!("http://{address}/")).await;
    stop.send(()).unwrap();
    within("the server's end", server).await.unwrap().unwrap();
    version
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hyper_serves_http_1_to_a_pool() {
    let client = Client::builder(Handle::current()).build_http();
    assert_eq!(serve_and_echo(client).await, Version::HTTP_11);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hyper_spawns_the_streams_of_http_2_on_our_executor() {
    let client = Client::builder(Handle::current())
        .http2_only(true)
        .build_http();
    assert_eq!(serve_and_echo(client).await, Version::HTTP_2);
}

#[tokio::test]
async fn hyper_works_on_a_single_thread() {
    let client = Client::builder(Handle::current())
        .http2_only(true)
        .build_http();
    assert_eq!(serve_and_echo(client).await, Version::HTTP_2);
}
