//! Memory for the firings that will end soon, in nets that do not fit the cache.
//!
//! Without prefetching, a firing stalls on each line of the cache in turn. So the lines are fetched while other firings end.
//! When a firing becomes the first in its part of the tournament, about a hundred others come before it. What it needs is found
//! in steps, each of which reads what the one before has fetched; between two steps another firing ends. Machine code knows the
//! footprint of each transition, which takes two steps; what the tokens of a firing lead to takes four (`PrefetchTarget`).
//! Nothing but time depends on what is fetched.

use std::ptr::from_ref;

use crate::base::cache::fetch;
use crate::base::ids::{GaugeId, PlaceId, TransitionId};
use crate::collections::tournament::{MANY, NEAR};
use crate::engine::run::Engine;
use crate::engine::upcoming::{Soon, STEPS};
use crate::program::prefetch_target::PrefetchTarget;
use crate::program::transition::SimpleTime;
use crate::program::Program;
use crate::state::marking::Marking;

/// The tournament has 2^LEVEL parts. Their first nodes are near.
const LEVEL: u32 = 7;
const _: () = assert!(LEVEL <= NEAR && MANY >= 1 << LEVEL);
impl Engine {
    /// Finds one more upcoming firing, and does the due steps of the others.
    #[inline(never)]
    pub(crate) fn prefetch(&mut self, program: &Program) {
        let slot = self.agenda.tournament.upcoming(LEVEL);
        self.agenda.tournament.fetch(slot);
        self.agenda.endings.fetch(slot.0);
        self.upcoming.add(slot);
        let soon = self.upcoming.at_step(0);
        soon.transition = self.agenda.endings.head(soon.slot as usize).transition;
        match self.code {
            Some(_) => self.follow_footprint(),
            None => (0..STEPS).for_each(|step| self.fetch_for_interpreter(program, step)),
        }
        if program.record > 0 {
            self.find_groups(program);
            self.follow_targets(program, 2, Marking::fetch_first);
            self.follow_targets(program, 3, Marking::fetch_next);
        }
    }

    /// What machine code touches.
    #[inline(always)]
    fn follow_footprint(&mut self) {
        let [new, old] = [0, 1].map(|step| self.upcoming.at_step(step).transition);
        let Some(code) = &self.code else { return };
        if let (Some(new), Some(old)) = (code.footprints.get(new.at()), code.footprints.get(old.at())) {
            new.fetch();
            old.follow(from_ref(self).cast());
        }
    }

    /// What the interpreter touches for a firing that moves black tokens, and then for those that it may enable.
    #[inline(always)]
    fn fetch_for_interpreter(&mut self, program: &Program, step: usize) {
        let transition = self.upcoming.at_step(step).transition;
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

    /// Looks up the groups that the targets of a firing lead to. For the firing after it, fetches the cells in which they will be
    /// looked up in the next step. A record may belong to another firing by now: any values do.
    #[inline(always)]
    fn find_groups(&mut self, program: &Program) {
        let Soon { slot, transition, .. } = *self.upcoming.at_step(0);
        let words = self.agenda.record(slot as usize);
        program.prefetch_targets[transition].iter().for_each(|target| self.marking.fetch_cell(target, words));
        let Soon { slot, transition, found } = self.upcoming.at_step(1);
        let words = self.agenda.record(*slot as usize);
        let targets = program.prefetch_targets[*transition].iter().zip(found);
        targets.for_each(|(target, found)| *found = self.marking.fetch_group(target, words));
    }

    /// Follows the targets of the firing that has come to a step.
    #[inline(always)]
    fn follow_targets(
        &mut self,
        program: &Program,
        step: usize,
        fetch: impl Fn(&Marking, &PrefetchTarget, u32) -> u32,
    ) {
        let Soon { transition, found, .. } = self.upcoming.at_step(step);
        let targets = program.prefetch_targets[*transition].iter().zip(found);
        targets.for_each(|(target, found)| *found = fetch(&self.marking, target, *found));
    }
}
