//! Processes that are killed: this binary starts itself as the one that is.

#[cfg(unix)]
mod unix {
    use std::collections::BTreeSet;
    use std::env;
    use std::fs::{self, OpenOptions};
    use std::io::{BufRead, BufReader, Write};
    use std::path::Path;
    use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
    use std::time::Duration;

    use futures::StreamExt;
    use futures::stream::FuturesUnordered;
    use greenroom::remote::{Link, LinkEnd, Node, RemoteHandle};
    use greenroom::{AskError, Context, actor};

    /// Tells a hang from an answer.
    const LONG: Duration = Duration::from_secs(60);
    const ROLE: &str = "GREENROOM_PROCESSES_TEST";
    const SOCKET: &str = "socket";
    const BOOK: &str = "book";

    async fn within<F: Future>(future: F) -> F::Output {
        tokio::time::timeout(LONG, future).await.expect("a hang")
    }

    /// Writes down what it executes where a kill does not reach it.
    #[actor]
    struct Ledger {
        book: fs::File,
    }

    #[actor(remote)]
    impl Ledger {
        fn enter(&mut self, n: u64) -> u64 {
            // One write for a line: whole, or not at all.
            let line = format!("{n}\n");
            self.book.write_all(line.as_bytes()).expect("there is room");
            n
        }

        /// Tells the book when its asker has gone.
        async fn hold(&mut self, ctx: &mut Context<Self>) {
            ctx.asker_gone().await;
            self.enter(GONE);
        }
    }

    const GONE: u64 = u64::MAX;

