//! The states that a net reaches, and the arcs between them.

use std::collections::HashMap;

use crate::collections::narrow::Narrow;
use crate::exact::model::watch::Ended;
use crate::exact::model::Model;
use crate::exact::state::layout::Layout;
use crate::exact::state::state_set::StateSet;
use crate::exact::state::{Fields, Kept};
use crate::exact::symmetry::Reduction;

/// What an arc of the state graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A firing without a clock: it starts, and ends at once unless it lasts. Its value is a probability.
    Start,
    /// A firing whose clock runs down. Its value is a rate, as are those of the next two.
    Fire,
    /// A firing in progress ends.
    End,
    /// A firing in progress comes to its next stage.
    Stage,
    /// Time passes until the next end, with a probability; or at a rate, where exponential times take turns with constants.
    Time,
}

impl Role {
    /// Whether a firing starts.
    pub fn starts(self) -> bool {
        matches!(self, Role::Start | Role::Fire)
    }
}

/// What arcs have in common: the transition, what it does, and a rate [1/net time unit] or a probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    pub transition: u32,
    pub role: Role,
    pub value: f64,
}

/// Labels by number.
#[derive(Default)]
pub struct Labels {
    pub all: Vec<Label>,
    numbers: HashMap<(u32, Role, u64), u32>,
}

impl Labels {
    pub fn number(&mut self, transition: usize, role: Role, value: f64) -> u32 {
        let next = self.all.len() as u32;
        let transition = transition as u32;
        let number = *self.numbers.entry((transition, role, value.to_bits())).or_insert(next);
        if number == next {
            self.all.push(Label { transition, role, value });
        }
        number
    }
}

pub struct Graph {
    pub model: Model,
    pub fields: Fields,
    pub layout: Layout,
    pub states: StateSet,
    /// The first arc of each state that was expanded, then the number of arcs.
    pub offsets: Vec<u64>,
    pub targets: Vec<u32>,
    pub arc_labels: Narrow,
    pub labels: Labels,
    /// Whether a transition fires at once in each state that was expanded, as bits.
    pub vanishing: Vec<u64>,
    /// In a net of constant times: the ticks that each state lasts, if something ends; else 0.
    pub ticks: Vec<u64>,
    pub ended: Ended,
    pub reduction: Reduction,
    /// For how many states each of those found stands; empty unless some may be exchanged.
    pub alike: Vec<f64>,
}

impl Graph {
    pub fn bytes(&self) -> usize {
        let arcs = 8 * self.offsets.capacity() + 4 * self.targets.capacity() + self.arc_labels.bytes();
        let rest = 8 * (self.vanishing.capacity() + self.ticks.capacity());
        self.states.bytes() + self.fields.bytes() + arcs + rest
    }

    /// The number of states whose arcs are known.
    pub fn expanded(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_vanishing(&self, state: usize) -> bool {
        self.vanishing[state / 64] >> (state % 64) & 1 == 1
    }

    pub(super) fn note(&mut self, is_vanishing: bool, state: usize) {
        if state.is_multiple_of(64) {
            self.vanishing.push(0);
        }
        self.vanishing[state / 64] |= u64::from(is_vanishing) << (state % 64);
    }

    pub fn arcs(&self, state: usize) -> std::ops::Range<usize> {
        self.offsets[state] as usize..self.offsets[state + 1] as usize
    }

    pub fn label(&self, arc: usize) -> Label {
        self.labels.all[self.arc_labels.get(arc) as usize]
    }

    /// The numbers of a state's fields.
    pub fn numbers(&self, state: usize) -> Vec<u64> {
        let mut numbers = vec![0; self.fields.fields];
        self.layout.unpack(self.states.state(state), &mut numbers);
        numbers
    }
}

// ------------------------------------------------------------ figures of states

impl Graph {
    /// The tokens of a place in each state.
    pub fn counts(&self, place: usize) -> Vec<u64> {
        let width = self.model.place(place).width;
        let contents = &self.fields.contents[place];
        let number = |state: usize| self.layout.get(self.states.state(state), place);
        let count = |number: u64| match width {
            0 => number,
            width => (contents.row(number).len() / width) as u64,
        };
        (0..self.states.len()).map(|state| count(number(state))).collect()
    }

    /// The firings of a transition in progress in each state.
    pub fn in_progress(&self, transition: usize) -> Vec<u64> {
        let fields = &self.fields;
        let number = |state: usize, field: usize| self.layout.get(self.states.state(state), field);
        let row = |state: usize, field: usize| fields.contents[field].row(number(state, field));
        let count = |state: usize| match fields.kept[transition] {
            Kept::Not => 0,
            Kept::Number(field, _) => number(state, field),
            Kept::Kinds(field) => row(state, field).len() as u64,
            Kept::Agenda => {
                let is_its = |pair: &&[u64]| fields.kinds.all[pair[0] as usize].transition == transition;
                let agenda = fields.agenda.map_or(&[][..], |field| row(state, field));
                agenda.chunks_exact(2).filter(is_its).count() as u64
            }
        };
        (0..self.states.len()).map(count).collect()
    }
}
