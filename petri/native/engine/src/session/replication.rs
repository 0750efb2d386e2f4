//! An engine that is interpreted at first, and runs machine code once that pays.

use std::sync::atomic::AtomicU64;
use std::sync::Arc;
use std::time::Instant;

use crate::base::cores::takes_a_core;
use crate::base::fault::Outcome;
use crate::base::ids::TransitionId;
use crate::base::saved::{Fit, SavedEngine, Unfit};
use crate::base::ticks::Ticks;
use crate::engine::limits::Limits;
use crate::engine::run::{Engine, Reason};
use crate::jit::cache::{Interest, Step};
use crate::jit::listing::{listings, Listing};
use crate::jit::verify::verify_shapes;
use crate::observe::observers::ExtraObservers;
use crate::session::compiled::Compiled;
use crate::state::arena::Housed;

/// One replication of a compiled net.
pub struct Replication {
    compiled: Arc<Compiled>,
    pub engine: Housed<Engine>,
    _interest: Interest,
}

impl Replication {
    /// A replication at time 0, which observes what the net and the caller ask for. Once another thread makes `stop` other than 0,
    /// the initial marking and long searches for bindings end with the fault "stopped".
    pub fn new(
        compiled: Arc<Compiled>,
        seed: [u64; 3],
        limits: Limits,
        extra: ExtraObservers,
        stop: Arc<AtomicU64>,
    ) -> Outcome<Self> {
        let engine = Engine::new(Arc::clone(&compiled.program), seed, limits, extra, stop)?;
        Ok(Replication::with(compiled, engine))
    }

    /// A replication that goes on from a state, as `new` makes one at time 0.
    pub fn resume(
        compiled: Arc<Compiled>,
        saved: &SavedEngine,
        limits: Limits,
        extra: ExtraObservers,
        stop: Arc<AtomicU64>,
    ) -> Fit<Self> {
        let engine = Engine::resume(Arc::clone(&compiled.program), saved, limits, extra, stop)?;
        engine.verify().map_err(Unfit::Wrong)?;
        Ok(Replication::with(compiled, engine))
    }

    /// Another replication in the same state, with what has been observed. Not of a net with streams that are no ports.
    pub fn copied(&self) -> Outcome<Self> {
        let (limits, stop) = (self.engine.limits, Arc::clone(&self.engine.stop));
        let mut copy = Replication::new(Arc::clone(&self.compiled), [0; 3], limits, ExtraObservers::default(), stop)?;
        copy.engine.assume_all(&self.engine);
        Ok(copy)
    }

