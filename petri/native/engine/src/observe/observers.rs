//! What an engine reports while it runs: to the net's probes, and to what a caller asks for besides.

use std::mem::{offset_of, take};
use std::sync::Arc;

use crate::base::fault::Outcome;
use crate::base::ids::{PlaceId, TransitionId};
use crate::base::ticks::Ticks;
use crate::observe::levels::Levels;
use crate::observe::probes::Probes;
use crate::observe::trace::Trace;
use crate::program::Program;
use crate::state::counters::PlaceCounters;
use crate::state::value::Scope;

/// The additional data that a caller requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtraObservers {
    pub trace: bool,
    pub levels: bool,
}

pub struct Observers {
    pub probes: Probes,
    /// Without rows where they were not asked for.
    pub levels: Levels,
    trace: Option<Trace>,
}

impl Observers {
    /// The offset of the address of the time at each number of tokens, if that is kept.
    pub const LEVELS: usize = offset_of!(Observers, levels) + Levels::TIMES;
    /// The offset of the number of values that are watched and may have changed.
    pub const PENDING: usize = offset_of!(Observers, probes) + offset_of!(Probes, pending);

    pub fn new(program: &Program, extra: ExtraObservers) -> Self {
        Observers {
            probes: Probes::new(Arc::clone(&program.probes)),
            levels: Levels::new(if extra.levels { program.own_places } else { 0 }),
            trace: extra.trace.then(Trace::default),
        }
    }

    /// Machine code may run the net: it reports firings and arrivals only where the net's probes ask for them.
    pub fn compile(&self) -> bool {
        self.trace.is_none()
    }

    /// The firings since the last call, when tracing was asked for.
    pub fn take_trace(&mut self) -> Trace {
        self.trace.as_mut().map(take).unwrap_or_default()
    }

    /// The number of tokens of a place is about to change.
    #[inline(always)]
    pub fn changes(&mut self, place: PlaceId, state: &PlaceCounters, now: Ticks) {
        if self.levels.are_kept() {
            self.levels.changes(place, state, now);
        }
    }

    /// A firing has deposited `count` tokens of one value; the variables of `scope` are the token's slots.
    #[inline(always)]
    pub fn arrived(&mut self, place: PlaceId, count: u64, scope: &mut Scope) -> Outcome<()> {
        self.probes.arrived(place, count, scope)
    }

    /// A firing starts; its tokens are still in their places.
    #[inline(always)]
    pub fn started(&mut self, transition: TransitionId, scope: &mut Scope) -> Outcome<()> {
        self.probes.started(transition, scope)?;
        self.trace.iter_mut().for_each(|trace| trace.started(transition, scope));
        Ok(())
    }

    /// The warm-up is over: figures are those from now on (M3).
    pub fn restart(&mut self, now: Ticks) {
        self.probes.restart(now);
        self.levels.restart(now);
    }
}
