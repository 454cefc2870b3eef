//! Claims, closes and leases, under every interleaving.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::leases::Leases;
use super::pending::Pending;

#[test]
fn of_two_claims_one_wins_and_a_fork_sees_it_pending_or_not_at_all() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        let token = pending.publish(7).expect("open");
        let claims = [(), ()].map(|()| {
            let pending = pending.clone();
            thread::spawn(move || pending.claim(token).is_some())
        });
        // A fork: it copies what it finds under the lock, and is then a world of its own.
        let forked = pending.look(token, |value| *value);
        assert!(forked.is_none_or(|value| value == 7));
        let won = claims.map(|claim| claim.join().expect("no panic"));
        assert_ne!(won[0], won[1]);
        assert_eq!(pending.look(token, |value| *value), None);
    });
}

#[test]
fn a_token_names_nothing_that_is_published_after_its_claim() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        let old = pending.publish(1).expect("open");
        let other = {
            let pending = pending.clone();
            thread::spawn(move || pending.claim(old))
        };
        let claimed = pending.claim(old);
        let new = pending.publish(2).expect("open");
        assert_eq!(pending.claim(new), Some(2));
        let claims = [claimed, other.join().expect("no panic")];
        assert!(claims == [Some(1), None] || claims == [None, Some(1)]);
    });
}

#[test]
fn what_is_published_while_it_closes_is_refused_or_found() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        let publishes = {
            let pending = pending.clone();
            thread::spawn(move || pending.publish(1).is_ok())
        };
        let found = pending.close().len();
        let published = publishes.join().expect("no panic");
        assert_eq!(found, usize::from(published));
        assert!(pending.publish(2).is_err());
    });
}

#[test]
fn of_a_claim_and_a_close_one_has_the_entry() {
    loom::model(|| {
        let pending = Arc::new(Pending::new());
        let token = pending.publish(1).expect("open");
        let claims = {
            let pending = pending.clone();
            thread::spawn(move || pending.claim(token).is_some())
        };
        let found = pending.close().len();
        assert_ne!(claims.join().expect("no panic"), found == 1);
    });
}

#[test]
fn the_last_lease_to_go_ends_what_closes_and_sees_what_the_others_did() {
    loom::model(|| {
        let leases = Arc::new((Leases::new(), AtomicUsize::new(0)));
        assert!(leases.0.admit() && leases.0.admit());
        let holder = {
            let leases = leases.clone();
            thread::spawn(move || {
                leases.1.store(1, Ordering::Relaxed);
                leases.0.leave();
            })
        };
        leases.0.close();
        assert!(!leases.0.has_ended());
        leases.0.leave();
        if leases.0.has_ended() {
            assert_eq!(leases.1.load(Ordering::Relaxed), 1);
        }
        holder.join().expect("no panic");
        assert!(leases.0.has_ended());
    });
}

#[test]
fn a_lease_is_refused_or_the_end_waits_for_it() {
    loom::model(|| {
        let leases = Arc::new(Leases::new());
        let comer = {
            let leases = leases.clone();
            thread::spawn(move || {
                if leases.admit() {
                    assert!(!leases.has_ended());
                    leases.leave();
                }
            })
        };
        leases.close();
        comer.join().expect("no panic");
        assert!(leases.has_ended() && !leases.admit());
    });
}

#[test]
fn who_waits_for_the_end_is_woken_or_told() {
    loom::model(|| {
        let leases = Arc::new(Leases::new());
        assert!(leases.admit());
        let holder = {
            let leases = leases.clone();
            thread::spawn(move || leases.leave())
        };
        leases.close();
        loom::future::block_on(std::future::poll_fn(|context| {
            match leases.wait(context.waker()) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        }));
        holder.join().expect("no panic");
    });
}
