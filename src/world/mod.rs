//! State that forks, programs that fork at their savepoints, sessions of them, and actors in worlds.
//!
//! A [`World`] is a state as a value. Its forks are frozen: each sees the state as it was, and
//! shares with its source whatever neither has written since. A [`Program`] runs in a world, up to
//! a savepoint; the [handler](Handlers) of the savepoint looks at what the program offers, writes
//! to the world, and then resumes the rest of the computation, forks it any number of times, holds
//! it for others, or abandons it. Out of these are made: speculation and rollback, what-if and
//! backtracking search, inference by particles and Markov chains, tests that branch in the middle.
//!
//! A [`Stage`] is a world that actors live in: those that say `#[actor(fork)]`. Their states are its
//! state; so they fork, are committed and restored with it, and their timers go by its clock.
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
//! - An actor's handler may be at an await, and its mailbox full, and neither can be cloned. So a
//!   world with actors is forked when it is [quiet](Quiet), and costs nothing per actor: a fork makes
//!   one of its state when the first message comes, and quiescing saves those that were written.
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
//! | states of actors | as other values; each is made an actor when a message comes for it | `a_fork_makes_an_actor_when_a_message_comes_for_it` |
//! | handles of actors | the same; each world has its own of whom they name | `a_handle_reaches_its_actor_in_any_fork` |
//! | handles in states | the same; they name who lives in the world at hand | `in_the_code_of_an_actor_a_handle_means_the_actor_of_its_world` |
//! | an actor with `fork = shared` | the very same | `an_actor_that_is_shared_is_the_same_one_in_every_fork` |
//! | an actor with `fork = refuse` | not shared: it is in no fork | `an_actor_that_refuses_is_in_no_fork` |
//! | the world's clock and timers | as values; they ring in each world by itself | `timers_fork_with_the_world_and_ring_in_each_by_itself` |
//! | messages, replies, running handlers | not shared: there are none when it is forked | `what_was_told_before_is_handled_before_the_world_is_quiet` |
//! | the executor | the same: actors of all worlds run on it | `one_world_handles_one_message_of_an_actor_at_a_time_and_others_beside_it` |
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
//! | an actor of the fork handles a message | nothing | its new state, and what else it sent there | `a_fork_sees_the_world_as_it_was_and_is_not_seen` |
//! | an actor of the parent does | its new state | nothing | the same |
//! | an actor is spawned | it, if there | it, if there | `what_is_spawned_after_a_fork_is_not_in_it` |
//! | an actor of the fork fails, or stops | nothing | its end | `a_panic_ends_the_actor_in_its_world_alone` |
//! | the fork's clock is advanced | nothing | its timers ring | `timers_fork_with_the_world_and_ring_in_each_by_itself` |
//! | a fork with actors is committed | states, timers and time; handles go on | - | `after_a_commit_the_parent_equals_the_fork_and_handles_go_on` |
//! | a fork with actors is discarded | nothing | its actors are killed, and what is sent there comes back | `what_is_sent_to_a_world_that_is_gone_is_handed_back` |
//! | the fork is discarded, or its run ends | what is left of the grant | - | `what_is_left_goes_to_the_nearest_forebear_that_lives` |
//!
//! # What is not isolated
//!
//! | thing | why | test |
//! | --- | --- | --- |
//! | what a value's clone shares: an `Arc` of something that changes, a channel, a handle | a fork clones | `what_a_clone_shares_is_shared_by_worlds` |
//! | what a handler keeps outside the world | forks call the same handler | `what_a_handler_keeps_is_shared_by_worlds` |
//! | what an actor does by a handle that was [bound](Part::within) to another world | it says so | `a_handle_that_is_bound_to_a_world_stays_there` |
//! | timers of the runtime, streams, tasks of an actor | they belong to the actor that set them | `a_timer_of_the_runtime_rings_where_it_was_set` |
//! | a run that was [exported](Held::export) | it goes on elsewhere, once per ledger | `a_run_is_imported_once_per_ledger` |
//! | files, sockets, the console | the world is in memory | `what_was_written_outside_stays_written_whatever_becomes_of_the_world` |
//! | the thread | who resumes a run runs it | `who_resumes_a_run_runs_it` |
//! | the stack of who resumes | a run that a handler resumes goes on when that has returned | `a_resume_inside_a_handler_returns_before_the_rest_has_run` |

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
mod export;
mod gate;
#[cfg(not(greenroom_loom))]
mod grant;
#[cfg(not(greenroom_loom))]
mod handlers;
#[cfg(not(greenroom_loom))]
mod held;
#[cfg(not(greenroom_loom))]
mod lease;
mod leases;
#[cfg(not(greenroom_loom))]
mod lineage;
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
mod saves;
#[cfg(not(greenroom_loom))]
mod seed;
#[cfg(not(greenroom_loom))]
mod session;
#[cfg(not(greenroom_loom))]
mod snapshot;
#[cfg(not(greenroom_loom))]
mod stage;
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
    export::{Export, ExportError, ImportError, Portable},
    grant::{Grant, Ledger, NotFunded, Statement},
    handlers::{Handlers, Outcome},
    held::Held,
    lineage::{Lineage, Revision},
    program::{Program, Scope, Step},
    replay::{Offers, Replay, ReplayError},
    run::Run,
    savepoint::Savepoint,
    saves::{Saves, SavesState},
    seed::Stream,
    session::{Close, Metrics, Session},
    snapshot::Snapshot,
    stage::{
        Busy, ForkActor, Grade, Here, InWorld, Part, Quiet, Stage, TimerKey, TimersFull, Within,
    },
    world::{Options, World},
};
