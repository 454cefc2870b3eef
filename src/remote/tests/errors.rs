use std::pin::pin;

use bytes::Bytes;
use futures::poll;

use super::{CounterAdd, CounterMany, scene};
use crate::actor::{
    AskError, Crossing, ExitReason, Fingerprint, Refusal, SchemaMismatch, TellError,
};
use crate::remote::failure::{End, Failure, Why};
use crate::remote::target::target;

fn refusal<E: std::fmt::Debug>(error: AskError<E>) -> Refusal {
    match error {
        AskError::NotHandled(error) => {
            assert_eq!(error.actor().name(), "counter");
            error.refusal().clone()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_link_that_ends_gives_back_what_was_not_sent_and_knows_nothing_of_the_rest() {
    let scene = scene(2);
    let mut sent = pin!(scene.remote.wait(1));
    assert!(poll!(sent.as_mut()).is_pending());
    let mut reply = pin!(scene.remote.wait(2).enqueue().await.expect("there is room"));
    assert!(poll!(reply.as_mut()).is_pending());
    let mut unsent = pin!(scene.remote.add(3));
    assert!(poll!(unsent.as_mut()).is_pending());
    scene.link.cut();
    for error in [sent.await.expect_err("cut"), reply.await.expect_err("cut")] {
        let AskError::OutcomeUnknown(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(error.crossing(), &Crossing::LinkEnded);
        assert!(!error.was_handled());
        let text = error.to_string();
        assert!(text.ends_with("was sent the message, and did not reply: the link has ended"));
    }
    let error = unsent.await.expect_err("cut");
    assert!(
        error
            .to_string()
            .ends_with("did not handle the message: the link has ended")
    );
    assert_eq!(
        error
            .into_message::<CounterAdd>()
            .expect("it was not sent")
            .n,
        3
    );
    let error: TellError<_> = scene.remote.add(4).tell().await.expect_err("cut");
    assert!(matches!(
        error.refusal(),
        Refusal::Crossing(Crossing::LinkEnded)
    ));
    assert_eq!(error.into_message().n, 4);
    let error = scene.remote.add(5).enqueue().await.expect_err("cut");
    assert_eq!(error.into_message().n, 5);
}

#[tokio::test]
async fn an_ask_of_an_actor_that_has_ended_hands_its_message_back() {
    let scene = scene(8);
    scene.local.shutdown().await;
    let error = scene.remote.add(3).await.expect_err("it has ended");
    let AskError::NotHandled(error) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(
        error.refusal(),
        Refusal::Ended(ExitReason::Stopped)
    ));
    assert_eq!(
        error.into_message::<CounterAdd>().expect("its message").n,
        3
    );
    let reply = scene.remote.add(4).enqueue().await.expect("it is sent");
    let error = reply.await.expect_err("it has ended");
    assert_eq!(
        error.into_message::<CounterAdd>().expect("its message").n,
        4
    );
}

#[tokio::test]
async fn a_crash_tells_a_peer_that_and_no_more() {
    let scene = scene(8);
    let error = scene.remote.crash().await.expect_err("it crashed");
    let AskError::Interrupted(interrupted) = &error else {
        panic!("{error:?}")
    };
    assert!(matches!(interrupted.reason(), Some(ExitReason::Failed)));
    assert!(!format!("{error} {error:?}").contains("secret"));
    assert!(matches!(
        refusal(scene.remote.add(1).await.expect_err("ended")),
        Refusal::Ended(_)
    ));
}

#[tokio::test]
async fn what_is_too_large_is_an_error_of_its_own_and_others_go_on() {
    let scene = scene(8);
    let units = vec![(); 3];
    let error = scene
        .remote
        .many(units)
        .await
        .expect_err("it can't be encoded");
    assert!(
        error.to_string().contains("elements without bytes"),
        "{error}"
    );
    let units = error
        .into_message::<CounterMany>()
        .expect("it was not sent")
        .units;
    assert_eq!(units.len(), 3);
    assert_eq!(scene.remote.long(900).await.expect("it fits").len(), 900);
    let error = scene
        .remote
        .long(1001)
        .await
        .expect_err("its reply is too large");
    let AskError::OutcomeUnknown(unknown) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(unknown.crossing(), &Crossing::TooLarge { limit: None });
    assert!(unknown.was_handled());
    assert!(
        error
            .to_string()
            .contains("handled the message, and its reply is lost")
    );
    assert_eq!(scene.remote.add(1).await.expect("it lives"), 1);
}

#[tokio::test]
async fn a_message_of_another_build_is_refused_by_name_and_handed_back() {
    let scene = scene(8);
    let [ours, theirs] = [1, 2].map(Fingerprint);
    scene
        .link
        .mismatch(SchemaMismatch::new("add".into(), ours, Some(theirs)));
    let error = scene.remote.add(1).await.expect_err("a mismatch");
    let Refusal::Crossing(Crossing::SchemaMismatch(mismatch)) = refusal(error) else {
        panic!("another refusal")
    };
    assert_eq!((&*mismatch.message, mismatch.ours), ("add", ours));
    assert_eq!(mismatch.theirs, Some(theirs));
}

#[tokio::test]
async fn a_target_decodes_nothing_that_is_no_message() {
    let scene = scene(8);
    let target = target::<super::Counter>(&scene.local);
    let names: Vec<_> = target
        .messages()
        .iter()
        .map(|message| message.name)
        .collect();
    assert_eq!(
        names,
        ["add", "halve", "wait", "term", "crash", "long", "units"]
    );
    let not_decodable = Failure::NotHandled(Why::NotDecodable);
    for payload in [&[][..], &[0xff; 11], &[1, 2]] {
        let payload = Bytes::from_static(payload);
        assert_eq!(
            target.ask(0, payload.clone(), None, 10).err(),
            Some(not_decodable)
        );
        assert_eq!(target.tell(0, payload).err(), Some(not_decodable));
    }
    let (other, one) = (Failure::NotHandled(Why::Other), Bytes::from_static(&[1]));
    assert_eq!(target.ask(7, one.clone(), None, 10).err(), Some(other));
    assert_eq!(target.tell(7, one).err(), Some(other));
}

#[test]
fn every_failure_has_a_code_of_its_own() {
    let known: Vec<_> = (0..=u16::MAX)
        .map(|code| (code, Failure::from_code(code)))
        .filter(|(_, failure)| *failure != Failure::Unknown)
        .collect();
    assert_eq!(known.len(), 9 + 7 + 7);
    for (code, failure) in known {
        assert_eq!(failure.code(), code, "{failure:?}");
    }
    assert_eq!(
        Failure::from_code(Failure::Unknown.code()),
        Failure::Unknown
    );
    let ended = Failure::NotHandled(Why::Ended(End::Silent));
    assert_eq!(Failure::from_code(ended.code()), ended);
}
