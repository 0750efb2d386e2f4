//! Memory for the firings that will end soon, in nets that do not fit the cache.
//!
//! What a firing touches would be waited for, one line of the cache after the other. So the lines are fetched while other
//! firings end. When a firing becomes the first in its part of the tournament, a hundred others come before it, more or
//! less. What it needs is found in steps, each of which reads what the one before has fetched; between two steps another
//! firing ends. Machine code knows the footprint of each transition, and where the tokens that a firing deposits lead to.
//! Nothing but time depends on what is fetched.

use std::ptr::from_ref;

use crate::code::Code;
use crate::engine::Engine;
use crate::events::{Number, MANY, NEAR};
use crate::ids::TransitionId;
use crate::index::NONE;
use crate::lead::Lead;
use crate::marking::Marking;
use crate::observer::Observer;
use crate::program::Program;

/// The tournament has 2^LEVEL parts. Their first nodes are near.
const LEVEL: u32 = 7;
const _: () = assert!(LEVEL <= NEAR && MANY >= 1 << LEVEL);
/// Firings that pass before the first step, and before the last: some firings take less time than a line to come.
const PAUSE: usize = 2;
const STEPS: usize = 4;
/// Firings that are remembered: a power of two, more than pass up to the last step.
const REMEMBERED: usize = 8;
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
        let Some(code) = program.made_code::<O>() else { return };
        let slot = self.agenda.events.foresee(LEVEL);
        self.agenda.events.fetch(slot);
        self.agenda.endings.fetch(slot.0);
        self.foresight.add(slot);
        let foreseen = self.foresight.at_step(0);
        let ending = self.agenda.endings.head(foreseen.slot as usize);
        foreseen.transition = ending.transition;
        if let Some(footprint) = code.footprints.get(ending.transition.at()) {
            footprint.fetch();
            let before = self.foresight.at_step(1).transition;
            code.footprints[before].follow(from_ref(self).cast());
        }
        if program.record > 0 {
            self.find_groups(code);
            self.follow(code, 2, Marking::fetch_first);
            self.follow(code, 3, Marking::fetch_next);
        }
    }

    /// Looks up what the leads of two firings lead to, for one of them where that is told. A record may be another's: any values
    /// do.
    #[inline(always)]
    fn find_groups(&mut self, code: &Code) {
        let Foreseen { slot, transition, .. } = *self.foresight.at_step(0);
        let words = self.agenda.record(slot as usize);
        code.leads[transition].iter().for_each(|lead| self.marking.fetch_cell(lead, words));
        let Foreseen { slot, transition, found } = self.foresight.at_step(1);
        let words = self.agenda.record(*slot as usize);
        let leads = code.leads[*transition].iter().zip(found);
        leads.for_each(|(lead, found)| *found = self.marking.fetch_group(lead, words));
    }

    /// Follows the leads of the firing that has come to a step.
    #[inline(always)]
    fn follow(&mut self, code: &Code, step: usize, fetch: impl Fn(&Marking, &Lead, u32) -> u32) {
        let Foreseen { transition, found, .. } = self.foresight.at_step(step);
        let leads = code.leads[*transition].iter().zip(found);
        leads.for_each(|(lead, found)| *found = fetch(&self.marking, lead, *found));
    }
}
