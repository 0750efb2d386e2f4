//! Memory for the firings that will end soon, in nets that do not fit the cache.
//!
//! What a firing touches would be waited for, one line of the cache after the other. So the lines are fetched while other
//! firings end. When a firing becomes the first in its part of the tournament, a hundred others come before it, more or
//! less. What it needs is found in steps, each of which reads what the one before has fetched; between two steps pass a few
//! other firings. Nothing but time depends on what is fetched.

use crate::agenda::{Ending, NO_CELL};
use crate::cache::fetch;
use crate::engine::Engine;
use crate::events::Number;
use crate::ids::{GaugeId, PlaceId, TransitionId};
use crate::observer::Observer;
use crate::program::{Give, Program, Simple, SimpleTime};

/// The tournament has 2^LEVEL parts.
const LEVEL: u32 = 7;
const STEPS: usize = 6;
/// Firings that pass between two steps.
const PAUSE: usize = 3;
/// Firings that are remembered: a power of two, not less than pass from the first step to the last.
const REMEMBERED: usize = 32;
const _: () = assert!(STEPS * PAUSE < REMEMBERED);

/// The slots of the firings that were foreseen last.
#[derive(Default)]
pub struct Foresight {
    slots: [u32; REMEMBERED],
    last: usize,
}

impl Foresight {
    fn add(&mut self, slot: Number) {
        self.last += 1;
        self.slots[self.last % REMEMBERED] = slot.0 as u32;
    }

    /// What was added so long ago.
    fn before(&self, others: usize) -> Number {
        Number(self.slots[self.last.wrapping_sub(others) % REMEMBERED] as usize)
    }
}

impl<O: Observer> Engine<O> {
    /// Foresees one more firing, and does the steps of those whose time has come.
    #[inline(never)]
    pub(crate) fn foresee(&mut self, program: &Program) {
        let slot = self.agenda.events.foresee(LEVEL);
        self.agenda.events.fetch(slot);
        self.foresight.add(slot);
        for step in 1..=STEPS {
            let ending = self.agenda.events.events[self.foresight.before(step * PAUSE)];
            let simple = &program.simple[ending.transition];
            if step == 1 {
                self.fetch_transition(program, ending.transition);
                self.agenda.records.fetch(ending.cell);
            } else if simple.time != SimpleTime::Other {
                self.foresee_simple(program, simple, step);
            } else {
                self.foresee_tokens(program, ending, step);
            }
        }
    }

    /// A firing that moves black tokens, and then those that it may enable.
    #[inline(always)]
    fn foresee_simple(&self, program: &Program, simple: &Simple, step: usize) {
        if step == 2 {
            return fetch(program.moves.as_ptr().wrapping_add(simple.takes as usize));
        }
        for moved in &program.moves[simple.takes as usize..simple.end as usize] {
            let (first, end) = program.gauges[GaugeId::tokens(moved.place)].watches;
            let watches = first as usize..end as usize;
            match step {
                3 => self.fetch_place(program, moved.place),
                4 => fetch(program.watches.as_ptr().wrapping_add(watches.start)),
                5 => program.watches[watches].iter().for_each(|watch| self.fetch_transition(program, watch.transition)),
                _ => program.watches[watches].iter().for_each(|watch| self.fetch_taken(program, watch.transition)),
            }
        }
    }

    #[inline(always)]
    fn fetch_transition(&self, program: &Program, transition: TransitionId) {
        fetch(&program.simple[transition]);
        fetch(&self.enabling.transitions[transition]);
    }

    #[inline(always)]
    fn fetch_place(&self, program: &Program, place: PlaceId) {
        fetch(&program.gauges[GaugeId::tokens(place)]);
        fetch(&self.marking.places[place]);
    }

    /// Fetches what a transition takes, if it is simple, and where it is found when it is chosen.
    #[inline(always)]
    fn fetch_taken(&self, program: &Program, transition: TransitionId) {
        let (simple, state) = (&program.simple[transition], &self.enabling.transitions[transition]);
        let takes = &program.moves[simple.takes as usize..simple.gives as usize];
        takes.iter().for_each(|taken| self.fetch_place(program, taken.place));
        let alike = &program.levels[state.level as usize].transitions;
        fetch(alike.as_ptr().wrapping_add(state.position as usize));
    }

    /// A firing that deposits tokens of its record. The firing may be over, and the record another's: any values do, but
    /// no number of a place may be read there.
    #[inline(always)]
    fn foresee_tokens(&mut self, program: &Program, ending: Ending, step: usize) {
        if ending.cell == NO_CELL {
            return;
        }
        let mut rest = &*self.agenda.records.words(ending.cell);
        for give in &program.transitions[ending.transition].gives {
            match *give {
                Give::Black { .. } => {}
                Give::Token { place, width } => {
                    let (token, others) = rest.split_at(width as usize);
                    self.marking.fetch(program, place, token, step);
                    rest = others;
                }
                Give::Open { width } => rest = &rest[width as usize + 2..],
            }
        }
    }
}