    /// What is compiled.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    fn with(compiled: Arc<Compiled>, engine: Housed<Engine>) -> Self {
        Replication { _interest: compiled.cache.interest(), compiled, engine }
    }

    /// Runs to the end of instant `until`, or for `firings` more firings. May be called again to go on.
    pub fn advance(&mut self, until: Ticks, mut firings: u64) -> Reason {
        if self.engine.error.is_some() {
            return Reason::Error;
        }
        takes_a_core();
        loop {
            let most = match self.compiled.cache.next(&self.engine) {
                // SAFETY: the cache is that of the engine's program, and this is its code for such an engine.
                Step::Run(code) => return unsafe { self.engine.run_code(code, until, firings) },
                Step::Interpret(most) => most,
            };
            let reason = self.interpret(until, firings.min(most));
            if reason != Reason::Budget || firings <= most {
                return reason;
            }
            firings -= most;
        }
    }

    fn interpret(&mut self, until: Ticks, firings: u64) -> Reason {
        let (before, clock) = (self.engine.firings, Instant::now());
        let reason = self.engine.interpret(until, firings);
        self.compiled.cache.count(self.engine.firings - before, clock.elapsed());
        reason
    }

    /// The time at each number of tokens, place after place; empty when it was not asked for.
    pub fn levels(&self) -> Vec<Ticks> {
        self.engine.observers.levels.at(&self.engine.marking.places, self.engine.now)
    }

    /// For tests: whether the replication has run machine code.
    pub fn ran_code(&self) -> bool {
        self.engine.code.is_some()
    }

    /// For tests: whether transitions that share machine code would get the same code separately (`jit::verify`). Returns
    /// how many share the code of another, or the difference.
    pub fn verify_shapes(&self) -> Result<usize, String> {
        verify_shapes(&self.engine)
    }

    /// For people: the machine code of a transition (`jit::listing`). None where there is none.
    pub fn listings(&self, transition: TransitionId) -> Option<Vec<Listing>> {
        listings(&self.engine, transition)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::base::ticks::HORIZON;
    use crate::engine::limits::Compile;
    use crate::net::Net;
    use crate::program::without::Without;

    /// A ring of stations whose service takes exponential times.
    fn ring(stations: usize, without: &str) -> Compiled {
        let places: Vec<String> =
            (0..2 * stations).map(|i| format!(r#"{{"name":"p{i}","initial":[[1,[]]]}}"#)).collect();
        let transition = |i: usize| {
            let (server, next) = (stations + i, (i + 1) % stations);
            let time = r#"{"op":"exp","kind":"real","args":[{"op":"const","kind":"real","value":2.0}]}"#;
            format!(
                r#"{{"name":"t{i}","inputs":[{{"place":{i}}},{{"place":{server}}}],"time":{time},
                "outputs":[{{"places":[{next}]}},{{"places":[{server}]}}]}}"#
            )
        };
        let transitions: Vec<String> = (0..stations).map(transition).collect();
        let text = format!(r#"{{"places":[{}],"transitions":[{}]}}"#, places.join(","), transitions.join(","));
        let net: Net = serde_json::from_str(&text).expect("a net");
        Compiled::without(net, Without::of(without).expect("names")).expect("a net that runs")
    }

    /// A replication of a ring that has run machine code.
    fn coded(stations: usize, without: &str) -> Replication {
        let limits = Limits { firings_at_an_instant: 1000, tokens: 1 << 20, compile: Compile::After(0) };
        let compiled = Arc::new(ring(stations, without));
        let mut replication = Replication::new(compiled, [1, 2, 3], limits, ExtraObservers::default(), Arc::default())
            .expect("a replication");
        replication.advance(HORIZON, 3 * stations as u64);
        replication
    }

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn what_is_left_out_is_not_there_and_changes_no_result() {
        let found = |stations, without| {
            let replication = coded(stations, without);
            let code = replication.engine.code.as_ref().expect("machine code");
            let functions: HashSet<_> = code.routines.iter().map(|routines| routines.start.function).collect();
            (replication.engine.hash.0, functions.len(), code.footprints.len())
        };
        for without in ["joins", "preferences", "lanes", "profile"] {
            assert_eq!(found(5, without), found(5, ""));
        }
        // Functions that are few are written into the loop, and have no address of their own.
        assert_eq!((found(30, "").1, found(30, "shapes").1), (1, 30));
        assert_eq!(found(30, "").0, found(30, "shapes").0);
        let (all, few) = (found(5_000, ""), found(5_000, "footprints"));
        assert_eq!((all.0, all.2), (few.0, 5_000));
        assert_eq!(few.2, 0);
    }

    #[test]
    fn runs_that_are_short_have_code_together() {
        let compiled = Arc::new(ring(5, ""));
        let limits = Limits { firings_at_an_instant: 1000, tokens: 1000, compile: Compile::After(150) };
        for seed in 0..2 {
            let replication =
                Replication::new(Arc::clone(&compiled), [seed; 3], limits, ExtraObservers::default(), Arc::default());
            let mut replication = replication.expect("a replication");
            assert_eq!(replication.advance(HORIZON, 100), Reason::Budget);
            let has_code = replication.engine.code.is_some();
            assert_eq!(has_code, seed == 1 && cfg!(any(target_arch = "x86_64", target_arch = "aarch64")));
        }
    }
}
