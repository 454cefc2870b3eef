//! Terms of a peer that nobody vouches for. The fuzz target `handshake` runs this too.

use std::time::Instant;

use crate::remote::limits::{ASKS_MAX, Limits};
use crate::remote::session::{Session, Terms};

/// What is taken is within all bounds, and is written as it was.
pub(crate) fn attempt(data: &[u8]) {
    let Some(bytes) = data.first_chunk() else {
        return;
    };
    let Some(terms) = Terms::take(bytes) else {
        return;
    };
    assert_eq!(terms.put(), *bytes);
    assert!((2..=ASKS_MAX).contains(&terms.asks), "{terms:?}");
    let mut session = Session::new(&Limits::new(), terms, Instant::now());
    session.end();
}
