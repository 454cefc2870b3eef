//! Moves of one choice at a time: fork the world at the choice, propose there, keep the other
//! choices but weigh them anew, and accept the new world or keep the old one.

use greenroom::Error;
use greenroom::world::{Handlers, Run, Status, Stream, World};

use crate::golf::{
    COEFFICIENT, Golf, Offer, PUTTS, TRACE, Trace, from_prior, log_binomial, log_prior,
};
use crate::normal::Draw;

/// Keeps the choices of the trace but for the one that is proposed, and weighs everything.
///
/// `leaves` says which choices are left to the owner of the run, to be anchored there.
#[must_use]
pub fn handlers(leaves: bool) -> Handlers<Golf> {
    Handlers::<Golf>::new()
        .on(COEFFICIENT, move |mut savepoint| {
            if leaves {
                return;
            }
            let (payload, world) = savepoint.split();
            let Offer::Coefficient(index) = *payload else {
                return;
            };
            let Some(trace) = world.get_mut(TRACE) else {
                return;
            };
            let value = trace.values[index];
            trace.prior[index] = log_prior(value);
            savepoint.resume(value);
        })
        .on(PUTTS, |mut savepoint| {
            let (payload, world) = savepoint.split();
            if let (Offer::Putts { made, tried, logit }, Some(trace)) =
                (*payload, world.get_mut(TRACE))
            {
                trace.likelihood += log_binomial(made, tried, logit);
            }
            savepoint.resume(0.0);
        })
}

/// A state of the chain: anchors at both choices, and the trace of the run to the end.
#[derive(Debug)]
pub struct State {
    /// Waiting at the choices of a and of b.
    anchors: [Run<Golf>; 2],
    /// How the run to the end has come out.
    pub trace: Trace,
}

/// A world in which the program has not begun.
fn first(program: Golf, seed: u64, leaving: &Handlers<Golf>) -> Run<Golf> {
    let mut world = World::seeded(seed);
    world.insert(TRACE, Trace::default());
    Run::start(world, program, leaving)
}

/// Answers a choice that is left to us, and notes it in the run's world.
fn choose(run: &mut Run<Golf>, index: usize, value: f64) -> Result<Status, Error> {
    if let Some(trace) = run.world_mut().and_then(|world| world.get_mut(TRACE)) {
        trace.values[index] = value;
        trace.prior[index] = log_prior(value);
    }
    Ok(run.resume(value)?)
}

/// The trace of a run.
#[must_use]
pub fn trace(run: &Run<Golf>) -> Trace {
    let trace = run.world().and_then(|world| world.get(TRACE));
    trace.copied().unwrap_or_default()
}

/// The chain, and what its moves have come to.
#[derive(Debug)]
pub struct Chain {
    /// Where it is.
    pub state: State,
    /// How far it proposes to go, in a and in b.
    pub steps: [f64; 2],
    /// How many moves were accepted.
    pub accepted: usize,
    /// What the likelihood is raised to.
    pub temperature: f64,
    stream: Stream,
    draw: Draw,
    keeping: Handlers<Golf>,
}

impl Chain {
    /// A chain that begins at a choice from the prior.
    ///
    /// # Errors
    ///
    /// When a run is not where it should be.
    pub fn begin(program: Golf, seed: u64, steps: [f64; 2]) -> Result<Self, Error> {
        let mut stream = Stream::seeded(seed);
        let draw = Draw::default();
        let values = [(); 2].map(|()| from_prior(draw, &mut stream));
        let (leaving, keeping) = (handlers(true), handlers(false));
        let state = State::new(program, seed, values, &leaving, &keeping)?;
        Ok(Self {
            state,
            steps,
            accepted: 0,
            temperature: 1.0,
            stream,
            draw,
            keeping,
        })
    }

    /// Another chain at the same place, whose moves are its own.
    ///
    /// # Errors
    ///
    /// When a run is not where it should be.
    pub fn fork(&mut self, seed: u64) -> Result<Self, Error> {
        let [a, b] = &mut self.state.anchors;
        Ok(Self {
            state: State {
                anchors: [a.fork()?, b.fork()?],
                trace: self.state.trace,
            },
            stream: Stream::seeded(seed),
            keeping: self.keeping.clone(),
            ..*self
        })
    }

    /// One move of the choice `index`.
    ///
    /// # Errors
    ///
    /// When a run is not where it should be.
    pub fn step(&mut self, index: usize) -> Result<(), Error> {
        let old = self.state.trace;
        let value = old.values[index] + self.steps[index] * self.draw.normal(&mut self.stream);
        let mut run = self.state.anchors[index].fork()?;
        // Sites downstream of the choice: b, if it is a that moves.
        let mut second = None;
        if index == 0 {
            choose(&mut run, 0, value)?;
            second = Some(run.fork()?);
            run.set_handlers(&self.keeping);
            choose(&mut run, 1, old.values[1])?;
        } else {
            run.set_handlers(&self.keeping);
            choose(&mut run, 1, value)?;
        }
        let new = trace(&run);
        let score =
            |trace: &Trace| trace.prior.iter().sum::<f64>() + self.temperature * trace.likelihood;
        let log_ratio = score(&new) - score(&old);
        if log_ratio >= 0.0 || self.stream.uniform().ln() < log_ratio {
            self.accepted += 1;
            self.state.trace = new;
            if let Some(anchor) = second {
                self.state.anchors[1] = anchor;
            }
        }
        Ok(())
    }
}

impl State {
    /// The state of these choices.
    ///
    /// # Errors
    ///
    /// When a run is not where it should be.
    pub fn new(
        program: Golf,
        seed: u64,
        values: [f64; 2],
        leaving: &Handlers<Golf>,
        keeping: &Handlers<Golf>,
    ) -> Result<Self, Error> {
        let mut run = first(program, seed, leaving);
        let a = run.fork()?;
        choose(&mut run, 0, values[0])?;
        let b = run.fork()?;
        run.set_handlers(keeping);
        choose(&mut run, 1, values[1])?;
        let trace = trace(&run);
        Ok(Self {
            anchors: [a, b],
            trace,
        })
    }
}

/// Means and standard deviations of a and b over a chain.
///
/// # Errors
///
/// When a run is not where it should be.
pub fn posterior(chain: &mut Chain, warm: usize, moves: usize) -> Result<[[f64; 2]; 2], Error> {
    for index in 0..warm {
        chain.step(index % 2)?;
    }
    let mut values = [Vec::with_capacity(moves), Vec::with_capacity(moves)];
    for index in 0..moves {
        chain.step(index % 2)?;
        for (list, value) in values.iter_mut().zip(chain.state.trace.values) {
            list.push(value);
        }
    }
    Ok(values.map(|values| crate::report::moments(&values)))
}