    fn ledger(folder: &Path) -> LedgerHandle {
        let book = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join(BOOK))
            .expect("there is room");
        Ledger { book }.spawn()
    }

    fn book(folder: &Path) -> Vec<u64> {
        let text = fs::read_to_string(folder.join(BOOK)).unwrap_or_default();
        text.lines()
            .map(|line| line.parse().expect("a number"))
            .collect()
    }

    async fn connect(folder: &Path, node: &Node) -> (Link, RemoteHandle<Ledger>) {
        let link = within(node.connect(folder.join(SOCKET).as_path())).await;
        let link = link.expect("it listens");
        let ledger = within(link.lookup::<Ledger>("ledger")).await;
        (link, ledger.expect("it is exported"))
    }

    async fn serve(folder: &Path) -> ! {
        let node = Node::builder().build();
        let ledger = ledger(folder);
        node.export("ledger", &ledger).expect("it is free");
        let socket = folder.join(SOCKET);
        node.listen(socket.as_path()).await.expect("it is free");
        println!("ready");
        std::future::pending().await
    }

    async fn ask(folder: &Path) -> ! {
        let node = Node::builder().build();
        let (_link, ledger) = connect(folder, &node).await;
        let _ = ledger.hold().await;
        println!("answered");
        std::future::pending().await
    }

    fn child(role: &str) -> ExitCode {
        let (role, folder) = role.split_once(' ').expect("two words");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        match role {
            "serve" => runtime.block_on(serve(folder.as_ref())),
            _ => runtime.block_on(ask(folder.as_ref())),
        }
    }

    /// A process, killed when it is dropped.
    struct Process {
        child: Child,
        lines: BufReader<ChildStdout>,
    }

    impl Process {
        fn start(role: &str, folder: &Path) -> Self {
            let mut child = Command::new(env::current_exe().expect("a path"))
                .env(ROLE, format!("{role} {}", folder.display()))
                .stdout(Stdio::piped())
                .spawn()
                .expect("a child");
            let lines = BufReader::new(child.stdout.take().expect("it is piped"));
            Self { child, lines }
        }

        fn wait_for(&mut self, word: &str) {
            let mut line = String::new();
            while line.trim() != word {
                line.clear();
                let read = self.lines.read_line(&mut line).expect("a line");
                assert!(read > 0, "it ended without a word of {word}");
            }
        }
    }

    impl Drop for Process {
        fn drop(&mut self) {
            // SIGKILL: nothing of its own runs any more.
            self.child.kill().expect("it runs");
            self.child.wait().expect("it ends");
        }
    }

    /// What became of each number that was asked for.
    #[derive(Default)]
    struct Fates {
        answered: BTreeSet<u64>,
        handed_back: BTreeSet<u64>,
        unknown: BTreeSet<u64>,
    }

    impl Fates {
        fn note(&mut self, n: u64, outcome: Result<u64, AskError>) {
            let fates = match outcome {
                Ok(answer) => {
                    assert_eq!(answer, n, "the answer is another one's");
                    &mut self.answered
                }
                Err(AskError::NotHandled(_)) => &mut self.handed_back,
                Err(AskError::OutcomeUnknown(_)) => &mut self.unknown,
                Err(error) => panic!("{n}: {error:?}"),
            };
            assert!(fates.insert(n));
        }

        /// Nothing twice, all that was answered, nothing that was handed back.
        fn agree_with(&self, book: &[u64]) {
            let executed: BTreeSet<u64> = book.iter().copied().collect();
            assert_eq!(executed.len(), book.len(), "executed twice");
            assert!(self.answered.is_subset(&executed), "answered unexecuted");
            assert!(self.handed_back.is_disjoint(&executed), "handed back");
            let told: BTreeSet<u64> = self.answered.union(&self.unknown).copied().collect();
            assert!(executed.is_subset(&told), "executed, and nobody knows");
        }
    }

    /// Many asks are under way while their server is killed, and another one takes its place.
    async fn what_a_killed_server_executed_is_answered_or_unknown(seed: u64) {
        let folder = tempfile::tempdir().expect("there is room");
        let folder = folder.path();
        let node = Node::builder().build();
        let mut fates = Fates::default();
        let mut numbers = 0..;
        let mut server = Process::start("serve", folder);
        server.wait_for("ready");
        for round in 0..4 {
            let (link, ledger) = connect(folder, &node).await;
            let batch = numbers.by_ref().take(2_000).map(|n| {
                let enter = ledger.enter(n);
                async move { (n, enter.await) }
            });
            let mut asks: FuturesUnordered<_> = batch.collect();
            // Killed after so many answers, in the midst of the others.
            let answers = (seed * 7_919 + round * 613) % 1_900 + 1;
            for _ in 0..answers {
                let (n, outcome) = within(asks.next()).await.expect("there are more");
                fates.note(n, outcome);
            }
            drop(server);
            server = Process::start("serve", folder);
            server.wait_for("ready");
            while let Some((n, outcome)) = within(asks.next()).await {
                fates.note(n, outcome);
            }
            assert_eq!(within(link.ended()).await, LinkEnd::Forgotten);
        }
        fates.agree_with(&book(folder));
        assert!(!fates.answered.is_empty() && !fates.unknown.is_empty());
    }

    /// Its handlers learn that their asker has gone, and nothing of its session stays.
    async fn what_a_killed_client_asked_is_cancelled() {
        let folder = tempfile::tempdir().expect("there is room");
        let folder = folder.path();
        let node = Node::builder()
            .resume_within(Duration::from_millis(100))
            .build();
        let ledger = ledger(folder);
        node.export("ledger", &ledger).expect("it is free");
        let socket = folder.join(SOCKET);
        node.listen(socket.as_path()).await.expect("it is free");
        let asking = tokio::task::spawn_blocking({
            let folder = folder.to_owned();
            move || Process::start("ask", &folder)
        });
        let client = within(asking).await.expect("no panic");
        within(async {
            while node.metrics().asks_running == 0 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        drop(client);
        within(async {
            while node.metrics().sessions > 0 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert_eq!(within(ledger.enter(1)).await.expect("it lives"), 1);
        assert_eq!(book(folder), [GONE, 1]);
        assert_eq!(node.metrics().asks_running, 0);
    }

    pub(crate) fn main() -> ExitCode {
        if let Ok(role) = env::var(ROLE) {
            return child(&role);
        }
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        for seed in 0..5 {
            runtime.block_on(what_a_killed_server_executed_is_answered_or_unknown(seed));
        }
        runtime.block_on(what_a_killed_client_asked_is_cancelled());
        println!("killed processes: ok");
        ExitCode::SUCCESS
    }
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    unix::main()
}

#[cfg(not(unix))]
fn main() {}
