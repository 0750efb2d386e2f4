//! The clock of a transition, as the engine runs it (C1 to C5).

use crate::base::ids::{PlaceId, SpanId, TransitionId};
pub use crate::net::Memory;
use crate::program::expression::Real;

/// Which clocks a transition has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// One exponential clock for all bindings, at the sum of their rates (C4).
    Shared,
    /// Those of its only binding.
    Black,
    /// One for each binding, which its coloured tokens identify.
    Coloured,
}

pub struct ClockProgram {
    /// Its position among the clocks of the net.
    pub number: usize,
    pub kind: ClockKind,
    pub time: Real,
    pub time_span: SpanId,
    /// The mean of a time without memory.
    pub mean: Option<Real>,
    /// The mean may change while the clock runs.
    pub mean_changes: bool,
    pub memory: Memory,
    /// None: as many clocks as the enabling degree.
    pub servers: Option<u64>,
    /// The black tokens that a firing takes, and those that it finds, where their numbers are constants.
    pub needs: Option<Vec<(PlaceId, u64)>>,
    pub finds: Option<Vec<(PlaceId, u64)>>,
    /// The place each of whose black tokens has a clock.
    pub place: Option<PlaceId>,
    /// Of clocks over black tokens alone, the places from which other transitions take.
    pub contested: Box<[PlaceId]>,
    pub speed: Option<(Real, SpanId)>,
    /// The only coloured input arc, where watches and its token alone decide whether a binding is enabled: then a clock changes
    /// only when a token comes or goes, or the watches change for all.
    pub lone: Option<usize>,
    /// It has coloured input arcs, and each finds the token that its place shows: there is one binding at most.
    pub single: bool,
    /// Watches alone decide whether this binding is enabled.
    pub watched: bool,
    /// A binding stays enabled until the marking changes, and no look at it raises a fault.
    pub lasts: bool,
    /// What is touched when something changes on which the clock depends: no transition of the net, and never enabled.
    pub shadow: TransitionId,
}

impl ClockProgram {
    /// Clocks that run need not be looked at while their bindings stay enabled.
    pub fn is_steady(&self) -> bool {
        !self.mean_changes && self.speed.is_none()
    }

    /// The time of a clock that is set, in ticks, if it is a constant, and watches alone decide whether it is set.
    pub fn known_time(&self) -> Option<f64> {
        match self.time {
            Real::Const(time) if self.watched && self.mean.is_none() => Some(time),
            _ => None,
        }
    }
}
