//! Probabilistic inference out of worlds and savepoints: models as programs, methods as handlers.

#![allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]

pub mod data;
pub mod filter;
pub mod gibbs;
pub mod golf;
pub mod kalman;
pub mod metropolis;
pub mod normal;
pub mod path;
pub mod random_walk;
pub mod report;
pub mod tempered;
pub mod weights;
