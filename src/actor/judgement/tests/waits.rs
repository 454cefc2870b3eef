//! What reaches an actor that waits for its next incarnation.

use super::*;

#[tokio::test]
async fn whoever_ends_it_while_it_has_no_state_does() {
    for is_dismissed in [false, true] {
        let mut rig = Rig::new(Verdict::Wait);
        rig.starts().await;
        assert!(rig.clerk.crash().await.is_err());
        rig.asked().await;
        let waits = rig.clerk.add(1).enqueue().await.unwrap();
        match is_dismissed {
            false => rig.clerk.stop(),
            true => Handle::dismiss(&rig.clerk),
        }
        let reason = rig.clerk.join().await;
        assert!(match is_dismissed {
            false => matches!(reason, ExitReason::Stopped),
            true => matches!(reason, ExitReason::Panicked(_)),
        });
        let error = waits.await.unwrap_err();
        assert!(matches!(error, AskError::NotHandled(_)), "{error}");
        assert!(rig.asked.try_recv().is_err());
        assert_eq!(words(&rig.log), ["built", "start", "dropped"]);
    }
}

#[tokio::test]
async fn a_kill_finds_nothing_of_an_actor_that_waits_for_its_restart() {
    let mut rig = Rig::new(Verdict::Wait);
    rig.starts().await;
    assert!(rig.clerk.crash().await.is_err());
    rig.asked().await;
    let waits = rig.clerk.add(1).enqueue().await.unwrap();
    rig.clerk.kill();
    rig.clerk.signal(Signal::Restart);
    assert_eq!(waits.await.unwrap(), 1);
    assert!(rig.asked.try_recv().is_err());
}
