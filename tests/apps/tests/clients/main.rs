//! Real clients of the apps, on loopback.

mod board;
mod children;
mod drops;
mod early;
mod echo;
mod files;
mod meter;
mod mini_redis;
mod nested;
mod notes;
mod packets;
mod signals;
mod spawns;
mod streams;
mod support;
