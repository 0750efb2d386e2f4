//! The bindings of a transition in a state (E1–E7). Bindings that differ only in which of several equal tokens they take are
//! one class.

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::PlaceId;
use crate::exact::contents::Contents;
use crate::exact::model::{Input, Model, Output, Transition};
use crate::exact::state::{line, State};
use crate::exact::trouble::Trouble;
use crate::net::Discipline;
use crate::program::place::Weight;
use crate::state::marking::weigh;

/// Bindings with the same values.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    pub variables: Vec<u64>,
    /// For each input arc the position of its token, or the number of black ones.
    pub chosen: Vec<u64>,
    /// How many bindings these are.
    pub ways: f64,
    /// What the set arcs take, once the firing starts (E11).
    pub sets: Vec<Taken>,
}

/// The tokens of a set: how many, where they are, and their slots, token after token; of a black place only how many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    pub count: u64,
    pub positions: Vec<usize>,
    pub words: Vec<u64>,
}

/// What may end a search: it gets the number of bindings that were tried, and the bytes that those found take.
pub type Heed<'a, E> = dyn FnMut(usize, usize) -> Result<(), E> + 'a;

pub struct Search<'a, E> {
    pub model: &'a Model,
    pub transition: &'a Transition,
    pub contents: &'a [Contents],
    pub state: &'a mut State,
    variables: Vec<u64>,
    chosen: Vec<u64>,
    found: Vec<Class>,
    heed: &'a mut Heed<'a, E>,
    tried: usize,
}

/// Bindings that are tried between two looks at what may end the search.
const BETWEEN_LOOKS: usize = 1 << 14;

impl<'a, E: From<Trouble> + From<Box<Fault>>> Search<'a, E> {
    pub fn new(
        model: &'a Model,
        transition: usize,
        contents: &'a [Contents],
        state: &'a mut State,
        heed: &'a mut Heed<'a, E>,
    ) -> Self {
        let transition = &model.transitions[transition];
        let variables = vec![0; transition.variables];
        let (chosen, found) = (Vec::new(), Vec::new());
        Search { model, transition, contents, state, variables, chosen, found, heed, tried: 0 }
    }

    /// All classes of bindings. Of several bindings, only those that are preferred, or whose turn it is (I4): `preferred`.
    pub fn classes(mut self, preferred: bool) -> Result<Vec<Class>, E> {
        self.extend(1.0)?;
        if preferred {
            self.prefer()?;
            self.take_turns();
        }
        Ok(self.found)
    }

    fn prefer(&mut self) -> Outcome<()> {
        let Some(prefer) = &self.transition.prefer else { return Ok(()) };
        if self.found.iter().map(|class| class.ways).sum::<f64>() <= 1.0 {
            return Ok(());
        }
        let mut ranks = Vec::with_capacity(self.found.len());
        for class in &self.found {
            ranks.push(prefer.rank(&mut self.state.scope(self.model, &class.variables))?);
        }
        let best = ranks.iter().min().copied();
        let mut ranks = ranks.into_iter();
        self.found.retain(|_| ranks.next() == best);
        Ok(())
    }

    /// Keeps those of the first token, if the first arc takes tokens in turn: of a stack the one at the end.
    fn take_turns(&mut self) {
        let Some(arc) = self.transition.inputs.first().filter(|arc| arc.in_turn) else { return };
        let is_stack = self.model.places[arc.place.at()].discipline == Discipline::Lifo;
        let positions = self.found.iter().map(|class| class.chosen[0]);
        let first = if is_stack { positions.max() } else { positions.min() };
        self.found.retain(|class| Some(class.chosen[0]) == first);
    }

    /// Ends the search where there are too many bindings.
    fn heed(&mut self) -> Result<(), E> {
        self.tried += 1;
        if !self.tried.is_multiple_of(BETWEEN_LOOKS) {
            return Ok(());
        }
        let each = size_of::<Class>() + 8 * (self.variables.len() + self.chosen.len());
        (self.heed)(self.tried, each * self.found.len())
    }

    fn extend(&mut self, ways: f64) -> Result<(), E> {
        self.heed()?;
        let transition = self.transition;
        let Some(arc) = transition.inputs.get(self.chosen.len()) else {
            if self.admits()? {
                let (variables, chosen) = (self.variables.clone(), self.chosen.clone());
                self.found.push(Class { variables, chosen, ways, sets: Vec::new() });
            }
            return Ok(());
        };
        match &arc.count {
            Some(count) => {
                let count = count.value(&mut self.state.scope(self.model, &self.variables))?;
                let used: u64 = self.used(arc).sum();
                if used.checked_add(count).is_some_and(|all| all <= self.state.places[arc.place.at()].tokens) {
                    self.chosen.push(count);
                    self.extend(ways)?;
                    self.chosen.pop();
                }
                Ok(())
            }
            None => self.choose(arc, ways),
        }
    }

