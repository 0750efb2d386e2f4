//! Bindings by a search through the input arcs, in their order (rules E1 to E7).
//!
//! Handles any pattern, guard, count or capacity. Bindings come in the order of E7, and an equality on a bag is
//! looked up in an index.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::fault::{Fault, Outcome};
use crate::base::ids::{IndexId, LinesId, PlaceId, SpanId};
use crate::base::random::Random;
use crate::base::table::Table;
use crate::base::ticks::Ticks;
use crate::program::arc::{Count, Find, InhibitorProgram, InputProgram, OutputProgram};
use crate::program::expression::{Bool, Rank, Value};
use crate::program::place::Weight;
use crate::program::transition::{Preference, TransitionProgram};
use crate::program::Program;
use crate::state::marking::{weigh, Marking};
use crate::state::value::Scope;

/// When a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    First,
    All,
    /// All of the first token that the first arc finds (I4).
    Turn,
    /// The binding with this number, counted from 0.
    Nth(u64),
    /// All of those that the transition prefers.
    Best,
    /// All, to be listed.
    Each,
}

/// Input arcs by number.
#[derive(Clone, Copy, Debug)]
pub struct Arc(pub usize);

/// What a firing would give to a place, or to a line of it: a number of tokens, or their weight.
#[derive(Clone)]
struct Given {
    place: PlaceId,
    /// Where `given_keys` has the key of the line; empty without lines.
    key: Range<usize>,
    count: u64,
}

/// What a set arc has found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// How many tokens. What the lists have behind them belongs to a set found before.
    pub count: u64,
    /// Where they are in the place when the binding has taken its tokens, in the order of the set; none of a black place.
    pub positions: Vec<u64>,
    /// Their slots, token after token.
    pub words: Vec<u64>,
}

/// Tokens that a search tries between two checks of the stop flag, and of its bounds.
const PIECE: u32 = 4096;

/// Where a search is given up: tokens that it tries, and bytes of the bindings that it has listed.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub tried: u32,
    pub listed: usize,
}

impl Bounds {
    pub const NONE: Bounds = Bounds { tried: u32::MAX, listed: usize::MAX };
}

/// Space that searches use again and again.
pub struct Scratch {
    /// The token of each arc: a seat, a rank, or a number of black tokens.
    pub chosen: Table<Arc, u64>,
    /// The tokens of the first binding found.
    pub first: Table<Arc, u64>,
    pub key: Vec<u64>,
    /// Where the tokens are that the binding takes from the place of a set, and those of a group of that place.
    pub gone: Vec<u64>,
    pub seats: Vec<u32>,
    given: Vec<Given>,
    /// The keys of those for lines, one after the other.
    given_keys: Vec<u64>,
    /// The rank of the best bindings so far, and their tokens, arc by arc, one binding after the other.
    rank: Rank,
    best: Vec<u64>,
    /// Bindings whose clock has run down, arc by arc; such clocks; and tokens with clocks, by position and number.
    pub due: Vec<u64>,
    pub clocks: Vec<u32>,
    pub tokens: Vec<(usize, u64)>,
    /// The weights of enabled transitions.
    pub weights: Vec<f64>,
}

