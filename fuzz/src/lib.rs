//! What the targets run: modules of greenroom's, by their path, since the crate keeps them to
//! itself, and what its own tests run on a bounded number of inputs.
//!
//! `cargo fuzz run frames` (or `session`, `handshake`) in this folder's parent; with a stable
//! compiler, `cargo fuzz run -s none frames`.

mod remote;

#[path = "../../src/remote/frame/tests/attempt.rs"]
mod frames_attempt;
#[path = "../../src/remote/session/tests/attempt.rs"]
mod session_attempt;
#[path = "../../src/remote/session/terms/attempt.rs"]
mod terms_attempt;

/// Bytes as frames, and as records.
pub fn frames(data: &[u8]) {
    frames_attempt::attempt(data);
}

/// Bytes as what each side says before the first frame.
pub fn handshake(data: &[u8]) {
    remote::shake_hands(data);
    terms_attempt::attempt(data);
}

/// Bytes as what a peer and a program do.
pub fn session(data: &[u8]) {
    session_attempt::attempt(data);
}
