//! Integrals over time that have outgrown a word (M1, M2).
//!
//! A counter keeps its integral since the last fold in 64 bits. A fold adds that to a wider number and restarts it.
//! No number is above the most tokens that the net may hold, or the most firings that may be in progress. Between two folds so
//! little time passes that such a number times that time is below 2⁶², and so is the integral. Most runs need no fold, and there
//! are no wider numbers until the first.

use crate::base::ids::{PlaceId, TransitionId};
use crate::base::table::Table;
use crate::base::ticks::Ticks;
use crate::program::Program;
use crate::state::counters::{PlaceCounters, TransitionCounters};

const WIDEST: u64 = 1 << 62;

#[derive(Clone)]
pub struct WideIntegrals {
    /// Empty until there is a fold: all are 0.
    places: Table<PlaceId, i128>,
    transitions: Table<TransitionId, i128>,
    /// How many places and transitions there are.
    rows: [usize; 2],
    /// The most tokens of a place.
    most_tokens: u64,
    /// When the last fold was.
    folded: Ticks,
}

impl WideIntegrals {
    /// For a net that never holds more than `most_tokens` tokens.
    pub fn new(program: &Program, most_tokens: u64) -> Self {
        WideIntegrals {
            places: Table::default(),
            transitions: Table::default(),
            rows: [program.places.len(), program.transitions.len()],
            most_tokens,
            folded: 0,
        }
    }

    /// No fold is needed up to this instant, as long as there have been at most `in_progress` firings in progress since the last.
    pub fn enough_until(&self, in_progress: u64) -> Ticks {
        self.folded + (WIDEST / in_progress.max(self.most_tokens).min(WIDEST)) as Ticks
    }

    /// The next fold is as soon as that of another's.
    pub fn fold_after(&mut self, other: &Self) {
        self.folded = other.folded;
    }

    /// Takes in all integrals up to an instant before which nothing changes.
    #[cold]
    pub fn fold(
        &mut self,
        program: &Program,
        places: &mut [PlaceCounters],
        transitions: &mut [TransitionCounters],
        instant: Ticks,
    ) {
        self.fill();
        for ((wide, place), plan) in self.places.iter_mut().zip(places).zip(program.places.iter()) {
            if !plan.holds_one() {
                *wide += place.fold(instant);
            }
        }
        for ((wide, transition), plan) in self.transitions.iter_mut().zip(transitions).zip(program.transitions.iter()) {
            if !plan.takes_turns {
                *wide += transition.fold(instant);
            }
        }
        self.folded = instant;
    }

    /// There are numbers from now on.
    fn fill(&mut self) {
        if self.places.is_empty() && self.transitions.is_empty() {
            let [places, transitions] = self.rows;
            self.places = vec![0; places].into_iter().collect();
            self.transitions = vec![0; transitions].into_iter().collect();
        }
    }

    /// Goes on from these integrals up to `now`. Counters have none of their own yet.
    pub fn resume(&mut self, places: &[i128], transitions: &[i128], now: Ticks) {
        self.fill();
        self.places.iter_mut().zip(places).for_each(|(wide, &integral)| *wide = integral);
        self.transitions.iter_mut().zip(transitions).for_each(|(wide, &integral)| *wide = integral);
        self.folded = now;
    }

    /// The integral of the tokens of each place up to `now`.
    pub fn wide_of_places<'a>(&'a self, places: &'a [PlaceCounters], now: Ticks) -> impl Iterator<Item = i128> + 'a {
        let wide = or_zeros(&self.places, self.rows[0]);
        wide.zip(places).map(move |(wide, place)| wide + place.integral(now))
    }

    /// The same of the firings in progress of each transition.
    pub fn wide_of_transitions<'a>(
        &'a self,
        transitions: &'a [TransitionCounters],
        now: Ticks,
    ) -> impl Iterator<Item = i128> + 'a {
        let wide = or_zeros(&self.transitions, self.rows[1]);
        wide.zip(transitions).map(move |(wide, transition)| wide + transition.integral(now))
    }

    /// Restarts the statistics: counters start at this instant.
    pub fn restart(&mut self, now: Ticks) {
        (self.places, self.transitions) = Default::default();
        self.folded = now;
    }

    /// The integral of the tokens of each place up to `now`, each rounded once.
    pub fn of_places(&self, places: &[PlaceCounters], now: Ticks) -> Vec<f64> {
        self.wide_of_places(places, now).map(rounded).collect()
    }

    /// The same of the firings in progress of each transition.
    pub fn of_transitions(&self, transitions: &[TransitionCounters], now: Ticks) -> Vec<f64> {
        self.wide_of_transitions(transitions, now).map(rounded).collect()
    }
}

/// A row of this many numbers, which are all 0 where it is empty.
fn or_zeros(row: &[i128], numbers: usize) -> impl Iterator<Item = i128> + '_ {
    row.iter().copied().chain(std::iter::repeat(0)).take(numbers)
}

/// An integral as the nearest number, which takes one instruction where 64 bits hold it, as they mostly do.
pub fn rounded(integral: i128) -> f64 {
    match i64::try_from(integral) {
        Ok(short) => short as f64,
        Err(_) => rounded_from_wide(integral),
    }
}

/// A function of its own, or the compiler would have both computed and choose.
#[cold]
#[inline(never)]
fn rounded_from_wide(integral: i128) -> f64 {
    integral as f64
}
