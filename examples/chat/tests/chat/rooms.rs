//! Who hears what.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Chat, within};

#[tokio::test]
async fn everybody_in_a_room_hears_all_lines_in_one_order() {
    let chat = Chat::open().await;
    let mut ada = chat.enter("maths", "Ada").await;
    ada.hears("* Ada comes in").await;
    let mut alan = chat.enter("maths", "Alan").await;
    alan.hears("* Ada comes in").await; // what was said before
    alan.hears("* Alan comes in").await;
    ada.hears("* Alan comes in").await;
    // Fewer than a guest may be behind.
    for n in 0..50 {
        ada.say(&n.to_string()).await;
        alan.say(&n.to_string()).await;
    }
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        one.push(ada.hear().await.unwrap());
        other.push(alan.hear().await.unwrap());
    }
    assert_eq!(one, other);
    for name in ["Ada", "Alan"] {
        let said = one.iter().filter_map(|line| line.strip_prefix(name));
        let expected = (0..50).map(|n| format!(": {n}"));
        assert!(said.eq(expected), "{name}: {one:?}");
    }
}

#[tokio::test]
async fn what_is_said_stays_in_its_room() {
    let chat = Chat::open().await;
    let mut ada = chat.enter("maths", "Ada").await;
    let mut kurt = chat.enter("logic", "Kurt").await;
    ada.hears("* Ada comes in").await;
    kurt.hears("* Kurt comes in").await;
    ada.say("hello?").await;
    ada.hears("Ada: hello?").await;
    kurt.say("nobody here").await;
    kurt.hears("Kurt: nobody here").await;
}

#[tokio::test]
async fn a_name_is_one_guests_in_its_room() {
    let chat = Chat::open().await;
    let mut ada = chat.enter("maths", "Ada").await;
    ada.hears("* Ada comes in").await;
    let mut other = chat.enter("maths", "Ada").await;
    let end = other.hear().await.unwrap_err().unwrap();
    assert!(end.reason.contains("of this name"), "{end:?}");
    let mut elsewhere = chat.enter("logic", "Ada").await;
    elsewhere.hears("* Ada comes in").await;
    ada.say("still here").await;
    ada.hears("Ada: still here").await;
}

#[tokio::test]
async fn there_is_a_page_to_open() {
    let chat = Chat::open().await;
    let mut stream = TcpStream::connect(chat.address).await.unwrap();
    let request = "GET / HTTP/1.1\r\nhost: chat\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut page = String::new();
    within(stream.read_to_string(&mut page)).await.unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("text/html") && page.contains("new WebSocket("));
}
