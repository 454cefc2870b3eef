//! The first spawn inside a tokio runtime attaches a scheduler to it.

#[tokio::test]
async fn spawns_inside_a_plain_current_thread_test() {
    let task = greenroom::spawn(async { 6 * 7 });
    assert_eq!(task.await.unwrap(), 42);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spawns_inside_a_plain_multi_thread_test() {
    let tasks: Vec<_> = (0..1000)
        .map(|i| {
            greenroom::spawn(async move {
                let inner = greenroom::spawn(async move {
                    greenroom::yield_now().await;
                    i
                });
                tokio::task::yield_now().await;
                inner.await.unwrap()
            })
        })
        .collect();
    for (i, task) in tasks.into_iter().enumerate() {
        assert_eq!(task.await.unwrap(), i);
    }
}