    /// What arcs before this one chose on its place.
    fn used(&self, arc: &Input) -> impl Iterator<Item = u64> + '_ {
        let place = arc.place;
        let before = self.transition.inputs.iter().zip(&self.chosen);
        before.filter(move |(other, _)| other.place == place).map(|(_, &chosen)| chosen)
    }

    fn choose(&mut self, arc: &'a Input, ways: f64) -> Result<(), E> {
        let at = arc.place.at();
        let (width, discipline) = (self.model.places[at].width, self.model.places[at].discipline);
        let contents = self.contents;
        let row = contents[at].row(self.state.numbers[at]);
        let used: Vec<u64> = self.used(arc).collect();
        let len = row.len() / width;
        if used.len() >= len {
            return Ok(());
        }
        let mut wanted = Vec::with_capacity(arc.equals.len());
        for (slot, value) in &arc.equals {
            wanted.push((*slot as usize, value.bits(&mut self.state.scope(self.model, &self.variables))?));
        }
        let token = |position: usize| &row[position * width..(position + 1) * width];
        let fits = |position: usize| wanted.iter().all(|&(slot, value)| token(position)[slot] == value);
        if !self.model.places[at].per.is_empty() {
            return self.choose_first(arc, row, &used, &fits, ways);
        }
        let is_stack = discipline == Discipline::Lifo;
        if discipline != Discipline::Bag && !arc.sees_all {
            let mut order = (0..len).map(|i| if is_stack { len - 1 - i } else { i });
            let shown = order.find(|&position| !used.contains(&(position as u64)));
            return match shown.filter(|&position| fits(position)) {
                Some(position) => self.bind(arc, token(position), position, ways),
                None => Ok(()),
            };
        }
        // Of equal tokens next to each other, the first are taken first; in a stack the last.
        let mut start = 0;
        while start < len {
            let end = (start + 1..len).find(|&next| token(next) != token(start)).unwrap_or(len);
            let gone = used.iter().filter(|&&position| (start..end).contains(&(position as usize))).count();
            if end - start > gone && fits(start) {
                let position = if is_stack { end - 1 - gone } else { start + gone };
                self.bind(arc, token(start), position, ways * (end - start - gone) as f64)?;
            }
            start = end;
        }
        Ok(())
    }

    /// The first token of each line that arcs before this one leave (S7).
    fn choose_first(
        &mut self,
        arc: &'a Input,
        row: &[u64],
        used: &[u64],
        fits: &dyn Fn(usize) -> bool,
        ways: f64,
    ) -> Result<(), E> {
        let plan = &self.model.places[arc.place.at()];
        let token = |position: usize| &row[position * plan.width..(position + 1) * plan.width];
        let mut start = 0;
        while start < row.len() / plan.width {
            let end = line(plan, row, token(start)).end;
            let first = if plan.discipline == Discipline::Lifo { end - 1 } else { start };
            if !used.contains(&(first as u64)) && fits(first) {
                self.bind(arc, token(first), first, ways)?;
            }
            start = end;
        }
        Ok(())
    }

    fn bind(&mut self, arc: &Input, token: &[u64], position: usize, ways: f64) -> Result<(), E> {
        for (slot, variable) in &arc.binds {
            self.variables[variable.at()] = token[*slot as usize];
        }
        self.chosen.push(position as u64);
        self.extend(ways)?;
        self.chosen.pop();
        Ok(())
    }

    // -------------------------------------------------------- inhibitors, guard, capacities (E4–E6)

    fn admits(&mut self) -> Outcome<bool> {
        for arc in &self.transition.inhibitors {
            let place = arc.place.at();
            let width = self.model.places[place].width;
            let mut matching = self.state.places[place].tokens;
            if !arc.equals.is_empty() {
                let mut wanted = Vec::with_capacity(arc.equals.len());
                for (slot, value) in &arc.equals {
                    let bits = value.bits(&mut self.state.scope(self.model, &self.variables))?;
                    wanted.push((*slot as usize, bits));
                }
                let row = self.contents[place].row(self.state.numbers[place]);
                let fits = |token: &&[u64]| wanted.iter().all(|&(slot, value)| token[slot] == value);
                matching = row.chunks_exact(width).filter(fits).count() as u64;
            }
            if matching >= arc.threshold.value(&mut self.state.scope(self.model, &self.variables))? {
                return Ok(false);
            }
        }
        if let Some(guard) = &self.transition.guard {
            if !guard.value(&mut self.state.scope(self.model, &self.variables))? {
                return Ok(false);
            }
        }
        if self.transition.has_room_to_ask {
            self.has_room()
        } else {
            Ok(true)
        }
    }

    fn has_room(&mut self) -> Outcome<bool> {
        let mut given: Vec<(PlaceId, Vec<u64>, u64)> = Vec::new();
        for arc in &self.transition.outputs {
            if arc.places.iter().all(|place| self.model.places[place.at()].capacity.is_none()) {
                continue;
            }
            let (place, count) = arc.destination().of(&mut self.state.scope(self.model, &self.variables))?;
            if count == 0 || self.model.places[place.at()].capacity.is_none() {
                continue;
            }
            let each = match &self.model.places[place.at()].weight {
                Some(weight) => self.weight_to_be(weight, arc)?,
                None => 1,
            };
            let load = count.saturating_mul(each);
            let key = self.key_to_be(place, arc)?;
            match given.iter_mut().find(|(other, line, _)| *other == place && *line == key) {
                Some((.., sum)) => *sum = sum.saturating_add(load),
                None => given.push((place, key, load)),
            }
        }
        for (place, key, load) in given {
            let Some(capacity) = self.model.places[place.at()].capacity.filter(|_| load > 0) else { continue };
            let left = match &self.model.places[place.at()].per[..] {
                [] => self.left_in(place)?,
                _ => self.left_in_line(place, &key),
            };
            if left.saturating_add(load) > capacity {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The key of the line to which an arc would give a token; empty without lines.
    fn key_to_be(&mut self, place: PlaceId, arc: &Output) -> Outcome<Vec<u64>> {
        let slots = &self.model.places[place.at()].per;
        slots
            .iter()
            .map(|&slot| arc.values[slot as usize].bits(&mut self.state.scope(self.model, &self.variables)))
            .collect()
    }

    /// The tokens in and reserved for a line once the firing has taken its own.
    fn left_in_line(&self, place: PlaceId, key: &[u64]) -> u64 {
        let plan = &self.model.places[place.at()];
        let inside = |token: &[u64]| plan.per.iter().zip(key).all(|(&slot, &word)| token[slot as usize] == word);
        let coming = self.state.lines.iter().filter(|(of, token, _)| *of == place && inside(token));
        let reserved: u64 = coming.map(|(.., count)| count).sum();
        if self.transition.resets.contains(&place) {
            return reserved;
        }
        let row = self.contents[place.at()].row(self.state.numbers[place.at()]);
        let there = row.chunks_exact(plan.width).filter(|token| inside(token)).count();
        let arcs = self.transition.inputs.iter().zip(&self.chosen);
        let token = |position: u64| &row[position as usize * plan.width..][..plan.width];
        let gone = arcs.filter(|(arc, &chosen)| arc.place == place && !arc.keep && inside(token(chosen))).count();
        (there - gone) as u64 + reserved
    }

    fn weight_to_be(&mut self, weight: &Weight, arc: &Output) -> Outcome<u64> {
        let mut token = vec![0; arc.values.len()];
        for &slot in &weight.slots {
            token[slot] = arc.values[slot].bits(&mut self.state.scope(self.model, &self.variables))?;
        }
        weigh(weight, &token, &mut self.state.random)
    }

    /// The tokens in and reserved for a place once the firing has taken its own, or their weight.
    fn left_in(&mut self, place: PlaceId) -> Outcome<u64> {
        let reserved = self.state.reserved[place.at()];
        if self.transition.resets.contains(&place) {
            return Ok(reserved);
        }
        let plan = &self.model.places[place.at()];
        let arcs = self.transition.inputs.iter().zip(&self.chosen);
        let takes = arcs.filter(|(arc, _)| arc.place == place && !arc.keep);
        let Some(weight) = &plan.weight else {
            let taken: u64 = takes.map(|(arc, &chosen)| if arc.count.is_some() { chosen } else { 1 }).sum();
            return Ok(self.state.places[place.at()].tokens - taken + reserved);
        };
        let gone: Vec<u64> = takes.map(|(_, &chosen)| chosen).collect();
        let mut left = reserved;
        let row = self.contents[place.at()].row(self.state.numbers[place.at()]);
        for (position, token) in row.chunks_exact(plan.width).enumerate() {
            if !gone.contains(&(position as u64)) {
                left = left.saturating_add(weigh(weight, token, &mut self.state.random)?);
            }
        }
        Ok(left)
    }
}
