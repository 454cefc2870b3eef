//! What a server holds for peers that say nothing.

use greenroom::remote::{Link, MemoryNetwork, Node};
use tokio::sync::Semaphore;

use super::scene::{Counter, until, within};
use crate::allocator::live_bytes;

const SESSIONS: usize = 10_000;

/// Bytes that both ends of a session, its connection in memory, and its link may take together.
/// They take about 26 KiB; the test's neighbours allocate at the same time.
const BYTES_MAX: isize = 40 << 10;

#[tokio::test(start_paused = true)]
async fn ten_thousand_idle_sessions_take_a_bounded_room_each() {
    let network = MemoryNetwork::new();
    let server = Node::builder().build();
    let local = Counter::new(&std::sync::Arc::new(Semaphore::new(0))).spawn();
    server.export("counter", &local).expect("it is free");
    let address = server.listen(network.address("server")).await;
    let address = address.expect("it is free");
    let client = Node::builder().build();
    let mut held = Vec::with_capacity(SESSIONS);
    let before = live_bytes();
    for _ in 0..SESSIONS {
        let link: Link = within(client.connect(&address)).await.expect("it listens");
        let counter = within(link.lookup::<Counter>("counter")).await;
        let counter = counter.expect("it is exported");
        within(counter.add(1)).await.expect("it lives");
        held.push((link, counter));
    }
    let each = (live_bytes() - before) / SESSIONS as isize;
    assert_eq!(server.metrics().sessions, SESSIONS);
    println!("{each} bytes for both ends of an idle session");
    assert!(each <= BYTES_MAX, "{each} bytes for both ends");
    drop(held);
    until(|| server.metrics().sessions == 0).await;
}
