//! How long each place holds how many tokens: an optional observer.

use std::mem::offset_of;

use crate::base::ids::PlaceId;
use crate::base::table::Table;
use crate::base::ticks::Ticks;
use crate::state::counters::PlaceCounters;

/// Numbers of tokens that are kept apart, from 0 on. The last one includes all greater numbers (`LEVELS` of
/// `petri/measure/occupancy.py`).
pub const LEVELS: usize = 256;

/// Numbers of a row.
pub const ROW: usize = LEVELS + 1;

/// For each place a row: the time at each number of tokens up to its last change, and when that was.
#[derive(Clone)]
pub struct Levels {
    times: Table<Entry, Ticks>,
}

/// An entry of a row.
#[derive(Clone, Copy)]
pub struct Entry;

impl Levels {
    /// The offset of the address of the times.
    pub const TIMES: usize = offset_of!(Levels, times) + Table::<Entry, Ticks>::START;

    pub fn new(places: usize) -> Self {
        Levels { times: vec![0; places * ROW].into_iter().collect() }
    }

    pub fn are_kept(&self) -> bool {
        !self.times.is_empty()
    }

    /// Up to `now`: `LEVELS` numbers for each place.
    pub fn at(&self, places: &[PlaceCounters], now: Ticks) -> Vec<Ticks> {
        let mut times = Vec::with_capacity(self.times.len() / ROW * LEVELS);
        for (row, state) in self.times.chunks_exact(ROW).zip(places) {
            let start = times.len();
            times.extend_from_slice(&row[..LEVELS]);
            times[start + level(state.tokens)] += now - row[LEVELS];
        }
        times
    }

    /// Goes on from the times of all places, up to `now`. Returns whether they are as many as are kept.
    pub fn resume(&mut self, times: &[Ticks], now: Ticks) -> bool {
        let rows = self.times.chunks_exact_mut(ROW).zip(times.chunks_exact(LEVELS));
        rows.for_each(|(row, times)| row[..LEVELS].copy_from_slice(times));
        self.times.chunks_exact_mut(ROW).for_each(|row| row[LEVELS] = now);
        times.len() == self.times.len() / ROW * LEVELS
    }

    /// The number of tokens of a place is about to change.
    pub fn changes(&mut self, place: PlaceId, state: &PlaceCounters, now: Ticks) {
        let row = &mut self.times[place.at() * ROW..][..ROW];
        row[level(state.tokens)] += now - row[LEVELS];
        row[LEVELS] = now;
    }

    pub fn restart(&mut self, now: Ticks) {
        self.times.fill(0);
        self.times.chunks_exact_mut(ROW).for_each(|row| row[LEVELS] = now);
    }
}

fn level(tokens: u64) -> usize {
    tokens.min(LEVELS as u64 - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_at_each_level_is_kept_and_the_last_entry_takes_the_rest() {
        let place = |tokens| PlaceCounters { tokens, ..PlaceCounters::default() };
        let mut places = [place(2), place(0)];
        let mut levels = Levels::new(places.len());
        levels.changes(PlaceId(0), &places[0], 3);
        places[0] = place(1000);
        levels.changes(PlaceId(1), &places[1], 4);
        places[1] = place(1);
        let at = levels.at(&places, 5);
        assert_eq!((at[2], at[LEVELS - 1]), (3, 2));
        assert_eq!((at[LEVELS], at[LEVELS + 1]), (4, 1));
        levels.restart(5);
        let at = levels.at(&[place(1000), place(1)], 7);
        assert_eq!((at[LEVELS - 1], at.iter().sum::<Ticks>()), (2, 4));
    }
}
