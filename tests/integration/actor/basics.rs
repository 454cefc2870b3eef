use std::time::Duration;

use greenroom::{AskError, Builder, Context, ExitReason, Handle, actor};

#[actor(mailbox = 4)]
struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    async fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }

    fn reset(&mut self) {
        self.count = 0;
    }

    async fn slowly(&mut self, n: u64) -> u64 {
        tokio::task::yield_now().await;
        self.count += n;
        self.count
    }

    fn divide(&mut self, by: u64) -> Result<u64, String> {
        self.count
            .checked_div(by)
            .ok_or_else(|| "division by zero".to_owned())
    }

    fn finish(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
    }
}

#[tokio::test]
async fn a_counter_counts_on_a_runtime_without_any_set_up() {
    let counter = Counter { count: 0 }.spawn();
    assert_eq!(counter.add(2).await.unwrap(), 2);
    assert_eq!(counter.ask(CounterAdd { n: 3 }).await.unwrap(), 5);
    assert_eq!(counter.slowly(1).await.unwrap(), 6);
    assert_eq!(counter.divide(2).await.unwrap(), 3);
    assert!(
        matches!(counter.divide(0).await, Err(AskError::Handler(e)) if e == "division by zero")
    );
    counter.reset().tell().await.unwrap();
    assert_eq!(
        counter
            .add(1)
            .timeout(Duration::from_secs(5))
            .await
            .unwrap(),
        1
    );
    assert_eq!(counter.free_slots(), 4);
    counter.finish().await.unwrap();
    assert!(matches!(counter.join().await, ExitReason::Stopped));
    let error = counter.add(9).await.unwrap_err();
    assert_eq!(error.into_message::<CounterAdd>().unwrap().n, 9);
}

#[greenroom::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_askers_share_one_counter() {
    let counter = Builder::new(Counter { count: 0 }).mailbox(1).spawn();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let counter = counter.clone();
            greenroom::spawn(async move {
                for _ in 0..1000 {
                    counter.add(1).await.unwrap();
                    counter.add(1).tell().await.unwrap();
                    counter.slowly(1).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(counter.add(0).await.unwrap(), 24000);
    let weak = counter.downgrade();
    drop(counter);
    assert!(matches!(weak.join().await, ExitReason::Dropped));
    let _: Option<CounterHandle> = weak.upgrade();
}

#[test]
fn handles_are_one_pointer_wide() {
    assert_eq!(size_of::<CounterHandle>(), size_of::<usize>());
    assert_eq!(size_of::<Option<Handle<Counter>>>(), size_of::<usize>());
}
