//! A state, unpacked: the numbers of its fields, and what they stand for.
//!
//! The first fields are the places: of black tokens their number, of coloured ones the number of the content. Then come the
//! firings in progress: in a net whose times are exponential, a field for each transition that lasts, which has their number
//! where all are alike, and else a content of kinds of firings. In a net of constant times, one field has them all: pairs of a
//! kind and the ticks that are left, the next end first.

use std::collections::HashMap;
use std::ops::Range;

use crate::base::fault::Outcome;
use crate::base::ids::PlaceId;
use crate::base::random::Random;
use crate::exact::contents::Contents;
use crate::exact::model::Model;
use crate::net::Discipline;
use crate::program::expression::OrderKey;
use crate::program::place::PlaceProgram;
use crate::state::counters::PlaceCounters;
use crate::state::marking::weigh;
use crate::state::value::Scope;

/// Tokens that a firing gives to a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Deposit {
    pub place: PlaceId,
    pub count: u64,
    pub token: Vec<u64>,
}

/// Firings in progress that have the same rest.
#[derive(Clone, Debug)]
pub struct Kind {
    pub transition: usize,
    /// The stages that are left; its fixed part is in the state, not here.
    pub means: Vec<f64>,
    pub deposits: Vec<Deposit>,
}

#[derive(Default)]
pub struct Kinds {
    numbers: HashMap<Vec<u64>, u64>,
    pub all: Vec<Kind>,
    /// Whether each of them gives tokens to bags only.
    fills_bags: Vec<bool>,
}

impl Kinds {
    /// The number of a kind.
    pub fn number(&mut self, kind: Kind, model: &Model) -> u64 {
        let mut key = vec![kind.transition as u64, kind.means.len() as u64];
        key.extend(kind.means.iter().map(|mean| mean.to_bits()));
        for deposit in &kind.deposits {
            key.extend([u64::from(deposit.place.0), deposit.count]);
            key.extend(&deposit.token);
        }
        let next = self.all.len() as u64;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            let is_bag = |deposit: &Deposit| model.places[deposit.place.at()].discipline == Discipline::Bag;
            self.fills_bags.push(kind.deposits.iter().all(is_bag));
            self.all.push(kind);
        }
        number
    }

    /// Brings the firings of an agenda that end together into one order, if that in which they started has no meaning.
    pub fn arrange(&self, agenda: &mut [u64]) {
        let mut start = 0;
        while start < agenda.len() {
            let alike = agenda[start..].chunks_exact(2).take_while(|pair| pair[1] == agenda[start + 1]).count();
            let group = &mut agenda[start..start + 2 * alike];
            if group.chunks_exact(2).all(|pair| self.fills_bags[pair[0] as usize]) {
                let mut kinds: Vec<u64> = group.iter().copied().step_by(2).collect();
                kinds.sort_unstable();
                group.iter_mut().step_by(2).zip(kinds).for_each(|(number, kind)| *number = kind);
            }
            start += 2 * alike;
        }
    }
}

/// How firings in progress of a transition are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kept {
    /// They do not last.
    Not,
    /// The field has their number; all are of this kind.
    Number(usize, u64),
    /// The field has the number of a content of kinds.
    Kinds(usize),
    /// They are in the agenda.
    Agenda(usize),
}

/// What the fields stand for.
pub struct Fields {
    pub contents: Vec<Contents>,
    pub kinds: Kinds,
    pub kept: Vec<Kept>,
    pub fields: usize,
}

impl Fields {
    pub fn new(model: &Model) -> Self {
        let mut fields = model.places.len();
        let mut kinds = Kinds::default();
        let mut kept = Vec::with_capacity(model.transitions.len());
        for (number, transition) in model.transitions.iter().enumerate() {
            kept.push(if !transition.lasts() {
                Kept::Not
            } else if model.in_ticks {
                Kept::Agenda(model.places.len())
            } else {
                fields += 1;
                match (transition.time.constant_mean(), model.constant_deposits(number)) {
                    (Some(mean), Some(deposits)) => Kept::Number(
                        fields - 1,
                        kinds.number(Kind { transition: number, means: vec![mean], deposits }, model),
                    ),
                    _ => Kept::Kinds(fields - 1),
                }
            });
        }
        fields += usize::from(model.in_ticks);
        let contents = (0..fields).map(|_| Contents::default()).collect();
        Fields { contents, kinds, kept, fields }
    }

    pub fn bytes(&self) -> usize {
        self.contents.iter().map(Contents::bytes).sum()
    }

    /// The numbers of the initial state.
    pub fn initial(&mut self, model: &Model, random: &mut Random) -> Outcome<Vec<u64>> {
        let mut numbers = vec![0; self.fields];
        for (i, place) in model.places.iter().enumerate() {
            if place.width == 0 {
                numbers[i] = place.initial.iter().map(|(count, _)| count).sum();
                continue;
            }
            let mut row = Vec::new();
            for (count, token) in place.initial.iter() {
                for _ in 0..*count {
                    arrive(model, i, &mut row, token, random)?;
                }
            }
            numbers[i] = self.contents[i].number(&row);
        }
        Ok(numbers)
    }
}

