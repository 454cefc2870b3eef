//! The chat, as those see it who talk.

mod ends;
mod rooms;
mod slow;
mod support;
