//! The one task that looks at an incarnation's timers.

use std::future::Future;
use std::pin::Pin;
use std::sync::Weak;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

use super::alarms::Errand;
use crate::actor::incarnation::Incarnation;
use crate::limits::ALARMS_PER_POLL;

/// It is aborted when its incarnation ends.
pub(super) struct Driver {
    incarnation: Weak<Incarnation>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Driver {
    pub(super) fn new(incarnation: Weak<Incarnation>) -> Self {
        Self {
            incarnation,
            sleep: None,
        }
    }

    /// Waits until then.
    fn poll_until(&mut self, due: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(due)));
        if sleep.deadline() != due {
            sleep.as_mut().reset(due);
        }
        sleep.as_mut().poll(cx)
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut rung = 0;
        loop {
            let Some(incarnation) = self.incarnation.upgrade() else {
                return Poll::Ready(());
            };
            match incarnation.alarms.next(Instant::now(), cx.waker()) {
                Errand::Ring(number, alarm) => {
                    if !alarm.ring() {
                        incarnation.alarms.pass_over(number);
                    }
                }
                Errand::Wait(due) => ready!(self.poll_until(due, cx)),
                Errand::Rest => return Poll::Pending,
            }
            rung += 1;
            if rung == ALARMS_PER_POLL {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }
}
