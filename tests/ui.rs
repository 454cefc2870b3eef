//! What the attributes accept, and what they say about the rest: a file per claim or mistake.
//!
//! The texts of rustc's own errors differ between its versions, so the mistakes are compared only
//! with `GREENROOM_UI=1`, on the toolchain that the `.stderr` files were made with. After a change
//! of a message: `GREENROOM_UI=1 TRYBUILD=overwrite cargo test --test ui`, then read the diff.

// The strictest user, here as well so that clippy sees it.
#[allow(dead_code, unreachable_pub)]
#[path = "ui/pass/acc_16_strict_module.rs"]
mod acc_16_strict_module;

// Its tests run here.
#[allow(dead_code)]
#[path = "ui/pass/entry_points.rs"]
mod entry_points;

#[test]
fn what_is_right_compiles_and_runs() {
    trybuild::TestCases::new().pass("tests/ui/pass/*.rs");
}

#[test]
fn each_mistake_has_its_message() {
    if std::env::var_os("GREENROOM_UI").is_some() {
        trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
    }
}

#[cfg(feature = "remote")]
#[test]
fn remote_messages_that_are_right_compile_and_run() {
    trybuild::TestCases::new().pass("tests/ui/remote/pass/*.rs");
}

#[cfg(feature = "remote")]
#[test]
fn each_mistake_of_remote_messages_has_its_message() {
    if std::env::var_os("GREENROOM_UI").is_some() {
        trybuild::TestCases::new().compile_fail("tests/ui/remote/fail/*.rs");
    }
}
