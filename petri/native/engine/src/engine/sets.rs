//! Sets of tokens (E11): what set arcs find when a firing starts, what is counted of it and given for each, and how it leaves.

use crate::base::fault::Outcome;
use crate::base::ids::PlaceId;
use crate::base::ticks::Ticks;
use crate::engine::run::Engine;
use crate::engine::search::{scope, Found};
use crate::net::Discipline;
use crate::program::arc::{Give, SetProgram, Take};
use crate::program::transition::TransitionProgram;
use crate::program::Program;

/// A set with at most this many tokens is searched for the one in the last seat of its bag.
pub const FEW: usize = 16;

/// No token of a set.
const NONE: usize = usize::MAX;

impl Engine {
    /// Finds the tokens of each set that the binding leaves, where they will be when it has taken its own, and gives their totals
    /// values. Nothing has changed if this fails.
    pub(crate) fn find_sets(&mut self, program: &Program, plan: &TransitionProgram) -> Outcome<()> {
        let mut sets = std::mem::take(&mut self.sets);
        sets.resize_with(plan.sets.len().max(sets.len()), Found::default);
        let mut found = plan.sets.iter().zip(&mut sets);
        let outcome = found.try_for_each(|(set, found)| self.find_set(program, plan, set, found));
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
        let width = program.places[set.place].width;
        let most = set.most.as_ref().map_or(Ok(u64::MAX), |most| most.value(&mut self.scope(program, self.now)))?;
        found.positions.clear();
        found.words.clear();
        if width == 0 {
            found.count = (self.marking.places[set.place].tokens - self.taken_of(plan, set.place)).min(most);
            if let (Some(condition), 1..) = (&set.condition, found.count) {
                found.count *= u64::from(condition.value(&mut self.scope(program, self.now))?);
            }
        } else {
            self.list_set(program, plan, set, most, found)?;
        }
        self.variables[set.number.at()] = found.count;
        let first = plan.variables.len();
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

    /// The tokens of a coloured set, the first `most` of them.
    fn list_set(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        set: &SetProgram,
        most: u64,
        found: &mut Found,
    ) -> Outcome<()> {
        let mut gone = std::mem::take(&mut self.scratch.gone);
        self.list_gone(plan, set.place, &mut gone);
        let mut outcome = Ok(());
        match self.seats_with_key(program, set)? {
            Some(mut seats) => {
                // Those of a group are in order (E7).
                for &seat in &seats {
                    let more = outcome.is_ok() && (found.positions.len() as u64) < most;
                    if more && !gone.contains(&u64::from(seat)) {
                        outcome = self.add_to_set(program, plan, set, found, seat as usize, None);
                    }
                }
                seats.clear();
                self.scratch.seats = seats;
            }
            None => outcome = self.look_through(program, plan, set, most, found, &gone),
        }
        found.count = found.positions.len() as u64;
        self.shift(program, set.place, &mut gone, found);
        self.scratch.gone = gone;
        outcome
    }

    /// Room for what machine code finds of a set among some candidates.
    pub(crate) fn open_set(
        &mut self,
        plan: &TransitionProgram,
        set: usize,
        candidates: usize,
        width: usize,
    ) -> &mut Found {
        if self.sets.len() < plan.sets.len() {
            self.sets.resize_with(plan.sets.len(), Found::default);
        }
        let found = &mut self.sets[set];
        if found.positions.len() < candidates {
            found.positions.resize(candidates, 0);
        }
        if found.words.len() < candidates * width {
            found.words.resize(candidates * width, 0);
        }
        found
    }

    /// Machine code has found `count` tokens of a set; the tokens of the binding are in `scratch.chosen`.
    pub(crate) fn close_set(&mut self, program: &Program, plan: &TransitionProgram, set: usize, count: u64) {
        let place = plan.sets[set].place;
        let (mut gone, mut found) = (std::mem::take(&mut self.scratch.gone), std::mem::take(&mut self.sets[set]));
        found.count = count;
        self.list_gone(plan, place, &mut gone);
        self.shift(program, place, &mut gone, &mut found);
        (self.scratch.gone, self.sets[set]) = (gone, found);
    }

    /// The seats of the tokens that have the values that a set's condition requires first, where an index knows them.
    fn seats_with_key(&mut self, program: &Program, set: &SetProgram) -> Outcome<Option<Vec<u32>>> {
        let Some((index, values)) = &set.key else { return Ok(None) };
        let mut key = std::mem::take(&mut self.scratch.key);
        key.clear();
        for value in values {
            key.push(value.bits(&mut self.scope(program, self.now))?);
        }
        let mut seats = std::mem::take(&mut self.scratch.seats);
        seats.extend_from_slice(self.marking.matching(*index, &key));
        self.scratch.key = key;
        Ok(Some(seats))
    }

    /// Looks at the tokens of a place, up to as many as the set may have.
    fn look_through(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        set: &SetProgram,
        most: u64,
        found: &mut Found,
        gone: &[u64],
    ) -> Outcome<()> {
        let (place, width) = (set.place, program.places[set.place].width);
        let sorted = program.places[place].discipline == Discipline::Key;
        let row = if sorted { self.marking.in_order(place) } else { Vec::new() };
        for position in 0..self.marking.places[place].tokens as usize {
            if found.positions.len() as u64 >= most {
                break;
            }
            if gone.contains(&(position as u64)) {
                continue;
            }
            let token = sorted.then(|| &row[position * width..(position + 1) * width]);
            self.add_to_set(program, plan, set, found, position, token)?;
        }
        Ok(())
    }

    /// The token at a position is in the set if its condition holds. `token`: its slots, if they are not looked up.
    #[inline(always)]
    fn add_to_set(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        set: &SetProgram,
        found: &mut Found,
        position: usize,
        token: Option<&[u64]>,
    ) -> Outcome<()> {
        let first = plan.variables.len();
        let token = token.unwrap_or_else(|| self.marking.token(set.place, position));
        let behind = first + token.len();
        self.variables[first..behind].copy_from_slice(token);
        let belongs = match &set.condition {
            Some(condition) => condition.value(&mut self.scope(program, self.now))?,
            None => true,
        };
        if belongs {
            found.positions.push(position as u64);
            found.words.extend_from_slice(&self.variables[first..behind]);
        }
        Ok(())
    }

    /// How many black tokens the binding takes from a place.
    fn taken_of(&self, plan: &TransitionProgram, from: PlaceId) -> u64 {
        let count = |take: &Take| match *take {
            Take::Black { place, count } if place == from => count,
            Take::Chosen { place, arc } if place == from => self.scratch.chosen[arc],
            _ => 0,
        };
        plan.takes.iter().map(count).sum()
    }

    /// Where the coloured tokens are that the binding takes from a place, in the order in which it takes them.
    fn list_gone(&self, plan: &TransitionProgram, from: PlaceId, gone: &mut Vec<u64>) {
        gone.clear();
        let mut heads = 0;
        let position = |take: &Take| match *take {
            Take::Seat { place, arc } | Take::Shown { place, arc } if place == from => Some(self.scratch.chosen[arc]),
            Take::Head { place, position } if place == from => {
                heads += 1; // those in front of it are there yet
                Some(u64::from(position) + heads - 1)
            }
            _ => None,
        };
        gone.extend(plan.takes.iter().filter_map(position));
    }

    /// Turns the positions of a set into those that its tokens will have when the binding has taken its own.
    fn shift(&self, program: &Program, place: PlaceId, gone: &mut [u64], found: &mut Found) {
        if program.places[place].discipline != Discipline::Bag {
            gone.sort_unstable();
            for position in &mut found.positions[..found.count as usize] {
                *position -= gone.partition_point(|one| one < position) as u64;
            }
            return;
        }
        let mut last = self.marking.places[place].tokens;
        for at in 0..gone.len() {
            last -= 1;
            let (seat, later) = (gone[at], &mut gone[at + 1..]);
            let positions = found.positions[..found.count as usize].iter_mut();
            let moved = later.iter_mut().chain(positions).filter(|one| **one == last);
            moved.for_each(|one| *one = seat);
        }
    }

    /// The tokens of all sets leave, one after the other (S4).
    pub(crate) fn take_sets(&mut self, program: &Program, plan: &TransitionProgram) {
        (0..plan.sets.len()).for_each(|number| self.take_set(program, plan, number));
    }

    pub(crate) fn take_set(&mut self, program: &Program, plan: &TransitionProgram, number: usize) {
        let mut found = std::mem::take(&mut self.sets[number]);
        let (place, count) = (plan.sets[number].place, found.count);
        if program.places[place].width == 0 {
            self.take_black(program, place, count);
        } else if count > 0 {
            let before = self.changes(place).tokens;
            match program.places[place].discipline {
                Discipline::Bag => self.take_seats(program, place, &mut found.positions[..count as usize]),
                _ => self.take_shown_at(program, place, &found),
            }
            self.left(program, place, before, before - count);
        }
        self.sets[number] = found;
    }

    /// The tokens in some seats of a bag leave, in this order. Each time, the last of all moves, which may be one of them.
    fn take_seats(&mut self, program: &Program, place: PlaceId, seats: &mut [u64]) {
        let mut last = self.marking.places[place].tokens as usize;
        let mut seated = vec![NONE; if seats.len() > FEW { last } else { 0 }];
        if seats.len() > FEW {
            seats.iter().enumerate().for_each(|(at, &seat)| seated[seat as usize] = at);
        }
        for at in 0..seats.len() {
            last -= 1;
            let seat = seats[at];
            self.take_seat(program, place, seat);
            if seated.is_empty() {
                seats[at + 1..].iter_mut().filter(|one| **one == last as u64).for_each(|one| *one = seat);
                continue;
            }
            let moved = seated[last];
            seated[seat as usize] = moved;
            if moved != NONE {
                seats[moved] = seat;
            }
        }
    }

    /// The token in a seat leaves; the caller tells what watches the number of tokens.
    fn take_seat(&mut self, program: &Program, place: PlaceId, seat: u64) {
        self.leaves(program, place, seat);
        self.marking.remove(program, &mut self.enabling, place, seat as usize, self.now);
    }

    /// The tokens of a set leave a place that is not a bag, all at once: there, none of them moves another one's values.
    fn take_shown_at(&mut self, program: &Program, place: PlaceId, found: &Found) {
        let target = &program.places[place];
        let (count, words) = (found.count as usize, &found.words[..found.count as usize * target.width]);
        for token in words.chunks_exact(target.width) {
            if program.probes.hears_departures(place) {
                self.observers.probes.leaves(place, token, self.now);
            }
            if target.weight.is_some() {
                let weight = self.marking.weigh_token(target, token).unwrap_or(0);
                self.change_weight(program, place, weight, false);
            }
        }
        self.marking.remove_all(program, place, &found.positions[..count], words, self.now);
    }

    /// Evaluates the output `number` of a transition, which has `each`, and appends it to the record. Returns how many tokens it
    /// gives.
    pub(super) fn output_each(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        number: usize,
        end: Ticks,
        taken: u64,
    ) -> Outcome<u64> {
        let arc = &plan.outputs[number];
        let (place, count) = arc.destination().of(&mut self.scope(program, end))?;
        self.record.extend([u64::from(place.0), count]);
        self.record.extend((arc.width > 0).then_some(number as u64));
        if count == 0 {
            self.arrivals.extend(arc.delay.as_ref().map(|_| self.now));
            return Ok(0);
        }
        self.check_tokens(taken, count)?;
        self.delay(program, arc, end)?;
        if arc.width > 0 {
            self.bundle(program, plan, number, place, end)?;
        }
        Ok(count)
    }

    /// The tokens that an output gives come into its loose bundle: one for each token of the set.
    pub(crate) fn bundle(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        number: usize,
        place: PlaceId,
        end: Ticks,
    ) -> Outcome<()> {
        let arc = &plan.outputs[number];
        let Some(set) = arc.each.map(|set| set as usize) else { return Ok(()) };
        let (first, width) = (plan.variables.len(), program.places[plan.sets[set].place].width);
        let sets = std::mem::take(&mut self.sets);
        let mut words = self.bundles.take(number as u64);
        words.clear();
        std::mem::swap(&mut self.record, &mut words);
        let mut outcome = Ok(());
        // Machine code counts black tokens without a list of them.
        let slots = sets.get(set).filter(|_| width > 0).map_or(&[][..], |found| &found.words);
        for at in 0..self.variables[plan.sets[set].number.at()] as usize {
            self.variables[first..first + width].copy_from_slice(&slots[at * width..(at + 1) * width]);
            outcome = self.values(program, arc, place, end);
            if outcome.is_err() {
                break;
            }
        }
        std::mem::swap(&mut self.record, &mut words);
        self.bundles.put_back(number as u64, words);
        self.sets = sets;
        outcome
    }

    /// A firing that lasts begins, or tokens go on their way: their bundles are held from now on.
    pub(super) fn hold_bundles(&mut self, gives: &[Give], record: &mut [u64]) {
        let mut cursor = 0;
        for give in gives {
            let words = give.held_words();
            if let (Give::Each, 1..) = (give, record.get(cursor + 1).copied().unwrap_or(0)) {
                record[cursor + 2] = self.bundles.hold(record[cursor + 2]);
            }
            cursor += words;
        }
    }

    /// The tokens of a bundle arrive in a place. Measures look at the first when all are there (X4).
    pub(crate) fn put_bundle(
        &mut self,
        program: &Program,
        plan: &TransitionProgram,
        place: PlaceId,
        number: u64,
        reserved: bool,
    ) -> Outcome<()> {
        let (words, width) = (self.bundles.take(number), program.places[place].width);
        let before = self.changes(place).tokens;
        for token in words.chunks_exact(width) {
            self.add(program, place, token, reserved);
        }
        self.arrived(program, plan, place, before, (words.len() / width) as u64, reserved);
        let mut outcome = Ok(());
        if program.probes.hears_arrivals(place) {
            for token in words.chunks_exact(width) {
                let scope = &mut scope(token, &self.marking, program, &mut self.random, self.now);
                outcome = outcome.and_then(|()| self.observers.arrived(place, 1, scope));
            }
        }
        self.bundles.put_back(number, words);
        outcome
    }
}
