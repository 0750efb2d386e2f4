//! A state, unpacked: the numbers of its fields, and what they stand for.
//!
//! The first fields are the places: of black tokens their number, of coloured ones the number of the content. Then come the
//! firings in progress: in a net whose times are exponential, a field for each transition that lasts, which has their number
//! where all are alike, and else a content of kinds of firings. In a net with constant times, one field has them all: pairs of a
//! kind and the ticks that are left, the next end first; of exponential times, which come before, 0 ticks.
//!
//! May import, of `exact`: `model`.
//!
//! - [`contents`]: what places hold, numbered
//! - [`layout`]: how the numbers of a state are packed into words
//! - [`state_set`]: the states found so far

pub mod contents;
pub mod layout;
pub mod state_set;

use std::collections::HashMap;

use crate::base::ids::PlaceId;
use crate::exact::model::Model;
use crate::exact::state::contents::Contents;
use crate::net::Discipline;
use crate::program::arc::{Count, OutputProgram};
use crate::program::transition::TransitionProgram;

/// Tokens that a firing gives to a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Deposit {
    pub place: PlaceId,
    pub count: u64,
    pub token: Vec<u64>,
}

impl Deposit {
    /// What each firing of a transition gives, if that is always the same number of black tokens.
    pub fn constant(plan: &TransitionProgram) -> Option<Vec<Deposit>> {
        let deposit = |output: &OutputProgram| match output.count {
            Count::Const(count) if output.fixed && output.width == 0 => {
                Some(Deposit { place: output.place(), count, token: Vec::new() })
            }
            _ => None,
        };
        plan.outputs.iter().map(deposit).collect()
    }
}

/// Firings in progress that have the same rest.
#[derive(Clone, Debug)]
pub struct Kind {
    pub transition: usize,
    /// The geometric stages that are left, as ticks and chances, then the exponential ones; the ticks left are in the state, not here.
    pub rounds: Vec<(u64, f64)>,
    pub means: Vec<f64>,
    pub deposits: Vec<Deposit>,
}

#[derive(Clone, Default)]
pub struct Kinds {
    numbers: HashMap<Vec<u64>, u64>,
    pub all: Vec<Kind>,
    /// Whether each of them gives tokens to bags only.
    fills_bags: Vec<bool>,
}

impl Kinds {
    /// The number of a kind.
    pub fn number(&mut self, kind: Kind, model: &Model) -> u64 {
        let mut key = vec![kind.transition as u64, kind.rounds.len() as u64, kind.means.len() as u64];
        kind.rounds.iter().for_each(|&(ticks, chance)| key.extend([ticks, chance.to_bits()]));
        key.extend(kind.means.iter().map(|mean| mean.to_bits()));
        for deposit in &kind.deposits {
            key.extend([u64::from(deposit.place.0), deposit.count]);
            key.extend(&deposit.token);
        }
        let next = self.all.len() as u64;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            let is_bag = |deposit: &Deposit| model.place(deposit.place.at()).discipline == Discipline::Bag;
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
            if group.chunks_exact(2).all(|pair| pair[1] == 0 || self.fills_bags[pair[0] as usize]) {
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
    Agenda,
}

/// What the fields stand for.
#[derive(Clone)]
pub struct Fields {
    pub contents: Vec<Contents>,
    pub kinds: Kinds,
    pub kept: Vec<Kept>,
    /// The firings in progress, with the ticks that are left.
    pub agenda: Option<usize>,
    pub fields: usize,
}

impl Fields {
    pub fn new(model: &Model) -> Self {
        let mut fields = model.places();
        let has_agenda = model.in_ticks || model.takes_turns;
        let agenda = has_agenda.then_some(fields);
        fields += usize::from(has_agenda);
        let mut kinds = Kinds::default();
        let mut kept = Vec::with_capacity(model.times.len());
        for (transition, time) in model.times.iter().enumerate() {
            kept.push(if !model.lasts(transition) {
                Kept::Not
            } else if has_agenda {
                Kept::Agenda
            } else {
                fields += 1;
                match (time.constant_mean(), Deposit::constant(model.transition(transition))) {
                    (Some(mean), Some(deposits)) => {
                        let kind = Kind { transition, rounds: Vec::new(), means: vec![mean], deposits };
                        Kept::Number(fields - 1, kinds.number(kind, model))
                    }
                    _ => Kept::Kinds(fields - 1),
                }
            });
        }
        let contents = (0..fields).map(|_| Contents::default()).collect();
        Fields { contents, kinds, kept, agenda, fields }
    }

    pub fn bytes(&self) -> usize {
        self.contents.iter().map(Contents::bytes).sum()
    }

    /// The firings in progress of a state: their kinds, how many are alike, and the ticks that are left, 0 of exponential
    /// times; the next end comes first.
    pub fn running(&self, numbers: &[u64]) -> Vec<(u64, u64, u64)> {
        let row = |field: usize| self.contents[field].row(numbers[field]);
        let mut running = Vec::new();
        for kept in &self.kept {
            match *kept {
                Kept::Number(field, kind) => running.push((kind, numbers[field], 0)),
                Kept::Kinds(field) => running.extend(row(field).iter().map(|&kind| (kind, 1, 0))),
                Kept::Not | Kept::Agenda => {}
            }
        }
        let agenda = self.agenda.map_or(&[][..], row);
        running.extend(agenda.chunks_exact(2).map(|pair| (pair[0], 1, pair[1])));
        running
    }
}

/// A kind of firings joins a row of them.
pub fn insert(row: &mut Vec<u64>, kind: u64) {
    let at = row.partition_point(|&other| other <= kind);
    row.insert(at, kind);
}
