//! Timers.

use std::sync::Arc;
use std::time::Duration;

use super::time;
use crate::countdown::Countdown;
use crate::executor::peer::Executor;

/// 10,000 tasks that sleep once, for the shortest time that every peer's clock can tell: per sleep.
pub fn churn<E: Executor>() -> f64 {
    const SLEEPS: u64 = 10_000;
    const SLEEP: Duration = Duration::from_millis(1);
    let runtime = E::start();
    let done = Arc::new(Countdown::default());
    time(50, SLEEPS, || {
        E::block_on(&runtime, async {
            done.expect(SLEEPS as usize);
            for _ in 0..SLEEPS {
                let done = done.clone();
                E::detach(E::spawn(async move {
                    E::sleep(SLEEP).await;
                    done.arrive();
                }));
            }
            done.wait().await;
        });
    })
}
