//! What errors turn into, and where they may go.

use std::error::Error as _;
use std::io;

use greenroom::{
    AskError, BoxError, Builder, Crash, Error, ExitReason, Identity, SpawnError, TellError, actor,
    runtime,
};

#[actor]
struct Failing;

#[actor]
impl Failing {
    fn boxed(&mut self) -> Result<(), BoxError> {
        Err("boxed".into())
    }

    fn text(&mut self) -> Result<(), String> {
        Err("text".to_owned())
    }

    fn io(&mut self) -> io::Result<()> {
        Err(io::Error::other("io"))
    }

    fn fall(&mut self) {
        panic!("off the edge");
    }
}

/// As a caller that meets all kinds of errors.
async fn ask(failing: &FailingHandle, which: usize) -> Result<(), Error> {
    match which {
        0 => failing.boxed().await?,
        1 => failing.text().await?,
        2 => failing.io().await?,
        3 => failing.fall().await?,
        4 => failing.fall().tell().await?,
        _ => greenroom::spawn(async { panic!("a task") }).await?,
    }
    Ok(())
}

#[tokio::test]
async fn whatever_fails_turns_into_the_crates_error_with_its_text() {
    let failing = Failing.spawn();
    let mut texts = Vec::new();
    for which in 0..6 {
        texts.push(ask(&failing, which).await.unwrap_err().to_string());
    }
    assert_eq!(texts[..3], ["boxed", "text", "io"]);
    let name = failing.identity();
    assert!(texts[3].starts_with(&format!("{name} did not finish handling the message")));
    assert!(texts[3].ends_with("off the edge"), "{}", texts[3]);
    assert!(
        texts[4].starts_with(&format!("{name} did not accept the message")),
        "{}",
        texts[4]
    );
    assert!(
        texts[5].ends_with("panicked with message \"a task\""),
        "{}",
        texts[5]
    );
}

#[tokio::test]
async fn a_crash_is_the_source_of_what_it_made_fail() {
    let failing = Failing.spawn();
    let error = failing.fall().await.unwrap_err();
    let crash = error
        .source()
        .and_then(|source| source.downcast_ref::<Crash>())
        .unwrap();
    assert_eq!(crash.text(), "off the edge");
    failing.join().await;
    let error = failing.text().await.unwrap_err();
    let AskError::NotHandled(error) = error else {
        panic!("{error}")
    };
    assert!(error.source().is_some_and(|source| source.is::<Crash>()));
}

#[test]
fn errors_and_what_describes_an_actor_may_go_anywhere() {
    /// A message that may not be shared.
    type Message = std::cell::Cell<u8>;
    fn anywhere<T: Send + Sync + 'static>() {}
    anywhere::<AskError>();
    anywhere::<TellError<Message>>();
    anywhere::<SpawnError<Message>>();
    anywhere::<Error>();
    anywhere::<ExitReason>();
    anywhere::<Identity>();
    anywhere::<runtime::Handle>();
    anywhere::<runtime::Builder>();
    anywhere::<runtime::Metrics>();
    anywhere::<Builder<u8>>();
}
