use std::sync::Arc;

use super::group;
use super::groups::Groups;
use crate::exec::Executor;
use crate::exec::runtime::Runtime;

#[greenroom::actor]
struct Worker;

#[greenroom::actor]
impl Worker {}

#[test]
fn nothing_is_kept_of_a_group_that_has_no_member_and_that_nobody_has() {
    let runtime = Runtime::builder().current_thread().build();
    runtime.expect("a runtime").block_on(async {
        let groups = Executor::with_current(Executor::extension::<Groups>);
        let groups = groups.expect("a runtime is around");
        let held = group::<Worker>("held");
        let worker = Worker.spawn();
        group::<Worker>("joined").join(&worker).expect("it lives");
        drop(group::<Worker>("neither"));
        assert_eq!(groups.len(), 2);
        let counted = Arc::strong_count(&held.0);
        held.join(&worker).expect("it lives");
        held.leave(&worker);
        // Nor does the actor keep the farewell.
        assert_eq!(Arc::strong_count(&held.0), counted);
        let (_, changes) = held.watch();
        drop(held);
        assert_eq!(groups.len(), 2);
        drop(changes);
        assert_eq!(groups.len(), 1);
        worker.shutdown().await;
        assert_eq!(groups.len(), 0);
    });
}
