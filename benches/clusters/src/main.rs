//! The suite `remote` with two peers more: the clusters of kameo and of ractor.

mod kameo;
mod ractor;

use std::process::ExitCode;

use greenroom_peers_harness::remote::{self, Peer};
use greenroom_peers_harness::run;
use greenroom_peers_harness::suite::Suite;

use kameo::Kameo;
use ractor::RactorCluster;

fn main() -> ExitCode {
    run(&[suite()], serve)
}

fn suite() -> Suite {
    let mut suite = remote::suite();
    let mut kameo = remote::with_tells::<Kameo>();
    // A tell waits for nothing there: so many at once end its connection.
    kameo.cells.retain(|cell| cell.workload != "one_way");
    suite.columns.push(kameo);
    suite.columns.push(remote::with_tells::<RactorCluster>());
    for row in ["window_64", "window_1024"] {
        suite
            .relations
            .push(remote::to_peer(row, Kameo::NAME, 25.0));
    }
    suite
}

fn serve(peer: &str) {
    match peer {
        Kameo::NAME => remote::serve_for_ever::<Kameo>(),
        RactorCluster::NAME => remote::serve_for_ever::<RactorCluster>(),
        _ => remote::serve(peer),
    }
}
