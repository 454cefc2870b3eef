//! The same over sockets.

use futures::future::join_all;
use greenroom::remote::{Address, ConnectError, MemoryNetwork, Node, Refused, Token};

use super::scene::{Scene, within};

async fn check(scene: &Scene) {
    let sums = within(join_all((0..1_000).map(|_| scene.counter.add(1)))).await;
    let sums: Vec<u64> = sums.into_iter().map(|sum| sum.expect("it lives")).collect();
    assert_eq!(sums, (1..=1_000).collect::<Vec<_>>());
    let large = within(scene.counter.bytes(3 << 20))
        .await
        .expect("it lives");
    assert_eq!(large.len(), 3 << 20);
    let length = within(scene.counter.length(large)).await.expect("it lives");
    assert_eq!(length, 3 << 20);
    within(scene.link.close()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asks_cross_by_tcp() {
    let token = Token::new("0123456789abcdef").expect("long enough");
    let address = Address::from("127.0.0.1:0");
    let scene = Scene::at(MemoryNetwork::new(), address, |node| {
        node.token(token.clone())
    })
    .await;
    check(&scene).await;
    let stranger = Node::builder().build();
    let error = within(stranger.connect(&scene.address))
        .await
        .expect_err("it shows nothing");
    assert!(
        matches!(error, ConnectError::Refused(Refused::Token)),
        "{error:?}"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asks_cross_by_unix_sockets_without_a_token() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("socket");
    let scene = Scene::at(MemoryNetwork::new(), path.as_path().into(), |node| node).await;
    let mode = std::fs::metadata(&path)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    check(&scene).await;
    within(scene.server.close()).await;
    super::scene::until(|| !path.exists()).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_that_nobody_listens_at_any_more_is_replaced() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("socket");
    drop(std::os::unix::net::UnixListener::bind(&path).expect("it is free"));
    let node = Node::builder().build();
    within(node.listen(path.as_path()))
        .await
        .expect("it is stale");
    let error = within(Node::builder().build().listen(path.as_path())).await;
    assert!(error.is_err(), "somebody listens there now");
}
