//! Encrypted connections, and those that are none.

mod certificates;
mod proxy;

use std::sync::Arc;

use greenroom::remote::{
    Address, ConnectError, Link, LinkEnd, ListenError, LookupError, MemoryNetwork, Node, Refused,
    Tls, TlsError, TlsFailure, Token,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use self::certificates::{Authority, Certified};
use self::proxy::Proxy;
use super::scene::{Counter, CounterHandle, Scene, within};

const HERE: &str = "127.0.0.1:0";

fn token() -> Token {
    Token::new("0123456789abcdef").expect("it is long enough")
}

/// A node with that encryption, and a token.
fn node(tls: Tls) -> Node {
    Node::builder().token(token()).tls(tls).build()
}

/// A client that trusts in that authority.
fn trusting(authority: &Authority) -> Node {
    let tls = Tls::builder().roots(authority.roots()).build();
    node(tls.expect("it is one"))
}

async fn serve(certified: &Certified) -> (Node, Address) {
    let server = node(certified.tls().build().expect("they fit"));
    let address = within(server.listen(HERE)).await.expect("it may");
    (server, address)
}

async fn failure(client: &Node, address: &Address) -> TlsFailure {
    match within(client.connect(address)).await {
        Err(ConnectError::Tls(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_is_said_is_not_read_on_the_way_and_a_cut_loses_nothing() {
    let authority = Authority::new();
    let own = authority.certify("127.0.0.1");
    let tls = own.tls().roots(authority.roots()).build();
    let tls = tls.expect("they fit");
    let options = |node: greenroom::remote::NodeBuilder| node.token(token()).tls(tls.clone());
    let scene = Scene::at(MemoryNetwork::new(), Address::from(HERE), options).await;
    let proxy = Proxy::to(scene.address.to_string()).await;
    let link = within(scene.client.connect(proxy.address.as_str())).await;
    let link = link.expect("it leads there");
    let counter = within(link.lookup::<Counter>("counter")).await;
    let counter = counter.expect("it is exported");
    let marker = vec![b'x'; 4096];
    for cuts in 1..=5_u64 {
        let asked = counter.length(marker.clone()).enqueue().await;
        let added = counter.add(1).enqueue().await.expect("it lives");
        proxy.cut(); // nobody took leave of anybody: it is not taken for that
        assert_eq!(within(added).await.expect("it is resumed"), cuts);
        let asked = within(asked.expect("it lives")).await;
        assert_eq!(asked.expect("it is resumed"), marker.len());
    }
    assert_eq!(scene.server.metrics().sessions, 2);
    assert!(proxy.connections() >= 1);
    assert!(!proxy.has_seen(&marker[..16]));
    assert!(!proxy.has_seen(b"counter"));
    assert!(!proxy.has_seen(b"0123456789abcdef"));
    within(link.close()).await;
    assert_eq!(within(link.ended()).await, LinkEnd::Closed);
}

#[tokio::test]
async fn large_answers_and_many_small_ones_cross_encrypted() {
    let authority = Authority::new();
    let own = authority.certify("127.0.0.1");
    let tls = own
        .tls()
        .roots(authority.roots())
        .build()
        .expect("they fit");
    let scene = Scene::at(MemoryNetwork::new(), Address::from(HERE), |node| {
        node.token(token()).tls(tls.clone())
    })
    .await;
    let large = within(scene.counter.bytes(3 << 20)).await;
    let length = scene.counter.length(large.expect("it lives"));
    assert_eq!(within(length).await.expect("it lives"), 3 << 20);
    let asks = (0..1_000).map(|_| scene.counter.add(1));
    let sums = within(futures::future::join_all(asks)).await;
    let sums: Vec<u64> = sums.into_iter().map(|sum| sum.expect("it lives")).collect();
    assert_eq!(sums, (1..=1_000).collect::<Vec<_>>());
    within(scene.client.close()).await;
}

#[tokio::test]
async fn a_certificate_that_has_expired_is_refused() {
    let authority = Authority::new();
    let (_server, address) = serve(&authority.certify_until("127.0.0.1", 2000)).await;
    assert_eq!(
        failure(&trusting(&authority), &address).await,
        TlsFailure::Expired
    );
}

#[tokio::test]
async fn a_certificate_by_somebody_else_is_refused() {
    let (_server, address) = serve(&Authority::new().certify("127.0.0.1")).await;
    // One of the same name, which is all that it says of itself, and one of another.
    for other in [Authority::new(), Authority::named("another")] {
        let found = failure(&trusting(&other), &address).await;
        assert_eq!(found, TlsFailure::UnknownIssuer);
    }
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let authority = Authority::new();
    let (_server, address) = serve(&authority.certify("counter.internal")).await;
    assert_eq!(
        failure(&trusting(&authority), &address).await,
        TlsFailure::WrongName
    );
    let tls = Tls::builder().roots(authority.roots());
    let tls = tls.server_name("counter.internal").build();
    let told = node(tls.expect("it is one"));
    within(told.connect(&address))
        .await
        .expect("it is that one");
}

#[tokio::test]
async fn who_has_to_show_a_certificate_is_let_in_by_no_token() {
    let authority = Authority::new();
    let server = authority.certify("127.0.0.1").tls();
    let server = node(server.clients(authority.roots()).build().expect("they fit"));
    let address = within(server.listen(HERE)).await.expect("it may");
    let without = trusting(&authority);
    assert_eq!(
        failure(&without, &address).await,
        TlsFailure::CertificateRequired
    );
    for (by, year) in [(&Authority::new(), 4000), (&authority, 2000)] {
        let own = by.certify_until("bob", year).tls();
        let tls = own.roots(authority.roots()).build().expect("they fit");
        assert_eq!(failure(&node(tls), &address).await, TlsFailure::Rejected);
    }
}

/// A link of the one that a certificate says.
async fn link_of(authority: &Authority, certified: &Certified, address: &Address) -> Link {
    let tls = certified.tls().roots(authority.roots()).build();
    let node = Node::builder().tls(tls.expect("they fit")).build();
    within(node.connect(address)).await.expect("it is let in")
}

#[tokio::test]
async fn exports_are_for_those_whose_certificates_say_so() {
    let authority = Authority::new();
    let tls = authority.certify("127.0.0.1").tls();
    let tls = tls.clients(authority.roots()).build().expect("they fit");
    let server = Node::builder().tls(tls).build(); // certificates are enough
    let address = within(server.listen(HERE)).await.expect("it may");
    let local: CounterHandle = Counter::new(&Arc::new(Semaphore::new(0))).spawn();
    let exported = server.export_to("counter", &local, &["bob", "spiffe://here/carol"]);
    exported.expect("it is free");
    for (name, may) in [("bob", true), ("alice", false)] {
        let link = link_of(&authority, &authority.certify(name), &address).await;
        let found = within(link.lookup::<Counter>("counter")).await;
        match found {
            Ok(_) => assert!(may, "{name}"),
            Err(LookupError::Unknown) => assert!(!may, "{name}"),
            Err(error) => panic!("{error:?}"),
        }
    }
    let tls = authority.certify("bob").tls().roots(authority.roots());
    let wrong = node(tls.build().expect("they fit"));
    let error = within(wrong.connect(&address)).await;
    assert!(
        matches!(error, Err(ConnectError::Refused(Refused::Token))),
        "a certificate makes up for no wrong token: {error:?}"
    );
}

#[tokio::test]
async fn plain_and_encrypted_nodes_say_that_they_do_not_understand_each_other() {
    let authority = Authority::new();
    let (_server, encrypted) = serve(&authority.certify("127.0.0.1")).await;
    let plain = Node::builder().token(token()).build();
    assert_eq!(failure(&plain, &encrypted).await, TlsFailure::IsTls);
    let address = within(plain.listen(HERE)).await.expect("it may");
    let client = trusting(&authority);
    assert_eq!(failure(&client, &address).await, TlsFailure::NotTls);
}

#[tokio::test]
async fn who_can_be_reached_by_others_has_to_encrypt_and_to_ask_who_they_are() {
    let everywhere = "0.0.0.0:0";
    let authority = Authority::new();
    let own = authority.certify("127.0.0.1");
    let encrypts = own.tls().build().expect("they fit");
    within(node(encrypts.clone()).listen(everywhere))
        .await
        .expect("it has a token");
    let bare = Node::builder().tls(encrypts).build();
    for address in [HERE, everywhere] {
        let error = within(bare.listen(address)).await;
        assert!(matches!(error, Err(ListenError::NoToken)), "{error:?}");
    }
    let demands = own.tls().clients(authority.roots()).build();
    let demands = Node::builder().tls(demands.expect("they fit")).build();
    within(demands.listen(everywhere)).await.expect("it may");
    let only_connects = trusting(&authority);
    let error = within(only_connects.listen(everywhere)).await;
    assert!(matches!(error, Err(ListenError::NotEncrypted)), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn who_stops_in_the_midst_of_the_encryption_is_given_up() {
    let authority = Authority::new();
    let (server, address) = serve(&authority.certify("127.0.0.1")).await;
    let begun = tokio::time::Instant::now();
    // The head of a record, which never comes to its end.
    for said in [
        &b""[..],
        b"\x16",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ] {
        let stream = TcpStream::connect(address.to_string()).await;
        let mut stream = stream.expect("it listens");
        stream.write_all(said).await.expect("there is room");
        let mut answer = Vec::new();
        within(stream.read_to_end(&mut answer)).await.ok();
        assert!(answer.is_empty());
    }
    assert!(begun.elapsed() >= 2 * greenroom::remote::limits::HANDSHAKE);
    assert_eq!(server.metrics().sessions, 0);
}

#[tokio::test]
async fn nonsense_at_the_port_of_an_encrypted_node_harms_nobody() {
    let authority = Authority::new();
    let (_server, address) = serve(&authority.certify("127.0.0.1")).await;
    let garbage = vec![0x16; 100_000]; // records of a length that there is none of
    for said in [&b"GET / HTTP/1.1\r\n\r\n"[..], &garbage] {
        let stream = TcpStream::connect(address.to_string()).await;
        let mut stream = stream.expect("it listens");
        stream.write_all(said).await.ok();
        stream.shutdown().await.ok();
        let mut answer = Vec::new();
        within(stream.read_to_end(&mut answer)).await.ok();
        assert!(answer.len() < 64, "an alert, at most");
    }
    let client = trusting(&authority);
    within(client.connect(&address)).await.expect("it lives");
}

#[test]
fn certificates_that_are_none_are_refused_as_what_they_lack() {
    let authority = Authority::new();
    let (own, other) = (authority.certify("bob"), authority.certify("bob"));
    let roots = authority.roots();
    let error = |tls: greenroom::remote::TlsBuilder| tls.build().expect_err("it is none");
    let empty = Tls::builder().certificate("", &own.key);
    assert_eq!(error(empty), TlsError::NoCertificate);
    let no_key = Tls::builder().certificate(&own.chain, &own.chain);
    assert_eq!(error(no_key), TlsError::NoKey);
    assert_eq!(error(Tls::builder().roots("x")), TlsError::NoCertificate);
    assert_eq!(error(Tls::builder().clients(roots)), TlsError::NoServer);
    let mixed = Tls::builder().certificate(&own.chain, &other.key);
    assert!(matches!(error(mixed), TlsError::Unusable(_)));
    let named = own.tls().server_name("not a name");
    assert_eq!(error(named), TlsError::Name("not a name".into()));
}
