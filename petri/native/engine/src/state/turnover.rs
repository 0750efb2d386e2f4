//! How many black tokens have left a place since the last end of an instant, and how many of those that were there are left (C2).
//!
//! **Problem.** A clock over black tokens ends with its token, but such tokens are only counted. If one leaves and one comes at the
//! same instant, their number is as before.
//!
//! **Idea.** Tokens leave in the order in which they came, and a place counts what arrives. So the numbers at the last end of an
//! instant and those of now tell the rest. A firing that takes a token out of this order (C3) says so.

use crate::base::ids::PlaceId;
use crate::state::counters::PlaceCounters;

/// The numbers of a place at the last end of an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Then {
    tokens: u64,
    arrivals: u64,
    /// Tokens that have been taken out of order since, and those of them that had arrived since.
    chosen: u64,
    new: u64,
}

/// The places over whose black tokens clocks run that other transitions take.
#[derive(Clone, Debug, Default)]
pub struct Turnover {
    /// By place, up to the last of them.
    rows: Vec<Then>,
}

impl Turnover {
    /// For places of which this is the last.
    pub fn new(last: Option<PlaceId>) -> Self {
        Turnover { rows: vec![Then::default(); last.map_or(0, |place| place.at() + 1)] }
    }

    pub fn has_places(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The tokens that were there at the last end of an instant and still are.
    pub fn old(&self, place: PlaceId, now: &PlaceCounters) -> u64 {
        let then = self.rows[place.at()];
        now.tokens.saturating_sub(now.arrivals.wrapping_sub(then.arrivals).wrapping_sub(then.new))
    }

    /// How many have left since, in the order in which they came.
    pub fn gone(&self, place: PlaceId, now: &PlaceCounters) -> u64 {
        let then = self.rows[place.at()];
        let all = then.tokens.wrapping_add(now.arrivals.wrapping_sub(then.arrivals));
        all.wrapping_sub(now.tokens).wrapping_sub(then.chosen)
    }

    /// Tokens are about to leave out of order, one after the other from these positions.
    pub fn choose(&mut self, place: PlaceId, now: &PlaceCounters, positions: &[u64]) {
        let mut old = self.old(place, now);
        let row = &mut self.rows[place.at()];
        for &position in positions {
            row.chosen += 1;
            if position < old {
                old -= 1;
            } else {
                row.new += 1;
            }
        }
    }

    /// The instant is over.
    pub fn look(&mut self, place: PlaceId, now: &PlaceCounters) {
        self.rows[place.at()] = Then { tokens: now.tokens, arrivals: now.arrivals, ..Then::default() };
    }

    /// Arrivals are about to be counted from 0.
    pub fn recount(&mut self, places: &[PlaceCounters]) {
        for (row, place) in self.rows.iter_mut().zip(places) {
            row.arrivals = row.arrivals.wrapping_sub(place.arrivals);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::base::random::Random;

    #[test]
    fn numbers_tell_which_tokens_have_left() {
        let (place, mut random) = (PlaceId(1), Random::new([1, 2, 3]));
        let (mut turnover, mut counters) = (Turnover::new(Some(place)), PlaceCounters::default());
        let (mut tokens, mut next, mut old, mut in_order) = (VecDeque::new(), 0, 0, 0);
        for step in 0..5000 {
            match random.equal_choice(8) {
                0..3 => {
                    counters.gain(1, step);
                    tokens.push_back(next);
                    next += 1;
                }
                3..5 if !tokens.is_empty() => {
                    counters.lose(1, step);
                    tokens.pop_front();
                    in_order += 1;
                }
                5 if !tokens.is_empty() => {
                    let position = random.equal_choice(tokens.len() as u64);
                    turnover.choose(place, &counters, &[position]);
                    counters.lose(1, step);
                    tokens.remove(position as usize);
                }
                6 => {
                    turnover.look(place, &counters);
                    (old, in_order) = (next, 0);
                }
                7 => {
                    turnover.recount(&[PlaceCounters::default(), counters]);
                    counters.arrivals = 0;
                }
                _ => {}
            }
            let left = tokens.iter().filter(|&&token| token < old).count() as u64;
            assert_eq!((turnover.gone(place, &counters), turnover.old(place, &counters)), (in_order, left));
        }
    }
}
