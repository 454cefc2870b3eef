//! Leaving, and the end of it all.

use tokio::process::Command;

use crate::support::{Chat, within};

#[tokio::test]
async fn a_guest_whose_connection_breaks_has_left() {
    let chat = Chat::open().await;
    let mut ada = chat.enter("maths", "Ada").await;
    ada.hears("* Ada comes in").await;
    let alan = chat.enter("maths", "Alan").await;
    ada.hears("* Alan comes in").await;
    drop(alan);
    ada.hears("* Alan leaves").await;
    let mut again = chat.enter("maths", "Alan").await;
    ada.hears("* Alan comes in").await;
    for line in ["* Ada comes in", "* Alan comes in", "* Alan leaves"] {
        again.hears(line).await;
    }
}

#[tokio::test]
async fn a_room_ends_with_its_last_guest() {
    let chat = Chat::open().await;
    let mut ada = chat.enter("maths", "Ada").await;
    ada.hears("* Ada comes in").await;
    drop(ada);
    within(async {
        let first = "* Alan comes in";
        // Until it has ended, he finds it as she has left it.
        while chat.enter("maths", "Alan").await.hear().await.as_deref() != Ok(first) {}
    })
    .await;
}

#[tokio::test]
async fn a_signal_ends_the_chat_in_order() {
    let mut chat = Chat::open().await;
    let mut ada = chat.enter("maths", "Ada").await;
    ada.hears("* Ada comes in").await;
    let mut kurt = chat.enter("logic", "Kurt").await;
    kurt.hears("* Kurt comes in").await;
    let pid = chat.process.id().unwrap().to_string();
    let kill = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(within(kill).await.unwrap().success());
    for person in [&mut ada, &mut kurt] {
        let end = person.hear().await.unwrap_err().unwrap();
        assert_eq!(end.reason.as_str(), "the server ends");
    }
    let line = within(chat.output.next_line()).await.unwrap().unwrap();
    assert_eq!(line, "actors stopped: 4"); // two guests, two rooms
    assert!(within(chat.process.wait()).await.unwrap().success());
}
