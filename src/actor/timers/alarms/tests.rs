use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

use super::{Alarm, Alarms, Errand, Rhythm};

struct Mute;

impl Alarm for Mute {
    fn ring(self: Arc<Self>) -> bool {
        true
    }

    fn silence(&self) {}
}

fn ring(alarms: &Alarms, now: Instant) -> bool {
    matches!(alarms.next(now, Waker::noop()), Errand::Ring(..))
}

#[test]
fn a_timer_that_rings_as_it_is_cancelled_is_not_delivered() {
    let (alarms, now) = (Alarms::default(), Instant::now());
    let (number, _) = alarms.set(now, None, |_| Mute);
    assert!(ring(&alarms, now)); // the driver has it, and has not sent its notice
    assert!(alarms.cancel(number));
    assert_eq!(alarms.deliver(number), None);
    assert_eq!(alarms.len(), 0);
}

#[test]
fn a_driver_that_comes_late_owes_the_ticks_that_a_burst_wants() {
    let (alarms, now) = (Alarms::default(), Instant::now());
    let period = Duration::from_millis(10);
    let rhythm = |missed| Some(Rhythm { period, missed });
    let (burst, _) = alarms.set(now, rhythm(MissedTickBehavior::Burst), |_| Mute);
    let (skip, _) = alarms.set(now, rhythm(MissedTickBehavior::Skip), |_| Mute);
    let late = now + period * 3 + period / 2;
    assert!(ring(&alarms, late) && ring(&alarms, late));
    let owed = std::iter::from_fn(|| (alarms.deliver(burst) == Some(true)).then_some(()));
    assert_eq!(owed.count(), 3);
    assert_eq!(alarms.deliver(skip), Some(false));
    let next = alarms.next(late, Waker::noop());
    assert!(matches!(next, Errand::Wait(at) if at == now + period * 4));
}
