//! The numbers that the enabling of transitions depends on.

use crate::base::ids::{GaugeId, TransitionId};

/// A gauge with more watches and dependents than this is left to the runtime: its code would be long, and seldom in the cache.
pub const MOST_WATCHES: usize = 24;

/// The most values of a front that have gauges, counted from the least that transitions look for to the greatest.
const MOST_VALUES: u64 = 64;

/// A number that transitions watch: the tokens of a place, its load (tokens and reserved room), or those of a front with one value.
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

/// One condition of a transition: the gauge is at least the threshold, or (`below`) less than it. A blueprint has another name for
/// the transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Watch<T = TransitionId> {
    pub threshold: u64,
    pub transition: T,
    pub below: bool,
}

/// A transition that is looked at again when a gauge changes. It does not see a token that arrives behind `depth` others. If
/// `only` is a slot and bits, it sees only tokens with these bits in this slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dependent<T = TransitionId> {
    pub transition: T,
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

/// The values of a slot that transitions look for in a front, each with a gauge: the tokens of the front that have it.
#[derive(Clone, Debug)]
pub struct ShownValues {
    pub slot: u32,
    pub least: u64,
    /// The gauge of the least value; those of the others follow.
    pub first: usize,
    pub count: usize,
}

impl ShownValues {
    /// Of the slots and bits that transitions look for; `gauge`: the first that is free. None if nothing is looked for, or values
    /// that are far apart.
    pub fn of(only: &[(TransitionId, (u32, u64))], gauge: usize) -> Option<Self> {
        let slot = only.first()?.1 .0;
        let values = || only.iter().filter(|one| one.1 .0 == slot).map(|one| one.1 .1);
        let (least, most) = (values().min()?, values().max()?);
        (most - least < MOST_VALUES).then(|| ShownValues {
            slot,
            least,
            first: gauge,
            count: (most - least) as usize + 1,
        })
    }

    pub fn gauge_of(&self, bits: u64) -> Option<GaugeId> {
        let at = bits.wrapping_sub(self.least);
        (at < self.count as u64).then(|| GaugeId((self.first + at as usize) as u32))
    }

    pub fn gauge(&self, token: &[u64]) -> Option<GaugeId> {
        self.gauge_of(token[self.slot as usize])
    }

    pub fn gauges(&self) -> impl Iterator<Item = GaugeId> {
        (self.first..self.first + self.count).map(|gauge| GaugeId(gauge as u32))
    }
}

impl Watch {
    /// The same with another name for the transition.
    pub fn map<T>(self, name: impl FnOnce(TransitionId) -> T) -> Watch<T> {
        Watch { threshold: self.threshold, transition: name(self.transition), below: self.below }
    }
}

impl Dependent {
    /// The same with another name for the transition.
    pub fn map<T>(self, name: impl FnOnce(TransitionId) -> T) -> Dependent<T> {
        let Dependent { transition, depth, only, enabled_by } = self;
        Dependent { transition: name(transition), depth, only, enabled_by }
    }

    /// A transition that is looked at again whatever changes.
    pub fn on_any_change(transition: TransitionId) -> Self {
        Dependent { transition, depth: u64::MAX, only: None, enabled_by: EnabledBy::Either }
    }
}
