//! The executor: tasks on a scheduler that is a guest of tokio.

mod attach;