impl Scratch {
    /// For transitions of at most `arcs` input arcs.
    pub fn new(arcs: usize) -> Self {
        let chosen: Table<Arc, u64> = vec![0; arcs].into_iter().collect();
        Scratch {
            first: chosen.clone(),
            chosen,
            key: Vec::new(),
            gone: Vec::new(),
            seats: Vec::new(),
            given: Vec::new(),
            given_keys: Vec::new(),
            rank: Rank::default(),
            best: Vec::new(),
            due: Vec::new(),
            clocks: Vec::new(),
            tokens: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// The tokens of all bindings that a search has listed, arc by arc, one binding after the other.
    pub fn take_listed(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.best)
    }

    /// How many of the best bindings, which are in order, have the first one's token of the first arc.
    pub fn best_in_turn(&self, arcs: usize) -> u64 {
        self.best.chunks(arcs).take_while(|tokens| tokens[0] == self.best[0]).count() as u64
    }

    /// Chooses one of the best bindings, by its number, of a transition with `arcs` input arcs.
    pub fn take_best(&mut self, arcs: usize, number: usize) {
        let tokens = &self.best[number * arcs..(number + 1) * arcs];
        self.chosen.iter_mut().zip(tokens).for_each(|(chosen, &token)| *chosen = token);
    }
}

pub struct Search<'a> {
    pub program: &'a Program,
    pub transition: &'a TransitionProgram,
    pub marking: &'a Marking,
    pub variables: &'a mut [u64],
    pub scratch: &'a mut Scratch,
    pub random: &'a mut Random,
    pub now: Ticks,
    pub goal: Goal,
    pub found: u64,
    /// Of bindings that differ only in which of several equal tokens they take, one is found: that of the first that are left. Equal
    /// tokens must be next to each other.
    pub distinct: bool,
    /// Another thread asks the search to end: it then raises the fault "stopped". Beyond its bounds it raises "tried" or "listed".
    pub stop: &'a AtomicU64,
    pub bounds: Bounds,
    pub tried: u32,
}

impl<'a> Search<'a> {
    /// Runs the search. `scratch.chosen` holds the tokens of the binding that ended it.
    pub fn run(&mut self) -> Outcome<u64> {
        self.variables.fill(0);
        if self.goal == Goal::Each {
            self.scratch.best.clear();
        }
        self.descend(0)?;
        Ok(self.found)
    }

