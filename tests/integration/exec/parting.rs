//! What is dropped while a runtime ends may still use everything: it gets answers, no panic.

use std::future::{Future, pending};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Waker};
use std::time::Duration;

use greenroom::runtime::{self, Handle};
use greenroom::{Runtime, SpawnErrorKind, actor, yield_now};

use super::support::{LONG, both, tokio_multi, tokio_single};

/// What is done in a drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Spawn,
    SpawnByHandle,
    SpawnActor,
    SpawnOnTokio,
    SpawnBlocking,
    Ask,
    Tell,
    Timer,
    Limit,
    Yield,
    Metrics,
    Socket,
}

impl Deed {
    const ALL: [Self; 12] = [
        Self::Spawn,
        Self::SpawnByHandle,
        Self::SpawnActor,
        Self::SpawnOnTokio,
        Self::SpawnBlocking,
        Self::Ask,
        Self::Tell,
        Self::Timer,
        Self::Limit,
        Self::Yield,
        Self::Metrics,
        Self::Socket,
    ];

    fn act(self, handle: &Handle, peer: &PeerHandle) {
        match self {
            Self::Spawn => drop(greenroom::spawn(pending::<()>())),
            Self::SpawnByHandle => {
                drop(handle.spawn(pending::<()>()));
                drop(handle.try_spawn(pending::<()>()));
            }
            // While tokio drops its own tasks ours may not have been told of the end yet.
            Self::SpawnActor => match greenroom::Builder::new(Peer).try_spawn() {
                Ok(taken) => drop(taken),
                Err(error) => assert_eq!(error.kind(), SpawnErrorKind::RuntimeGone),
            },
            Self::SpawnOnTokio => drop(tokio::spawn(pending::<()>())),
            Self::SpawnBlocking => drop(tokio::task::spawn_blocking(|| ())),
            Self::Ask => poll_once(peer.nod()),
            Self::Tell => drop(peer.nod().try_tell()),
            Self::Timer => poll_once(tokio::time::sleep(LONG)),
            Self::Limit => poll_once(peer.nod().timeout(Duration::from_secs(1))),
            Self::Yield => poll_once(yield_now()),
            Self::Metrics => drop((handle.metrics(), Handle::try_current())),
            Self::Socket => {
                let address = ([127, 0, 0, 1], 0).into();
                let socket = std::net::UdpSocket::bind::<std::net::SocketAddr>(address).unwrap();
                socket.set_nonblocking(true).unwrap();
                drop(tokio::net::UdpSocket::from_std(socket));
            }
        }
    }
}

fn poll_once(future: impl Future) {
    let _ = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
}

/// Does its deed when it is dropped, and says how that went.
struct Mischief {
    deed: Deed,
    handle: Handle,
    peer: PeerHandle,
    report: Sender<(Deed, Option<String>)>,
}

impl Drop for Mischief {
    fn drop(&mut self) {
        let deed = AssertUnwindSafe(|| self.deed.act(&self.handle, &self.peer));
        let panic = catch_unwind(deed).err().map(|payload| {
            let text = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned());
            text.or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_default()
        });
        self.report.send((self.deed, panic)).unwrap();
    }
}

/// Is asked and told by those who are dropped.
#[actor(mailbox = 2)]
struct Peer;

#[actor]
impl Peer {
    fn nod(&mut self) {}
}

/// Holds mischief in its state and its mailbox.
#[actor(mailbox = 16)]
struct Holder {
    _mischief: Vec<Mischief>,
}

#[actor]
impl Holder {
    async fn hold(&mut self, mischief: Mischief) {
        pending::<()>().await;
        drop(mischief);
    }
}

/// Places in which mischief is held: futures of ours and of tokio's that wait, futures that were
/// never polled, states, a handler, a mailbox, and outputs.
const PLACES: usize = 6;

