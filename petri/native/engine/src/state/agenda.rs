//! The firings in progress, in order of their end, and among equal ends of their start (S5).

use std::sync::Arc;

use crate::base::ids::TransitionId;
use crate::base::ticks::Ticks;
use crate::collections::records::Records;
use crate::collections::tournament::Tournament;
use crate::program::Program;
use crate::state::arena::{Arena, ArenaTable};
use crate::state::lane::{Lane, Waiting};

/// The data of the firing in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Ending {
    /// The machine code that ends it, and its holes, if that is known here: then it need not be looked up when time is
    /// short.
    pub function: usize,
    pub holes: usize,
    pub transition: TransitionId,
    pub lane: u32,
}

impl Ending {
    pub fn new(transition: TransitionId, lane: u32) -> Self {
        Ending { transition, lane, ..Ending::default() }
    }
}

/// A lane, by number.
#[derive(Clone, Copy)]
pub struct LaneId;

#[repr(C)]
pub struct Agenda {
    pub tournament: Tournament,
    /// For each slot its firing, with its record unless it is one of a lane, where the record stays in the ring.
    pub endings: Records<Ending>,
    pub lanes: ArenaTable<LaneId, Lane>,
}

impl Agenda {
    /// For the firings of a program.
    pub fn new(program: &Program, arena: &Arc<Arena>) -> Self {
        let (tournament, width) = (Tournament::default(), program.record);
        let lanes = (0..program.lanes).map(|_| Lane::new(width));
        Agenda {
            endings: Records::new(width, tournament.slots),
            tournament,
            lanes: ArenaTable::new(arena, arena.layout.lanes, lanes),
        }
    }

    /// There have never been more firings in progress.
    pub fn capacity(&self) -> u64 {
        self.tournament.slots as u64 + self.lanes.iter().map(|lane| lane.mask + 1).sum::<u64>()
    }

    /// The earliest end among the firings in progress; `NEVER` when there are none.
    #[inline(always)]
    pub fn next_end(&mut self) -> Ticks {
        self.tournament.next_time()
    }

    /// The transition of the firing that ends first.
    pub fn first(&mut self) -> Option<TransitionId> {
        self.next_end();
        Some(self.endings.head(self.tournament.first_due()?).transition)
    }

    /// A firing begins; what it will deposit is written to the words returned. All firings of a lane have the same
    /// duration.
    #[inline(always)]
    pub fn begin(&mut self, end: Ticks, serial: u64, transition: TransitionId, lane: u32, words: usize) -> &mut [u64] {
        let place = match self.lanes.get_mut(lane as usize) {
            None => None,
            Some(of_lane) => {
                let place = of_lane.push(Waiting::new(end, serial, transition));
                if of_lane.firings > 1 {
                    return &mut self.lanes[lane as usize].ring.record_mut(place)[..words];
                }
                Some(place)
            }
        };
        self.make_room();
        let slot = self.tournament.insert(end, serial);
        self.endings.set_head(slot, Ending::new(transition, lane));
        let record = match place {
            Some(place) => self.lanes[lane as usize].ring.record_mut(place),
            None => self.endings.record_mut(slot),
        };
        &mut record[..words]
    }

    /// Ensures that one more firing can begin without more slots.
    #[inline(always)]
    pub fn make_room(&mut self) {
        if self.tournament.is_full() {
            self.tournament.widen();
            self.endings.lengthen(self.tournament.slots);
        }
    }

    /// The first in order of the firings that end when `next_end` said, until none is left, with its record. The next that
    /// begins may overwrite the record.
    #[inline(always)]
    pub fn end_next(&mut self) -> Option<(TransitionId, &[u64])> {
        let slot = self.tournament.first_due()?;
        let Ending { transition, lane: number, .. } = self.endings.head(slot);
        let Some(lane) = self.lanes.get_mut(number as usize) else {
            self.tournament.leave(slot);
            return Some((transition, self.endings.record(slot)));
        };
        let place = lane.pop();
        match lane.first() {
            Some(next) => {
                self.endings.set_head(slot, Ending::new(next.transition, number));
                self.tournament.succeed(slot, next.end, next.number);
            }
            None => self.tournament.leave(slot),
        }
        Some((transition, lane.ring.record(place)))
    }

    /// Whether no firing of a lane ends later.
    pub fn is_last_of(&self, lane: u32, end: Ticks) -> bool {
        self.lanes[lane as usize].last().is_none_or(|last| last.end <= end)
    }

    /// All firings in progress, in order: end, transition, record.
    pub fn listed(&mut self) -> Vec<(Ticks, TransitionId, &[u64])> {
        self.next_end(); // no slot is a gap
        let mut found = Vec::new();
        for (slot, end, serial) in self.tournament.events() {
            let Ending { transition, lane, .. } = self.endings.head(slot);
            match self.lanes.get(lane as usize) {
                None => found.push((end, serial, transition, self.endings.record(slot))),
                Some(lane) => {
                    found.extend(lane.listed().map(|(one, record)| (one.end, one.number, one.transition, record)));
                }
            }
        }
        found.sort_unstable_by_key(|&(end, serial, ..)| (end, serial));
        found.into_iter().map(|(end, _, transition, record)| (end, transition, record)).collect()
    }

    /// The record of the firing of a slot; of any, if there is none.
    #[inline(always)]
    pub fn record(&self, slot: usize) -> &[u64] {
        match self.lanes.get(self.endings.head(slot).lane as usize) {
            Some(lane) => lane.ring.record(lane.head as usize),
            None => self.endings.record(slot),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::collections::tournament::NEVER;
    use crate::program::transition::NO_LANE;

    #[test]
    fn s5_by_end_and_then_by_start() {
        let mut random = Random::new([4, 5, 6]);
        let mut program = Program::from_json(r#"{"places":[],"transitions":[]}"#).expect("a net");
        (program.record, program.lanes) = (3, 2);
        let mut agenda = Agenda::new(&program, &Arena::new(&program, 0));
        let mut expected = Vec::new();
        for serial in 0..500u64 {
            // Two lanes, of durations 5 and 9, and a transition without.
            let transition = TransitionId(random.equal_choice(3) as u32);
            let start = serial as Ticks / 10;
            let (end, lane) = match transition.0 {
                0 => (start + 5, 0),
                1 => (start + 9, 1),
                _ => (random.equal_choice(60) as Ticks, NO_LANE),
            };
            agenda.begin(end, serial, transition, lane, 2).copy_from_slice(&[serial, end as u64]);
            expected.push((end as u64, serial, transition));
        }
        expected.sort();
        for (end, serial, transition) in expected {
            assert_eq!(agenda.next_end(), end as Ticks);
            let (ended, record) = agenda.end_next().expect("a firing");
            assert_eq!((ended, &record[..2]), (transition, [serial, end].as_slice()));
        }
        assert_eq!(agenda.next_end(), NEVER);
    }
}
