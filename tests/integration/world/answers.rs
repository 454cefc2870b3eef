//! Law 17: inference out of forks and savepoints gives the exact answers. Small runs here; the
//! examples make large ones, with `--check`.

use std::convert::Infallible;

use greenroom::world::{Handlers, Program, Run, Scope, Site, Step, World};
use greenroom_inference::data;
use greenroom_inference::filter::filter;
use greenroom_inference::gibbs::{Sampler, smooth};
use greenroom_inference::golf::{Golf, log_binomial};
use greenroom_inference::kalman;
use greenroom_inference::metropolis::{Chain, posterior};
use greenroom_inference::report::moments;
use greenroom_inference::tempered::sample;

fn is_near(found: f64, exact: f64, error: f64) -> bool {
    (found - exact).abs() < error
}

#[test]
fn the_smoother_has_the_recorded_answers() {
    let walk = data::RandomWalk::load();
    assert!(is_near(
        kalman::smooth(walk.y).log_evidence,
        walk.log_evidence,
        1e-9
    ));
    let first = kalman::smooth(&walk.y[..100]);
    assert!(is_near(first.log_evidence, -140.964_672_186_676, 1e-9));
    let recorded = [
        (0, -0.046_606, 0.294_724),
        (50, -0.240_628, 0.223_477),
        (99, -0.386_308, 0.308_423),
    ];
    for (time, mean, sd) in recorded {
        assert!(is_near(first.means[time], mean, 1e-6), "{time}");
        assert!(is_near(first.variances[time].sqrt(), sd, 1e-6), "{time}");
    }
}

#[test]
fn a_binomial_probability_is_that_of_the_formula() {
    // 10 choose 3, times 0.25^3 times 0.75^7.
    let exact = (120.0 * 0.25_f64.powi(3) * 0.75_f64.powi(7)).ln();
    assert!(is_near(
        log_binomial(3.0, 10.0, (1.0_f64 / 3.0).ln()),
        exact,
        1e-9
    ));
}

#[test]
fn the_evidence_of_a_particle_filter_is_unbiased() {
    let y = &data::RandomWalk::load().y[..60];
    let exact = kalman::smooth(y).log_evidence;
    let ratio = |seed| {
        (filter(y, 100, seed)
            .expect("no particle fails")
            .log_evidence
            - exact)
            .exp()
    };
    let ratios: Vec<f64> = (0..60).map(ratio).collect();
    let [mean, sd] = moments(&ratios);
    let error = sd / (ratios.len() as f64).sqrt();
    assert!(
        is_near(mean, 1.0, 3.0 * error),
        "{mean}, standard error {error}"
    );
    let last = filter(y, 2_000, 1).expect("no particle fails").last[0];
    assert!(is_near(last, kalman::smooth(y).means[59], 0.05), "{last}");
}

#[test]
fn a_chain_has_the_moments_of_the_grid() {
    let data = data::Golf::load();
    let mut chain = Chain::begin(Golf::new(data), 3, [0.077, 0.0088]).expect("a chain");
    let [a, b] = posterior(&mut chain, 4_000, 20_000).expect("no run fails");
    assert!(is_near(a[0], data.a[0], 0.25 * data.a[1]), "{a:?}");
    assert!(is_near(b[0], data.b[0], 0.25 * data.b[1]), "{b:?}");
    assert!(is_near(a[1] / data.a[1], 1.0, 0.2) && is_near(b[1] / data.b[1], 1.0, 0.2));
}

#[test]
fn particle_gibbs_has_the_means_of_the_smoother() {
    let y = &data::RandomWalk::load().y[..40];
    let exact = kalman::smooth(y);
    let times = [0, 20, 39];
    let mut sampler = Sampler::new(y, 5);
    let means = smooth(&mut sampler, 30, (10, 200), &times).expect("no particle fails");
    for (time, mean) in times.into_iter().zip(means) {
        let error = (exact.variances[time] / 40.0).sqrt();
        assert!(
            is_near(mean, exact.means[time], 4.0 * error),
            "{time}: {mean}"
        );
    }
}

#[test]
fn tempering_has_the_evidence_of_the_grid() {
    let data = data::Golf::load();
    let tempered = sample(Golf::new(data), 300, 2).expect("no run fails");
    assert!(
        is_near(tempered.log_evidence, data.log_evidence, 1.2),
        "{tempered:?}"
    );
    assert!(
        is_near(tempered.moments[0][0], data.a[0], 0.05),
        "{tempered:?}"
    );
}

#[test]
fn a_seeded_filter_is_the_same_to_the_last_bit() {
    let y = &data::RandomWalk::load().y[..50];
    let run = || {
        filter(y, 100, 9)
            .expect("no particle fails")
            .log_evidence
            .to_bits()
    };
    let other = std::thread::spawn(run);
    assert_eq!(run(), other.join().expect("no panic"));
}

const FLIP: Site = Site::named("flip");

/// Flips coins: a second one only after heads, a third only after two heads or one tail.
#[derive(Debug, Clone, Default)]
struct Coins(Vec<bool>);

impl Program for Coins {
    type Payload = bool;
    type Value = bool;
    type Output = Vec<bool>;
    type Error = Infallible;

    fn step(&mut self, _: &mut Scope<'_>, value: Option<bool>) -> Step<Self> {
        self.0.extend(value);
        match self.0[..] {
            [] | [true] | [false] | [true, true] => Step::savepoint(FLIP, true),
            _ => Step::Done(self.0.clone()),
        }
    }
}

#[test]
fn forks_enumerate_every_run_of_a_program_whose_sites_depend_on_its_choices() {
    let handlers = Handlers::<Coins>::new().on(FLIP, |_savepoint| ());
    let mut waiting = vec![Run::start(World::seeded(1), Coins::default(), &handlers)];
    let mut found = Vec::new();
    while let Some(mut run) = waiting.pop() {
        let Ok(mut tails) = run.fork() else {
            found.push(run.output().cloned().expect("done"));
            continue;
        };
        tails.resume(false).expect("pending");
        run.resume(true).expect("pending");
        waiting.extend([run, tails]);
    }
    found.sort();
    let heads = [true, true, true];
    let all: [&[bool]; 5] = [
        &[false, false],
        &[false, true],
        &[true, false],
        &[true, true, false],
        &heads,
    ];
    assert_eq!(found, all);
}
