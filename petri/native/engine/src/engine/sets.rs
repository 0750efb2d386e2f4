//! Sets of tokens (E11): what set arcs find when a firing starts, what is counted of it and given for each, and how it leaves.

use crate::base::fault::Outcome;
use crate::base::ids::PlaceId;
use crate::base::ticks::Ticks;
use crate::engine::run::Engine;
use crate::engine::search::{scope, Found};
use crate::net::Discipline;
use crate::program::arc::{OutputProgram, SetProgram, Take};
use crate::program::transition::TransitionProgram;
use crate::program::Program;

/// No token of a set.
const NONE: usize = usize::MAX;

impl Engine {
    /// Finds the tokens of each set that the binding leaves, and gives their totals values. Nothing has changed if this fails.
    pub(super) fn find_sets(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<()> {
        let mut sets = std::mem::take(&mut self.sets);
        sets.resize_with(plan.sets.len().max(sets.len()), Found::default);
        let mut outcome = Ok(());
        for (set, found) in plan.sets.iter().zip(&mut sets) {
            outcome = outcome.and_then(|()| self.find_set(program, plan, set, found));
        }
        self.sets = sets;
        outcome
    }

    fn find_set(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        set: &SetProgram,
        found: &mut Found,
    ) -> Outcome<()> {
        let first = plan.variable_names.len();
        let width = program.places[set.place].width;
        let there = self.marking.places[set.place].tokens;
        found.positions.clear();
        found.words.clear();
        found.count = 0;
        if width == 0 {
            found.count = there - self.taken_of(plan, set.place);
            if let Some(condition) = &set.condition {
                if found.count > 0 && !condition.value(&mut self.scope(program, self.now))? {
                    found.count = 0;
                }
            }
        } else {
            let mut gone = self.gone(plan, set.place);
            gone.sort_unstable();
            let row = self.marking.in_order(set.place);
            for (position, token) in row.chunks_exact(width).enumerate() {
                if gone.binary_search(&(position as u64)).is_ok() {
                    continue;
                }
                self.variables[first..first + width].copy_from_slice(token);
                let belongs = match &set.condition {
                    Some(condition) => condition.value(&mut self.scope(program, self.now))?,
                    None => true,
                };
                if belongs {
                    found.positions.push(position as u64);
                    found.words.extend_from_slice(token);
                }
            }
            found.count = found.positions.len() as u64;
        }
        self.variables[set.number.at()] = found.count;
        for (variable, value) in &set.totals {
            self.variables[variable.at()] = 0;
            for at in 0..found.count as usize {
                self.variables[first..first + width].copy_from_slice(&found.words[at * width..(at + 1) * width]);
                let bits = value.bits(&mut self.scope(program, self.now))?;
                self.variables[variable.at()] = bits;
            }
        }
        Ok(())
    }

    /// How many black tokens the binding takes from a place.
    fn taken_of(&self, plan: &TransitionProgram, from: PlaceId) -> u64 {
        let count = |take: &Take| match *take {
            Take::Black { place, count } if place == from => count,
            Take::Chosen { place, arc } if place == from => self.scratch.chosen[arc as usize],
            _ => 0,
        };
        plan.takes.iter().map(count).sum()
    }

    /// Where the coloured tokens are that the binding takes from a place, in the order in which it takes them.
    fn gone(&self, plan: &TransitionProgram, from: PlaceId) -> Vec<u64> {
        let mut heads = 0;
        let position = |take: &Take| match *take {
            Take::Seat { place, arc } | Take::Shown { place, arc } if place == from => {
                Some(self.scratch.chosen[arc as usize])
            }
            Take::Head { place, position } if place == from => {
                heads += 1; // those in front of it are there yet
                Some(u64::from(position) + heads - 1)
            }
            _ => None,
        };
        plan.takes.iter().filter_map(position).collect()
    }

    /// The binding is about to take its tokens: where those of sets will be then.
    pub(super) fn shift_sets(&mut self, program: &Program, plan: &TransitionProgram) {
        for (number, set) in plan.sets.iter().enumerate() {
            let (place, mut gone) = (set.place, self.gone(plan, set.place));
            let positions = &mut self.sets[number].positions;
            if program.places[place].discipline != Discipline::Bag {
                gone.sort_unstable();
                for position in positions {
                    *position -= gone.partition_point(|one| one < position) as u64;
                }
                continue;
            }
            let mut last = self.marking.places[place].tokens;
            for at in 0..gone.len() {
                last -= 1;
                let (seat, later) = (gone[at], &mut gone[at + 1..]);
                let moved = later.iter_mut().chain(positions.iter_mut()).filter(|one| **one == last);
                moved.for_each(|one| *one = seat);
            }
        }
    }

    /// The tokens of all sets leave, one after the other (S4).
    pub(super) fn take_sets(&mut self, program: &Program, plan: &TransitionProgram) {
        for (number, set) in plan.sets.iter().enumerate() {
            let place = set.place;
            if program.places[place].width == 0 {
                self.take_black(program, place, self.sets[number].count);
                continue;
            }
            let mut positions = std::mem::take(&mut self.sets[number].positions);
            let is_bag = program.places[place].discipline == Discipline::Bag;
            let mut seated = vec![NONE; if is_bag { self.marking.places[place].tokens as usize } else { 0 }];
            for (at, &seat) in positions.iter().enumerate().filter(|_| is_bag) {
                seated[seat as usize] = at;
            }
            for at in 0..positions.len() {
                let last = self.marking.places[place].tokens as usize - 1;
                if is_bag {
                    let (seat, moved) = (positions[at], seated[last]);
                    self.take_at(program, place, seat);
                    seated[seat as usize] = moved;
                    if moved != NONE {
                        positions[moved] = seat;
                    }
                } else {
                    self.take_at(program, place, positions[at] - at as u64);
                }
            }
            self.sets[number].positions = positions;
        }
    }

    /// Evaluates an output with `each`, one token after the other, and appends them to the record. Returns how many it gives.
    pub(super) fn output_each(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        (arc, set): (&OutputProgram, usize),
        end: Ticks,
        taken: u64,
    ) -> Outcome<u64> {
        let (place, count) = arc.destination().of(&mut self.scope(program, end))?;
        self.record.extend([u64::from(place.0), count]);
        if count == 0 {
            return Ok(0);
        }
        self.check_tokens(taken, count)?;
        let first = plan.variable_names.len();
        let width = program.places[plan.sets[set].place].width;
        let sets = std::mem::take(&mut self.sets);
        let mut outcome = Ok(());
        for at in 0..sets[set].count as usize {
            if arc.width == 0 || outcome.is_err() {
                break;
            }
            self.variables[first..first + width].copy_from_slice(&sets[set].words[at * width..(at + 1) * width]);
            outcome = self.values(program, arc, place, end);
        }
        self.sets = sets;
        outcome.map(|()| count)
    }

    /// Tokens of several values arrive in a place. Measures look at the first when all are there (X4).
    pub(super) fn put_each(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        place: PlaceId,
        tokens: std::slice::ChunksExact<'_, u64>,
    ) -> Outcome<()> {
        let (before, count) = (self.changes(place).tokens, tokens.len() as u64);
        for token in tokens.clone() {
            self.add(program, place, token, false);
        }
        self.arrived(program, plan, place, before, count, false);
        for token in tokens {
            let scope = &mut scope(token, &self.marking, program, &mut self.random, self.now);
            self.observers.arrived(place, 1, scope)?;
        }
        Ok(())
    }
}
