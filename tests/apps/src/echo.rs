//! A server that tells hyper which executor to spawn on.

use std::convert::Infallible;
use std::io;

use greenroom::runtime::Handle;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;

/// Sends each body back, by HTTP/1 or HTTP/2, until `stop` is there and each request is answered.
pub async fn serve(listener: TcpListener, stop: impl Future<Output = ()>) -> io::Result<()> {
    let server = auto::Builder::new(Handle::current());
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            () = &mut stop => break,
        };
        let connection = server.serve_connection(TokioIo::new(stream), service_fn(echo));
        let connection = graceful.watch(connection.into_owned());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("a connection failed: {error}");
            }
        });
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}

async fn echo(
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, hyper::Error>>, Infallible> {
    let task = tokio::task::try_id().is_some();
    let response = Response::builder().header("in-a-task", task.to_string());
    let response = response.body(request.into_body().boxed());
    Ok(response.expect("the header is valid"))
}
