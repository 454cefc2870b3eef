//! Eight queens that do not threaten each other, by backtracking: at each row the world is forked
//! for every column, and a branch that cannot go on is abandoned.
//!
//! `cargo run --features world --example queens`

use std::convert::Infallible;

use greenroom::Error;
use greenroom::world::{Entry, Handlers, Program, Run, Scope, Site, Status, Step, World};

const COLUMN: Site = Site::named("column");
const BOARD: Entry<Vec<usize>> = Entry::named("board");

/// Puts a queen into each row.
#[derive(Debug, Clone)]
struct Queens {
    size: usize,
    row: usize,
}

impl Program for Queens {
    type Payload = usize;
    type Value = usize;
    type Output = ();
    type Error = Infallible;

    fn step(&mut self, _: &mut Scope<'_>, value: Option<usize>) -> Step<Self> {
        self.row += usize::from(value.is_some());
        if self.row == self.size {
            return Step::Done(());
        }
        Step::savepoint(COLUMN, self.row)
    }
}

/// Whether a queen of the next row may stand in this column.
fn is_free(board: &[usize], column: usize) -> bool {
    let mut rows = board.iter().rev().zip(1..);
    rows.all(|(&other, distance)| other != column && other.abs_diff(column) != distance)
}

/// All boards, and how many branches were looked at. The branches that wait are a stack.
fn solve(size: usize, world: World) -> Result<(Vec<Vec<usize>>, usize), Error> {
    let handlers = Handlers::<Queens>::new().on(COLUMN, |_savepoint| ());
    let mut waiting = vec![Run::start(world, Queens { size, row: 0 }, &handlers)];
    let (mut boards, mut branches) = (Vec::new(), 0);
    while let Some(mut run) = waiting.pop() {
        let board = run.world().and_then(|world| world.get(BOARD)).cloned();
        let board = board.unwrap_or_default();
        if run.status() == Status::Result {
            boards.push(board);
            continue;
        }
        for column in (0..size).rev().filter(|&column| is_free(&board, column)) {
            branches += 1;
            let mut fork = run.fork()?;
            if let Some(board) = fork.world_mut().and_then(|world| world.get_mut(BOARD)) {
                board.push(column);
            }
            fork.resume(column)?;
            waiting.push(fork);
        }
        run.abandon();
    }
    Ok((boards, branches))
}

fn main() -> Result<(), Error> {
    let mut world = World::new();
    world.insert(BOARD, Vec::new());
    let (boards, branches) = solve(8, world)?;
    for row in &boards[0] {
        let squares = (0..8).map(|column| if column == *row { " Q" } else { " ." });
        println!("{}", squares.collect::<String>());
    }
    println!("{} boards in {branches} branches", boards.len());
    assert_eq!(boards.len(), 92, "as is known since 1850");
    Ok(())
}
