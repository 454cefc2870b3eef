//! What a monitor measures, and what it says.

use std::time::Duration;

use greenroom::limits::{PRESSURE_INTERVAL, PRESSURE_LEFT_AT};
use greenroom::{MonitorError, Pressure, PressureMonitor};

use super::Dial;
use crate::actor::support::{on_each_runtime, poll_once, until, within};
use crate::alone::alone;

#[test]
fn a_level_rises_at_once_and_falls_when_there_is_well_less() {
    on_each_runtime(|| async {
        let dial = Dial::default();
        let monitor = dial.monitor().spawn().unwrap();
        let left = u64::from(PRESSURE_LEFT_AT);
        for (value, wanted) in [
            (99, Pressure::Normal),
            (100, Pressure::Elevated),
            (left, Pressure::Elevated),
            (left - 1, Pressure::Normal),
            (99, Pressure::Normal),
            (200, Pressure::Critical),
            (2 * left, Pressure::Critical),
            (2 * left - 1, Pressure::Elevated),
        ] {
            dial.set(value);
            assert_eq!(monitor.sample(), wanted, "at {value}");
            assert_eq!(monitor.level(), wanted, "at {value}");
        }
        let overload = monitor.overload().unwrap();
        assert_eq!((&*overload.source, overload.threshold), ("dial", 100));
    });
}

#[test]
fn how_far_a_level_has_to_fall_can_be_said() {
    on_each_runtime(|| async {
        let dial = Dial::default();
        let monitor = dial.monitor().left_at(50).spawn().unwrap();
        for (value, wanted) in [
            (100, Pressure::Elevated),
            (50, Pressure::Elevated),
            (49, Pressure::Normal),
        ] {
            dial.set(value);
            assert_eq!(monitor.sample(), wanted, "at {value}");
        }
    });
}

#[tokio::test(start_paused = true)]
async fn a_monitor_measures_by_itself_as_often_as_it_is_told() {
    for interval in [None, Some(Duration::from_millis(10))] {
        let dial = Dial::default();
        let builder = dial.monitor();
        let monitor = match interval {
            Some(interval) => builder.interval(interval),
            None => builder,
        };
        let monitor = monitor.spawn().unwrap();
        let interval = interval.unwrap_or(PRESSURE_INTERVAL);
        dial.set(300);
        tokio::task::yield_now().await; // to its task, which begins to wait
        tokio::time::advance(interval - Duration::from_millis(2)).await;
        tokio::task::yield_now().await;
        assert_eq!(monitor.level(), Pressure::Normal);
        tokio::time::advance(Duration::from_millis(4)).await;
        until(|| monitor.level() == Pressure::Critical).await;
    }
}

#[test]
fn the_level_is_that_of_the_worst_source_and_names_it() {
    on_each_runtime(|| async {
        let (one, other) = (Dial::default(), Dial::default());
        let read = other.clone();
        let monitor = one.monitor().source("other", 1, 2, move || {
            read.0.load(std::sync::atomic::Ordering::SeqCst)
        });
        let monitor = monitor.spawn().unwrap();
        one.set(100);
        other.set(2);
        assert_eq!(monitor.sample(), Pressure::Critical);
        let overload = monitor.check().unwrap_err();
        assert_eq!(
            (&*overload.source, overload.value, overload.threshold),
            ("other", 2, 2)
        );
        other.set(0);
        assert_eq!(monitor.sample(), Pressure::Elevated);
        monitor.check().unwrap();
    });
}

#[test]
fn a_source_that_panics_keeps_its_level() {
    on_each_runtime(|| async {
        let dial = Dial::default();
        let read = dial.clone();
        let builder = PressureMonitor::builder().source("it", 10, 20, move || {
            let value = read.0.load(std::sync::atomic::Ordering::SeqCst);
            assert!(value < 100, "beyond measure");
            value
        });
        let monitor = builder.spawn().unwrap();
        dial.set(10);
        monitor.sample();
        dial.set(100);
        assert_eq!(monitor.sample(), Pressure::Elevated);
    });
}

