//! Declared measures (rule M4), compiled: what each event does to which probe.

use crate::base::ids::{PlaceId, ProbeId, TransitionId};
use crate::base::seldom::Seldom;
use crate::net::{Event, Tick};
use crate::program::called::Called;
use crate::program::expression::{Bool, Real, Value};

/// What an event does to a probe.
#[derive(Clone, Debug)]
pub enum Action {
    Count(Option<Real>),
    /// A value, where the condition holds.
    Sample(Option<Bool>, Real),
    /// A passage ends, or starts. The number encodes the kinds of the key's values, where both ends do not agree about them.
    End(Option<u64>, Vec<Value>),
    Start(Option<u64>, Vec<Value>),
    Order(Vec<Value>, Value),
    /// A token adds its value to a content.
    Enter(Called),
}

/// The state that a probe begins with.
#[derive(Clone, Debug)]
pub enum ProbeKind {
    Counter,
    Sample,
    Passage { width: usize },
    Order { modulo: Option<i64>, displacement_threshold: usize, buffer_threshold: usize },
    Content { place: PlaceId, value: Called },
    Watched { real: bool },
}

/// A value of the marking that a probe watches. Behind all transitions and the shadows of those with clocks, it has a shadow in
/// the enabling, a dependent of the gauges of all places whose tokens it counts.
#[derive(Clone, Debug)]
pub struct Watched {
    pub probe: ProbeId,
    pub value: Value,
    /// Of these transitions, the firings in progress are the variables of the value. If there are any, it is read at the end of
    /// each instant.
    pub firings: Vec<TransitionId>,
}

/// The probes of a net, compiled.
#[derive(Clone, Debug, Default)]
pub struct ProbesProgram {
    pub tick: Tick,
    pub kinds_of_probes: Vec<ProbeKind>,
    /// For each transition and each place, what its events do, in the order of the probes.
    pub starts: Vec<Seldom<(ProbeId, Action)>>,
    pub arrivals: Vec<Seldom<(ProbeId, Action)>>,
    /// In the order of the probes.
    pub watched: Vec<Watched>,
    /// What trials ask about the marking, in the order of the probes. They read all of it at the end of each instant: to note what
    /// may have changed would take longer, and machine code would stop for it.
    pub asked: Vec<Watched>,
    /// For each place, the contents that a token leaves, with its value there.
    pub departures: Vec<Seldom<(ProbeId, Called)>>,
}

impl ProbesProgram {
    /// Whether a probe observes tokens that arrive in a place.
    pub fn hears_arrivals(&self, place: PlaceId) -> bool {
        !self.arrivals[place.at()].is_empty()
    }

    /// Whether a probe observes tokens that leave a place.
    pub fn hears_departures(&self, place: PlaceId) -> bool {
        !self.departures[place.at()].is_empty()
    }
}

impl ProbesProgram {
    /// An event does something to a probe.
    pub fn on(&mut self, event: &Event, probe: ProbeId, action: Action) {
        match (event.transition, event.place) {
            (Some(transition), _) => self.starts[transition.at()].push((probe, action)),
            (None, Some(place)) => self.arrivals[place.at()].push((probe, action)),
            (None, None) => {}
        }
    }
}
