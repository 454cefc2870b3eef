//! A chat of several terminals: one process has the rooms, each an actor, and the others are
//! members, who say what is typed and show what others say.
//!
//! ```sh
//! cargo run --features remote --example remote_chat -- serve
//! cargo run --features remote --example remote_chat -- join lobby ann
//! cargo run --features remote --example remote_chat -- demo
//! ```
//!
//! They meet at a socket in the directory for temporary files, which only processes of the same
//! user can use. A last word is another address, such as `127.0.0.1:4001`, for which all need the
//! same secret of 16 bytes or more in `REMOTE_CHAT_TOKEN`. `demo` needs no terminal: it has the
//! rooms in a second process, and two members who talk.

use std::collections::hash_map::{Entry, HashMap};
use std::env;
use std::process::Stdio;
use std::time::Duration;

use greenroom::remote::{Address, Link, Node, RemoteHandle, Token};
use greenroom::{Delegated, Error, ReplyTo, actor};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::process::Command;
use tokio::sync::mpsc;

/// All that was said, and who waits for more.
#[actor]
#[derive(Default)]
struct Room {
    lines: Vec<String>,
    waiting: Vec<ReplyTo<Vec<String>>>,
}

#[actor(remote)]
impl Room {
    fn say(&mut self, who: String, line: String) {
        let line = format!("{who}: {line}");
        for waiting in self.waiting.drain(..) {
            let _ = waiting.send(vec![line.clone()]); // it may have gone
        }
        self.lines.push(line);
    }

    /// The lines after the first `seen`; waits for one.
    fn lines_after(&mut self, seen: usize) -> Delegated<Vec<String>> {
        if let Some(lines @ [_, ..]) = self.lines.get(seen..) {
            return Delegated::ready(lines.to_vec());
        }
        let (reply, later) = Delegated::new();
        self.waiting.retain(ReplyTo::is_wanted);
        self.waiting.push(reply);
        later
    }
}

/// Opens rooms.
#[actor]
struct House(Node, HashMap<String, RoomHandle>);

#[actor(remote)]
impl House {
    /// Gives the name by which the room is found.
    fn open(&mut self, room: String) -> Result<String, String> {
        let Self(node, rooms) = self;
        let name = format!("room {room}");
        if let Entry::Vacant(place) = rooms.entry(room) {
            let room = place.insert(Room::default().spawn());
            let exported = node.export(&name, room);
            exported.map_err(|error| error.to_string())?;
        }
        Ok(name)
    }
}

/// A node, with the token that the environment has.
fn node() -> Result<Node, Error> {
    let node = Node::builder();
    Ok(match env::var("REMOTE_CHAT_TOKEN") {
        Ok(token) => node.token(Token::new(token)?).build(),
        Err(_) => node.build(),
    })
}

async fn serve(node: &Node, address: Address) -> Result<Address, Error> {
    node.export("house", &House(node.clone(), HashMap::new()).spawn())?;
    Ok(node.listen(address).await?)
}

/// Finds a room, which is opened if need be.
async fn enter(address: Address, room: &str) -> Result<(Link, RemoteHandle<Room>), Error> {
    let link = node()?.connect(address).await?;
    let house = link.lookup::<House>("house").await?;
    let name = house.open(room.to_owned()).await?;
    let room = link.lookup::<Room>(&name).await?;
    Ok((link, room))
}

/// Passes on what is said, until nobody takes it or the room is gone.
async fn listen(room: RemoteHandle<Room>, shown: mpsc::Sender<String>) -> Result<(), Error> {
    let mut seen = 0;
    loop {
        let hours = Duration::from_secs(36_000); // it may be long until somebody speaks
        for line in room.lines_after(seen).timeout(hours).await? {
            seen += 1;
            if shown.send(line).await.is_err() {
                return Ok(());
            }
        }
    }
}

/// Says each line that is typed, and shows what is said.
async fn join(room: RemoteHandle<Room>, who: &str) -> Result<(), Error> {
    let (shown, mut to_show) = mpsc::channel(16);
    tokio::spawn(listen(room.clone(), shown));
    let mut typed = BufReader::new(stdin()).lines();
    loop {
        tokio::select! {
            line = typed.next_line() => match line? {
                Some(line) => room.say(who.to_owned(), line).await?,
                None => return Ok(()),
            },
            line = to_show.recv() => match line {
                Some(line) => println!("{line}"),
                None => return Ok(()), // the room is gone
            },
        }
    }
}

/// Two members, each with a link of its own. Gives what the second one saw.
async fn talk(address: Address) -> Result<Vec<String>, Error> {
    let (_ann_link, ann) = enter(address.clone(), "lobby").await?;
    let (_bob_link, bob) = enter(address, "lobby").await?;
    let (shown, mut to_bob) = mpsc::channel(16);
    tokio::spawn(listen(bob, shown));
    let mut seen = Vec::new();
    for line in ["hello", "is anybody here?"] {
        ann.say("ann".to_owned(), line.to_owned()).await?;
        seen.extend(to_bob.recv().await);
    }
    Ok(seen)
}

fn default_address() -> Address {
    #[cfg(unix)]
    return Address::Unix(env::temp_dir().join("greenroom_remote_chat.sock"));
    #[cfg(not(unix))]
    return Address::from("127.0.0.1:4001");
}

#[greenroom::main]
async fn main() -> Result<(), Error> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let address = |word: Option<&&str>| word.map_or_else(default_address, |at| Address::from(*at));
    match *words {
        ["serve", ref rest @ ..] => {
            let node = node()?;
            println!(
                "rooms are at {}",
                serve(&node, address(rest.first())).await?
            );
            tokio::signal::ctrl_c().await?;
            node.close().await;
        }
        ["join", room, who, ref rest @ ..] => {
            let (link, room) = enter(address(rest.first()), room).await?;
            join(room, who).await?;
            link.close().await;
        }
        ["demo", ref rest @ ..] => {
            let mut server = Command::new(env::current_exe()?);
            server.arg("serve").args(rest).stdout(Stdio::piped());
            let mut server = server.kill_on_drop(true).spawn()?;
            let output = BufReader::new(server.stdout.take().expect("it is piped"));
            output.lines().next_line().await?; // it is there
            for line in talk(address(rest.first())).await? {
                println!("bob sees {line}");
            }
        }
        _ => eprintln!("usage: remote_chat serve|demo [ADDRESS] | join ROOM NAME [ADDRESS]"),
    }
    Ok(())
}

#[cfg(all(test, unix))]
#[greenroom::test]
async fn what_one_member_says_another_sees() {
    let folder = tempfile::tempdir().expect("there is room");
    let address = Address::Unix(folder.path().join("socket"));
    let node = node().expect("no token is set");
    let address = serve(&node, address).await.expect("it is free");
    let seen = talk(address).await.expect("it is served");
    assert_eq!(seen, ["ann: hello", "ann: is anybody here?"]);
    node.close().await;
}
