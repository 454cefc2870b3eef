//! A sensor that measures by a timer, and who averages what it publishes: timers, publish and
//! subscribe, a name, and a supervisor that starts the sensor anew when it breaks.

mod greenroom;
mod ractor;

/// How often the sensor measures, in milliseconds.
const PERIOD: u64 = 10;

/// What there is to measure.
const DEGREES: i32 = 21;

/// How many measurements are waited for, before the sensor breaks and after.
const ENOUGH: usize = 3;

#[tokio::test(start_paused = true)]
async fn the_weather_on_ractor_is_what_it_is() {
    assert_eq!(ractor::mean().await, DEGREES);
}

#[tokio::test(start_paused = true)]
async fn the_weather_on_greenroom_is_the_same() {
    assert_eq!(greenroom::mean().await, DEGREES);
}