    /// Tries all choices for an arc and those behind it; true when the goal is reached.
    fn descend(&mut self, arc: usize) -> Outcome<bool> {
        let transition = self.transition;
        let Some(input) = transition.inputs.get(arc) else { return self.complete() };
        let tokens = self.marking.places[input.place].tokens as usize;
        match &input.find {
            Find::Black(count) => {
                let count = self.count(count)?;
                let used: u64 = input.before.iter().map(|&i| self.scratch.chosen[i]).sum();
                if (tokens as u64).saturating_sub(used) < count {
                    return Ok(false);
                }
                self.scratch.chosen[arc] = count;
                self.descend(arc + 1)
            }
            Find::Head { depth } => {
                if tokens <= *depth || !self.shows(input, self.marking.token(input.place, *depth))? {
                    return Ok(false);
                }
                self.take(arc, input, *depth)
            }
            Find::Shown { first } => self.try_in_order(arc, input, tokens, *first),
            Find::Any => {
                if self.counts(arc) {
                    return Ok(self.count_choices(arc, tokens, |k| k));
                }
                for seat in 0..tokens {
                    if self.may_take(input, seat) && self.take(arc, input, seat)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Find::Tested => self.test(arc, input, tokens),
            Find::Keyed(index) => self.look_up(arc, input, tokens, *index),
        }
    }

    /// Tries the tokens of a place in their order: the first one that may be taken, or all.
    fn try_in_order(&mut self, arc: usize, input: &InputProgram, tokens: usize, first: bool) -> Outcome<bool> {
        for position in 0..tokens {
            if !self.may_take(input, position) {
                continue;
            }
            let marking = self.marking;
            let shows = self.shows(input, marking.token(input.place, position))?;
            if shows && self.take(arc, input, position)? {
                return Ok(true);
            }
            if first || arc == 0 && self.goal == Goal::Turn && self.found > 0 {
                break;
            }
        }
        Ok(false)
    }

    /// Tries the tokens of a bag that an index has under the values of a pattern.
    fn look_up(&mut self, arc: usize, input: &InputProgram, tokens: usize, index: IndexId) -> Outcome<bool> {
        if tokens <= input.before.len() {
            return Ok(false);
        }
        self.load_key(&input.equals)?;
        let marking = self.marking;
        let seats = marking.matching(index, &self.scratch.key);
        if self.counts(arc) {
            return Ok(self.count_choices(arc, seats.len(), |k| seats[k] as usize));
        }
        for &seat in seats {
            let seat = seat as usize;
            if !self.is_used(input, seat) && self.take(arc, input, seat)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tries the tokens of a bag that have the values of a pattern.
    fn test(&mut self, arc: usize, input: &InputProgram, tokens: usize) -> Outcome<bool> {
        if tokens <= input.before.len() {
            return Ok(false);
        }
        self.load_key(&input.equals)?;
        let (key, marking) = (self.scratch.key.clone(), self.marking);
        for seat in 0..tokens {
            let fits = has(marking.token(input.place, seat), &input.equals, &key);
            if fits && self.may_take(input, seat) && self.take(arc, input, seat)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the choices of an arc only have to be counted.
    fn counts(&self, arc: usize) -> bool {
        self.transition.counted == Some(arc) && !matches!(self.goal, Goal::Best | Goal::Each)
    }

    /// Counts the choices of the last arc that leaves any, without a look at each.
    fn count_choices(&mut self, arc: usize, choices: usize, seat: impl Fn(usize) -> usize) -> bool {
        if choices == 0 {
            return false;
        }
        let before = self.found;
        self.found += choices as u64;
        let wanted = if let Goal::Nth(k) = self.goal { k.saturating_sub(before) } else { 0 };
        self.scratch.chosen[arc] = seat((wanted as usize).min(choices - 1)) as u64;
        if before == 0 && wanted == 0 {
            self.scratch.first.copy_from_slice(&self.scratch.chosen);
        }
        match self.goal {
            Goal::First => true,
            Goal::All | Goal::Turn | Goal::Best | Goal::Each => false,
            Goal::Nth(k) => self.found > k,
        }
    }

    /// Two arcs never find the same token (E1).
    fn is_used(&self, input: &InputProgram, seat: usize) -> bool {
        input.before.iter().any(|&i| self.scratch.chosen[i] == seat as u64)
    }

    /// Whether arcs before this one leave it the token, and, if bindings are to be distinct, no equal token before it.
    fn may_take(&self, input: &InputProgram, position: usize) -> bool {
        let token = |position: usize| self.marking.token(input.place, position);
        let repeats = |before: usize| !self.is_used(input, before) && token(before) == token(position);
        !(self.is_used(input, position) || self.distinct && position.checked_sub(1).is_some_and(repeats))
    }

    /// Goes on with one token chosen.
    fn take(&mut self, arc: usize, input: &InputProgram, position: usize) -> Outcome<bool> {
        self.tried = self.tried.wrapping_add(1);
        if self.tried.is_multiple_of(PIECE) {
            self.heed()?;
        }
        self.scratch.chosen[arc] = position as u64;
        if !input.binds.is_empty() {
            let token = self.marking.token(input.place, position);
            for (slot, variable) in &input.binds {
                self.variables[variable.at()] = token[*slot as usize];
            }
        }
        self.descend(arc + 1)
    }

    /// Ends the search if it is to end.
    #[cold]
    fn heed(&self) -> Outcome<()> {
        let why = if self.stop.load(Ordering::Relaxed) != 0 {
            "stopped"
        } else if self.tried >= self.bounds.tried {
            "tried"
        } else if size_of_val(&self.scratch.best[..]) > self.bounds.listed {
            "listed"
        } else {
            return Ok(());
        };
        Err(Fault::new(why, SpanId::NONE))
    }

    /// The values that a pattern asks for.
    fn load_key(&mut self, equals: &[(u32, Value)]) -> Outcome<()> {
        self.scratch.key.clear();
        for (_, value) in equals {
            let bits = value.bits(&mut scope(self.variables, self.marking, self.program, self.random, self.now))?;
            self.scratch.key.push(bits);
        }
        Ok(())
    }

    fn shows(&mut self, input: &InputProgram, token: &[u64]) -> Outcome<bool> {
        if input.equals.is_empty() {
            return Ok(true);
        }
        self.load_key(&input.equals)?;
        Ok(has(token, &input.equals, &self.scratch.key))
    }

    fn complete(&mut self) -> Outcome<bool> {
        if !self.admits()? {
            return Ok(false);
        }
        if let (Goal::Best, Some(prefer)) = (self.goal, &self.transition.prefer) {
            return self.compare(prefer);
        }
        self.found += 1;
        if self.goal == Goal::Each {
            let arcs = self.transition.inputs.len();
            self.scratch.best.extend(self.scratch.chosen.iter().take(arcs));
        }
        if self.found == 1 {
            self.scratch.first.copy_from_slice(&self.scratch.chosen);
        }
        Ok(match self.goal {
            Goal::First => true,
            Goal::All | Goal::Turn | Goal::Best | Goal::Each => false,
            Goal::Nth(k) => self.found > k,
        })
    }

    /// Keeps the binding if none is better, and forgets those that are worse.
    fn compare(&mut self, prefer: &Preference) -> Outcome<bool> {
        let scope = &mut scope(self.variables, self.marking, self.program, self.random, self.now);
        let rank = prefer.rank(scope)?;
        if self.found == 0 || rank < self.scratch.rank {
            (self.found, self.scratch.rank) = (0, rank);
            self.scratch.best.clear();
        }
        if rank == self.scratch.rank {
            self.found += 1;
            let arcs = self.transition.inputs.len();
            self.scratch.best.extend(self.scratch.chosen.iter().take(arcs));
        }
        Ok(false)
    }

    /// Inhibitors, guard and capacities, in this order (E4 to E6).
    fn admits(&mut self) -> Outcome<bool> {
        let transition = self.transition;
        for arc in &transition.inhibitors {
            if self.inhibits(arc)? {
                return Ok(false);
            }
        }
        if let Some(guard) = &transition.guard {
            if !self.holds(guard)? {
                return Ok(false);
            }
        }
        if transition.rooms.is_empty() {
            return Ok(true);
        }
        self.has_room()
    }

    fn inhibits(&mut self, arc: &InhibitorProgram) -> Outcome<bool> {
        let matching = match arc.index {
            None if arc.equals.is_empty() => self.marking.places[arc.place].tokens,
            None => {
                self.load_key(&arc.equals)?;
                let tokens = self.marking.listed(self.program, arc.place);
                tokens.into_iter().filter(|token| has(token, &arc.equals, &self.scratch.key)).count() as u64
            }
            Some(index) => {
                self.load_key(&arc.equals)?;
                self.marking.count(index, &self.scratch.key)
            }
        };
        Ok(matching >= self.count(&arc.threshold)?)
    }

    /// Whether there is room for what the binding in `scratch.chosen` and `variables` would give.
    pub fn has_room(&mut self) -> Outcome<bool> {
        let transition = self.transition;
        self.scratch.given.clear();
        self.scratch.given_keys.clear();
        for &room in &transition.rooms {
            let arc = &transition.outputs[room];
            let (place, count) = self.destination(arc)?;
            if count == 0 || self.program.places[place].capacity.is_none() {
                continue;
            }
            let count = match &self.program.places[place].weight {
                Some(weight) => count.saturating_mul(self.weight_to_be(weight, arc)?),
                None => count,
            };
            let key = self.key_to_be(place, arc)?;
            let Scratch { given, given_keys, .. } = &mut self.scratch;
            let same =
                |other: &&mut Given| other.place == place && given_keys[other.key.clone()] == given_keys[key.clone()];
            match given.iter_mut().find(same) {
                Some(other) => other.count = other.count.saturating_add(count),
                None => given.push(Given { place, key, count }),
            }
        }
        for position in 0..self.scratch.given.len() {
            let Given { place, key, count } = self.scratch.given[position].clone();
            let Some(capacity) = self.program.places[place].capacity.filter(|_| count > 0) else { continue };
            let left = match self.program.places[place].lines {
                Some(lines) => self.left_in_line(lines, key),
                None => self.left_in(place),
            };
            if left.saturating_add(count) > capacity {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Appends the key of the line to which an arc would give a token: only these slots are evaluated.
    fn key_to_be(&mut self, place: PlaceId, arc: &OutputProgram) -> Outcome<Range<usize>> {
        let start = self.scratch.given_keys.len();
        if let Some(lines) = self.program.places[place].lines {
            for &slot in &self.program.lines[lines].slots {
                let scope = &mut scope(self.variables, self.marking, self.program, self.random, self.now);
                let bits = arc.values[slot as usize].bits(scope)?;
                self.scratch.given_keys.push(bits);
            }
        }
        Ok(start..self.scratch.given_keys.len())
    }

    /// Tokens in and reserved for a line (S7) once the firing has taken its own.
    fn left_in_line(&self, id: LinesId, key: Range<usize>) -> u64 {
        let (lines, plan) = (&self.marking.lines[id], &self.program.lines[id]);
        let key = &self.scratch.given_keys[key];
        if self.transition.resets.contains(&plan.place) {
            return lines.reserved(key);
        }
        let arcs = self.transition.inputs.iter().zip(self.scratch.chosen.iter());
        let taken = arcs.filter(|(arc, &seat)| {
            let token = || self.marking.token(plan.front, seat as usize);
            arc.place == plan.front
                && !arc.keep
                && plan.slots.iter().zip(key).all(|(&slot, &word)| token()[slot as usize] == word)
        });
        lines.load(key) - taken.count() as u64
    }

    /// The weight of a token that an arc would give: only the slots that it depends on are evaluated.
    fn weight_to_be(&mut self, weight: &Weight, arc: &OutputProgram) -> Outcome<u64> {
        let mut token = vec![0; arc.width];
        for &slot in &weight.slots {
            let scope = &mut scope(self.variables, self.marking, self.program, self.random, self.now);
            token[slot] = arc.values[slot].bits(scope)?;
        }
        weigh(weight, &token, self.random)
    }

    /// Where an arc puts tokens, and how many.
    fn destination(&mut self, arc: &OutputProgram) -> Outcome<(PlaceId, u64)> {
        arc.destination().of(&mut scope(self.variables, self.marking, self.program, self.random, self.now))
    }

    /// Tokens in and reserved for a place once the firing has taken its own, or their weight.
    fn left_in(&mut self, place: PlaceId) -> u64 {
        if let Some(weight) = &self.program.places[place].weight {
            return self.weight_left_in(place, weight);
        }
        let reserved = self.marking.places[place].reserved;
        if self.transition.resets.contains(&place) {
            return reserved;
        }
        let arcs = self.transition.inputs.iter().zip(self.scratch.chosen.iter());
        let taken = arcs.filter(|(arc, _)| arc.place == place && !arc.keep).map(|(arc, &chosen)| match arc.find {
            Find::Black(_) => chosen,
            _ => 1,
        });
        self.marking.places[place].tokens - taken.sum::<u64>() + reserved
    }

    fn weight_left_in(&mut self, place: PlaceId, weight: &Weight) -> u64 {
        let weights = self.marking.weights(place);
        if self.transition.resets.contains(&place) {
            return weights.kept;
        }
        let mut left = weights.load();
        let arcs = self.transition.inputs.iter().zip(self.scratch.chosen.iter());
        for (_, &position) in arcs.filter(|(arc, _)| arc.place == place && !arc.keep) {
            // It was weighed without a fault when it arrived.
            left -= weigh(weight, self.marking.token(place, position as usize), self.random).unwrap_or(0);
        }
        left
    }

    fn count(&mut self, count: &Count) -> Outcome<u64> {
        count.value(&mut scope(self.variables, self.marking, self.program, self.random, self.now))
    }

    fn holds(&mut self, e: &Bool) -> Outcome<bool> {
        e.value(&mut scope(self.variables, self.marking, self.program, self.random, self.now))
    }
}

/// Whether a token has the values that a pattern asks for.
#[inline(always)]
fn has(token: &[u64], equals: &[(u32, Value)], key: &[u64]) -> bool {
    equals.iter().zip(key).all(|((slot, _), value)| token[*slot as usize] == *value)
}

/// What expressions see where `end` is not known yet, or is the same instant.
#[inline(always)]
pub(super) fn scope<'s>(
    variables: &'s [u64],
    marking: &'s Marking,
    program: &'s Program,
    random: &'s mut Random,
    now: Ticks,
) -> Scope<'s> {
    Scope { variables, places: &marking.places, tables: &program.tables, random, now, end: now }
}
