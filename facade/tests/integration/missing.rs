//! What tokio has and the facade has not: methods of these traits are called only where the type
//! has none of that name.

use tokio::runtime::Builder;
use tokio::task::JoinSet;

trait NoOption: Sized {
    fn unhandled_panic(&mut self) {}
    fn on_task_spawn(&mut self) {}
    fn on_task_terminate(&mut self) {}
    fn on_before_task_poll(&mut self) {}
    fn on_after_task_poll(&mut self) {}
    fn disable_lifo_slot(&mut self) {}
    fn rng_seed(&mut self) {}
}

impl NoOption for Builder {}

trait NoLocal {
    fn spawn_local(&mut self) {}
    fn spawn_local_on(&mut self) {}
    fn build_task(&mut self) {}
}

impl<T> NoLocal for JoinSet<T> {}

#[test]
fn the_builder_has_no_options_that_would_not_reach_our_tasks() {
    let mut builder = Builder::new_current_thread();
    builder.unhandled_panic();
    builder.on_task_spawn();
    builder.on_task_terminate();
    builder.on_before_task_poll();
    builder.on_after_task_poll();
    builder.disable_lifo_slot();
    builder.rng_seed();
}

#[test]
fn a_join_set_has_no_local_tasks() {
    let mut set = JoinSet::<()>::new();
    set.spawn_local();
    set.spawn_local_on();
    set.build_task();
}
