//! How long each place holds how many tokens: an observer for those who ask for it.

use crate::expression::Scope;
use crate::fault::Outcome;
use crate::ids::{PlaceId, TransitionId};
use crate::observer::Observer;

/// Numbers of tokens told apart; the last one stands for at least so many (`LEVELS` of `petri/measure/occupancy.py`).
pub const LEVELS: usize = 256;

/// Time at each number of tokens, place after place.
#[derive(Clone, Debug)]
pub struct Levels {
    times: Vec<f64>,
    held: Vec<u64>,
    since: Vec<f64>,
}

impl Levels {
    pub fn new(tokens: impl Iterator<Item = u64>) -> Self {
        let held: Vec<u64> = tokens.collect();
        Levels { times: vec![0.0; held.len() * LEVELS], since: vec![0.0; held.len()], held }
    }

    /// Up to `now`: `LEVELS` numbers for each place.
    pub fn at(&self, now: f64) -> Vec<f64> {
        let mut times = self.times.clone();
        for (place, (&held, &since)) in self.held.iter().zip(&self.since).enumerate() {
            times[entry(place, held)] += now - since;
        }
        times
    }
}

fn entry(place: usize, held: u64) -> usize {
    place * LEVELS + held.min(LEVELS as u64 - 1) as usize
}

impl Observer for Levels {
    fn changed(&mut self, place: PlaceId, tokens: u64, now: f64) {
        let place = place.0 as usize;
        self.times[entry(place, self.held[place])] += now - self.since[place];
        self.held[place] = tokens;
        self.since[place] = now;
    }

    fn arrived(&mut self, _: PlaceId, _: u64, _: &mut Scope) -> Outcome<()> {
        Ok(())
    }

    fn started(&mut self, _: TransitionId, _: &mut Scope) -> Outcome<()> {
        Ok(())
    }

    fn restart(&mut self, now: f64) {
        self.times.fill(0.0);
        self.since.fill(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_at_each_level_is_kept_and_the_last_entry_takes_the_rest() {
        let mut levels = Levels::new([2, 0].into_iter());
        levels.changed(PlaceId(0), 1000, 3.0);
        levels.changed(PlaceId(1), 1, 4.0);
        let at = levels.at(5.0);
        assert_eq!((at[2], at[LEVELS - 1]), (3.0, 2.0));
        assert_eq!((at[LEVELS], at[LEVELS + 1]), (4.0, 1.0));
        levels.restart(5.0);
        assert_eq!(levels.at(6.5)[LEVELS - 1], 1.5);
        assert_eq!(levels.at(6.5).iter().sum::<f64>(), 3.0);
    }
}
