//! Statistics of every place and transition: integrals over time, updated only when a number changes (M1 to M3).

use crate::expression::Scope;
use crate::fault::Outcome;
use crate::ids::{PlaceId, TransitionId};
use crate::observer::Observer;
use crate::table::Table;

/// A number that changes in time: its integral, the time it is above zero, its maximum, and how often it was added to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    value: u64,
    since: f64,
    integral: f64,
    positive: f64,
    pub maximum: u64,
    /// Tokens that arrived, or firings that started.
    pub entries: u64,
}

impl Tally {
    #[inline(always)]
    fn set(&mut self, value: u64, now: f64) {
        let elapsed = now - self.since;
        // Signed numbers convert in one instruction, unsigned ones do not; counts are far below 2⁶³.
        self.integral += self.value as i64 as f64 * elapsed;
        self.positive += if self.value > 0 { elapsed } else { 0.0 };
        self.since = now;
        self.value = value;
        self.maximum = self.maximum.max(value);
    }

    /// The integral up to `now`.
    pub fn integral(&self, now: f64) -> f64 {
        self.integral + self.value as f64 * (now - self.since)
    }

    /// The time above zero up to `now`.
    pub fn positive(&self, now: f64) -> f64 {
        self.positive + if self.value > 0 { now - self.since } else { 0.0 }
    }

    /// Forgets the past, keeps the value.
    fn restart(&mut self, now: f64) {
        *self = Tally { value: self.value, since: now, maximum: self.value, ..Tally::default() };
    }
}

/// The tallies of a net. `window` is the instant since which they count.
#[derive(Clone, Debug)]
pub struct Statistics {
    pub window: f64,
    pub places: Table<PlaceId, Tally>,
    pub transitions: Table<TransitionId, Tally>,
}

impl Statistics {
    /// Statistics from time 0 on, for a marking.
    pub fn new(tokens: &[u64], transitions: usize) -> Self {
        let place = |&value: &u64| Tally { value, maximum: value, ..Tally::default() };
        Statistics {
            window: 0.0,
            places: tokens.iter().map(place).collect(),
            transitions: (0..transitions).map(|_| Tally::default()).collect(),
        }
    }
}

impl Observer for Statistics {
    #[inline(always)]
    fn changed(&mut self, place: PlaceId, tokens: u64, now: f64) {
        self.places[place].set(tokens, now);
    }

    #[inline(always)]
    fn arrived(&mut self, place: PlaceId, count: u64, _: &mut Scope) -> Outcome<()> {
        self.places[place].entries += count;
        Ok(())
    }

    #[inline(always)]
    fn started(&mut self, transition: TransitionId, lasts: bool, scope: &mut Scope) -> Outcome<()> {
        let tally = &mut self.transitions[transition];
        tally.entries += 1;
        if lasts {
            tally.set(tally.value + 1, scope.now);
        }
        Ok(())
    }

    #[inline(always)]
    fn ended(&mut self, transition: TransitionId, now: f64) {
        let tally = &mut self.transitions[transition];
        tally.set(tally.value - 1, now);
    }

    fn restart(&mut self, now: f64) {
        self.window = now;
        self.places.iter_mut().chain(self.transitions.iter_mut()).for_each(|tally| tally.restart(now));
    }
}
