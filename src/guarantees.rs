//! What greenroom promises about messages, as tables. Each row names the test that holds it.
//!
//! Nothing is lost silently: **every message is handled, handed back, withdrawn by its sender,
//! reported as undelivered, or still queued**. At rest the free slots of a mailbox equal its
//! capacity. How actors end, and what keeps them: [`life`].
//!
//! # Order
//!
//! | promise | test |
//! | --- | --- |
//! | What one task sends through one handle is handled in order within its lane, however it is sent (but through a [`Permit`](crate::Permit)). | `sixteen_senders_that_mix_all_ways_to_send_are_each_handled_in_order` |
//! | Two sends of one task are ordered by their first polls. | `two_sends_of_one_task_are_ordered_by_their_first_polls_not_by_their_making` |
//! | A send that need not wait does not overtake one that waits. | `a_try_tell_does_not_overtake_a_send_that_waits` |
//! | An ask comes after what its task told before. | `an_ask_of_an_idle_actor_does_not_overtake_what_was_told_before` |
//! | An ask comes after a tell of its task that waits, also where the actor is idle. | `an_ask_does_not_overtake_a_tell_of_its_task_that_waits_behind_a_reservation` |
//! | A slot that was reserved is filled past those who wait for one. | `a_reserved_slot_is_filled_past_those_who_wait` |
//! | Many tells of one `tell_all` are handled in order; others may come between. | `many_messages_are_told_in_order_and_wait_for_slots` |
//! | An actor as a sink handles what that is fed in order. | `a_stream_is_forwarded_in_order_and_a_flush_is_done_when_all_is_accepted` |
//! | Senders that wait are served first come, first served. | `those_who_wait_are_served_in_the_order_in_which_they_came_however_many_come_after` |
//! | An enqueued ask keeps its place among tells and asks. | `tells_asks_and_enqueued_asks_of_one_task_are_handled_in_order` |
//!
//! # Slots
//!
//! A message holds one slot from when it is accepted until its handler begins.
//!
//! | promise | test |
//! | --- | --- |
//! | A slot that comes free is used at once by whoever waits first, polled or not. | `acc_04_a_slot_granted_to_a_send_that_nobody_polls_is_used_all_the_same` |
//! | An actor starts, stops and is killed however full its mailbox is. | `acc_01_an_actor_starts_however_full_its_mailbox_is` |
//! | No number of messages stalls the smallest mailbox. | `a_million_messages_go_through_one_slot` |
//! | The bound of bytes holds as that of slots does. | `what_is_queued_counts_no_more_bytes_than_the_bound_and_the_next_waits` |
//! | No way to send gets round the bounds. | `field_32_no_way_to_send_gets_round_the_bound` |
//! | A slot that is reserved is nobody else's, and shows in [`MailboxMetrics::reserved`](crate::MailboxMetrics::reserved). | `a_permit_tells_and_asks_without_waiting_and_its_slot_is_nobody_elses` |
//! | A sink, or a service, that is ready holds no slot. | `a_sink_that_is_ready_holds_no_slot` |
//! | Several slots are reserved all at once, in their turn, or none. | `many_slots_are_reserved_all_at_once_and_those_left_are_given_back` |
//! | Reserved slots keep no actor from its end. | `field_20_an_actor_ends_by_itself_however_its_reserved_slots_come_back` |
//! | A changed capacity lets in who waits, and lets stand what is in. | `more_slots_let_those_in_who_wait_and_fewer_let_stand_what_is_in` |
//!
//! # No room
//!
//! What becomes of a message that does not fit, by its `overflow` or its actor's. Stops, and messages
//! of other kinds, are never dropped; what is dropped is counted in
//! [`MailboxMetrics::dropped`](crate::MailboxMetrics::dropped). A tell that is dropped is done; the
//! asker of an ask gets [`Refusal::Overflow`](crate::Refusal::Overflow) with the message.
//!
//! | overflow | the message | test |
//! | --- | --- | --- |
//! | `wait` | waits with its sender; `try_tell` has it handed back | `field_34_a_full_mailbox_makes_its_senders_wait_and_loses_nothing` |
//! | `reject` | is handed back | `field_34_a_message_that_rejects_is_handed_back_and_its_sender_goes_on` |
//! | `drop_newest` | is dropped | `field_34_of_messages_that_drop_the_newest_the_first_survive` |
//! | `drop_oldest` | comes in for the oldest of its kind, of all lanes, which is dropped; is dropped itself if that makes no room | `field_34_of_messages_that_drop_the_oldest_the_last_survive` |
//! | `latest(key)` | comes in at the end for the queued one of its type and key, which is dropped, also where there is room; waits if there is none | `field_34_of_messages_with_one_key_the_latest_survives` |
//! | any | does not overtake who waits: what is dropped makes room for those first | `who_waits_is_let_in_before_the_newcomer_that_makes_room` |
//!
//! # Lanes
//!
//! | promise | test |
//! | --- | --- |
//! | Urgent messages come first and background ones last; each lane is in order. | `urgent_messages_are_handled_first_and_background_ones_last` |
//! | After [`URGENT_IN_A_ROW`](crate::limits::URGENT_IN_A_ROW) urgent messages another is handled, if one waits. | `a_flood_of_urgent_messages_lets_one_other_pass_after_each_eight` |
//! | One of [`BACKGROUND_MESSAGES`](crate::limits::BACKGROUND_MESSAGES) is a background one, if one waits. | `a_background_message_waits_for_no_more_than_sixty_others` |
//!
//! # Dropping a future
//!
//! | dropped | the message | test |
//! | --- | --- | --- |
//! | before its first poll | never left | `a_send_to_an_idle_actor_can_be_dropped_after_any_poll` |
//! | while it waits for a slot | is withdrawn | `a_send_to_a_full_mailbox_can_be_dropped_after_any_poll` |
//! | a [`Reserve`](crate::Reserve), at any time | there is none; the slots are free | `a_reservation_can_be_dropped_after_any_poll` |
//! | a [`TellAll`](crate::TellAll) | the first are accepted, and stay so; the others are dropped with it, or handed back by its `cancel` | `many_tells_that_are_cancelled_hand_back_all_but_the_first` |
//! | a future that feeds or flushes a [`TellSink`](crate::TellSink) | is with the sink | `a_flush_waits_for_a_slot_and_no_longer` |
//! | a [`TellSink`](crate::TellSink) | is withdrawn | `what_a_sink_was_fed_can_be_taken_back_or_goes_with_it` |
//! | a send of any kind, after any poll | is accepted or gone, and its slot or place free | `sends_of_all_kinds_to_a_full_mailbox_can_be_dropped_after_any_poll` |
//! | a [`Permit`](crate::Permit) | there is none; the slot is free | `a_permit_that_is_dropped_gives_its_slot_to_whoever_waits` |
//! | an enqueue, while it waits for a slot | is withdrawn | `an_enqueue_can_be_dropped_after_any_poll` |
//! | a [`Reply`](crate::Reply) whose handler runs | is handled to the end | `a_reply_dropped_while_the_handler_runs_leaves_the_handler_to_its_end` |
//! | an [`ask_all`](crate::ask_all) | is withdrawn, or skipped when its turn comes | `dropped_it_withdraws_what_waits_for_a_slot` |
//! | a tell, after it was accepted, seen or not | is handled | `a_tell_that_was_granted_its_slot_unseen_is_handled_when_it_is_dropped` |
//! | an ask that is queued | is skipped, and undelivered | `an_ask_that_was_dropped_while_it_was_queued_is_skipped_and_undelivered` |
//! | the same of a `#[message(detached)]` | is handled | `a_queued_message_that_is_detached_is_handled_although_its_asker_has_gone` |
//! | an ask whose handler runs | is handled to the end | `an_ask_dropped_while_its_handler_waits_is_handled_to_the_end` |
//!
//! # Limits
//!
//! | the limit passes | result | test |
//! | --- | --- | --- |
//! | before a tell was accepted | handed back | `a_tell_that_finds_no_slot_within_its_limit_hands_the_message_back` |
//! | before many tells were accepted | the others are handed back | `many_tells_that_find_no_slots_within_their_limit_hand_the_others_back` |
//! | while slots are waited for | no slot is held | `a_limit_ends_the_wait_for_a_slot` |
//! | before an ask was accepted | handed back | `an_ask_that_was_not_accepted_within_its_limit_hands_the_message_back` |
//! | while an ask is queued | [`TimeoutState::Skipped`](crate::TimeoutState::Skipped): not handled, undelivered | `an_ask_whose_limit_passes_while_it_is_queued_is_skipped_and_says_so` |
//! | before the first poll of an ask with a `.deadline()` | [`Refusal::Expired`](crate::Refusal::Expired): not sent, handed back | `an_ask_whose_deadline_had_passed_before_is_not_sent_inline_or_queued` |
//! | before its turn comes, and the asker still waits | handed back | `a_message_whose_deadline_has_passed_when_its_turn_comes_goes_back_to_an_asker_that_waits` |
//! | while a detached one is queued | [`TimeoutState::Queued`](crate::TimeoutState::Queued): is handled | `an_ask_of_a_detached_message_says_that_it_will_be_handled` |
//! | while its handler runs | [`TimeoutState::Running`](crate::TimeoutState::Running): outcome unknown | `an_ask_whose_limit_passes_while_its_handler_runs_says_so` |
//! | as the message is accepted | accepted | `a_message_accepted_before_its_send_saw_the_limit_pass_counts_as_accepted` |
//!
//! # Deadlocks
//!
//! A handler, or a hook, *waits* for another actor from when a request that it polls goes pending
//! until that is answered (a tell or an enqueue: accepted) or dropped. Handlers that wait for each
//! other in a circle can't go on. What a handler awaits through a task, a channel or a stream of
//! replies is not seen. A request that was polled counts although something else, in a `select!`,
//! may end the wait: inside a circle it needs `.timeout()` or
//! [`.unchecked()`](crate::Request::unchecked), and outside of one it needs nothing.
//!
//! | promise | test |
//! | --- | --- |
//! | An actor that asks itself is told so at once, and has its message back. | `acc_02_an_actor_that_asks_itself_fails_at_once_and_has_its_message_back` |
//! | A circle of at most [`WAIT_HOPS`](crate::limits::WAIT_HOPS) waits is found as it closes; the error names its actors and messages in order. | `acc_02_a_circle_of_asks_fails_at_once_and_names_its_actors_and_messages` |
//! | What would have closed it was not handled, if it had to be queued. | `a_message_that_would_have_closed_a_circle_is_handed_back_and_never_handled` |
//! | Every other circle is found within a second, and its newest wait fails. | `a_circle_of_many_is_found_and_its_newest_wait_fails` |
//! | Of two that ask each other at once one fails. | `of_two_that_ask_each_other_at_once_one_fails` |
//! | Full mailboxes make circles as well: a tell is handed back. | `acc_03_two_that_tell_each_other_with_full_mailboxes_go_on_and_one_has_its_message_back` |
//! | Who asked waits for the actor to which its ask was forwarded: a circle through that is found as it closes, and within a second if the forward closes it. | `a_circle_through_an_ask_that_was_forwarded_is_found_at_once_and_named` |
//! | So does who asked for a reply whose [`ReplyTo`](crate::ReplyTo::held_by) an actor says it holds. | `an_asker_waits_for_the_actor_that_says_it_holds_the_reply` |
//! | If any request of a circle has a limit of its own, the circle is left to that, and reported. | `a_circle_is_left_if_any_request_in_it_has_a_limit` |
//! | A limit further out changes nothing. | `acc_02_a_limit_outside_does_not_keep_a_circle_from_being_found` |
//! | A request that is left out closes no circle. | `a_request_that_is_left_out_closes_no_circle` |
//!
//! Nobody else is accused:
//!
//! | who | test |
//! | --- | --- |
//! | has answered, and asks back | `who_has_answered_may_ask_back_at_once` |
//! | has sent something and returned | `who_sends_and_returns_is_not_accused_and_who_waits_for_the_reply_is` |
//! | has passed a reply on, and asks back | `who_has_passed_a_reply_on_may_ask_back` |
//! | has forwarded an ask, and asks back | `who_has_forwarded_an_ask_may_ask_back` |
//! | has handed a reply on that it held, and asks back | `who_has_handed_a_reply_on_may_ask_back` |
//! | selects between an ask in no circle and something else | `who_selects_between_an_ask_in_no_circle_and_something_else_is_not_accused` |
//! | joins asks that meet in one actor | `a_handler_that_joins_asks_which_meet_in_one_actor_is_not_accused` |
//! | is a link in a long chain | `a_chain_of_a_thousand_actors_is_not_accused` |
//! | shares actors with another chain | `acc_02_two_chains_that_share_actors_and_form_no_circle_are_not_accused` |
//! | has ended its handler, or handed the request to a task | `a_request_that_outlives_the_handler_that_polled_it_is_no_wait` |
//!
//! # Beside each other
//!
//! Handlers of `#[message(reentrant)]` take `&self`, and `&Context<Self>` at most. While all that
//! are suspended are of this kind, messages of this kind are let in: their handlers run
//! interleaved, each up to its next `.await`, and never two at a time. Any other message waits at
//! the head of the queue until all that are suspended are done, and nothing passes it there, of
//! whatever lane: so it waits for no more than those.
//!
//! | promise | test |
//! | --- | --- |
//! | They are suspended side by side, and end in any order. | `handlers_that_are_reentrant_are_suspended_side_by_side_and_end_in_any_order` |
//! | Whatever else is handled runs alone, after all that came before it and before all that come after. | `what_runs_alone_waits_for_all_that_are_suspended_and_nothing_overtakes_it` |
//! | At most [`REENTRANT_MAX`](crate::limits::REENTRANT_MAX) are suspended; the next waits. | `no_more_are_inside_than_the_bound_and_the_next_enters_as_one_leaves` |
//! | Each has its own deadline and its own asker. | `each_handler_has_its_own_deadline_and_its_own_asker` |
//! | One that waits for others is passed over when its asker leaves. | `what_waits_for_others_is_passed_over_when_its_asker_leaves_and_the_rest_goes_in` |
//! | A kill drops each at its await, and tells each asker. | `a_kill_drops_each_at_its_await_and_tells_each_asker` |
//! | A stop lets all of them finish. | `a_stop_lets_all_that_are_inside_and_all_that_were_accepted_finish` |
//! | A panic in one ends the actor, and tells each asker. | `a_panic_in_one_ends_the_actor_and_tells_each_asker` |
//! | One asks its own actor for what is let in. | `a_reentrant_handler_asks_its_own_actor_for_what_is_let_in` |
//! | Who is asked may ask back for what is let in. | `who_is_asked_may_ask_back_for_what_is_let_in` |
//! | Who asks back for anything else closes a circle, whose error names it. | `who_is_asked_fails_that_asks_back_for_what_runs_alone` |
//! | So does who asks back behind such a message. | `who_is_asked_fails_that_asks_back_behind_what_runs_alone` |
//!
//! # Many asks at once
//!
//! | promise | test |
//! | --- | --- |
//! | Each target has its result in its place, whatever becomes of the others. | `field_68_each_target_has_its_result_in_its_place_whatever_becomes_of_the_others` |
//! | All are queued before any is waited for; a full mailbox keeps no other target waiting. | `a_full_mailbox_keeps_no_other_target_waiting` |
//! | No requests are answered at once. | `no_requests_give_no_results_at_once` |
//! | A quorum is reached as soon as enough have replied, and fails as soon as too few can. | `it_fails_as_soon_as_too_few_can_come` |
//!
//! # Later replies
//!
//! Of a method that returns a [`Delegated`](crate::Delegated):
//!
//! | promise | test |
//! | --- | --- |
//! | The actor goes on; its asker waits until the [`ReplyTo`](crate::ReplyTo) is used. | `the_actor_goes_on_and_the_asker_waits_until_somebody_answers` |
//! | A reply is given once, whichever of answer and handler's end comes first. | `answers_and_ends_of_handlers_that_race_lose_no_reply` |
//! | A right to answer that is dropped tells the asker. | `a_right_to_answer_that_is_dropped_tells_the_asker` |
//! | A reply that nobody waits for is handed back. | `a_reply_that_nobody_waits_for_is_handed_back` |
//! | The ask's limit holds until the reply is given. | `a_limit_holds_until_the_reply_is_given` |
//! | Who waits for it waits for no handler: that is no deadlock. | `who_waits_for_a_reply_that_is_delegated_waits_for_no_handler` |
//!
//! # Streams
//!
//! Of a method that returns `impl Stream`, whose asker gets a [`ReplyStream`](crate::ReplyStream):
//!
//! | promise | test |
//! | --- | --- |
//! | At most [`STREAM_BUFFER`](crate::limits::STREAM_BUFFER) items are made beyond those read. | `no_more_items_are_made_than_are_read_and_buffered` |
//! | The actor's end, or a panic, is an error, and not the end of the stream. | `the_end_of_the_actor_is_not_taken_for_the_end_of_the_stream` |
//! | Dropped by its asker, it ends; the actor goes on. | `the_handler_lasts_as_long_as_its_stream_is_wanted` |
//! | An actor that is stopped finishes its stream first. | `an_actor_that_is_stopped_finishes_its_stream_first` |
//! | With `+ use<>` the actor is free, and the stream ends with it. | `a_stream_beside_keeps_no_actor_running_and_ends_with_it` |
//!
//! A limit is a deadline that travels with the ask:
//!
//! | promise | test |
//! | --- | --- |
//! | The handler sees it, by [`Context::deadline`](crate::Context::deadline), inline and queued. | `a_handler_sees_the_deadline_of_its_asker_inline_and_queued` |
//! | What the handler asks inherits it, if it has no earlier one. | `asks_of_a_handler_inherit_its_deadline_unless_their_own_is_earlier` |
//! | One-way messages and spawned tasks don't. | `neither_spawned_tasks_nor_one_way_messages_inherit_a_deadline` |
//! | An ask that inherited it fails when it passes, or at once if it has passed. | `an_ask_that_inherited_a_deadline_fails_when_that_passes` |
//! | A handler that waits for its asker's leaving hears of it. | `a_handler_that_waits_for_its_asker_to_be_gone_goes_on_when_the_ask_is_dropped` |
//!
//! # Undelivered messages
//!
//! What was accepted, is not handled, and has no asker who takes it back, is
//! [undelivered](crate::Undelivered): counted, then passed to the runtime's observer, then to the
//! actor's hook.
//!
//! | of | its reason | test |
//! | --- | --- | --- |
//! | a message to an actor that was killed, or whose runtime ended | `Ended` | `what_was_told_is_undelivered_when_its_actor_is_killed_and_what_was_asked_goes_back` |
//! | one that was queued behind a crash | `Ended` | `a_crash_makes_undelivered_what_was_told_and_loses_the_message_at_fault_alone` |
//! | an ask that was dropped while it was queued | `AskerGone` | `an_ask_that_was_dropped_while_it_was_queued_is_skipped_and_undelivered` |
//! | one whose limit passed while it was queued | `Expired` | `an_ask_whose_limit_passes_while_it_is_queued_is_skipped_and_says_so` |
//! | one that goes back to an asker who leaves without a look at it | `Ended`, `Expired` | `what_goes_back_to_an_asker_who_leaves_without_a_look_is_undelivered` |
//! | an actor that is stopped | none | `a_stop_leaves_nothing_undelivered` |
//! | a reply whose asker has gone | none: a late reply, with a count of its own | `a_reply_that_nobody_waits_for_is_counted_as_late_and_its_message_is_no_undelivered_one` |
//! | one that a hook on such sent | as any; from the [fourth](crate::limits::UNDELIVERED_DEPTH) inside each other on it is counted alone | `a_hook_whose_own_messages_are_lost_as_well_is_not_run_inside_itself_without_end` |
//! | any, where a hook panics | as without | `hooks_that_panic_keep_no_message_from_being_counted_and_no_actor_from_its_end` |
//!
//! # A thread of its own
//!
//! | promise | test |
//! | --- | --- |
//! | All of a blocking actor runs on its thread, and its state is dropped there. | `all_of_a_blocking_actor_runs_and_is_dropped_on_its_thread` |
//! | A handler that blocks keeps no other actor waiting, and its mailbox is bounded. | `a_handler_that_blocks_keeps_no_other_actor_waiting` |
//! | A kill takes effect when a handler that blocks returns. | `a_kill_and_a_panic_end_a_blocking_actor_when_its_handler_returns` |
//! | Threads are bounded, and one that ends makes room. | `there_are_only_so_many_threads_and_one_that_ends_makes_room` |
//! | The end of a runtime waits for a handler that blocks. | `the_end_of_a_runtime_waits_for_a_handler_that_blocks` |
//!
//! # The end of all
//!
//! | promise | test |
//! | --- | --- |
//! | What was accepted is handled, and the last spawned ends first. | `all_that_was_accepted_is_handled_and_the_last_spawned_ends_first` |
//! | Who takes long leaves half the limit to the others. | `one_that_takes_half_the_limit_leaves_the_other_half_to_the_rest` |
//! | Who hangs is killed at the limit, and what it had accepted is counted. | `who_hangs_is_killed_at_the_limit_and_its_messages_are_counted` |
//! | Children are ended by their supervisor, in reverse. | `children_end_by_their_supervisor_in_reverse_and_are_counted` |
//! | Actors that are spawned meanwhile are ended too. | `those_that_are_spawned_meanwhile_are_ended_too` |
//! | One in a poll that does not return is named. | `one_in_a_poll_that_does_not_return_is_left_and_named` |
//! | A second signal kills at once. | `a_second_signal_kills_at_once_and_the_exit_code_tells` |
//! | Quiescence waits for whole chains of messages. | `a_chain_of_messages_is_waited_for_to_its_end` |
//! | Who is busy at the limit is named, with its message. | `at_the_limit_those_are_named_that_are_busy_and_with_what` |
//!
//! # Names
//!
//! Of a runtime's [`registry`](fn@crate::registry):
//!
//! | promise | test |
//! | --- | --- |
//! | A name has one owner; who comes second is told who, and a spawn hands the actor back. | `a_spawn_under_a_taken_name_hands_the_actor_back` |
//! | An actor has the name that it is spawned under before its start hook runs. | `an_actor_has_its_name_before_its_start_hook_runs` |
//! | A failed start leaves no name taken. | `field_45_a_failed_start_leaves_no_name_taken` |
//! | Whatever an actor ends of, its names are free before who joins is told. | `acc_09_who_waited_for_the_end_can_take_the_name_at_once` |
//! | A name keeps no actor running. | `acc_05_a_name_keeps_no_actor_running` |
//! | Neither an old registration nor a late end takes a name from a later owner. | `ends_registrations_and_look_ups_that_race_leave_no_stale_name` |
//! | What is sent by a handle never reaches a later owner of its actor's name. | `a_handle_never_reaches_a_later_owner_of_the_name` |
//! | A wait for a name can be dropped at any time, and ends with the runtime. | `a_wait_can_be_dropped_after_any_poll_and_the_others_go_on` |
//! | Each runtime has names of its own. | `each_runtime_has_names_of_its_own` |
//!
//! # Groups
//!
//! | promise | test |
//! | --- | --- |
//! | A member that is full or takes no more keeps no other from a broadcast, which hands its message back. | `a_member_that_is_full_or_stopped_keeps_no_other_from_its_message` |
//! | What one task broadcasts comes to each member once and in order. | `a_broadcast_comes_to_each_member_once_and_in_order` |
//! | A member leaves by itself, before who joins is told of its end. | `a_member_leaves_as_it_ends_and_before_who_joins_is_told` |
//! | A group keeps no member running. | `a_group_keeps_no_member_running` |
//! | Who watches gets the members, and then each change once, in order, and without a gap. | `joins_leaves_and_ends_that_race_leave_every_follower_with_the_members` |
//! | Who does not read them in time gets the members instead. | `a_follower_that_does_not_read_keeps_little_and_gets_the_members_instead` |
//!
//! # Topics
//!
//! | promise | test |
//! | --- | --- |
//! | A slow subscriber keeps neither the publisher nor the others waiting. | `field_31_a_slow_subscriber_keeps_neither_the_publisher_nor_the_others_waiting` |
//! | What waits for a subscriber is bounded by its buffer, and holds no slot. | `field_32_publishing_takes_no_slot_and_fills_no_more_than_its_buffer` |
//! | All subscribers get messages in one order. | `all_subscribers_get_what_many_publish_in_one_order` |
//! | Those of one task come in its order. | `messages_of_one_task_come_in_its_order` |
//! | What a task sends an actor comes after what it has published before. | `what_a_task_sends_an_actor_comes_after_what_it_has_published` |
//! | A late subscriber gets the last message, where the topic keeps it, and then all that follow, without a gap or a duplicate. | `subscribers_that_come_while_others_publish_have_no_gap_and_no_duplicate` |
//! | A subscription keeps no actor running, and ends with it. | `a_subscription_keeps_no_actor_running_and_ends_with_it` |
//! | A filter that panics ends its subscription alone. | `a_filter_that_panics_ends_its_subscription_and_harms_nobody_else` |
//!
//! Of what has no room:
//!
//! | lag | what goes | test |
//! | --- | --- | --- |
//! | [`DropOldest`](crate::Lag::DropOldest) | the oldest that waits | `of_a_subscriber_that_drops_the_oldest_the_last_survive` |
//! | [`DropNewest`](crate::Lag::DropNewest) | the message | `of_a_subscriber_that_drops_the_newest_the_first_survive` |
//! | [`Disconnect`](crate::Lag::Disconnect) | the message, and the subscription after what waits | `a_subscriber_that_had_better_begin_anew_is_disconnected_after_what_waits` |
//!
//! # Around a handler
//!
//! An ask of an idle actor may run its handler on the asker's stack, *inline*, where nothing
//! speaks against it: the actor's runtime is around, the mailbox is empty, the asker's budget is
//! not used up, message and reply take at most [`INLINE_BYTES`](crate::limits::INLINE_BYTES), no
//! more than [`INLINE_DEPTH`](crate::limits::INLINE_DEPTH) handlers are on the stack, and handlers
//! of such messages have turned out to take at most
//! [`INLINE_RUN_MAX`](crate::limits::INLINE_RUN_MAX) until their first await.
//! A lock that the asker holds while it polls, and the handler takes, is a deadlock then; and what
//! else the asker waits for, a time limit above all, waits until the handler's first await.
//! `#[message(inline = always)]` waives the last condition, `#[message(inline = never)]` and
//! `#[actor(inline = never)]` turn it off. Then a handler sees:
//!
//! | of | inline | queued | test |
//! | --- | --- | --- | --- |
//! | its [`Context`](crate::Context), its waker, the scheduler | its own | its own | `a_handler_that_suspends_inline_replies_later_and_all_others_wait_for_it` |
//! | [`greenroom::id`](fn@crate::id) | its actor's | its actor's | `an_inline_handler_has_its_actors_id_and_its_asker_gets_its_own_back` |
//! | the actor's span, where that is enabled | its own | its own | `where_the_actor_has_a_span_that_is_around_in_both_ways` |
//! | the span of its asker, where the actor's is not | until the first await | none | `the_askers_span_shows_inline_where_the_actor_has_none` |
//! | tokio's cooperative budget | its asker's | its own | `an_inline_handler_spends_the_budget_of_its_asker` |
//! | task-locals and thread-locals of its asker | until the first await | none | `a_local_of_the_askers_task_shows_inline_until_the_first_await` |
//! | the runtime | its actor's | its actor's | `a_handler_is_in_its_actors_runtime_though_its_asker_has_entered_another` |
//! | tokio's `block_in_place`, where its asker is in a `LocalSet` | panics | works | `a_handler_that_blocks_in_place_must_be_queued_where_its_asker_is_in_a_local_set` |
//! | a panic in it | ends the actor alone | ends the actor alone | `a_panic_in_an_inline_handler_ends_its_actor_and_not_its_asker` |
//!
//! # Worlds
//!
//! With the feature `world`. What a fork shares, who sees what, and what is not isolated: the tables
//! of the module `world`.
//!
//! | promise | test |
//! | --- | --- |
//! | A site without a handler gives what it offers. | `without_a_handler_a_site_gives_what_it_offers_and_is_no_savepoint` |
//! | A run and its fork, given the same, do the same. | `a_run_and_its_fork_with_the_same_values_agree_in_result_trace_and_addresses` |
//! | Each world sees what a deep copy at its fork would. | `each_world_sees_what_a_deep_copy_at_its_fork_would` |
//! | Of all that claim a savepoint one wins, and one continuation runs. | `of_threads_that_race_to_resume_or_abandon_exactly_one_wins` |
//! | A handle names its occurrence, and no later one of its address. | `a_handle_names_its_occurrence_and_no_later_one_of_the_address` |
//! | A fork that races a resume is pending or refused. | `a_fork_that_races_a_resume_is_pending_or_refused_and_leases_return` |
//! | What is consumed in one world waits on in another. | `consuming_in_one_world_says_nothing_about_another` |
//! | The table is as large as what is held. | `a_chain_of_held_sites_that_are_resumed_at_once_has_one_entry_at_most` |
//! | What is answered inline makes no entry. | `five_thousand_inline_sites_never_make_an_entry` |
//! | A chain of resumes takes bounded stack. | `a_million_inline_resumes_run_on_a_small_stack` |
//! | Other tasks run meanwhile. | `a_long_run_lets_other_tasks_run_meanwhile` |
//! | Each world ends once. | `each_way_to_end_is_told_once` |
//! | A handler that fails, fails the run if it has not answered. | `a_handler_that_fails_before_it_answers_fails_the_run_once` |
//! | After it has answered, that changes nothing. | `a_handler_that_fails_after_it_answered_changes_nothing` |
//! | A close ends, whatever it races, with no world left. | `a_close_that_races_everything_ends_with_no_world_and_every_destructor_run` |
//! | Whether a session can end is read before it is written. | `a_check_reads_and_exchanges_only_when_nobody_is_left` |
//! | A seeded run is the same on any number of threads. | `a_seeded_search_is_the_same_on_one_two_and_four_threads` |
//! | Forks elsewhere change no seed. | `forks_elsewhere_change_no_seed` |
//! | Budgets add up at every point. | `what_there_is_and_what_was_spent_add_up_at_every_point` |
//! | What lives is what somebody has. | `a_long_chain_of_moves_keeps_no_world_but_the_last` |
//! | A commit succeeds if the parent is as it was. | `after_a_siblings_commit_there_is_a_conflict` |
//! | Of racing commits one wins. | `of_racing_commits_one_wins` |
//!
//! # What an actor sends itself
//!
//! Ticks of timers, outputs of piped futures and ends of streams are *notices*. They stand in the
//! mailbox in order and hold no slot; each timer, future or stream has one there at most. A notice
//! that is queued when its actor ends is dropped, and not undelivered: nobody sent it.
//!
//! | promise | test |
//! | --- | --- |
//! | A tick needs no slot, and comes after what was accepted before. | `a_tick_stands_behind_what_was_accepted_before_and_needs_no_slot` |
//! | A timer that is cancelled is never delivered, however far it has come. | `a_timer_that_is_cancelled_is_not_delivered_though_its_notice_was_queued` |
//! | So it is with one whose key another takes. | `a_timer_that_is_replaced_is_not_delivered_though_its_notice_was_queued` |
//! | Ticks that come while one is queued are skipped, or follow, or shift the rest, as chosen. | `in_a_burst_all_missed_ticks_are_caught_up_with` |
//! | Timers do not keep their actor, and go with it. | `field_41_timers_do_not_keep_their_actor_and_go_with_it` |
//! | A piped future's panic comes back as an error. | `a_piped_future_that_panics_comes_back_as_an_error` |
//! | Tasks of an actor end with it, however it ends. | `tasks_are_aborted_however_the_actor_ends` |
//! | A stream is not polled while one of its items waits for a slot. | `a_stream_is_not_polled_while_an_item_waits_for_its_slot` |
//! | Streams do not keep their actor, and go with it. | `field_43_a_quiet_stream_goes_when_its_actor_stops_and_does_not_keep_it` |
//! | An idle timeout comes when no message was handled for so long, and not before. | `messages_put_the_timeout_off_however_they_come` |
//!
//! # Put aside, and handed on
//!
//! | promise | test |
//! | --- | --- |
//! | What was put aside is taken up in order, and before what is queued. | `what_was_put_aside_is_handled_in_order_and_before_what_is_queued` |
//! | Its asker waits on, and gets the answer. | `an_ask_that_is_put_aside_is_answered_later_also_if_it_ran_on_its_askers_stack` |
//! | A full stash hands the message back. | `a_full_stash_hands_the_message_back_and_what_is_in_it_holds_no_slot` |
//! | What is put aside when the actor ends goes the way of what is queued. | `what_is_put_aside_when_the_actor_ends_goes_the_way_of_what_is_queued` |
//! | A forwarded ask is answered by the other actor, whose errors name that. | `an_error_of_the_other_names_that` |
//! | Its limit travels along. | `the_askers_limit_travels_along` |
//! | An ask that is forwarded in a circle ends with an error. | `an_ask_that_is_forwarded_in_a_circle_ends_with_an_error` |
//!
//! # Workers, and how many
//!
//! | promise | test |
//! | --- | --- |
//! | A worker that fails is made anew, and keeps its handle and its queue. | `a_worker_that_panics_is_made_anew_and_keeps_its_handle_and_its_queue` |
//! | A job is begun once at most, unless it has retries. | `a_job_at_which_its_worker_crashed_is_not_done_again_and_its_asker_is_told` |
//! | It is not lost with a worker that has not begun it. | `a_job_is_not_lost_when_its_worker_ends_before_it_has_begun` |
//! | A queue that is drained does all that it has taken. | `a_queue_that_is_drained_takes_nothing_and_does_all_that_it_has_taken` |
//! | A spawn that the policy refuses hands the actor back, and says what is too much. | `a_spawn_that_the_policy_refuses_hands_the_actor_back_and_says_why` |

pub mod life;
