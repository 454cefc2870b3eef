//! State that forks, programs that fork at their savepoints, and sessions of them.
//!
//! A [`World`] is a state as a value. Its forks are frozen: each sees the state as it was, and
//! shares with its source whatever neither has written since. A [`Program`] runs in a world, up to
//! a savepoint; the [handler](Handlers) of the savepoint looks at what the program offers, writes
//! to the world, and then resumes the rest of the computation, forks it any number of times, holds
//! it for others, or abandons it. Out of these are made: speculation and rollback, what-if and
//! backtracking search, inference by particles and Markov chains, tests that branch in the middle.
//!
//! # Trade-offs
//!
//! - A future cannot be cloned, so a program that forks is a `Clone` state machine; [`Replay`] makes
//!   one of an `async` function, whose forks run it again.
//! - A world has one owner, who pays no atomic operation to read and write it. A fork makes the
//!   state shared; the first write after it copies a small state's list of entries, or a large one's
//!   path to the entry, and the one value that is written. So [`World::fork`] takes `&mut self`,
//!   although nothing that can be seen changes.
//! - A savepoint is answered on the thread that runs the program. Only what is
//!   [held](Savepoint::hold) can be claimed by other threads, and only that pays for a table.
//! - Forks are frozen, and nothing is an overlay of something that changes: there is no view to be
//!   materialised, and none that could be out of date.
//!
//! # What a fork shares
//!
//! | thing | relation | test |
//! | --- | --- | --- |
//! | values in the state | shared until one side writes | `a_fork_clones_no_value_and_a_write_clones_the_one_it_writes` |
//! | a program at its savepoint, its keys and counts | cloned | `a_run_and_its_fork_with_the_same_values_agree_in_result_trace_and_addresses` |
//! | handlers | inherited; the fork may replace its own | `forks_inherit_handlers_and_may_replace_them_in_their_own_copy` |
//! | the savepoint | the same one, waiting in both worlds by itself | `consuming_in_one_world_says_nothing_about_another` |
//! | the seed | split: a new one per fork | `forks_of_one_source_have_seeds_of_their_own_that_repeat` |
//! | what may be spent | not shared: moved by a [`Grant`], else none | `a_fork_without_a_grant_has_nothing_to_spend` |
//! | the session | the same; the fork has a lease of its own | `a_fork_that_races_a_resume_is_pending_or_refused_and_leases_return` |
//! | the parent | named by its id, and not kept alive | `no_fork_keeps_its_parent_alive` |
//!
//! # Who sees what
//!
//! | operation | the parent sees | the fork sees | test |
//! | --- | --- | --- | --- |
//! | the fork reads what it has not written | - | the value at the fork | `each_world_sees_what_a_deep_copy_at_its_fork_would` |
//! | the fork writes, inserts or removes | nothing | its own value, or none | the same |
//! | the parent writes, inserts or removes | its own value, or none | nothing | the same |
//! | a sibling does | nothing | nothing | the same |
//! | the fork is forked | nothing | nothing | the same |
//! | the fork removes what it inherited, and is forked | nothing | none | `a_removed_entry_does_not_come_back_from_the_parent` |
//! | the fork is committed, the parent being as it was | the fork's state | - | `after_a_commit_the_parent_equals_the_child_and_goes_on` |
//! | the fork is committed, the parent being written | nothing | nothing; it is handed back | `a_commit_to_a_parent_that_was_written_names_both_revisions_and_changes_nothing` |
//! | the fork is discarded, or its run ends | what is left of the grant | - | `what_is_left_goes_to_the_nearest_forebear_that_lives` |
//!
//! # What is not isolated
//!
//! | thing | why | test |
//! | --- | --- | --- |
//! | what a value's clone shares: an `Arc` of something that changes, a channel, a handle | a fork clones | `what_a_clone_shares_is_shared_by_worlds` |
//! | what a handler keeps outside the world | forks call the same handler | `what_a_handler_keeps_is_shared_by_worlds` |
//! | files, sockets, the console | the world is in memory | - |
//! | the thread | who resumes a run runs it | `a_resume_inside_a_handler_returns_before_the_rest_has_run` |

#[cfg(not(greenroom_loom))]
mod address;
#[cfg(not(greenroom_loom))]
mod body;
#[cfg(not(greenroom_loom))]
mod commit;
#[cfg(not(greenroom_loom))]
mod drive;
#[cfg(not(greenroom_loom))]
mod end;
#[cfg(not(greenroom_loom))]
mod entry;
#[cfg(not(greenroom_loom))]
mod error;
#[cfg(not(greenroom_loom))]
mod grant;
#[cfg(not(greenroom_loom))]
mod handlers;
#[cfg(not(greenroom_loom))]
mod held;
#[cfg(not(greenroom_loom))]
mod lease;
mod leases;
#[cfg(all(test, greenroom_loom))]
mod loom;
mod pending;
#[cfg(not(greenroom_loom))]
mod program;
#[cfg(not(greenroom_loom))]
mod replay;
#[cfg(not(greenroom_loom))]
mod run;
#[cfg(not(greenroom_loom))]
mod savepoint;
#[cfg(not(greenroom_loom))]
mod seed;
#[cfg(not(greenroom_loom))]
mod session;
#[cfg(not(greenroom_loom))]
mod snapshot;
#[cfg(not(greenroom_loom))]
mod state;
#[cfg(not(greenroom_loom))]
mod tally;
#[cfg(not(greenroom_loom))]
mod trampoline;
#[cfg(not(greenroom_loom))]
mod value;
#[cfg(not(greenroom_loom))]
#[allow(clippy::module_inception)] // the file of the type of that name
mod world;

#[cfg(not(greenroom_loom))]
pub use self::{
    address::{Address, Site},
    body::Counts,
    commit::{CommitError, Conflict},
    end::{End, Failure, Status},
    entry::{Entry, Value},
    error::{Closing, ForkError, NotPending},
    grant::{Grant, Ledger, NotFunded, Statement},
    handlers::{Handlers, Outcome},
    held::Held,
    program::{Program, Scope, Step},
    replay::{Offers, Replay, ReplayError},
    run::Run,
    savepoint::Savepoint,
    seed::Stream,
    session::{Close, Metrics, Session},
    snapshot::Snapshot,
    world::{Lineage, Options, Revision, World},
};