/// A token joins the content of a place: that of a bag is sorted, and that of a place with a key by key and age.
pub fn arrive(model: &Model, place: usize, row: &mut Vec<u64>, token: &[u64], random: &mut Random) -> Outcome<()> {
    let plan = &model.places[place];
    let width = plan.width;
    let Range { start, end: len } = line(plan, row, token);
    let at = match (plan.discipline, &plan.key) {
        (Discipline::Bag, _) => (0..len).take_while(|&i| row[i * width..(i + 1) * width] <= *token).count(),
        (Discipline::Key, Some(key)) => {
            let mut at = start;
            while at < len && !is_before(key, token, &row[at * width..(at + 1) * width], random)? {
                at += 1;
            }
            at
        }
        _ => len,
    };
    row.splice(at * width..at * width, token.iter().copied());
    Ok(())
}

/// Where the tokens with the key of this one stand in a content: lines are in the order of their keys. Without `per`, all of it.
pub fn line(plan: &PlaceProgram, row: &[u64], token: &[u64]) -> Range<usize> {
    let key = |one: &[u64]| plan.per.iter().map(|&slot| one[slot as usize]).collect::<Vec<_>>();
    let wanted = key(token);
    let start = row.chunks_exact(plan.width).take_while(|one| key(one) < wanted).count();
    start..start + row.chunks_exact(plan.width).skip(start).take_while(|one| key(one) == wanted).count()
}

/// Whether the key of one token is less than that of another.
fn is_before(key: &OrderKey, a: &[u64], b: &[u64], random: &mut Random) -> Outcome<bool> {
    let mut rank = |token| {
        let mut scope = Scope { variables: token, places: &[], tables: &[], random: &mut *random, now: 0, end: 0 };
        key.rank(&mut scope)
    };
    Ok(rank(a)? < rank(b)?)
}

/// A state with what expressions see of it.
pub struct State {
    pub numbers: Vec<u64>,
    pub places: Vec<PlaceCounters>,
    /// The tokens that firings in progress will give to each place, or their weight; only if some place has a capacity.
    pub reserved: Vec<u64>,
    /// The same for the lines of places with `per`: a place, a token of the line, and a number.
    pub lines: Vec<(PlaceId, Vec<u64>, u64)>,
    has_capacities: bool,
    pub random: Random,
}

impl State {
    pub fn new(model: &Model, fields: usize) -> Self {
        State {
            numbers: vec![0; fields],
            places: vec![PlaceCounters::default(); model.places.len()],
            reserved: vec![0; model.places.len()],
            lines: Vec::new(),
            has_capacities: model.places.iter().any(|place| place.capacity.is_some()),
            random: Random::new([0; 3]),
        }
    }

    /// Makes the numbers known to expressions.
    pub fn look(&mut self, model: &Model, fields: &Fields) -> Outcome<()> {
        for (i, place) in model.places.iter().enumerate() {
            let number = self.numbers[i];
            self.places[i].tokens = match place.width {
                0 => number,
                width => (fields.contents[i].row(number).len() / width) as u64,
            };
        }
        if self.has_capacities {
            self.reserve(model, fields)?;
        }
        Ok(())
    }

    fn reserve(&mut self, model: &Model, fields: &Fields) -> Outcome<()> {
        self.reserved.fill(0);
        self.lines.clear();
        for (at, kept) in fields.kept.iter().enumerate() {
            match *kept {
                Kept::Not => {}
                Kept::Number(field, kind) => self.reserve_for(model, fields, kind, self.numbers[field])?,
                Kept::Kinds(field) => {
                    for &kind in fields.contents[field].row(self.numbers[field]) {
                        self.reserve_for(model, fields, kind, 1)?;
                    }
                }
                Kept::Agenda(field) => {
                    for pair in fields.contents[field].row(self.numbers[field]).chunks_exact(2) {
                        if fields.kinds.all[pair[0] as usize].transition == at {
                            self.reserve_for(model, fields, pair[0], 1)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Room for what so many firings of a kind will give.
    fn reserve_for(&mut self, model: &Model, fields: &Fields, kind: u64, times: u64) -> Outcome<()> {
        for deposit in &fields.kinds.all[kind as usize].deposits {
            let each = match &model.places[deposit.place.at()].weight {
                Some(weight) => weigh(weight, &deposit.token, &mut self.random)?,
                None => 1,
            };
            self.reserved[deposit.place.at()] += times * deposit.count * each;
            if !model.places[deposit.place.at()].per.is_empty() {
                self.lines.push((deposit.place, deposit.token.to_vec(), times * deposit.count));
            }
        }
        Ok(())
    }

    pub fn scope<'s>(&'s mut self, model: &'s Model, variables: &'s [u64]) -> Scope<'s> {
        let State { places, random, .. } = self;
        Scope { variables, places, tables: &model.tables, random, now: 0, end: 0 }
    }
}
