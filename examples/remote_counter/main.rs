//! A counter that other processes ask: one command serves, another asks.
//!
//! ```sh
//! cargo run --features remote --example remote_counter -- serve
//! cargo run --features remote --example remote_counter -- ask
//! ```
//!
//! They meet at a socket in the directory for temporary files, which only processes of the same
//! user can use. A third word is another address, such as `127.0.0.1:4000`: there any process could
//! connect, so both sides need the same secret of 16 bytes or more in `REMOTE_COUNTER_TOKEN`.
//!
//! With `--tls` what they say is encrypted, and each shows a certificate. Who serves makes both,
//! and leaves that of who asks in the same directory, where none but the same user can read it:
//!
//! ```sh
//! cargo run --features remote-tls --example remote_counter -- serve 127.0.0.1:4000 --tls
//! cargo run --features remote-tls --example remote_counter -- ask 127.0.0.1:4000 --tls
//! ```

#[cfg(feature = "remote-tls")]
mod certificates;

use std::env;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use greenroom::remote::{Address, Node, NodeBuilder, Token};
use greenroom::{Error, actor};

/// The sum of what it was given.
#[actor]
struct Counter {
    sum: u64,
}

#[actor(remote)] // its messages come from other processes, too
impl Counter {
    /// Adds `n`, returns the new sum.
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    /// Takes `n` away, if there is so much.
    fn take(&mut self, n: u64) -> Result<u64, String> {
        let left = self.sum.checked_sub(n);
        self.sum = left.ok_or(format!("{} is less than {n}", self.sum))?;
        Ok(self.sum)
    }
}

/// A node, with the token that the environment has.
fn node(node: NodeBuilder) -> Result<Node, Error> {
    Ok(match env::var("REMOTE_COUNTER_TOKEN") {
        Ok(token) => node.token(Token::new(token)?).build(),
        Err(_) => node.build(),
    })
}

/// Offers a counter, at the address that is returned.
async fn serve(node: &Node, address: Address) -> Result<Address, Error> {
    node.export("counter", &Counter { sum: 0 }.spawn())?;
    Ok(node.listen(address).await?)
}

/// Asks the counter of another process, and says what it answered last.
async fn ask(node: &Node, address: Address) -> Result<u64, Error> {
    let link = node.connect(address).await?;
    let counter = link.lookup::<Counter>("counter").await?;
    println!("one ask: {}", counter.add(1).await?);

    counter.add(1).tell().await?; // one way
    match counter.take(1_000_000_000).await {
        Ok(left) => println!("{left} are left"),
        Err(error) => println!("its own error comes back: {error}"),
    }
    let limit = Duration::from_secs(5);
    println!("with a limit: {}", counter.add(1).timeout(limit).await?);

    let begun = Instant::now();
    let mut replies = Vec::new();
    for _ in 0..10_000 {
        replies.push(counter.add(1).enqueue().await?); // sent, and not waited for
    }
    let mut last = 0;
    for reply in replies {
        last = reply.await?;
    }
    let metrics = link.metrics();
    println!(
        "ten thousand at a time: {last}, after {:?}, with {} writes",
        begun.elapsed(),
        metrics.writes
    );
    link.close().await;
    Ok(last)
}

async fn run(command: &str, address: Address, is_tls: bool) -> Result<(), Error> {
    let node = node(match is_tls {
        true => encrypted(Node::builder(), command)?,
        false => Node::builder(),
    })?;
    match command {
        "serve" => {
            println!("a counter is at {}", serve(&node, address).await?);
            tokio::signal::ctrl_c().await?;
            node.close().await;
        }
        _ => {
            ask(&node, address).await?;
        }
    }
    Ok(())
}

#[cfg(feature = "remote-tls")]
fn encrypted(node: NodeBuilder, command: &str) -> Result<NodeBuilder, Error> {
    let folder = env::temp_dir().join("greenroom_remote_counter.tls");
    Ok(node.tls(match command {
        "serve" => certificates::make(&folder)?,
        _ => certificates::find(&folder)?,
    }))
}

#[cfg(not(feature = "remote-tls"))]
fn encrypted(_: NodeBuilder, _: &str) -> Result<NodeBuilder, Error> {
    Err(std::io::Error::other("for `--tls` it is built with the feature `remote-tls`").into())
}

fn default_address() -> Address {
    #[cfg(unix)]
    return Address::Unix(env::temp_dir().join("greenroom_remote_counter.sock"));
    #[cfg(not(unix))]
    return Address::from("127.0.0.1:4000");
}

#[greenroom::main]
async fn main() -> ExitCode {
    let (flags, words): (Vec<_>, Vec<_>) =
        env::args().skip(1).partition(|word| word.starts_with("--"));
    let is_tls = flags == ["--tls"];
    let mut words = words.into_iter();
    let command = words.next().unwrap_or_default();
    if !matches!(&*command, "serve" | "ask") || (!flags.is_empty() && !is_tls) {
        eprintln!("usage: remote_counter serve|ask [ADDRESS] [--tls]");
        return ExitCode::from(2);
    }
    let address = words.next().map_or_else(default_address, Address::from);
    match run(&command, address, is_tls).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("remote_counter: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[greenroom::test]
    async fn both_halves_understand_each_other() {
        let folder = tempfile::tempdir().expect("there is room");
        let address = Address::Unix(folder.path().join("socket"));
        let server = Node::builder().build();
        let address = serve(&server, address).await.expect("it is free");
        let client = Node::builder().build();
        assert_eq!(ask(&client, address).await.expect("it is served"), 10_003);
    }

    #[cfg(feature = "remote-tls")]
    #[greenroom::test]
    async fn both_halves_understand_each_other_encrypted() {
        let folder = tempfile::tempdir().expect("there is room");
        let server = certificates::make(folder.path()).expect("there is room");
        let server = Node::builder().tls(server).build();
        let address = Address::from("127.0.0.1:0");
        let address = serve(&server, address).await.expect("it is free");
        let client = certificates::find(folder.path()).expect("they were made");
        let client = Node::builder().tls(client).build();
        assert_eq!(ask(&client, address).await.expect("it is served"), 10_003);
    }
}
