//! Jobs that take too long, and jobs that come too fast; on a paused clock.

use std::time::Duration;

use greenroom::JobError;
use tokio::time::Instant;

use super::{Act, job, list, note, presses};
use crate::actor::support::within;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_stuck_is_killed_and_replaced_and_the_asker_is_told() {
    let (builder, begun, census) = presses();
    let queue = builder.workers(1).limit(SECOND).retries(3).spawn().unwrap();
    let (began, stuck) = (Instant::now(), queue.ask(job(1, Act::Wedge)));
    let (stuck, after) = within(futures::future::join(stuck, queue.ask(note(2)))).await;
    let Err(JobError::Stuck { worker, limit }) = stuck else {
        panic!("{stuck:?}");
    };
    assert_eq!((worker.name(), limit), ("Press", SECOND));
    assert_eq!(after.unwrap(), 2);
    assert_eq!(began.elapsed(), SECOND);
    assert_eq!(list(&begun), [1, 2], "it is not done again");
    let stats = queue.stats();
    assert_eq!((stats.stuck, stats.done, stats.restarts), (1, 1, 1));
    crate::actor::support::until(|| census.alive() == 1).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_a_job_may_take_as_long_as_it_likes() {
    let (builder, ..) = presses();
    let queue = builder.workers(1).spawn().unwrap();
    let mut wedged = Box::pin(queue.ask(job(1, Act::Wedge)));
    let day = 24 * 3600 * SECOND;
    tokio::time::timeout(day, &mut wedged).await.unwrap_err();
    assert_eq!(queue.stats().running, 1);
}

#[tokio::test(start_paused = true)]
async fn no_more_jobs_begin_within_a_time_than_the_rate_lets() {
    let (builder, ..) = presses();
    let queue = builder.workers(4).rate(2, SECOND).spawn().unwrap();
    let began = Instant::now();
    let asks = (0..6).map(|n| {
        let asked = queue.ask(note(n));
        async move {
            asked.await.unwrap();
            // Whole milliseconds: so fine is the clock.
            began.elapsed().as_millis() / 100
        }
    });
    let ends = within(futures::future::join_all(asks)).await;
    assert_eq!(ends, [0, 0, 5, 10, 15, 20]);
}
