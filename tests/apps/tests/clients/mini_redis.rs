//! Mini-redis, the sample app of tokio's authors, with nothing changed but its manifest: its own
//! tests, and its server under redis' own clients.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdout, Command};

use crate::support::within;

/// Where its sources are, with its programs built.
static SOURCES: LazyLock<PathBuf> = LazyLock::new(|| {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/mini-redis.sh");
    let output = std::process::Command::new("bash")
        .arg(script)
        .env("CARGO_TARGET_DIR", target())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    PathBuf::from(text.lines().last().unwrap())
});

/// The target folder, which has `debug/deps` with this program in it.
fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.ancestors().nth(3).unwrap().to_path_buf()
}

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    async fn start() -> Self {
        let mut child = Command::new(target().join("debug/mini-redis-server"))
            .args(["--port", "0"])
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let listens = async {
            loop {
                if let Some(port) = listening_port(child.id().unwrap()) {
                    return port;
                }
                assert!(child.try_wait().unwrap().is_none(), "it ended at once");
                tokio::task::yield_now().await;
            }
        };
        let port = within("the start", listens).await;
        Self { child, port }
    }

    /// What redis-cli prints for a command.
    async fn ask(&self, command: &[&str]) -> String {
        let port = self.port.to_string();
        let mut client = Command::new("redis-cli");
        client.args(["-p", &port]).args(command).kill_on_drop(true);
        let output = within("the answer", client.output()).await.unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Ends it as a user would.
    async fn end(mut self) {
        let id = i32::try_from(self.child.id().unwrap()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), Signal::INT).unwrap();
        let status = within("the end", self.child.wait()).await.unwrap();
        assert!(status.success(), "{status}");
    }
}

/// The port on which a process listens, as the kernel's tables say.
fn listening_port(process: u32) -> Option<u16> {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let files = fs::read_dir(folder.join("fd")).ok()?.flatten();
    let targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    let sockets: Vec<_> = targets
        .filter_map(|target| {
            let inode = target.to_str()?.strip_prefix("socket:[")?;
            Some(inode.strip_suffix(']')?.to_owned())
        })
        .collect();
    let table = fs::read_to_string(folder.join("net/tcp")).ok()?;
    table.lines().skip(1).find_map(|line| {
        // Its number, local and remote address, state (0A listens), five more, its inode.
        let fields: Vec<_> = line.split_whitespace().collect();
        let [_, local, _, "0A", .., _] = fields[..] else {
            return None;
        };
        let is_its = sockets
            .iter()
            .any(|inode| fields.get(9) == Some(&inode.as_str()));
        let port = local.rsplit(':').next()?;
        is_its.then(|| u16::from_str_radix(port, 16).ok())?
    })
}

fn is_there(tool: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&paths).any(|folder| folder.join(tool).is_file());
    if !there {
        // Past the capture of the test's output.
        let _ = writeln!(std::io::stderr(), "-- passed over: {tool} is not there");
    }
    there
}

#[test]
fn its_own_tests_pass() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["test", "-q", "--manifest-path"])
        .arg(SOURCES.join("Cargo.toml"))
        // It fails on tokio too, whose paused clock no longer waits for sockets.
        .args(["--", "--skip", "key_value_timeout"])
        .env("CARGO_TARGET_DIR", target())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    for passed in ["1 passed", "4 passed", "5 passed"] {
        let result = format!("test result: ok. {passed}");
        assert!(text.contains(&result), "no {passed} in {text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_server_answers_redis_clients_and_ends_cleanly() {
    if !is_there("redis-cli") {
        return;
    }
    assert!(Path::new(&*SOURCES).is_dir());
    let server = Server::start().await;
    assert_eq!(server.ask(&["SET", "colour", "green"]).await, "OK");
    assert_eq!(server.ask(&["GET", "colour"]).await, "green");
    assert_eq!(server.ask(&["GET", "nothing"]).await, "");
    // What this server does not know, it says so.
    assert_eq!(server.ask(&["PING"]).await, "ERR unknown command 'ping'");

    let own = Command::new(target().join("debug/mini-redis-cli"))
        .args(["--port", &server.port.to_string(), "get", "colour"])
        .output();
    let own = within("its own client", own).await.unwrap();
    assert_eq!(own.stdout, b"\"green\"\n");

    // Who is connected is told of the end.
    let mut idle = TcpStream::connect(("127.0.0.1", server.port))
        .await
        .unwrap();
    idle.write_all(b"*2\r\n$3\r\nGET\r\n$6\r\ncolour\r\n")
        .await
        .unwrap();
    let mut reply = [0; 11];
    within("the reply", idle.read_exact(&mut reply))
        .await
        .unwrap();
    assert_eq!(&reply, b"$5\r\ngreen\r\n");
    server.end().await;
    assert_eq!(within("the close", idle.read(&mut reply)).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_subscribers_hear_what_redis_clients_publish() {
    if !is_there("redis-cli") {
        return;
    }
    assert!(Path::new(&*SOURCES).is_dir());
    let server = Server::start().await;
    let mut subscribers = Vec::new();
    for _ in 0..3 {
        let mut child = Command::new("redis-cli")
            .args(["-p", &server.port.to_string(), "SUBSCRIBE", "news"])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        expect(&mut lines, ["subscribe", "news", "1"]).await;
        subscribers.push((child, lines));
    }
    for number in 0..10 {
        let text = format!("story {number}");
        assert_eq!(server.ask(&["PUBLISH", "news", &text]).await, "3");
        for (_, lines) in &mut subscribers {
            expect(lines, ["message", "news", &text]).await;
        }
    }
    for (child, _) in &mut subscribers {
        within("the subscriber's end", child.kill()).await.unwrap();
    }
    server.end().await;
}

async fn expect(lines: &mut Lines<BufReader<ChildStdout>>, expected: [&str; 3]) {
    for part in expected {
        let line = within("a line", lines.next_line()).await.unwrap();
        assert_eq!(line.as_deref(), Some(part));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_server_bears_redis_benchmark() {
    if !is_there("redis-benchmark") {
        return;
    }
    assert!(Path::new(&*SOURCES).is_dir());
    let server = Server::start().await;
    let benchmark = Command::new("redis-benchmark")
        .args(["-p", &server.port.to_string(), "-q"])
        .args(["-t", "set,get", "-n", "10000", "-c", "50", "-d", "8"])
        .kill_on_drop(true)
        .output();
    let output = within("the benchmark's end", benchmark).await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    for command in ["SET", "GET"] {
        let result = text
            .split(['\r', '\n'])
            .find(|line| line.starts_with(command) && line.contains("requests per second"));
        assert!(result.is_some(), "no result for {command} in {text}");
    }
    assert_eq!(server.ask(&["GET", "key:__rand_int__"]).await.len(), 8);
    server.end().await;
}
