//! A meter that is read by calls and streams, in a tonic service without generated code.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::StreamExt;
use greenroom::actor;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, StreamingService, UnaryService};
use tonic::transport::Channel;
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

#[derive(Clone, PartialEq, prost::Message)]
pub struct Reading {
    #[prost(uint64, tag = "1")]
    pub watts: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Summary {
    #[prost(uint64, tag = "1")]
    pub readings: u64,
    #[prost(uint64, tag = "2")]
    pub watts: u64,
}

#[actor]
#[derive(Default)]
pub struct Gauge {
    summary: Summary,
}

#[actor]
impl Gauge {
    pub fn read(&mut self, reading: Reading) -> Summary {
        self.summary.readings += 1;
        self.summary.watts += reading.watts;
        self.summary.clone()
    }
}

/// The service: each reading is answered by the summary so far.
#[derive(Clone)]
pub struct Meter {
    gauge: GaugeHandle,
}

impl Default for Meter {
    fn default() -> Self {
        let gauge = Gauge::default().spawn();
        Self { gauge }
    }
}

impl Meter {
    async fn read(&self, reading: Reading) -> Result<Summary, Status> {
        let summary = self.gauge.read(reading).await;
        summary.map_err(|error| Status::unavailable(error.to_string()))
    }
}

impl NamedService for Meter {
    const NAME: &'static str = "apps.Meter";
}

impl UnaryService<Reading> for Meter {
    type Response = Summary;
    type Future = BoxFuture<Response<Summary>, Status>;

    fn call(&mut self, request: Request<Reading>) -> Self::Future {
        let meter = self.clone();
        Box::pin(async move { meter.read(request.into_inner()).await.map(Response::new) })
    }
}

impl StreamingService<Reading> for Meter {
    type Response = Summary;
    type ResponseStream = ReceiverStream<Result<Summary, Status>>;
    type Future = BoxFuture<Response<Self::ResponseStream>, Status>;

    fn call(&mut self, request: Request<Streaming<Reading>>) -> Self::Future {
        let meter = self.clone();
        let mut readings = request.into_inner();
        Box::pin(async move {
            let (summaries, stream) = mpsc::channel(4);
            tokio::spawn(async move {
                while let Some(reading) = readings.next().await {
                    let summary = match reading {
                        Ok(reading) => meter.read(reading).await,
                        Err(status) => Err(status),
                    };
                    if summaries.send(summary).await.is_err() {
                        return;
                    }
                }
            });
            Ok(Response::new(ReceiverStream::new(stream)))
        })
    }
}

impl Service<http::Request<Body>> for Meter {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let meter = self.clone();
        let mut server = Grpc::new(ProstCodec::default());
        match request.uri().path() {
            "/apps.Meter/Read" => Box::pin(async move { Ok(server.unary(meter, request).await) }),
            "/apps.Meter/Follow" => {
                Box::pin(async move { Ok(server.streaming(meter, request).await) })
            }
            path => {
                let status = Status::unimplemented(format!("no method {path}"));
                Box::pin(async move { Ok(status.into_http()) })
            }
        }
    }
}

/// A client of the meter.
pub struct MeterClient {
    grpc: tonic::client::Grpc<Channel>,
}

impl MeterClient {
    #[must_use]
    pub fn new(channel: Channel) -> Self {
        let grpc = tonic::client::Grpc::new(channel);
        Self { grpc }
    }

    pub async fn read(&mut self, reading: Reading) -> Result<Summary, Status> {
        self.ready().await?;
        let path = PathAndQuery::from_static("/apps.Meter/Read");
        let call = self
            .grpc
            .unary(Request::new(reading), path, ProstCodec::default());
        call.await.map(Response::into_inner)
    }

    pub async fn follow(
        &mut self,
        readings: Pin<Box<dyn futures_util::Stream<Item = Reading> + Send>>,
    ) -> Result<Streaming<Summary>, Status> {
        self.ready().await?;
        let path = PathAndQuery::from_static("/apps.Meter/Follow");
        let call = self
            .grpc
            .streaming(Request::new(readings), path, ProstCodec::default());
        call.await.map(Response::into_inner)
    }

    async fn ready(&mut self) -> Result<(), Status> {
        let ready = self.grpc.ready().await;
        ready.map_err(|error| Status::unavailable(error.to_string()))
    }
}
