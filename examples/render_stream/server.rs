//! The other process.

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::{BuildHasher, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use greenroom::Error;
use greenroom::remote::{Node, Token};
use tokio::net::TcpListener;

use crate::canvas::{Canvas, Gauge};
use crate::floor::Floor;

/// The variable by which the server has the secret.
const SECRET: &str = "RENDER_STREAM_TOKEN";

/// How the canvases are reached.
pub(crate) struct Place {
    pub(crate) greenroom: String,
    pub(crate) floor: String,
    /// What both sides know, and others do not: any process could connect.
    pub(crate) secret: String,
}

impl Place {
    /// A node that shows the secret, and asks for it.
    pub(crate) fn node(secret: &str) -> Result<Node, Error> {
        let token = Token::new(secret)?;
        Ok(Node::builder().token(token).build())
    }
}

/// A server in a process of its own, which ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) place: Place,
}

impl Server {
    pub(crate) fn start() -> Result<Self, Error> {
        let secret = secret();
        let mut child = Command::new(env::current_exe()?)
            .arg("serve")
            .env(SECRET, &secret)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line)?;
        let mut addresses = line.split_whitespace().map(str::to_owned);
        let mut next = || addresses.next().unwrap_or_default();
        let (greenroom, floor) = (next(), next());
        let place = Place {
            greenroom,
            floor,
            secret,
        };
        Ok(Self { child, place })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take()); // the sign to end
        drop(self.child.wait());
    }
}

pub(crate) fn secret() -> String {
    let half = || format!("{:016x}", RandomState::new().build_hasher().finish());
    half() + &half()
}

/// Serves until its input ends.
pub(crate) async fn serve() -> Result<(), Error> {
    let secret = env::var(SECRET).unwrap_or_default();
    let (_node, place) = serve_here(secret).await?;
    println!("{} {}", place.greenroom, place.floor);
    let end = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    drop(end.await);
    Ok(())
}

/// Serves in this process, as long as the node lives.
pub(crate) async fn serve_here(secret: String) -> Result<(Node, Place), Error> {
    let node = Place::node(&secret)?;
    node.export("canvas", &Canvas::default().spawn())?;
    node.export("gauge", &Gauge { node: node.clone() }.spawn())?;
    let greenroom = node.listen("127.0.0.1:0").await?.to_string();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let floor = listener.local_addr()?.to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(Floor::serve(stream));
        }
    });
    let place = Place {
        greenroom,
        floor,
        secret,
    };
    Ok((node, place))
}
