//! After: on greenroom.

use std::time::Duration;

use greenroom::{Child, Context, Supervisor, Topic, actor, registry};

use super::{DEGREES, ENOUGH, PERIOD};

/// A message: what the sensor has measured.
#[derive(Clone)]
struct Reading(i32);

#[actor]
struct Sensor {
    readings: Topic<Reading>,
}

#[actor]
impl Sensor {
    #[on(start)]
    fn begin(&mut self, ctx: &mut Context<Self>) {
        ctx.every(Duration::from_millis(PERIOD), || SensorTick);
    }

    fn tick(&mut self) {
        self.readings.publish(Reading(DEGREES));
    }

    fn r#break(&mut self) {
        panic!("broken");
    }
}

#[actor]
struct Average {
    all: Vec<i32>,
}

#[actor]
impl Average {
    #[message]
    fn on_reading(&mut self, Reading(degrees): Reading) {
        self.all.push(degrees);
    }

    fn readings(&self) -> Vec<i32> {
        self.all.clone()
    }
}

pub(super) async fn mean() -> i32 {
    let readings = Topic::new();
    let average = Average { all: Vec::new() }.spawn();
    readings.subscribe(&average).expect("it runs");
    let (sensor, child) = Child::new(move || Sensor {
        readings: readings.clone(),
    })
    .prepare()
    .expect("there is a runtime");
    sensor.register("sensor").expect("nobody else has the name");
    let station = Supervisor::builder().child(child).spawn();
    wait_for(&average, ENOUGH).await;
    let sensor = registry().get::<Sensor>("sensor").expect("it runs");
    sensor.r#break().tell().await.expect("it runs");
    wait_for(&average, 2 * ENOUGH).await;
    let all = average.readings().await.expect("it runs");
    station.shutdown().await;
    average.shutdown().await;
    all.iter().sum::<i32>() / i32::try_from(all.len()).expect("few")
}

async fn wait_for(average: &AverageHandle, enough: usize) {
    while average.readings().await.expect("it runs").len() < enough {
        tokio::time::advance(Duration::from_millis(PERIOD)).await;
    }
}
