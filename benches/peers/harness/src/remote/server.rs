//! The other process.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use super::peer::Peer;
use crate::machine;

/// Says to the server that it has one CPU, the first.
const PINNED: &str = "GREENROOM_PEERS_PINNED";

/// A process that serves. It is killed when this is dropped.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    /// Starts one, on a CPU that it shares with this process if it is `pinned`.
    pub fn start<P: Peer>(pinned: bool) -> Self {
        let mut command = Command::new(env::current_exe().expect("the path of this program"));
        command
            .args(["--suite", "remote", "--peer", P::NAME, "--serve"])
            .args(["--workers", &machine::workers().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        if pinned {
            command.env(PINNED, "1");
            machine::pin_to_cpu(0);
        }
        let mut child = command.spawn().expect("this program can be started");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut address = String::new();
        let read = lines.read_line(&mut address);
        read.expect("the server says where it is");
        Self {
            child,
            address: address.trim().to_owned(),
        }
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, and then a cell has failed anyway.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until it is killed.
pub fn serve<P: Peer>() {
    if env::var_os(PINNED).is_some() {
        machine::pin_to_cpu(0);
    }
    P::run(P::serve(|address| {
        println!("{address}");
        std::io::stdout().flush().expect("somebody reads where");
    }));
}
