//! Memory for the firings that will end soon, in nets that do not fit the cache.
//!
//! What a firing touches would be waited for, one line of the cache after the other. So the lines are fetched while other
//! firings end. When a firing becomes the first in its part of the tournament, a hundred others come before it, more or
//! less. What it needs is found in steps, each of which reads what the one before has fetched; between two steps another
//! firing ends. Nothing but time depends on what is fetched.

use crate::agenda::Ending;
use crate::cache::fetch;
use crate::code::{Code, Operands};
use crate::engine::Engine;
use crate::events::{Number, MANY, NEAR};
use crate::ids::{GaugeId, PlaceId, TransitionId};
use crate::marking::Lead;
use crate::observer::Observer;
use crate::program::{Give, Program, Simple, SimpleTime};

/// The tournament has 2^LEVEL parts. Their first nodes are near.
const LEVEL: u32 = 7;
const _: () = assert!(LEVEL <= NEAR && MANY >= 1 << LEVEL);
const STEPS: usize = 7;
/// Firings that pass before the first step, besides one before each: some firings take less time than a line to come.
const PAUSE: usize = 2;
/// Firings that are remembered: a power of two, more than pass up to the last step.
const REMEMBERED: usize = 16;
const _: () = assert!(PAUSE + STEPS < REMEMBERED && REMEMBERED.is_power_of_two());

/// Leads of a firing that are followed.
const LEADS: usize = 4;
/// The step that is the first to follow them.
const FOLLOWED: usize = 4;

/// The firings that were foreseen last.
#[derive(Default)]
pub struct Foresight {
    firings: [Foreseen; REMEMBERED],
    last: usize,
}

#[derive(Default)]
struct Foreseen {
    slot: u32,
    leads: [Option<Lead>; LEADS],
}

impl Foresight {
    fn add(&mut self, slot: Number) {
        self.last += 1;
        self.firings[self.last % REMEMBERED].slot = slot.0 as u32;
    }

    /// Where that stands which was added so long ago.
    fn before(&self, others: usize) -> usize {
        self.last.wrapping_sub(others) % REMEMBERED
    }
}

impl<O: Observer> Engine<O> {
    /// Foresees one more firing, and does the steps of those whose time has come.
    #[inline(never)]
    pub(crate) fn foresee(&mut self, program: &Program) {
        let code = program.made_code::<O>();
        let slot = self.agenda.events.foresee(LEVEL);
        self.agenda.events.fetch(slot);
        self.agenda.endings.fetch(slot.0);
        self.foresight.add(slot);
        for step in 1..=STEPS {
            let number = self.foresight.before(PAUSE + step);
            let slot = self.foresight.firings[number].slot as usize;
            let ending = self.agenda.endings.head(slot);
            let simple = &program.simple[ending.transition];
            if let Some(code) = code {
                self.foresee_code(program, code, &ending, step);
            } else if step == 1 {
                self.fetch_transition(program, ending.transition);
            } else if simple.time != SimpleTime::Other {
                self.foresee_simple(program, simple, step);
            }
            if program.record > 0 {
                self.foresee_tokens(program, number, slot, ending, step);
            }
        }
    }

    /// The machine code of a firing's end, and of those that may start then: places and transitions are among their operands.
    #[inline(always)]
    fn foresee_code(&self, program: &Program, code: &Code, ending: &Ending, step: usize) {
        // SAFETY: where the interpreter has not left it open, it is a row of the code.
        let Some(row) = (unsafe { Operands::at(ending.operands) }) else { return };
        let transitions = || row.transitions().map(|distance| code.transition_at(distance));
        let starts = || transitions().map(|transition| code.start_operands(transition));
        match step {
            1 => row.fetch(),
            2 => row.fetch_rest(),
            3 => {
                self.fetch_named(row);
                transitions().for_each(|transition| code.fetch_start(transition));
            }
            4 => {
                starts().for_each(Operands::fetch);
                transitions().for_each(|transition| self.fetch_number(program, transition));
            }
            5 => starts().for_each(Operands::fetch_rest),
            6 => starts().for_each(|row| self.fetch_named(row)),
            _ => {}
        }
    }

    #[inline(always)]
    fn fetch_named(&self, row: Operands) {
        let start = std::ptr::from_ref(self).cast::<u8>();
        row.places().chain(row.transitions()).for_each(|distance| fetch(start.wrapping_add(distance)));
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
                6 => program.watches[watches].iter().for_each(|watch| self.fetch_taken(program, watch.transition)),
                _ => {}
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

    /// Fetches where a transition is found when it is chosen.
    #[inline(always)]
    fn fetch_number(&self, program: &Program, transition: TransitionId) {
        let state = &self.enabling.transitions[transition];
        let alike = &program.levels[state.level as usize].transitions;
        fetch(alike.as_ptr().wrapping_add(state.position as usize));
    }

    /// The same, and what it takes, if it is simple.
    #[inline(always)]
    fn fetch_taken(&self, program: &Program, transition: TransitionId) {
        let simple = &program.simple[transition];
        let takes = &program.moves[simple.takes as usize..simple.gives as usize];
        takes.iter().for_each(|taken| self.fetch_place(program, taken.place));
        self.fetch_number(program, transition);
    }

    /// A firing that deposits tokens of its record.
    #[inline(always)]
    fn foresee_tokens(&mut self, program: &Program, number: usize, slot: usize, ending: Ending, step: usize) {
        match step.checked_sub(FOLLOWED) {
            None if step + 2 == FOLLOWED => {
                self.each_token(program, slot, ending, |s, place, token| s.marking.fetch_cells(program, place, token));
            }
            None if step + 1 == FOLLOWED => {
                self.foresight.firings[number].leads = self.find_leads(program, slot, ending);
            }
            None => {}
            Some(step) => {
                for lead in self.foresight.firings[number].leads.iter().map_while(Option::as_ref) {
                    self.marking.follow(program, lead, step);
                }
            }
        }
    }

    /// The leads of the tokens that a firing deposits, as far as there is room.
    #[inline(always)]
    fn find_leads(&self, program: &Program, slot: usize, ending: Ending) -> [Option<Lead>; LEADS] {
        let (mut leads, mut found) = ([None; LEADS], 0);
        self.each_token(program, slot, ending, |s, place, token| {
            s.marking.fetch_groups(program, place, token, |lead| {
                leads.get_mut(found).into_iter().for_each(|free| *free = Some(lead));
                found += 1;
            });
        });
        leads
    }

    /// The tokens that a firing deposits. The firing may be over, and the record another's: any values do, but no number of a
    /// place may be read there.
    #[inline(always)]
    fn each_token(
        &self,
        program: &Program,
        slot: usize,
        ending: Ending,
        mut visit: impl FnMut(&Self, PlaceId, &[u64]),
    ) {
        let mut rest = self.agenda.record(slot, ending.lane);
        for give in &program.transitions[ending.transition].gives {
            match *give {
                Give::Black { .. } => {}
                Give::Token { place, width } => {
                    let (token, others) = rest.split_at(width as usize);
                    visit(self, place, token);
                    rest = others;
                }
                Give::Open { width } => rest = &rest[width as usize + 2..],
            }
        }
    }
}
