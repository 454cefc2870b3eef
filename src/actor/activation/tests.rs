use std::sync::{Arc, Mutex};

use crate::actor;
use crate::actor::{Builder, ExitReason};
use crate::ending::Order;

type Log = Arc<Mutex<Vec<&'static str>>>;

fn note(log: &Log, word: &'static str) {
    log.lock().unwrap().push(word);
}

#[actor]
struct Clerk {
    log: Log,
}

impl Drop for Clerk {
    fn drop(&mut self) {
        note(&self.log, "state dropped");
    }
}

#[actor]
impl Clerk {
    fn file(&mut self) {
        note(&self.log, "handled");
    }

    #[on(stop)]
    fn close(&mut self) {
        note(&self.log, "stop hook");
    }
}

#[tokio::test]
async fn farewells_are_said_after_the_state_and_the_rest_and_before_the_end_is_told() {
    let log = Log::default();
    let (letters, first, second) = (log.clone(), log.clone(), log.clone());
    let clerk = Builder::new(Clerk { log: log.clone() })
        .on_undelivered(move |_| note(&letters, "undelivered"))
        .spawn();
    let watched = clerk.clone();
    let link = clerk.head().on_end(Order::Link, move |who, reason| {
        assert_eq!((who.name(), reason.is_normal()), ("Clerk", false));
        assert!(watched.is_stopped());
        note(&first, "link");
    });
    assert!(link.is_ok());
    let watched = clerk.clone();
    let name = clerk.head().on_end(Order::Name, move |_, _| {
        assert!(!watched.is_stopped());
        note(&second, "name");
    });
    assert!(name.is_ok());
    clerk.file().tell().await.unwrap();
    clerk.kill();
    assert!(matches!(clerk.join().await, ExitReason::Killed));
    assert_eq!(
        *log.lock().unwrap(),
        ["state dropped", "undelivered", "name", "link"]
    );
    let late = clerk.head().on_end(Order::Link, |_, _| ());
    assert!(matches!(late, Err(ExitReason::Killed)));
}

#[tokio::test]
async fn a_farewell_that_was_taken_back_is_not_said() {
    let log = Log::default();
    let clerk = Clerk { log: log.clone() }.spawn();
    let said = log.clone();
    let key = clerk
        .head()
        .on_end(Order::Link, move |_, _| note(&said, "link"));
    let key = key.expect("it lives");
    assert!(clerk.head().take_back(key));
    assert!(!clerk.head().take_back(key));
    clerk.shutdown().await;
    assert_eq!(*log.lock().unwrap(), ["stop hook", "state dropped"]);
}
