//! The interface for callers outside: a replication whose observers are chosen when it begins.
//!
//! May import: all rooms.
//!
//! - [`compiled`]: a net that engines can run: its program, and its machine code
//! - [`replication`]: an engine that is interpreted at first, and runs machine code once that pays
//! - [`records`]: observers whose findings a caller can ask for
//! - [`observed`]: the statistics up to an instant

pub mod compiled;
pub mod observed;
pub mod records;
pub mod replication;

use std::sync::atomic::AtomicU64;
use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ids::{PlaceId, TransitionId};
use crate::base::invariant::Verified;
use crate::base::ticks::Ticks;
use crate::engine::limits::{Limits, RunError};
use crate::engine::run::Reason;
use crate::jit::listing::{listings, Listing};
use crate::jit::verify::verify_shapes;
use crate::observe::levels::Levels;
use crate::observe::probes::Probes;
use crate::observe::trace::Trace;
use crate::program::Program;
use crate::session::compiled::Compiled;
use crate::session::records::Record;
use crate::session::replication::Replication;
use crate::state::counters::{PlaceCounters, TransitionCounters};
use crate::state::marking::Marking;

/// One replication under way.
pub trait Session: Send + Sync {
    fn program(&self) -> &Program;
    fn now(&self) -> Ticks;
    fn firings(&self) -> u64;
    fn hash(&self) -> u64;
    fn error(&self) -> Option<&RunError>;
    fn marking(&self) -> &Marking;
    /// The start of the statistics.
    fn window(&self) -> Ticks;
    fn places(&self) -> &[PlaceCounters];
    fn transitions(&self) -> &[TransitionCounters];
    /// The integrals of the tokens of each place, and of the firings in progress of each transition, in ticks.
    fn integrals(&self) -> [Vec<f64>; 2];
    fn probes(&mut self) -> Option<&mut Probes>;
    /// The firings since the last call, when tracing was asked for.
    fn take_trace(&mut self) -> Trace;
    /// The time at each number of tokens, when it was asked for.
    fn levels(&self) -> Option<Vec<Ticks>>;
    fn advance(&mut self, until: Ticks, firings: u64) -> Reason;
    /// The place that waits for rows, after `advance` returned `Reason::Input`.
    fn wanted(&self) -> Option<PlaceId>;
    /// The next rows of a place, slot after slot; none are the end.
    fn feed(&mut self, place: PlaceId, block: Vec<u64>);
    /// The warm-up is over: statistics start at `now`.
    fn begin_window(&mut self);
    /// For tests: whether the replication has run machine code.
    fn ran_code(&self) -> bool;
    /// For tests: whether the invariants of all data structures hold (`Engine::verify`).
    fn verify(&self) -> Verified;
    /// For tests: whether transitions that share machine code would get the same code separately (`jit::verify`).
    /// Returns how many share the code of another, or the difference.
    fn verify_shapes(&self) -> Result<usize, String>;
    /// For people: the machine code of a transition (`jit::listing`). None where there is none.
    fn listings(&self, transition: TransitionId) -> Option<Vec<Listing>>;
}

impl<O: Record + Send + Sync> Session for Replication<O> {
    fn program(&self) -> &Program {
        &self.engine.program
    }

    fn now(&self) -> Ticks {
        self.engine.now
    }

    fn firings(&self) -> u64 {
        self.engine.firings
    }

    fn hash(&self) -> u64 {
        self.engine.hash.0
    }

    fn error(&self) -> Option<&RunError> {
        self.engine.error.as_ref()
    }

    fn marking(&self) -> &Marking {
        &self.engine.marking
    }

    fn window(&self) -> Ticks {
        self.engine.window
    }

    fn places(&self) -> &[PlaceCounters] {
        &self.engine.marking.places
    }

    fn transitions(&self) -> &[TransitionCounters] {
        &self.engine.enabling.transitions
    }

    fn integrals(&self) -> [Vec<f64>; 2] {
        self.engine.integrals()
    }

    fn probes(&mut self) -> Option<&mut Probes> {
        self.engine.observer.probes()
    }

    fn take_trace(&mut self) -> Trace {
        self.engine.observer.trace().map(std::mem::take).unwrap_or_default()
    }

    fn levels(&self) -> Option<Vec<Ticks>> {
        self.engine.observer.levels().map(|levels| levels.at(&self.engine.marking.places, self.engine.now))
    }

    fn advance(&mut self, until: Ticks, firings: u64) -> Reason {
        Replication::advance(self, until, firings)
    }

    fn ran_code(&self) -> bool {
        self.engine.code.is_some()
    }

    fn wanted(&self) -> Option<PlaceId> {
        self.engine.streams.wanted
    }

    fn feed(&mut self, place: PlaceId, block: Vec<u64>) {
        self.engine.streams.feed(place, block);
    }

    fn begin_window(&mut self) {
        self.engine.begin_window();
    }

    fn verify(&self) -> Verified {
        self.engine.verify()
    }

    fn verify_shapes(&self) -> Result<usize, String> {
        verify_shapes(&*self.engine)
    }

    fn listings(&self, transition: TransitionId) -> Option<Vec<Listing>> {
        listings(&*self.engine, transition)
    }
}

/// The additional data that a caller requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtraObservers {
    pub trace: bool,
    pub levels: bool,
}

/// An engine at time 0 that observes what the net and the caller ask for, and nothing else. Once another thread makes `stop`
/// other than 0, the initial marking and long searches for bindings end with the fault "stopped".
pub fn begin(
    compiled: Arc<Compiled>,
    seed: [u64; 3],
    limits: Limits,
    extra: ExtraObservers,
    stop: Arc<AtomicU64>,
) -> Outcome<Box<dyn Session>> {
    let probes = |p: &Program| Probes::new(Arc::clone(&p.probes));
    let levels = |m: &Marking| Levels::new(m.places.len());
    Ok(if extra.trace {
        let extras = |m: &Marking| (Trace::default(), extra.levels.then(|| levels(m)));
        Box::new(Replication::new(compiled, seed, limits, stop, |p: &Program, m: &Marking| (probes(p), extras(m)))?)
    } else if extra.levels {
        Box::new(Replication::new(compiled, seed, limits, stop, |p: &Program, m: &Marking| (probes(p), levels(m)))?)
    } else if compiled.program.probes.is_empty() {
        Box::new(Replication::new(compiled, seed, limits, stop, |_: &Program, _: &Marking| ())?)
    } else {
        Box::new(Replication::new(compiled, seed, limits, stop, |p: &Program, _: &Marking| probes(p))?)
    })
}
