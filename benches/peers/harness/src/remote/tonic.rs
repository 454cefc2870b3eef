//! gRPC by tonic, with its usual codec. What `tonic-prost-build` would write for the service is
//! written out here, without what is not used.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::net::TcpListener;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{NamedService, UnaryService};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use super::peer::Peer;

const ADD: &str = "/peers.Sum/Add";
const PUT: &str = "/peers.Sum/Put";

#[derive(Clone, PartialEq, prost::Message)]
struct Number {
    #[prost(uint64, tag = "1")]
    n: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Payload {
    #[prost(bytes = "bytes", tag = "1")]
    bytes: Bytes,
}

/// Its service.
#[derive(Clone)]
struct Sum(Arc<AtomicU64>);

impl UnaryService<Number> for Sum {
    type Response = Number;
    type Future = BoxFuture<Response<Number>, Status>;

    fn call(&mut self, request: Request<Number>) -> Self::Future {
        let Number { n } = request.into_inner();
        // Ordering: Relaxed; a sum, and nothing else, is shared.
        let n = self.0.fetch_add(n, Ordering::Relaxed) + n;
        Box::pin(async move { Ok(Response::new(Number { n })) })
    }
}

struct Put;

impl UnaryService<Payload> for Put {
    type Response = Number;
    type Future = BoxFuture<Response<Number>, Status>;

    fn call(&mut self, request: Request<Payload>) -> Self::Future {
        let n = request.into_inner().bytes.len() as u64;
        Box::pin(async move { Ok(Response::new(Number { n })) })
    }
}

impl NamedService for Sum {
    const NAME: &'static str = "peers.Sum";
}

impl Service<http::Request<tonic::body::Body>> for Sum {
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<tonic::body::Body>) -> Self::Future {
        let sum = self.clone();
        Box::pin(async move {
            Ok(match request.uri().path() {
                PUT => {
                    let mut grpc = tonic::server::Grpc::new(ProstCodec::default());
                    grpc.unary(Put, request).await
                }
                _ => {
                    let mut grpc = tonic::server::Grpc::new(ProstCodec::default());
                    grpc.unary(sum, request).await
                }
            })
        })
    }
}

#[derive(Clone)]
pub struct Tonic(Channel);

impl Tonic {
    async fn call<M: prost::Message + 'static>(&self, path: &'static str, message: M) -> u64 {
        let mut grpc = tonic::client::Grpc::new(self.0.clone());
        grpc.ready().await.expect("the server lives");
        let path = PathAndQuery::from_static(path);
        let codec = ProstCodec::<M, Number>::default();
        let reply = grpc.unary(Request::new(message), path, codec).await;
        reply.expect("the server answers").into_inner().n
    }
}

impl Peer for Tonic {
    const NAME: &'static str = "tonic";

    async fn serve(ready: impl FnOnce(String) + Send) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        ready(listener.local_addr().expect("an address").to_string());
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let server = tonic::transport::Server::builder().add_service(Sum(Arc::default()));
        let served = server.serve_with_incoming(incoming).await;
        served.expect("it serves until it is killed");
    }

    async fn connect(address: String) -> Self {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
        Self(endpoint.connect().await.expect("a connection"))
    }

    async fn ask(&self, n: u64) -> u64 {
        self.call(ADD, Number { n }).await
    }

    async fn tell(&self, n: u64) {
        self.ask(n).await;
    }

    async fn put(&self, bytes: Bytes) -> u64 {
        self.call(PUT, Payload { bytes }).await
    }
}
