//! The attribute macros of greenroom.
