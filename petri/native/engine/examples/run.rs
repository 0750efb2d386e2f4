//! Runs the flat net of a JSON file three times for FIRINGS firings and prints the time per firing. For profilers.
//!
//!     cargo run --release --example run -- NET.json FIRINGS [PATIENCE]
//!
//! PATIENCE is the number of firings before machine code is generated. Without it, that is when it pays, as in a run by pnsim.

use std::sync::Arc;
use std::time::Instant;

use engine::base::ticks::HORIZON;
use engine::engine::limits::{Compile, Limits};
use engine::net::check::MOST_TOKENS;
use engine::observe::observers::ExtraObservers;
use engine::session::compiled::Compiled;
use engine::session::replication::Replication;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&arguments[1]).expect("a file");
    let firings: u64 = arguments[2].parse().expect("a number of firings");
    let compiled = Arc::new(Compiled::from_json(&text).expect("a flat net"));
    let limits = Limits { firings_at_an_instant: 1 << 40, tokens: MOST_TOKENS, compile: compile() };
    let mut session = Replication::new(compiled, [1, 2, 3], limits, ExtraObservers::default(), Arc::default())
        .expect("an initial marking");
    session.advance(HORIZON, firings / 10);
    for _ in 0..3 {
        let (before, clock) = (session.engine.firings, Instant::now());
        let reason = session.advance(HORIZON, firings);
        let done = session.engine.firings - before;
        let nanoseconds = clock.elapsed().as_nanos() as f64 / done as f64;
        println!("{reason:?}: {done} firings, {nanoseconds:.1} ns each, hash {:#x}", session.engine.hash.0);
    }
}

/// Firings before machine code is generated: the third argument. Without it, as in a run by pnsim.
fn compile() -> Compile {
    let after = |words: String| Compile::After(words.parse().expect("a number of firings"));
    std::env::args().nth(3).map_or(Compile::WhenItPays, after)
}
