//! Law 15: what lives is what somebody has.

use greenroom::world::{Entry, Run, Session, World};

use super::support::{Fold, Token, left_alone};

const TOKEN: Entry<Token> = Entry::named("token");

#[test]
fn a_long_chain_of_moves_keeps_no_world_but_the_last() {
    let (state, program) = (Token::new(), Token::new());
    let mut world = World::seeded(1);
    world.insert(TOKEN, state.clone());
    let mut anchor = Run::start(world, Fold::with(3, &program), &left_alone());
    for step in 0..2_000 {
        let mut proposal = anchor.fork().expect("pending");
        let next = proposal.fork().expect("pending");
        let written = proposal.world_mut().and_then(|world| world.get_mut(TOKEN));
        assert!(written.is_some());
        while proposal.resume(step).is_ok() {}
        if step % 2 == 0 {
            anchor = next;
        }
        assert!(state.alive() <= 3, "{} states", state.alive());
        assert!(program.alive() <= 4, "{} programs", program.alive());
    }
    drop(anchor);
    assert_eq!((state.alive(), program.alive()), (1, 1));
}

#[test]
fn a_closed_session_has_dropped_all_that_was_in_it() {
    let (state, program) = (Token::new(), Token::new());
    let session = Session::new(left_alone());
    let mut world = World::seeded(1);
    world.insert(TOKEN, state.clone());
    let mut run = session.open(world, Fold::with(3, &program)).expect("open");
    let helds: Vec<_> = (0..50)
        .map(|_| run.fork().expect("open").hold().expect("suspended"))
        .collect();
    drop(run);
    assert_eq!(session.metrics().pending, 50);
    drop(session);
    assert_eq!((state.alive(), program.alive()), (1, 1));
    assert!(helds.iter().all(|held| !held.is_pending()));
}
