//! Readers and writers of the notes.

use greenroom_apps::notes::Notes;

use crate::support::within;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_of_many_tasks_are_all_kept() {
    let notes = within("the database", Notes::open()).await.unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let notes = notes.clone();
            tokio::spawn(async move {
                for number in 0..50 {
                    let text = format!("note {number} of {task}");
                    let id = notes.add(text.clone()).await.unwrap();
                    assert_eq!(notes.get(id).await.unwrap(), Some(text));
                }
            })
        })
        .collect();
    for task in tasks {
        within("a task's end", task).await.unwrap();
    }
    assert_eq!(within("the count", notes.count()).await.unwrap(), 400);
}

#[tokio::test]
async fn an_error_of_the_database_comes_back_to_the_task() {
    let notes = within("the database", Notes::open()).await.unwrap();
    notes.add("once".into()).await.unwrap();
    let twice = within("the error", notes.add("once".into()))
        .await
        .unwrap_err();
    let code = twice.sqlite_error_code();
    assert_eq!(code, Some(rusqlite::ErrorCode::ConstraintViolation));
    assert_eq!(notes.get(99).await.unwrap(), None);
}
