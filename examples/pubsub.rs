//! One topic, and three subscribers that each take it at their own pace.
//!
//! ```sh
//! cargo run --example pubsub
//! ```

use std::time::Duration;

use greenroom::{Lag, Topic, actor};

/// A message: what a thermometer says.
#[derive(Clone)]
pub struct Sample {
    room: &'static str,
    degrees: i32,
}

/// Keeps all it gets.
#[actor]
struct Log {
    lines: Vec<String>,
}

#[actor]
impl Log {
    #[message]
    fn on_sample(&mut self, sample: Sample) {
        let Sample { room, degrees } = sample;
        self.lines.push(format!("{room}: {degrees}"));
    }

    fn lines(&self) -> usize {
        self.lines.len()
    }
}

/// Shows the latest, slowly.
#[actor]
struct Display;

#[actor]
impl Display {
    async fn show(&mut self, degrees: i32) {
        println!("display: {degrees} degrees");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[greenroom::main]
async fn main() -> Result<(), greenroom::Error> {
    let samples = Topic::keeping_last();
    let (log, display) = (Log { lines: vec![] }.spawn(), Display.spawn());
    samples.subscriber().buffer(200).actor(&log)?;
    let shown = samples
        .subscriber()
        .buffer(1)
        .lag(Lag::DropOldest)
        .actor_map(&display, |sample: Sample| DisplayShow {
            degrees: sample.degrees,
        })?;
    let mut alarms = samples
        .subscriber()
        .filter(|sample| sample.degrees > 30)
        .stream()?;

    for degrees in 0..100 {
        let room = if degrees % 2 == 0 { "hall" } else { "cellar" };
        samples.publish(Sample { room, degrees }); // never waits for any of them
    }
    let alarm = alarms.next().await.expect("the topic is there");
    println!("alarm: {} degrees in the {}", alarm.degrees, alarm.room);
    display.shutdown().await;
    println!("the log has {} samples", log.lines().await?);
    println!("the display has missed {}", shown.dropped());
    let late = samples.stream().next().await.expect("the last one");
    println!("who comes late gets {} degrees", late.degrees);
    Ok(())
}
