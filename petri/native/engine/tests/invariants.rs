//! Runs the flat nets of a folder, interpreted and compiled, and checks the invariants of all data structures on the way.
//!
//! Tests in Python write the nets (`tests/engine/flat_nets.py`): `make rust` some, `make test-slow` many.

use std::sync::Arc;

use engine::base::ticks::HORIZON;
use engine::engine::limits::{Compile, Limits};
use engine::engine::run::Reason;
use engine::observe::observers::ExtraObservers;
use engine::session::compiled::Compiled;
use engine::session::replication::Replication;

/// Machine code from the start, after some firings, and never.
const COMPILE_AFTER: [u64; 3] = [0, 40, u64::MAX];

/// Runs a net, and checks all invariants after each `every` firings, or a tenth as many as there are tokens if these
/// are more: a check looks at each token. Returns the hash and the firings.
fn run(name: &str, text: &str, every: u64, firings: u64, compile_after: u64) -> (u64, u64) {
    let compiled = Arc::new(Compiled::from_json(text).unwrap_or_else(|error| panic!("{name}: {}", error.0)));
    let limits = Limits { firings_at_an_instant: 5000, tokens: 5000, compile: Compile::After(compile_after) };
    let extra = ExtraObservers::default();
    let Ok(mut replication) = Replication::new(compiled, [1, 2, 3], limits, extra, Arc::default()) else {
        return (0, 0);
    };
    let mut blocks = 3;
    loop {
        let done = replication.engine.firings;
        let until_check = every.max(replication.engine.marking.total / 10);
        let reason = replication.advance(HORIZON, until_check.min(firings - done));
        let engine = &mut replication.engine;
        if reason == Reason::Error {
            return (engine.hash.0, engine.firings);
        }
        if let Err(broken) = engine.verify() {
            panic!(
                "{name}, compiled after {compile_after}: {broken}, at {} after {} firings",
                engine.now, engine.firings
            );
        }
        if matches!(reason, Reason::Dead | Reason::Until) || engine.firings == firings {
            return (engine.hash.0, engine.firings);
        }
        if let (Reason::Input, Some(place)) = (reason, engine.streams.wanted) {
            let bounds = engine.program.places[place].bounds.iter();
            let row: Vec<u64> = bounds.map(|bound| bound.low.map_or(0, |low| bits(bound.real, low))).collect();
            engine.streams.feed(place, row.repeat(blocks));
            blocks = blocks.saturating_sub(1);
        }
    }
}

/// The lower end of a range, as a slot has it.
fn bits(real: bool, value: engine::net::Scalar) -> u64 {
    match value.as_int() {
        Some(value) if !real => value as u64,
        _ => value.as_real().to_bits(),
    }
}

/// All ways to run a net have the same trajectory.
fn check(name: &str, text: &str, every: u64, firings: u64) {
    let runs = COMPILE_AFTER.map(|compile_after| run(name, text, every, firings, compile_after));
    assert!(runs.iter().all(|run| *run == runs[0]), "{name}: {runs:?}");
}

#[test]
#[ignore = "needs nets, in the folder that PNSIM_NETS names"]
fn nets_of_a_folder() {
    let folder = std::env::var("PNSIM_NETS").expect("a folder of flat nets in PNSIM_NETS");
    let mut nets = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        // Tokens of a random net may multiply, and a search for a binding looks at pairs of them: fewer firings.
        let random = path.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("random-"));
        check(&path.display().to_string(), &text, 20, if random { 200 } else { 2000 });
        nets += 1;
    }
    println!("{nets} nets");
    assert!(nets > 0);
}
