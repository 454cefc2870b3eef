//! The tonic service, beside the health service that tonic's authors generated.

use futures_util::StreamExt;
use greenroom_apps::meter::{Meter, MeterClient, Reading, Summary};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::server::{HealthReporter, health_reporter};

use crate::support::{listener, within};

struct Served {
    channel: Channel,
    reporter: HealthReporter,
    stop: oneshot::Sender<()>,
    server: tokio::task::JoinHandle<Result<(), tonic::transport::Error>>,
}

impl Served {
    async fn start() -> Self {
        let (listener, address) = listener().await;
        let (stop, stopped) = oneshot::channel::<()>();
        let (reporter, health) = health_reporter();
        reporter.set_serving::<Meter>().await;
        let server = Server::builder()
            .add_service(health)
            .add_service(Meter::default())
            .serve_with_incoming_shutdown(TcpIncoming::from(listener), async {
                let _ = stopped.await;
            });
        let server = tokio::spawn(server);
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        // Its connection and its buffer are tasks of ours.
        let endpoint = endpoint.executor(greenroom::runtime::Handle::current());
        let channel = within("the connection", endpoint.connect()).await.unwrap();
        Self {
            channel,
            reporter,
            stop,
            server,
        }
    }

    async fn end(self) {
        drop(self.channel);
        self.stop.send(()).unwrap();
        within("the server's end", self.server)
            .await
            .unwrap()
            .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_calls_from_many_tasks_are_all_answered() {
    let served = Served::start().await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let mut client = MeterClient::new(served.channel.clone());
            tokio::spawn(async move {
                for _ in 0..100 {
                    let summary = client.read(Reading { watts: 2 }).await.unwrap();
                    assert_eq!(summary.watts, 2 * summary.readings);
                }
            })
        })
        .collect();
    for task in tasks {
        within("a task's end", task).await.unwrap();
    }
    let mut client = MeterClient::new(served.channel.clone());
    let summary = client.read(Reading { watts: 0 }).await.unwrap();
    assert_eq!((summary.readings, summary.watts), (801, 1_600));
    drop(client);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_of_readings_is_answered_one_by_one() {
    let served = Served::start().await;
    let mut client = MeterClient::new(served.channel.clone());
    let (readings, stream) = mpsc::channel(1);
    let call = client.follow(Box::pin(ReceiverStream::new(stream)));
    let mut summaries = within("the headers", call).await.unwrap();
    for count in 1..=500 {
        readings.send(Reading { watts: 3 }).await.unwrap();
        let summary = within("a summary", summaries.next())
            .await
            .unwrap()
            .unwrap();
        let expected = Summary {
            readings: count,
            watts: 3 * count,
        };
        assert_eq!(summary, expected);
    }
    drop(readings);
    assert!(within("the stream's end", summaries.next()).await.is_none());
    drop(client);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_health_service_answers_and_tells_of_changes() {
    let served = Served::start().await;
    let mut client = HealthClient::new(served.channel.clone());
    let request = HealthCheckRequest {
        service: "apps.Meter".into(),
    };
    let status = within("the answer", client.check(request.clone())).await;
    let status = status.unwrap().into_inner().status;
    assert_eq!(status, ServingStatus::Serving as i32);

    let watch = within("the headers", client.watch(request)).await.unwrap();
    let mut changes = watch.into_inner();
    let first = within("the state", changes.next()).await.unwrap().unwrap();
    assert_eq!(first.status, ServingStatus::Serving as i32);
    served.reporter.set_not_serving::<Meter>().await;
    let next = within("a change", changes.next()).await.unwrap().unwrap();
    assert_eq!(next.status, ServingStatus::NotServing as i32);

    let unknown = HealthCheckRequest {
        service: "apps.Nobody".into(),
    };
    let refused = within("the refusal", client.check(unknown)).await;
    assert_eq!(refused.unwrap_err().code(), tonic::Code::NotFound);
    drop((client, changes));
    served.end().await;
}