/// Puts mischief everywhere.
async fn scatter(handle: Handle) -> Receiver<(Deed, Option<String>)> {
    let (report, reports) = channel();
    let peer = Peer.spawn();
    let mischief = |deed| Mischief {
        deed,
        handle: handle.clone(),
        peer: peer.clone(),
        report: report.clone(),
    };
    let holder = Holder {
        _mischief: Deed::ALL.map(mischief).into(),
    }
    .spawn();
    for kept in Deed::ALL.map(mischief) {
        holder.hold(kept).tell().await.unwrap();
    }
    for deed in Deed::ALL {
        let [ours, theirs, output] = [(); 3].map(|()| mischief(deed));
        drop(greenroom::spawn(async move {
            let _kept = ours;
            pending::<()>().await;
        }));
        drop(tokio::spawn(async move {
            let _kept = theirs;
            pending::<()>().await;
        }));
        // The task keeps the handle of the one whose output is there.
        let given = greenroom::spawn(async move { output });
        drop(greenroom::spawn(async move {
            let _given = given;
            pending::<()>().await;
        }));
    }
    // A handle in a task keeps the actor until the end.
    drop(greenroom::spawn(async move {
        let _holder = holder;
        pending::<()>().await;
    }));
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    for deed in Deed::ALL {
        let unpolled = mischief(deed);
        drop(greenroom::spawn(async move { drop(unpolled) }));
    }
    reports
}

/// Checks that all deeds were done, and none of them panicked.
fn check(reports: Receiver<(Deed, Option<String>)>, how: &str) {
    let mut count = 0;
    while let Ok((deed, panic)) = reports.recv_timeout(LONG) {
        assert_eq!(panic, None, "{how}: {deed:?}");
        count += 1;
    }
    assert_eq!(count, PLACES * Deed::ALL.len(), "{how}");
}

#[test]
fn drops_use_everything_while_a_runtime_is_dropped_or_shut_down() {
    type End = fn(Runtime);
    let ways: [(&str, End); 3] = [
        ("dropped", drop),
        ("shut down with a limit", |runtime| {
            assert_eq!(runtime.shutdown_timeout(LONG).left, 0);
        }),
        ("shut down in the background", Runtime::shutdown_background),
    ];
    for (how, end) in ways {
        for runtime in both() {
            let reports = runtime.block_on(scatter(runtime.handle().clone()));
            end(runtime);
            check(reports, how);
        }
    }
}

#[test]
fn drops_use_everything_while_a_host_is_dropped() {
    for host in [tokio_single(), tokio_multi(2)] {
        let handle = runtime::attach(host.handle()).unwrap();
        let reports = host.block_on(scatter(handle.clone()));
        drop(host);
        check(reports, "attached");
        assert_eq!(handle.metrics().live, 0);
    }
}

#[test]
fn drops_use_everything_while_main_panics() {
    for runtime in both() {
        let (to_test, from_main) = channel();
        let main = AssertUnwindSafe(move || {
            runtime.block_on(async {
                to_test.send(scatter(Handle::current()).await).unwrap();
                std::panic::resume_unwind(Box::new("main gives up"));
            })
        });
        assert!(catch_unwind(main).is_err());
        check(from_main.recv_timeout(LONG).unwrap(), "a panic in main");
    }
    for host in [tokio_single(), tokio_multi(2)] {
        let (to_test, from_main) = channel();
        let main = AssertUnwindSafe(move || {
            host.block_on(async {
                to_test.send(scatter(Handle::current()).await).unwrap();
                std::panic::resume_unwind(Box::new("main gives up"));
            })
        });
        assert!(catch_unwind(main).is_err());
        check(
            from_main.recv_timeout(LONG).unwrap(),
            "a panic in main, attached",
        );
    }
}

#[test]
fn a_runtime_dropped_in_async_code_lets_drops_use_everything() {
    for inner in both() {
        let reports = inner.block_on(scatter(inner.handle().clone()));
        tokio_multi(1).block_on(async move { drop(inner) });
        check(reports, "dropped in async code");
    }
}
