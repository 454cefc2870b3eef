//! Runs that leave the process, and go on in another.

use std::process::Command;

use greenroom::BoxError;
use greenroom::world::{
    Entry, Export, ExportError, Handlers, ImportError, Ledger, Portable, Program, Run, Scope,
    Session, Site, Step, World,
};

const PICK: Site = Site::named("pick");
const TOTAL: Entry<u64> = Entry::named("total");

/// Adds up in its world what three picks give; the keys make addresses that must come again.
#[derive(Clone, Debug)]
struct Sum {
    picks: u64,
}

impl Program for Sum {
    type Payload = u64;
    type Value = u64;
    type Output = u64;
    type Error = String;

    fn step(&mut self, scope: &mut Scope<'_>, value: Option<u64>) -> Step<Self> {
        let world = scope.world();
        let total = world.get(TOTAL).copied().unwrap_or(0) + value.unwrap_or(0);
        world.insert(TOTAL, total);
        if self.picks == 3 {
            return Step::Done(total);
        }
        scope.enter(self.picks / 2);
        self.picks += 1;
        Step::savepoint(PICK, self.picks)
    }
}

impl Portable for Sum {
    fn pack(&self, payload: &u64, world: &World) -> Vec<u8> {
        assert!(*payload != 3, "as told");
        let total = world.get(TOTAL).copied().unwrap_or(0);
        let words = [self.picks, *payload, total];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    fn unpack(bytes: &[u8], world: &mut World) -> Result<(Self, u64), BoxError> {
        let words = bytes.chunks_exact(8);
        let words = words.map(|word| word.try_into().map(u64::from_le_bytes));
        let words: Vec<_> = words.collect::<Result<_, _>>()?;
        let [picks, payload, total] = words[..] else {
            return Err("three words".into());
        };
        world.insert(TOTAL, total);
        Ok((Self { picks }, payload))
    }
}

fn handlers() -> Handlers<Sum> {
    Handlers::<Sum>::new().on_any(|_savepoint| ())
}

/// A run at its second pick, with so much to spend out of the ledger.
fn second_pick(ledger: &Ledger) -> Run<Sum> {
    let mut world = World::seeded(5);
    world.fund(ledger, 30).expect("there is so much");
    let mut run = Run::start(world, Sum { picks: 0 }, &handlers());
    run.resume(10).expect("it waits");
    run
}

/// What the rest comes to: the output, and the addresses on the way.
fn rest(mut run: Run<Sum>) -> (u64, Vec<(Site, greenroom::world::Address)>) {
    let mut points = Vec::new();
    while let Some(point) = run.point() {
        points.push(point);
        run.resume(100).expect("it waits");
    }
    (*run.output().expect("it is done"), points)
}

#[test]
fn a_run_that_was_exported_goes_on_as_it_would_have() {
    let ledger = Ledger::new(100);
    let mut run = second_pick(&ledger);
    let twin = run.fork().expect("it waits");
    let export = run.hold().expect("it waits").export().expect("pending");
    let export = Export::from_bytes(export.as_bytes().to_vec()).expect("as written");
    let run = Run::import(&export, &handlers(), &ledger).expect("once");
    assert_eq!(run.payload(), Some(&2));
    assert_eq!(rest(run), rest(twin));
}

#[test]
fn what_a_run_may_spend_lies_in_escrow_while_it_is_away() {
    let ledger = Ledger::new(100);
    let held = second_pick(&ledger).hold().expect("it waits");
    let export = held.export().expect("pending");
    let away = ledger.statement();
    assert_eq!(
        (away.reserve, away.escrow, away.wallets, away.worlds),
        (70, 30, 0, 0)
    );
    let run = Run::import(&export, &handlers(), &ledger).expect("once");
    assert_eq!(run.world().map(World::balance), Some(30));
    assert_eq!(ledger.statement().escrow, 0);
    drop(run);
    assert_eq!(ledger.statement().reserve, 100);
}

#[test]
fn a_run_is_imported_once_per_ledger() {
    let (ledger, other) = (Ledger::new(100), Ledger::new(40));
    let held = second_pick(&ledger).hold().expect("it waits");
    let export = held.export().expect("pending");
    let first = Run::import(&export, &handlers(), &other).expect("once");
    assert_eq!(first.world().map(World::balance), Some(30));
    let second = Run::import(&export, &handlers(), &other);
    assert!(matches!(second, Err(ImportError::Claimed)));
    let poor = Run::import(&export, &handlers(), &Ledger::new(10));
    assert!(matches!(poor, Err(ImportError::NotFunded(_))));
}

#[test]
fn what_was_exported_is_pending_no_more_and_its_session_is_free() {
    let session = Session::new(handlers());
    let mut run = session
        .open(World::seeded(5), Sum { picks: 0 })
        .expect("open");
    run.resume(10).expect("it waits");
    let held = run.hold().expect("it waits");
    let export = held.export().expect("pending");
    assert_eq!(held.export(), Err(ExportError::NotPending));
    assert!(!held.is_pending());
    assert_eq!(
        (session.metrics().worlds, session.metrics().pending),
        (0, 0)
    );
    let run = session.import(&export, &Ledger::new(0)).expect("open");
    assert_eq!(session.metrics().worlds, 1);
    assert_eq!(rest(run).0, 210);
    drop(session.close());
    let late = session.import(&export, &Ledger::new(0));
    assert!(matches!(late, Err(ImportError::Closing)));
}

#[test]
fn bytes_that_were_changed_or_cut_are_no_export() {
    let held = second_pick(&Ledger::new(100)).hold().expect("it waits");
    let bytes = held.export().expect("pending").as_bytes().to_vec();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let read = Export::from_bytes(changed);
        assert!(matches!(read, Err(ImportError::Malformed)), "byte {at}");
        let cut = Export::from_bytes(bytes[..at].to_vec());
        assert!(matches!(cut, Err(ImportError::Malformed)), "{at} bytes");
    }
}

#[test]
fn a_program_that_panics_as_it_is_written_down_is_abandoned() {
    let ledger = Ledger::new(100);
    let mut run = second_pick(&ledger);
    run.resume(10).expect("it waits");
    let held = run.hold().expect("it waits");
    assert_eq!(
        held.export(),
        Err(ExportError::Panicked("as told".to_owned()))
    );
    assert_eq!(ledger.statement().reserve, 100);
}

#[test]
fn a_run_goes_on_in_a_second_process() {
    const HANDED: &str = "GREENROOM_TEST_EXPORT";
    if let Ok(handed) = std::env::var(HANDED) {
        let bytes = handed.split(',').map(|byte| byte.parse().expect("a byte"));
        let export = Export::from_bytes(bytes.collect()).expect("as written");
        let run = Run::import(&export, &handlers(), &Ledger::new(30)).expect("once");
        println!("it came to {}", rest(run).0);
        return;
    }
    let held = second_pick(&Ledger::new(100)).hold().expect("it waits");
    let export = held.export().expect("pending");
    let bytes: Vec<_> = export.as_bytes().iter().map(u8::to_string).collect();
    let this = std::env::current_exe().expect("the test binary has a path");
    let test = "world::export::a_run_goes_on_in_a_second_process";
    let output = Command::new(this)
        .args(["--exact", test, "--nocapture"])
        .env(HANDED, bytes.join(","))
        .output()
        .expect("the test binary runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("it came to 210"), "{said}");
}
