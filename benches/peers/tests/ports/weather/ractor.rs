//! Before: on ractor.

use std::sync::Arc;
use std::time::Duration;

use ractor::{
    Actor, ActorProcessingErr, ActorRef, OutputPort, RpcReplyPort, SupervisionEvent, call, cast,
    registry,
};

use super::{DEGREES, ENOUGH, PERIOD};

type Readings = Arc<OutputPort<i32>>;

struct Sensor;

enum SensorMessage {
    Tick,
    Break,
}

impl Actor for Sensor {
    type Msg = SensorMessage;
    type State = Readings;
    type Arguments = Readings;

    async fn pre_start(
        &self,
        myself: ActorRef<SensorMessage>,
        readings: Readings,
    ) -> Result<Readings, ActorProcessingErr> {
        myself.send_interval(Duration::from_millis(PERIOD), || SensorMessage::Tick);
        Ok(readings)
    }

    async fn handle(
        &self,
        _: ActorRef<SensorMessage>,
        message: SensorMessage,
        readings: &mut Readings,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SensorMessage::Tick => readings.send(DEGREES),
            SensorMessage::Break => panic!("broken"),
        }
        Ok(())
    }
}

struct Average;

enum AverageMessage {
    Reading(i32),
    Readings(RpcReplyPort<Vec<i32>>),
}

impl Actor for Average {
    type Msg = AverageMessage;
    type State = Vec<i32>;
    type Arguments = Readings;

    async fn pre_start(
        &self,
        myself: ActorRef<AverageMessage>,
        readings: Readings,
    ) -> Result<Vec<i32>, ActorProcessingErr> {
        readings.subscribe(myself, |degrees| Some(AverageMessage::Reading(degrees)));
        Ok(Vec::new())
    }

    async fn handle(
        &self,
        _: ActorRef<AverageMessage>,
        message: AverageMessage,
        all: &mut Vec<i32>,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            AverageMessage::Reading(degrees) => all.push(degrees),
            AverageMessage::Readings(reply) => reply.send(all.clone())?,
        }
        Ok(())
    }
}

/// Supervises the sensor.
struct Station;

impl Station {
    async fn start(myself: ActorRef<()>, readings: &Readings) -> Result<(), ActorProcessingErr> {
        let name = Some("sensor".to_owned());
        Actor::spawn_linked(name, Sensor, readings.clone(), myself.get_cell()).await?;
        Ok(())
    }
}

impl Actor for Station {
    type Msg = ();
    type State = Readings;
    type Arguments = Readings;

    async fn pre_start(
        &self,
        myself: ActorRef<()>,
        readings: Readings,
    ) -> Result<Readings, ActorProcessingErr> {
        Self::start(myself, &readings).await?;
        Ok(readings)
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<()>,
        event: SupervisionEvent,
        readings: &mut Readings,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(..) = event {
            Self::start(myself, readings).await?;
        }
        Ok(())
    }
}

pub(super) async fn mean() -> i32 {
    let readings = Readings::default();
    let (average, averaged) = Actor::spawn(None, Average, readings.clone())
        .await
        .expect("it starts");
    let (station, stood) = Actor::spawn(None, Station, readings)
        .await
        .expect("it starts");
    wait_for(&average, ENOUGH).await;
    let sensor: ActorRef<SensorMessage> = registry::where_is("sensor").expect("it runs").into();
    cast!(sensor, SensorMessage::Break).expect("it runs");
    wait_for(&average, 2 * ENOUGH).await;
    let all = call!(average, AverageMessage::Readings).expect("it runs");
    station.stop(None);
    average.stop(None);
    stood.await.expect("it ends");
    averaged.await.expect("it ends");
    all.iter().sum::<i32>() / i32::try_from(all.len()).expect("few")
}

async fn wait_for(average: &ActorRef<AverageMessage>, enough: usize) {
    while call!(average, AverageMessage::Readings)
        .expect("it runs")
        .len()
        < enough
    {
        tokio::time::advance(Duration::from_millis(PERIOD)).await;
    }
}
