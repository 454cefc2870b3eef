//! Who does not keep up.

use crate::support::Chat;

/// More than all buffers between the room and a guest who reads nothing have room for.
const LINES: usize = 2_500;

#[tokio::test]
async fn a_guest_who_reads_nothing_holds_up_nobody_and_has_to_go() {
    let chat = Chat::open().await;
    let mut fast = chat.enter("maths", "fast").await;
    fast.hears("* fast comes in").await;
    let mut slow = chat.enter("maths", "slow").await;
    fast.hears("* slow comes in").await;
    let text = "x".repeat(4_000);
    let (mut heard, mut has_left) = (0, false);
    while heard < LINES {
        fast.say(&text).await;
        let line = fast.hear().await.unwrap();
        has_left |= line == "* slow leaves";
        heard += usize::from(line.starts_with("fast: "));
    }
    slow.hears("* fast comes in").await;
    slow.hears("* slow comes in").await;
    let mut read = 0;
    let end = loop {
        match slow.hear().await {
            Ok(line) => assert_eq!(line.len(), "fast: ".len() + text.len()),
            Err(end) => break end,
        }
        read += 1;
    };
    assert!(read < LINES, "all of it was kept");
    // Unless the server has lost its patience meanwhile.
    if let Some(end) = end {
        assert_eq!(end.reason.as_str(), "too slow for this room");
    }
    while !has_left {
        has_left = fast.hear().await.unwrap() == "* slow leaves";
    }
}
