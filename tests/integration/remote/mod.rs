//! Actors of other processes, over each transport.

mod acceptance;
mod basics;
mod connections;
mod cuts;
mod ends;
mod hostile;
mod idle;
mod lent;
mod limits;
mod raw;
mod recipients;
mod refusals;
mod scene;
mod strangers;
#[cfg(feature = "remote-tls")]
mod tls;
mod transports;
mod wakers;
