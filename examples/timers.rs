//! A dead man's switch: a sensor that says nothing for too long is reported, and its silence is
//! looked at by timers alone.
//!
//! Each reading sets the timer under the key "silent" again, so the one before never comes, however
//! close it was. Run it with `cargo run --example timers`.

use std::time::Duration;

use greenroom::{Context, actor};

const SILENT: Duration = Duration::from_millis(400);

#[actor]
struct Watch {
    readings: Vec<f64>,
}

#[actor]
impl Watch {
    #[on(start)]
    fn begin(&mut self, ctx: &mut Context<Self>) {
        ctx.every(Duration::from_millis(100), || WatchSummarise);
        ctx.after(SILENT, WatchSilent).keyed("silent");
    }

    /// Takes a reading, which puts the alarm off.
    fn read(&mut self, celsius: f64, ctx: &mut Context<Self>) {
        self.readings.push(celsius);
        ctx.after(SILENT, WatchSilent).keyed("silent");
    }

    fn summarise(&mut self) {
        let mean = self.readings.iter().sum::<f64>() / self.readings.len().max(1) as f64;
        println!("{} readings, {mean:.1} °C on average", self.readings.len());
    }

    fn silent(&mut self, ctx: &mut Context<Self>) {
        println!("the sensor has said nothing for {SILENT:?}");
        ctx.stop();
    }
}

#[greenroom::main]
async fn main() -> Result<(), greenroom::Error> {
    let watch = Watch { readings: vec![] }.spawn();
    for n in 0..8_u8 {
        watch.read(20.0 + f64::from(n)).tell().await?;
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    println!("the sensor breaks");
    let reason = watch.join().await; // its timers go with it
    println!("the watch ended: {reason}");
    Ok(())
}
