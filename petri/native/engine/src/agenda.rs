//! The firings in progress, in order of their end, and among equal ends of their start (S5).

use crate::events::Events;
use crate::ids::TransitionId;
use crate::lane::{Lane, Waiting};
use crate::records::Records;
use crate::table::Table;

/// A firing in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Ending {
    /// The machine code that ends it, and its operands, if that is known here: then it need not be looked up when time is
    /// short.
    pub function: usize,
    pub operands: usize,
    pub transition: TransitionId,
    /// Where its record is held.
    pub cell: u32,
    pub lane: u32,
}

impl Ending {
    pub fn new(transition: TransitionId, cell: u32, lane: u32) -> Self {
        Ending { transition, cell, lane, ..Ending::default() }
    }
}

/// No lane.
pub const NO_LANE: u32 = u32::MAX;
/// No record.
pub const NO_CELL: u32 = u32::MAX;

/// A lane, by number.
#[derive(Clone, Copy)]
pub struct LaneId;

/// What the agenda needs of a firing that machine code has started.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    pub cell: u32,
    pub lane: u32,
}

pub struct Agenda {
    pub events: Events<Ending>,
    pub records: Records,
    pub lanes: Table<LaneId, Lane>,
    pub begun: Begun,
}

impl Agenda {
    /// For firings with records of at most `width` words.
    pub fn new(width: usize, lanes: usize) -> Self {
        Agenda {
            events: Events::default(),
            records: Records::new(width),
            lanes: vec![Lane::default(); lanes].into_iter().collect(),
            begun: Begun { cell: NO_CELL, lane: NO_LANE },
        }
    }

    /// The earliest end among the firings in progress; infinite when there are none.
    #[inline(always)]
    pub fn next_end(&mut self) -> f64 {
        self.events.next_time()
    }

    /// A firing begins; what it will deposit is written to the words returned. All firings of a lane have the same
    /// duration.
    #[inline(always)]
    pub fn begin(&mut self, end: f64, serial: u64, transition: TransitionId, lane: u32, words: usize) -> &mut [u64] {
        let cell = if words == 0 { NO_CELL } else { self.records.take() };
        self.insert(end, serial, Ending::new(transition, cell, lane));
        if words == 0 {
            &mut []
        } else {
            &mut self.records.words(cell)[..words]
        }
    }

    /// Sees to it that one more firing can begin without more memory.
    pub fn make_room(&mut self) {
        self.events.make_room();
        self.records.make_room();
    }

    #[inline(always)]
    pub fn insert(&mut self, end: f64, serial: u64, ending: Ending) {
        if let Some(lane) = self.lanes.get_mut(ending.lane as usize) {
            lane.firings += 1;
            if lane.firings > 1 {
                lane.push(Waiting { end, number: serial, transition: ending.transition, cell: ending.cell });
                return;
            }
        }
        self.events.insert(end, serial, ending);
    }

    /// A firing waits in its lane, where it is counted already.
    pub fn wait(&mut self, lane: u32, waiting: Waiting) {
        if let Some(lane) = self.lanes.get_mut(lane as usize) {
            lane.push(waiting);
        }
    }

    /// The first in order of the firings that end when `next_end` said, until none is left.
    #[inline(always)]
    pub fn end_next(&mut self) -> Option<Ending> {
        let lanes = &mut self.lanes;
        self.events.pop(|first| {
            let lane = lanes.get_mut(first.lane as usize)?;
            lane.firings -= 1;
            let Waiting { end, number, transition, cell } = lane.pop()?;
            Some((end, number, Ending::new(transition, cell, first.lane)))
        })
    }

    /// Hands out the record of a firing that has ended, and perhaps more words. The next that begins may overwrite it.
    #[inline(always)]
    pub fn release(&mut self, cell: u32) -> &[u64] {
        if cell == NO_CELL {
            return &[];
        }
        self.records.leave(cell);
        self.records.words(cell)
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
            assert_eq!(agenda.next_end(), end as f64);
            let ending = agenda.end_next().expect("a firing");
            let record = &agenda.release(ending.cell)[..2];
            assert_eq!((ending.transition, record), (transition, [serial, end].as_slice()));
        }
        assert_eq!(agenda.next_end(), f64::INFINITY);
    }
}
