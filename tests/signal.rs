//! Real signals, to a process of its own: this binary starts itself as the child that gets them.

#[cfg(unix)]
mod unix {
    use std::env;
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
    use std::time::Duration;

    use greenroom::shutdown::Report;
    use greenroom::{Error, actor, run_until_signal};

    /// Far more than anything here takes.
    const LONG: Duration = Duration::from_secs(60);
    const ROLE: &str = "GREENROOM_SIGNAL_TEST";

    #[actor(mailbox = 64)]
    struct Clerk {
        done: u32,
        hangs: bool,
    }

    #[actor]
    impl Clerk {
        async fn work(&mut self) {
            if self.hangs {
                println!("busy");
                std::future::pending::<()>().await;
            }
            self.done += 1;
        }

        #[on(stop)]
        fn end(&mut self) {
            println!("done {}", self.done);
        }
    }

    async fn serve(hangs: bool) -> Result<Report, Error> {
        let clerk = Clerk { done: 0, hangs }.spawn();
        let stopping = run_until_signal(LONG);
        let mut stopping = std::pin::pin!(stopping);
        // The first poll listens: a signal before it would end the process.
        let first = std::future::poll_fn(|cx| {
            std::task::Poll::Ready(stopping.as_mut().poll(cx).is_ready())
        });
        assert!(!first.await);
        for _ in 0..10 {
            clerk.work().tell().await?;
        }
        println!("ready");
        let report = stopping.await?;
        println!("{report}");
        Ok(report)
    }

    fn child(role: &str) -> ExitCode {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let report = runtime.block_on(serve(role == "hangs"));
        std::process::Termination::report(report)
    }

    struct Served {
        child: Child,
        lines: BufReader<std::process::ChildStdout>,
    }

    impl Served {
        fn start(role: &str) -> Self {
            let mut child = Command::new(env::current_exe().expect("a path"))
                .env(ROLE, role)
                .stdout(Stdio::piped())
                .spawn()
                .expect("a child");
            let lines = BufReader::new(child.stdout.take().expect("it is piped"));
            Self { child, lines }
        }

        fn wait_for(&mut self, words: &[&str]) {
            let mut open: Vec<&str> = words.to_vec();
            while !open.is_empty() {
                let mut line = String::new();
                let read = self.lines.read_line(&mut line).expect("a line");
                assert!(read > 0, "it ended without {open:?}");
                open.retain(|word| *word != line.trim());
            }
        }

        fn signal(&self, signal: &str) {
            let pid = self.child.id().to_string();
            let status = Command::new("kill").args([signal, &pid]).status();
            assert!(status.expect("kill runs").success());
        }

        fn end(mut self) -> (ExitStatus, String) {
            let mut rest = String::new();
            self.lines.read_to_string(&mut rest).expect("text");
            (self.child.wait().expect("it ends"), rest)
        }
    }

    fn what_was_accepted_is_handled_after_a_signal(signal: &str) {
        let mut served = Served::start("works");
        served.wait_for(&["ready"]);
        served.signal(signal);
        let (status, rest) = served.end();
        assert_eq!(status.code(), Some(0), "{rest}");
        assert!(rest.contains("done 10"), "{rest}");
        assert!(rest.contains("actors stopped: 1"), "{rest}");
    }

    fn a_second_signal_kills_at_once_and_the_exit_code_tells() {
        let mut served = Served::start("hangs");
        served.wait_for(&["ready", "busy"]);
        served.signal("-TERM");
        // Two that come together may be one: they are repeated until it has ended.
        while served.child.try_wait().expect("a child").is_none() {
            served.signal("-INT");
            std::thread::yield_now();
        }
        let (status, rest) = served.end();
        assert_eq!(status.code(), Some(1), "{rest}");
        assert!(!rest.contains("done"), "no stop hook runs: {rest}");
        assert!(rest.contains("messages not delivered: 9"), "{rest}");
        assert!(rest.contains("killed: 1 (Clerk#"), "{rest}");
    }

    pub(crate) fn main() -> ExitCode {
        if let Ok(role) = env::var(ROLE) {
            return child(&role);
        }
        for signal in ["-TERM", "-INT"] {
            what_was_accepted_is_handled_after_a_signal(signal);
        }
        a_second_signal_kills_at_once_and_the_exit_code_tells();
        println!("signals: ok");
        ExitCode::SUCCESS
    }
}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    unix::main()
}

#[cfg(not(unix))]
fn main() {}
