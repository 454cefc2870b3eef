//! Five philosophers, five forks, and a deadlock that is found and named.
//!
//! Each philosopher asks the one to the left for the fork between them, while it is itself asked by
//! the one to the right: at the first dinner all five wait in a circle. The newest wait fails with
//! the whole circle in its error; that philosopher lets go of its fork, and the others eat.
//!
//! ```sh
//! cargo run --example philosophers
//! ```

use std::sync::Arc;

use greenroom::{AskError, Error, WeakHandle, actor, ask_all};
use tokio::sync::Barrier;

#[actor]
struct Philosopher {
    name: &'static str,
    left: Option<WeakHandle<Philosopher>>,
    /// All have taken the fork on their right.
    taken: Arc<Barrier>,
}

#[actor]
impl Philosopher {
    fn sit(&mut self, left: WeakHandle<Philosopher>) {
        self.left = Some(left);
    }

    /// Hands over the fork on the right, which is in use until the handler that eats is done.
    fn hand_over(&mut self) {}

    /// Eats with both forks, or says what is in the way.
    async fn dine(&mut self) -> String {
        self.taken.wait().await;
        let left = self.left.as_ref().and_then(WeakHandle::upgrade);
        let Some(left) = left else {
            return format!("{} has no neighbour", self.name);
        };
        match left.hand_over().await {
            Ok(()) => format!("{} eats", self.name),
            Err(AskError::Deadlock(circle)) => format!("{} goes without: {circle}", self.name),
            Err(error) => format!("{} goes without: {error}", self.name),
        }
    }
}

#[greenroom::main]
async fn main() -> Result<(), Error> {
    let names = ["Aristotle", "Hypatia", "Kant", "Simone", "Zhuangzi"];
    let taken = Arc::new(Barrier::new(names.len()));
    let table = names.map(|name| {
        let taken = Arc::clone(&taken);
        let philosopher = Philosopher {
            name,
            left: None,
            taken,
        };
        greenroom::Builder::new(philosopher).name(name).spawn()
    });
    for (seat, philosopher) in table.iter().enumerate() {
        let left = &table[(seat + 1) % table.len()];
        philosopher.sit(left.downgrade()).await?;
    }
    for said in ask_all(table.iter().map(|philosopher| philosopher.dine())).await {
        println!("{}", said?);
    }
    Ok(())
}
