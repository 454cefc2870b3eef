//! What greenroom promises about the lives of actors.
//!
//! # Ends
//!
//! By what an actor ends, and what becomes of what. *Current* is the message that is being handled
//! as the cause comes, *queued* are those that were accepted. What is *handed back* goes to its
//! asker, or, if it was told, to who takes what is [undelivered](crate::Undelivered).
//!
//! | cause | [`ExitReason`](crate::ExitReason) | start hook | stop hook | current | queued |
//! | --- | --- | --- | --- | --- | --- |
//! | [`stop`](crate::Handle::stop), [`Context::stop`](crate::Context::stop) | `Stopped` | ran | runs | ends | handled |
//! | the last handle is dropped | `Dropped` | ran | runs | ends | handled |
//! | [`kill`](crate::Handle::kill) | `Killed` | may not have run | does not run | is dropped at its await | handed back |
//! | a handler panics | `Panicked` | ran | does not run | is lost | handed back |
//! | the start hook fails, or panics | `StartFailed`, `Panicked` | failed | does not run | there is none | handed back |
//! | the stop hook panics | `Panicked` | ran | did not finish | ended before | handled before |
//! | who it is linked with fails | `Linked` | may not have run | does not run | is dropped at its await | handed back |
//! | the start of its next life fails | `StartFailed`, `Panicked` | failed | ran, with `Restarted` | ended before | handed back |
//! | it is a child that failed once more than it may | as it failed | ran | does not run | is lost | handed back |
//! | its supervisor gives up, for another child | `Restarted` | ran | runs, with `Restarted` | ends | handed back |
//! | its supervisor is stopped | `Stopped` | ran | runs | ends | handled |
//! | its runtime ends | `RuntimeGone` | may not have run | does not run | is dropped at its await | handed back |
//! | the [place](crate::Vacancy) that was kept for it is given up | `NeverBegan` | did not run | does not run | there is none | handed back |
//!
//! The asker of a message that was begun and not ended is told so:
//! [`AskError::Interrupted`](crate::AskError::Interrupted). However it comes to the end, timers do
//! not fire any more and are dropped, handles that the state held are dropped with it, so that whom
//! they alone kept ends too, and the name is free before anybody hears of the end. Monitors are told
//! once each, after all that the actor had sent them, and all of it is done when
//! [`join`](crate::Handle::join) returns.
//!
//! | promise | test |
//! | --- | --- |
//! | Every row is kept, on runtimes of each kind, by actors that can be restarted and others. | `every_end_keeps_its_row_of_the_table` |
//! | So is that of a runtime's end, also by monitors that live on another runtime. | `the_end_of_a_runtime_keeps_its_row_of_the_table` |
//! | So are those of children whose supervisor gives up. | `a_child_that_is_given_up_and_its_siblings_keep_their_rows_of_the_table` |
//! | So is that of children whose supervisor is stopped. | `children_whose_supervisor_is_stopped_end_as_if_they_were` |
//! | So is the last. | `a_vacancy_that_is_dropped_hands_back_and_ends_as_one_that_never_began` |
//! | Stops, kills, waits and drops of handles may come in any order, and say the same. | `any_three_deeds_end_an_actor_that_handles_a_message_for_one_reason` |
//!
//! Where a runtime is told to
//! [`abort_on_actor_panic`](crate::runtime::Builder::abort_on_actor_panic), no row of a panic counts:
//!
//! | promise | test |
//! | --- | --- |
//! | A panic in a handler or a hook, or as a state is dropped, ends the process. | `a_panic_in_a_handler_ends_the_process_where_that_is_wanted` |
//!
//! # Before there is an actor
//!
//! | promise | test |
//! | --- | --- |
//! | What is sent to a [`Vacancy`](crate::Vacancy) waits in its mailbox, and is handled in order. | `what_is_sent_before_the_actor_is_there_waits_in_its_mailbox_and_is_handled_in_order` |
//! | Told to end before it is filled, it ends at once, and gives its actor back. | `a_vacancy_that_was_stopped_or_killed_ends_at_once_and_gives_its_actor_back` |
//! | Who fills it when nobody has a handle any more has all handled that came. | `who_fills_a_place_that_nobody_has_a_handle_to_has_all_handled_that_came` |
//! | A start that fails hands back what waited for it. | `a_start_that_fails_in_a_place_hands_back_what_waited_for_it` |
//!
//! # Stubs
//!
//! With the feature `test-util`, of handles whose messages are answered by hand: see the module
//! `testing`.
//!
//! | promise | test |
//! | --- | --- |
//! | Messages come in order, and replies go to who asked. | `what_a_stub_is_sent_comes_in_order_and_is_answered_by_hand` |
//! | A reply that is a stream is fed by hand. | `a_reply_that_is_a_stream_is_fed_by_hand_until_it_is_finished_cut_short_or_dropped` |
//! | A message holds its slot until it is taken. | `a_message_holds_its_slot_until_it_is_taken_and_lanes_and_names_are_kept` |
//! | A stub that is told to stop gives the rest, and ends. | `a_stub_that_is_stopped_gives_the_rest_and_ends` |
//! | One that is dropped or killed hands back what nobody has taken. | `a_stub_that_is_dropped_or_killed_hands_back_what_nobody_has_taken` |
//!
//! # What keeps an actor
//!
//! An actor that nobody keeps handles what it has accepted, and ends.
//!
//! | what | keeps it | test |
//! | --- | --- | --- |
//! | a [`Handle`](crate::Handle), an [`AnyHandle`](crate::AnyHandle), a [`Recipient`](crate::Recipient) | yes | `handles_and_recipients_keep_an_actor` |
//! | a request, until it is done or dropped | yes | `a_request_that_is_its_own_keeps_its_actor_until_it_is_done` |
//! | the [place](crate::Vacancy) that is kept for it | yes | `a_place_that_is_not_filled_keeps_its_actor` |
//! | a [supervisor](crate::supervise) | yes | `a_supervisor_keeps_its_children` |
//! | a message, a [`Reply`](crate::Reply) | no; it is handled, and answered | `an_accepted_message_is_handled_though_nobody_keeps_its_actor` |
//! | a name, a group, a subscription | no | `names_groups_and_topics_keep_nobody` |
//! | its timers, streams, tasks | no | `timers_streams_and_tasks_keep_nobody` |
//! | a monitor or a link, of either side | no | `monitors_and_links_keep_neither_side` |
//! | a [`WeakHandle`](crate::WeakHandle) | no | `a_weak_handle_keeps_nobody` |
//! | its [`Context`](crate::Context) | no, but a handle that it made does | `its_own_context_keeps_nobody_but_a_handle_of_its_own_does` |
//!
//! # Restarts and pauses
//!
//! | promise | test |
//! | --- | --- |
//! | A restart by hand waits for the handler, and is done once. | `a_restart_by_hand_waits_for_the_handler_and_is_done_once` |
//! | A restart loses the state, and keeps the queue and its order. | `a_hook_that_restarts_loses_the_state_and_keeps_the_queue_and_its_order` |
//! | Who is resumed after a panic keeps its state and its queue. | `a_hook_that_resumes_keeps_the_state_and_what_is_queued` |
//! | A panic hook that panics ends the actor of the first panic. | `a_hook_that_panics_or_stops_ends_the_actor_of_the_first_panic` |
//! | What can't be made again stops instead. | `to_restart_what_can_not_be_made_again_is_to_stop` |
//! | A paused actor takes messages and begins none. | `a_paused_actor_takes_messages_and_begins_none` |
//! | A stop ends a pause; so does a kill, which handles nothing. | `a_stop_ends_a_pause_and_handles_what_was_accepted_and_a_kill_does_not` |
//! | A stop with a limit kills, and says what was not handled. | `a_stop_with_a_limit_kills_and_says_what_was_not_handled` |
//! | Timers of a life that has ended reach nobody. | `acc_06_timers_of_a_life_that_has_ended_reach_nobody` |
//!
//! # The state, after the end
//!
//! | promise | test |
//! | --- | --- |
//! | [`join_state`](crate::Handle::join_state) gives the state after the last message and the stop hook. | `who_asks_for_the_state_gets_it_after_the_last_message_and_the_stop_hook` |
//! | An end that is not normal leaves none. | `an_end_that_is_not_normal_leaves_no_state_and_drops_it` |
//! | Of several who ask, the first that still waits gets it. | `of_several_who_ask_for_the_state_the_first_that_waits_gets_it` |
//! | A state that nobody waits for any more is dropped. | `a_state_that_nobody_waits_for_any_more_is_dropped` |
//!
//! # Supervision
//!
//! What becomes of a child, and when: see [`supervise`](crate::supervise).
//!
//! | promise | test |
//! | --- | --- |
//! | A restart keeps the handle and makes the state anew. | `a_child_that_panicked_comes_back_under_its_handle_with_a_new_state` |
//! | A restart keeps the queue and its order, and loses the message that failed, whose asker is told. | `the_queue_and_its_order_survive_a_restart` |
//! | A restart keeps names, groups and subscriptions. | `its_name_its_groups_and_its_subscriptions_are_a_childs_after_a_restart_too` |
//! | Its name finds it at every moment of a restart. | `a_name_is_never_missing_and_never_another_actors_while_its_owner_is_restarted` |
//! | Wherever code of a child panics, it is one failure, of that child alone. | `wherever_a_child_panics_it_is_restarted_once_and_its_sibling_is_not` |
//! | A child is restarted after the ends that its policy names. | `a_child_is_restarted_after_the_ends_that_its_policy_names` |
//! | A child that was told to stop is not restarted, even if its stop hook panics. | `acc_11_a_child_that_was_told_to_stop_and_panics_in_its_stop_hook_is_not_restarted` |
//! | A permanent child that stops itself takes messages all the while: they wait for its restart. | `a_permanent_child_that_stops_itself_refuses_nobody_and_handles_it_all_in_its_next_life` |
//! | One that waits for its restart has nothing that could be killed. | `a_child_that_waits_for_its_restart_has_nothing_that_could_be_killed_and_comes_back` |
//! | One that is halted and told to stop meanwhile handles what it has accepted. | `a_child_that_is_halted_handles_what_it_accepted_when_its_supervisor_is_told_to_stop` |
//! | Children start in order and end in reverse. | `children_start_in_order_each_when_the_one_before_has_and_end_in_reverse` |
//! | A child that does not end within its limit is killed. | `a_child_that_takes_longer_than_its_limit_is_killed_and_the_next_has_its_own` |
//! | The end of a supervisor is said when no state of a child is left. | `acc_09_the_end_of_a_supervisor_is_said_when_no_state_of_a_child_is_left` |
//! | The children that a supervisor was built with keep their handles when it is restarted. | `a_supervisor_that_gave_up_is_restarted_with_its_children_in_their_cells` |
//! | What a child leaves that is not restarted goes back to its askers, or is undelivered. | `leftover_messages_follow_the_decision_that_there_is_no_restart` |
//! | A child that ended for good leaves nothing behind. | `children_that_ended_for_good_leave_nothing_behind` |
//!
//! # Monitors and links
//!
//! | promise | test |
//! | --- | --- |
//! | A monitor tells of each kind of end, once. | `a_monitor_tells_of_each_kind_of_end_once` |
//! | Also of a start that fails. | `acc_10_a_child_that_dies_while_starting_tells_its_watcher_once_and_loses_no_message` |
//! | It tells of who has ended already at once. | `who_has_ended_already_is_told_of_at_once` |
//! | Its notice comes after all that was accepted, and needs no slot. | `the_notice_comes_after_all_that_was_accepted_and_needs_no_slot` |
//! | Taken back, it tells of nothing, even if it has told. | `a_monitor_that_was_taken_back_tells_of_nothing_even_if_it_has_told` |
//! | A restart is no end. | `a_restart_of_the_watched_is_no_end_and_the_watchers_own_ends_its_monitors` |
//! | Linked actors fail together, whichever of them does. | `linked_actors_end_together_whichever_fails_and_know_of_whom` |
//! | A normal end ends the link alone. | `a_normal_end_ends_the_link_alone` |
//! | Neither end of a monitor keeps anything of it that the other has ended. | `neither_end_of_a_monitor_keeps_anything_of_it_whichever_goes_first` |
//! | A ring of links ends whole, however long. | `a_ring_of_ten_thousand_links_ends_whole` |
//! | Links in opposite directions never block each other. | `links_in_opposite_directions_never_block_each_other` |
//! | [`Ends`](crate::Ends) tell who is no actor of each end once, when nothing is left. | `an_end_is_told_of_when_nothing_is_left_and_before_who_joins_is_told` |