#[test]
fn whoever_asks_first_waits_while_it_is_elevated_and_fails_when_it_is_critical() {
    on_each_runtime(|| async {
        let dial = Dial::default();
        let monitor = dial.monitor().spawn().unwrap();
        within(monitor.ready()).await.unwrap();
        dial.set(100);
        monitor.sample();
        let mut waits = Box::pin(monitor.ready());
        assert!(poll_once(&mut waits).await.is_pending());
        dial.set(0);
        monitor.sample();
        within(waits).await.unwrap();
        dial.set(100);
        monitor.sample();
        let mut waits = Box::pin(monitor.ready());
        assert!(poll_once(&mut waits).await.is_pending());
        dial.set(200);
        monitor.sample();
        assert_eq!(within(waits).await.unwrap_err().level, Pressure::Critical);
        assert_eq!(within(monitor.ready()).await.unwrap_err().value, 200);
    });
}

#[test]
fn what_lives_on_the_runtime_is_a_source() {
    on_each_runtime(|| async {
        let monitor = PressureMonitor::builder().live(50, 100).spawn().unwrap();
        assert_eq!(monitor.sample(), Pressure::Normal);
        let tasks: Vec<_> = (0..60)
            .map(|_| greenroom::spawn(std::future::pending::<()>()))
            .collect();
        assert_eq!(monitor.sample(), Pressure::Elevated);
        for task in &tasks {
            task.abort();
        }
        until(|| monitor.sample() == Pressure::Normal).await;
    });
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_a_source() {
    on_each_runtime(|| async {
        let some = PressureMonitor::builder()
            .memory(1, u64::MAX)
            .spawn()
            .unwrap();
        assert_eq!(some.level(), Pressure::Elevated);
        assert!(some.overload().unwrap().value > 1 << 20);
        let much = PressureMonitor::builder().memory(1 << 60, 1 << 60);
        assert_eq!(much.spawn().unwrap().level(), Pressure::Normal);
    });
}

#[test]
fn the_last_clone_of_a_monitor_takes_its_task_along() {
    on_each_runtime(|| async {
        let live = || greenroom::runtime::Handle::current().metrics().live;
        let before = live();
        let monitor = Dial::default().monitor().spawn().unwrap();
        let clone = monitor.clone();
        drop(monitor);
        assert_eq!(live(), before + 1);
        drop(clone);
        until(|| live() == before).await;
    });
}

#[test]
fn what_a_monitor_can_not_be_is_an_error() {
    on_each_runtime(|| async {
        for (elevated, critical) in [(0, 1), (2, 1)] {
            let builder = PressureMonitor::builder().source("it", elevated, critical, || 0);
            let error = builder.spawn().unwrap_err();
            assert_eq!(error, MonitorError::Thresholds("it".into()));
        }
        let error = Dial::default().monitor().interval(Duration::ZERO).spawn();
        assert_eq!(error.unwrap_err(), MonitorError::Interval);
        let error = Dial::default().monitor().left_at(101).spawn();
        assert_eq!(error.unwrap_err(), MonitorError::Hysteresis(101));
    });
    let error = Dial::default().monitor().spawn().unwrap_err();
    assert_eq!(error, MonitorError::NoRuntime);
}

/// In a process that can open no more files, so that nothing says how much memory it has.
#[test]
fn a_monitor_of_memory_that_nothing_tells_of_is_refused() {
    alone(
        "admission::levels::a_monitor_of_memory_that_nothing_tells_of_is_refused",
        || {
            let runtime = crate::actor::support::Flavor::OneThread.build();
            runtime.block_on(async {
                let monitor = || PressureMonitor::builder().memory(1, u64::MAX);
                drop(monitor().spawn().expect("it is told of as yet"));
                let mut files = Vec::new();
                while let Ok(file) = std::fs::File::open("/dev/null") {
                    files.push(file);
                }
                let error = monitor().spawn().unwrap_err();
                drop(files);
                assert_eq!(error, MonitorError::Memory);
            });
        },
    );
}
