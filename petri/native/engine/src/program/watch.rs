//! The numbers that the enabling of transitions depends on.

use crate::base::ids::{GaugeId, TransitionId};

/// A gauge with more watches and dependents than this is left to the runtime: its code would be long, and seldom in the cache.
pub const MOST_WATCHES: usize = 24;

/// A number that transitions watch: the tokens of a place, or its load (tokens and reserved room).
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    /// The greatest threshold watched, or the greatest number where there are dependents: a change above it has no
    /// effect.
    pub top: u64,
    /// The first watch, and the one behind the last.
    pub watches: (u32, u32),
    pub dependents: (u32, u32),
    /// For the tokens of a place whose capacity some transition waits for: the gauge of its load.
    pub load: GaugeId,
}

/// One condition of a transition: the gauge is at least the threshold, or (`below`) less than it.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    pub threshold: u64,
    pub transition: TransitionId,
    pub below: bool,
}

/// A transition that is looked at again when a gauge changes. It does not see a token that arrives behind `depth` others. If
/// `only` is a slot and bits, it sees only tokens with these bits in this slot.
#[derive(Clone, Copy, Debug)]
pub struct Dependent {
    pub transition: TransitionId,
    pub depth: u64,
    pub only: Option<(u32, u64)>,
    pub enabled_by: EnabledBy,
}

/// Which changes of a gauge may enable a transition. The others may only disable it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnabledBy {
    More,
    Fewer,
    Either,
}

impl Dependent {
    /// A transition that is looked at again whatever changes.
    pub fn on_any_change(transition: TransitionId) -> Self {
        Dependent { transition, depth: u64::MAX, only: None, enabled_by: EnabledBy::Either }
    }
}
