//! What drives the workers of a core.

pub(super) mod tokio;
