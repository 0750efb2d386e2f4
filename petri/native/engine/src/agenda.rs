//! The firings in progress, in order of their end, and among equal ends of their start (S5).

use std::collections::VecDeque;

use crate::events::{Event, Events};
use crate::ids::TransitionId;

/// A firing in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The bits of the end, which is not negative, so they are in its order.
    end: u64,
    /// The number of the firing.
    serial: u64,
    pub transition: TransitionId,
    /// Where its record is held.
    cell: u32,
    lane: u32,
}

/// No lane.
pub const NO_LANE: u32 = u32::MAX;

impl Event for Ending {
    #[inline(always)]
    fn time(&self) -> f64 {
        f64::from_bits(self.end)
    }

    #[inline(always)]
    fn precedes(&self, other: &Self) -> bool {
        self.end < other.end || (self.end == other.end && self.serial < other.serial)
    }
}

/// Records of one transition's firings in progress, all of the same size.
#[derive(Clone, Debug, Default)]
struct Pool {
    words: Vec<u64>,
    free: Vec<u32>,
}

/// Firings of one duration end in the order in which they start: a queue holds them, and only its first is among the
/// events.
#[derive(Clone, Debug, Default)]
struct Lane {
    waiting: VecDeque<Ending>,
    occupied: bool,
}

pub struct Agenda {
    events: Events<Ending>,
    lanes: Vec<Lane>,
    pools: Vec<Pool>,
    len: usize,
}

impl Agenda {
    pub fn new(transitions: usize, lanes: usize) -> Self {
        Agenda {
            events: Events::default(),
            lanes: vec![Lane::default(); lanes],
            pools: vec![Pool::default(); transitions],
            len: 0,
        }
    }

    /// The earliest end among the firings in progress.
    #[inline(always)]
    pub fn next_end(&self) -> Option<f64> {
        self.events.first().map(Event::time)
    }

    /// A firing begins; what it will deposit is written to the words returned. All firings of a lane have the same
    /// duration, and all of a transition the same number of words.
    #[inline(always)]
    pub fn begin(&mut self, end: f64, serial: u64, transition: TransitionId, lane: u32, words: usize) -> &mut [u64] {
        if words == 0 {
            self.insert(end, serial, transition, lane, 0);
            return &mut [];
        }
        let cell = self.pools[transition.at()].cell(words);
        self.insert(end, serial, transition, lane, cell);
        let start = cell as usize * words;
        &mut self.pools[transition.at()].words[start..start + words]
    }

    #[inline(always)]
    fn insert(&mut self, end: f64, serial: u64, transition: TransitionId, lane: u32, cell: u32) {
        let ending = Ending { end: end.to_bits(), serial, transition, cell, lane };
        self.len += 1;
        if let Some(lane) = self.lanes.get_mut(lane as usize) {
            if lane.occupied {
                lane.waiting.push_back(ending);
                return;
            }
            lane.occupied = true;
        }
        self.events.insert(ending);
    }

    /// The first firing in order ends.
    #[inline(always)]
    pub fn end_first(&mut self) -> Option<Ending> {
        let first = self.events.pop()?;
        self.len -= 1;
        if let Some(lane) = self.lanes.get_mut(first.lane as usize) {
            match lane.waiting.pop_front() {
                Some(next) => self.events.insert(next),
                None => lane.occupied = false,
            }
        }
        Some(first)
    }

    /// Hands out the record of a firing that has ended. The next that begins may overwrite it.
    #[inline(always)]
    pub fn release(&mut self, ending: &Ending, words: usize) -> &[u64] {
        if words == 0 {
            return &[];
        }
        let pool = &mut self.pools[ending.transition.at()];
        pool.free.push(ending.cell);
        let start = ending.cell as usize * words;
        &pool.words[start..start + words]
    }

    /// Firings in progress.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Pool {
    #[inline(always)]
    fn cell(&mut self, words: usize) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.words.resize(self.words.len() + words, 0);
            (self.words.len() / words - 1) as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn s5_by_end_and_then_by_start() {
        let mut random = Random::new([4, 5, 6]);
        let mut agenda = Agenda::new(3, 2);
        let mut expected = Vec::new();
        for serial in 0..500u64 {
            // Two lanes, of durations 5 and 9, and a transition without.
            let transition = TransitionId(random.equal_choice(3) as u32);
            let start = serial as f64 / 10.0;
            let (end, lane) = match transition.0 {
                0 => (start.floor() + 5.0, 0),
                1 => (start.floor() + 9.0, 1),
                _ => (random.equal_choice(60) as f64, NO_LANE),
            };
            agenda.begin(end, serial, transition, lane, 2).copy_from_slice(&[serial, end as u64]);
            expected.push((end as u64, serial, transition));
        }
        expected.sort();
        for (end, serial, transition) in expected {
            assert_eq!(agenda.next_end(), Some(end as f64));
            let ending = agenda.end_first().expect("a firing");
            let record = agenda.release(&ending, 2);
            assert_eq!((ending.transition, record), (transition, [serial, end].as_slice()));
        }
        assert!(agenda.is_empty());
    }
}
