//! Memory for the firings that will end soon, in nets that do not fit the cache.
//!
//! What a firing touches would be waited for, one line of the cache after the other. So the lines are fetched while other
//! firings end. When a firing becomes the first in its part of the tournament, a hundred others come before it, more or
//! less. What it needs is found in steps, each of which reads what the one before has fetched; between two steps another
//! firing ends. Machine code knows the footprint of each transition, which takes two; what the tokens of a firing lead to
//! takes four (`lead`). Nothing but time depends on what is fetched.

use std::ptr::from_ref;

use crate::cache::fetch;
use crate::code::Code;
use crate::engine::Engine;
use crate::events::{Number, MANY, NEAR};
use crate::ids::{GaugeId, PlaceId, TransitionId};
use crate::index::NONE;
use crate::lead::Lead;
use crate::marking::Marking;
use crate::observer::Observer;
use crate::program::{Program, SimpleTime};

/// The tournament has 2^LEVEL parts. Their first nodes are near.
const LEVEL: u32 = 7;
const _: () = assert!(LEVEL <= NEAR && MANY >= 1 << LEVEL);
/// Firings that pass before the first step, since some take less time than a line to come; and the most steps.
const PAUSE: usize = 2;
const STEPS: usize = 6;
/// Firings that are remembered: a power of two, more than pass up to the last step.
const REMEMBERED: usize = 16;
const _: () = assert!(PAUSE + STEPS < REMEMBERED && REMEMBERED.is_power_of_two());
/// Leads of a firing that are followed.
const LEADS: usize = 4;

/// The firings that were foreseen last.
#[derive(Default)]
pub struct Foresight {
    firings: [Foreseen; REMEMBERED],
    last: usize,
}

#[derive(Clone, Copy)]
struct Foreseen {
    slot: u32,
    /// What was in the slot when the first step was done: another firing may be there by now.
    transition: TransitionId,
    /// Where its leads have led to: groups, and then seats.
    found: [u32; LEADS],
}

impl Default for Foreseen {
    fn default() -> Self {
        Foreseen { slot: 0, transition: TransitionId(0), found: [NONE; LEADS] }
    }
}

impl Foresight {
    fn add(&mut self, slot: Number) {
        self.last += 1;
        self.firings[self.last % REMEMBERED] = Foreseen { slot: slot.0 as u32, ..Foreseen::default() };
    }

    /// The one that has come to a step.
    fn at_step(&mut self, step: usize) -> &mut Foreseen {
        &mut self.firings[self.last.wrapping_sub(PAUSE + step) % REMEMBERED]
    }
}

impl<O: Observer> Engine<O> {
    /// Foresees one more firing, and does the steps of those whose time has come.
    #[inline(never)]
    pub(crate) fn foresee(&mut self, program: &Program) {
        let slot = self.agenda.events.foresee(LEVEL);
        self.agenda.events.fetch(slot);
        self.agenda.endings.fetch(slot.0);
        self.foresight.add(slot);
        let foreseen = self.foresight.at_step(0);
        foreseen.transition = self.agenda.endings.head(foreseen.slot as usize).transition;
        match program.made_code::<O>() {
            Some(code) => self.follow_footprint(code),
            None => (0..STEPS).for_each(|step| self.fetch_for_interpreter(program, step)),
        }
        if program.record > 0 {
            self.find_groups(program);
            self.follow_leads(program, 2, Marking::fetch_first);
            self.follow_leads(program, 3, Marking::fetch_next);
        }
    }

    /// What machine code touches.
    #[inline(always)]
    fn follow_footprint(&mut self, code: &Code) {
        let [new, old] = [0, 1].map(|step| self.foresight.at_step(step).transition);
        if let (Some(new), Some(old)) = (code.footprints.get(new.at()), code.footprints.get(old.at())) {
            new.fetch();
            old.follow(from_ref(self).cast());
        }
    }

    /// What the interpreter touches for a firing that moves black tokens, and then for those that it may enable.
    #[inline(always)]
    fn fetch_for_interpreter(&mut self, program: &Program, step: usize) {
        let transition = self.foresight.at_step(step).transition;
        let simple = &program.simple[transition];
        match step {
            0 => return self.fetch_transition(program, transition),
            _ if simple.time == SimpleTime::Other => return,
            1 => return fetch(program.moves.as_ptr().wrapping_add(simple.takes as usize)),
            _ => {}
        }
        for moved in &program.moves[simple.takes as usize..simple.end as usize] {
            let (first, end) = program.gauges[GaugeId::tokens(moved.place)].watches;
            let watches = &program.watches[first as usize..end as usize];
            match step {
                2 => self.fetch_place(program, moved.place),
                3 => fetch(watches.as_ptr()),
                4 => watches.iter().for_each(|watch| self.fetch_transition(program, watch.transition)),
                _ => watches.iter().for_each(|watch| self.fetch_taken(program, watch.transition)),
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

    /// What a transition takes, if it is simple, and where it is found when it is chosen.
    #[inline(always)]
    fn fetch_taken(&self, program: &Program, transition: TransitionId) {
        let simple = &program.simple[transition];
        let takes = &program.moves[simple.takes as usize..simple.gives as usize];
        takes.iter().for_each(|taken| self.fetch_place(program, taken.place));
        let plan = &program.transitions[transition];
        fetch(&program.levels[plan.level as usize].transitions[plan.position as usize]);
    }

    /// Looks up what the leads of two firings lead to, for one of them where that is told. A record may be another's: any values
    /// do.
    #[inline(always)]
    fn find_groups(&mut self, program: &Program) {
        let Foreseen { slot, transition, .. } = *self.foresight.at_step(0);
        let words = self.agenda.record(slot as usize);
        program.leads[transition].iter().for_each(|lead| self.marking.fetch_cell(lead, words));
        let Foreseen { slot, transition, found } = self.foresight.at_step(1);
        let words = self.agenda.record(*slot as usize);
        let leads = program.leads[*transition].iter().zip(found);
        leads.for_each(|(lead, found)| *found = self.marking.fetch_group(lead, words));
    }

    /// Follows the leads of the firing that has come to a step.
    #[inline(always)]
    fn follow_leads(&mut self, program: &Program, step: usize, fetch: impl Fn(&Marking, &Lead, u32) -> u32) {
        let Foreseen { transition, found, .. } = self.foresight.at_step(step);
        let leads = program.leads[*transition].iter().zip(found);
        leads.for_each(|(lead, found)| *found = fetch(&self.marking, lead, *found));
    }
}
