//! What `#[message(reentrant)]` asks of an actor.

/// An actor that several handlers may borrow at a time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be borrowed by several handlers at a time",
    label = "`reentrant` handlers share `{Self}`, so it has to be `Sync`",
    note = "keep what is not `Sync` behind a lock or an atomic, or leave `reentrant` out"
)]
pub trait Beside {}

#[diagnostic::do_not_recommend]
impl<A: Sync> Beside for A {}

/// Compiles if its handlers may run beside each other.
pub const fn runs_beside<A: Beside>() {}
