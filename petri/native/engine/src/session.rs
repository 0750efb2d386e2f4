//! An engine whose observer is chosen when it is made: what a caller from outside holds.

use std::sync::Arc;

use crate::block::Housed;
use crate::engine::{Engine, Limits, Reason, RunError};
use crate::fault::Outcome;
use crate::ids::PlaceId;
use crate::levels::Levels;
use crate::marking::Marking;
use crate::observer::Observer;
use crate::probes::Probes;
use crate::program::Program;
use crate::state::{Place, Transition};
use crate::trace::Trace;

/// An observer whose findings a caller can ask for.
pub trait Record: Observer {
    fn probes(&self) -> Option<&Probes> {
        None
    }

    fn trace(&mut self) -> Option<&mut Trace> {
        None
    }

    fn levels(&self) -> Option<&Levels> {
        None
    }
}

impl Record for () {}

impl Record for Probes {
    fn probes(&self) -> Option<&Probes> {
        Some(self)
    }
}

impl Record for (Probes, Levels) {
    fn probes(&self) -> Option<&Probes> {
        Some(&self.0)
    }

    fn levels(&self) -> Option<&Levels> {
        Some(&self.1)
    }
}

/// What a traced run keeps.
type Extras = (Trace, Option<Levels>);

impl Record for (Probes, Extras) {
    fn probes(&self) -> Option<&Probes> {
        Some(&self.0)
    }

    fn trace(&mut self) -> Option<&mut Trace> {
        Some(&mut self.1 .0)
    }

    fn levels(&self) -> Option<&Levels> {
        self.1 .1.as_ref()
    }
}

/// One replication under way.
pub trait Session: Send + Sync {
    fn program(&self) -> &Program;
    fn now(&self) -> f64;
    fn firings(&self) -> u64;
    fn hash(&self) -> u64;
    fn error(&self) -> Option<&RunError>;
    fn marking(&self) -> &Marking;
    /// Since when statistics count.
    fn window(&self) -> f64;
    fn places(&self) -> &[Place];
    fn transitions(&self) -> &[Transition];
    fn probes(&self) -> Option<&Probes>;
    /// The firings since the last call, when tracing was asked for.
    fn take_trace(&mut self) -> Trace;
    /// The time at each number of tokens, when it was asked for.
    fn levels(&self) -> Option<Vec<f64>>;
    fn advance(&mut self, until: f64, firings: u64) -> Reason;
    /// The place that waits for rows, after `advance` returned `Reason::Input`.
    fn wanted(&self) -> Option<PlaceId>;
    /// The next rows of a place, slot after slot; none are the end.
    fn feed(&mut self, place: PlaceId, block: Vec<u64>);
    /// The warm-up is over: statistics start at `now`.
    fn begin_window(&mut self);
}

impl<O: Record + Send + Sync> Session for Housed<Engine<O>> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn now(&self) -> f64 {
        self.now
    }

    fn firings(&self) -> u64 {
        self.firings
    }

    fn hash(&self) -> u64 {
        self.hash.0
    }

    fn error(&self) -> Option<&RunError> {
        self.error.as_ref()
    }

    fn marking(&self) -> &Marking {
        &self.marking
    }

    fn window(&self) -> f64 {
        self.window
    }

    fn places(&self) -> &[Place] {
        &self.marking.places
    }

    fn transitions(&self) -> &[Transition] {
        &self.enabling.transitions
    }

    fn probes(&self) -> Option<&Probes> {
        self.observer.probes()
    }

    fn take_trace(&mut self) -> Trace {
        self.observer.trace().map(std::mem::take).unwrap_or_default()
    }

    fn levels(&self) -> Option<Vec<f64>> {
        self.observer.levels().map(|levels| levels.at(&self.marking.places, self.now))
    }

    fn advance(&mut self, until: f64, firings: u64) -> Reason {
        Engine::advance(self, until, firings)
    }

    fn wanted(&self) -> Option<PlaceId> {
        self.streams.wanted
    }

    fn feed(&mut self, place: PlaceId, block: Vec<u64>) {
        self.streams.feed(place, block);
    }

    fn begin_window(&mut self) {
        Engine::begin_window(self);
    }
}

/// What a caller wants kept besides the statistics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    pub trace: bool,
    pub levels: bool,
}

/// An engine at time 0 that observes what the net and the caller ask for, and nothing else.
pub fn begin(program: Arc<Program>, seed: [u64; 3], limits: Limits, asked: Asked) -> Outcome<Box<dyn Session>> {
    let probes = |p: &Program| Probes::new(Arc::clone(&p.probes));
    let levels = |m: &Marking| Levels::new(m.places.len());
    Ok(if asked.trace {
        let extras = |m: &Marking| (Trace::default(), asked.levels.then(|| levels(m)));
        Box::new(Engine::new(program, seed, limits, |p: &Program, m: &Marking| (probes(p), extras(m)))?)
    } else if asked.levels {
        Box::new(Engine::new(program, seed, limits, |p: &Program, m: &Marking| (probes(p), levels(m)))?)
    } else if program.probes.is_empty() {
        Box::new(Engine::new(program, seed, limits, |_: &Program, _: &Marking| ())?)
    } else {
        Box::new(Engine::new(program, seed, limits, |p: &Program, _: &Marking| probes(p))?)
    })
}
