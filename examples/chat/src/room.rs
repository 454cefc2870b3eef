//! A room: what is said in it comes to all who are in it, in one order.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use greenroom::{AnyHandle, Context, Down, Id, Lag, Topic, TopicStream, actor};

/// What is said, or what happens. Cheap to clone, since everybody gets it.
pub type Line = Arc<str>;

/// How much of what was said before a newcomer sees.
pub const KEPT: usize = 20;

/// How far a guest may be behind the others. Who is further behind has to go.
pub const BEHIND: usize = 256;

#[actor]
#[derive(Default)]
pub struct Room {
    guests: HashMap<Id, String>,
    kept: VecDeque<Line>,
    lines: Topic<Line>,
}

/// What a guest gets who comes in: between the two there is no gap, and no line twice.
pub struct Seat {
    pub before: Vec<Line>,
    pub lines: TopicStream<Line>,
}

#[actor]
impl Room {
    /// Takes a guest in, whose name nobody else here has.
    pub fn enter(
        &mut self,
        name: String,
        guest: AnyHandle,
        ctx: &mut Context<Self>,
    ) -> Result<Seat, NameTaken> {
        if self.guests.values().any(|other| *other == name) {
            return Err(NameTaken);
        }
        ctx.monitor(&guest); // however a guest ends, the room hears of it
        let before = self.kept.iter().cloned().collect();
        let lines = self.lines.subscriber().buffer(BEHIND).lag(Lag::Disconnect);
        let lines = lines.stream().expect("a topic has room for that many");
        self.publish(format!("* {name} comes in"));
        self.guests.insert(guest.id(), name);
        Ok(Seat { before, lines })
    }

    pub fn say(&mut self, name: String, text: String) {
        self.publish(format!("{name}: {text}"));
    }

    #[message]
    fn on_down(&mut self, down: Down) {
        if let Some(name) = self.guests.remove(&down.actor.id()) {
            self.publish(format!("* {name} leaves"));
        }
    }
}

impl Room {
    /// Waits for nobody, however slow some guest is.
    fn publish(&mut self, text: String) {
        let line = Line::from(text);
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(Arc::clone(&line));
        self.lines.publish(line);
    }
}

#[derive(Debug)]
pub struct NameTaken;

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("somebody of this name is here already")
    }
}

impl std::error::Error for NameTaken {}
