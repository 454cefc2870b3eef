//! The parts of `greenroom::remote` that are fuzzed.

#[path = "../../src/remote/frame/mod.rs"]
pub(crate) mod frame;
#[path = "../../src/remote/handshake/mod.rs"]
mod handshake;
#[path = "../../src/remote/limits.rs"]
pub mod limits;
mod script;
#[path = "../../src/remote/session/mod.rs"]
pub(crate) mod session;
mod transport;

/// Bytes as what who connects says, and as the answer.
pub(crate) fn shake_hands(data: &[u8]) {
    let hello = script::run(async |stream| handshake::receive(stream).await, data);
    let hello = hello
        .unwrap_or_else(|_| handshake::Hello::new(handshake::Wish::New, Vec::new(), b"a token"));
    let _ = script::run(
        async |stream| handshake::exchange(stream, &hello).await,
        data,
    );
}
