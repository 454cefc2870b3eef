//! A client that blocks, and hides a runtime of its own, inside a handler.

use greenroom::{AskError, ExitReason, actor};
use greenroom_apps::board::{Board, serve};
use tokio::sync::oneshot;

use crate::support::{listener, within};

#[actor]
struct Fetcher {
    fetched: usize,
}

#[actor]
impl Fetcher {
    fn fetch(&mut self, url: String) -> String {
        self.fetched += 1;
        tokio::task::block_in_place(|| fetch_blocking(&url))
    }

    fn fetch_without_a_section(&mut self, url: String) -> String {
        fetch_blocking(&url)
    }

    fn count(&self) -> usize {
        self.fetched
    }
}

fn fetch_blocking(url: &str) -> String {
    reqwest::blocking::get(url).unwrap().text().unwrap()
}

const CLEAR: &str = "Cannot drop a runtime in a context where blocking is not allowed";

async fn served<T>(client: impl AsyncFnOnce(String) -> T) -> T {
    let (listener, address) = listener().await;
    let (board, _tally) = Board::open();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, board, async {
        let _ = stopped.await;
    }));
    let answer = client(format!("http://{address}/shout?text=hello")).await;
    drop(stop);
    within("the server's end", server).await.unwrap().unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocking_client_works_in_a_blocking_section_of_a_handler() {
    served(async |url| {
        let fetchers: Vec<_> = (0..2).map(|_| Fetcher { fetched: 0 }.spawn()).collect();
        for _ in 0..10 {
            for fetcher in &fetchers {
                let text = within("the text", fetcher.fetch(url.clone())).await;
                assert_eq!(text.unwrap(), "HELLO");
            }
        }
        for fetcher in fetchers {
            assert_eq!(within("the count", fetcher.count()).await.unwrap(), 10);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocking_client_in_a_handler_without_a_section_panics_clearly() {
    served(async |url| {
        let fetcher = Fetcher { fetched: 0 }.spawn();
        let fetched = fetcher.fetch_without_a_section(url.clone());
        let error = within("the error", fetched).await.unwrap_err();
        let AskError::Interrupted(interrupted) = error else {
            panic!("{error}");
        };
        let Some(ExitReason::Panicked(crash)) = interrupted.reason() else {
            panic!("{interrupted}");
        };
        assert!(crash.text().contains(CLEAR), "{crash}");
        // The worker is as good as before.
        let fetcher = Fetcher { fetched: 0 }.spawn();
        let text = within("the text", fetcher.fetch(url)).await;
        assert_eq!(text.unwrap(), "HELLO");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocking_client_in_a_task_without_a_section_panics_clearly() {
    served(async |url| {
        let task = tokio::spawn(async move { fetch_blocking(&url) });
        let error = within("the error", task).await.unwrap_err();
        let payload = error.into_panic();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        assert!(text.is_some_and(|text| text.contains(CLEAR)), "{text:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_runtime_of_its_own_works_in_a_blocking_section() {
    let task = tokio::spawn(async {
        tokio::task::block_in_place(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async { tokio::spawn(async { 6 * 7 }).await.unwrap() })
        })
    });
    assert_eq!(within("the answer", task).await.unwrap(), 42);
}
