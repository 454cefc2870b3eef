//! What drives the workers of a core.

pub(super) mod tokio;

#[cfg(target_family = "wasm")]
compile_error!("greenroom needs threads and a clock: wasm targets are not supported");
