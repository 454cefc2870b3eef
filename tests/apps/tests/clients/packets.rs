//! Clients of the datagram services.

use greenroom_apps::packets::{reverse_udp, reverse_unix};
use tokio::net::{UdpSocket, UnixDatagram};

use crate::support::within;

const CLIENTS: usize = 4;
const ROUNDS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn udp_clients_get_their_own_answers() {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
    let address = socket.local_addr().unwrap();
    let service = tokio::spawn(reverse_udp(socket));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            tokio::spawn(async move {
                let socket = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
                socket.connect(address).await.unwrap();
                let mut buffer = [0; 64];
                for round in 0..ROUNDS {
                    let text = format!("{client}/{round}");
                    socket.send(text.as_bytes()).await.unwrap();
                    let length = socket.recv(&mut buffer).await.unwrap();
                    let answer: Vec<u8> = buffer[..length].iter().rev().copied().collect();
                    assert_eq!(answer, text.as_bytes());
                }
            })
        })
        .collect();
    for client in clients {
        within("a client's end", client).await.unwrap();
    }
    let last = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
    last.send_to(&[], address).await.unwrap();
    let answered = within("the service's end", service).await.unwrap().unwrap();
    assert_eq!(answered, CLIENTS * ROUNDS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unix_datagrams_go_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let client = UnixDatagram::bind(folder.path().join("client")).unwrap();
    let service = {
        let path = path.clone();
        tokio::spawn(async move { reverse_unix(&path).await })
    };
    within("the service", async {
        while client.connect(&path).is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let mut buffer = [0; 64];
    for round in 0..ROUNDS {
        let text = format!("round {round}");
        within("the send", client.send(text.as_bytes()))
            .await
            .unwrap();
        let length = within("the answer", client.recv(&mut buffer))
            .await
            .unwrap();
        let answer: Vec<u8> = buffer[..length].iter().rev().copied().collect();
        assert_eq!(answer, text.as_bytes());
    }
    client.send(&[]).await.unwrap();
    let answered = within("the service's end", service).await.unwrap().unwrap();
    assert_eq!(answered, ROUNDS);
}
