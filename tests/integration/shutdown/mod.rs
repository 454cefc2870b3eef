//! The end of all actors, and waiting until they have nothing to do.

mod quiesce;
#[cfg(feature = "signal")]
mod runs;
mod scene;
mod stops;
