//! Elements of arrays that may be exchanged: of the states that differ by such an exchange, only one is kept.
//!
//! The exchange of two elements, or the rotation of a ring of them, maps the net to itself, so it maps firings to firings of the same
//! rates, and states to states with the same future. To compare elements, each is carried to the fields of the first: then equal
//! numbers mean equal contents.
//!
//! May import, of `exact`: `model`, `state`.
//!
//! - [`orders`]: orders of items, and how many there are
//! - [`values`]: values of tokens that may be exchanged

pub mod orders;
pub mod values;

use crate::base::ids::PlaceId;
use crate::exact::model::Model;
use crate::exact::state::{insert, Deposit, Fields, Kept, Kind};
use crate::exact::symmetry::orders::arrangements;
use crate::exact::symmetry::values::{ValueSymmetry, Values};

/// One element: its places, and its transitions whose firings last, each in the same order in all elements.
#[derive(Clone, Debug, Default)]
pub struct Element {
    pub places: Vec<usize>,
    pub transitions: Vec<usize>,
}

/// Elements that may change places: all with all, or around a ring.
#[derive(Clone, Debug)]
pub struct Symmetry {
    pub rotates: bool,
    pub elements: Vec<Element>,
}

/// What a field of an element holds.
#[derive(Clone, Copy, Debug)]
enum Holds {
    /// A number that means the same in each element.
    Number,
    /// The number of a content of tokens.
    Tokens,
    /// The number of a content of kinds of firings.
    Kinds,
}

struct Group {
    symmetry: Symmetry,
    /// By element.
    fields: Vec<Vec<usize>>,
    holds: Vec<Holds>,
}

/// What of a net may be exchanged.
#[derive(Default)]
pub struct Symmetries {
    pub of_elements: Vec<Symmetry>,
    pub of_values: Vec<ValueSymmetry>,
}

/// The symmetries of a net, as far as they can be used. No field has to do with two of them.
pub struct Reduction {
    groups: Vec<Group>,
    values: Vec<Values>,
}

impl Reduction {
    /// None of a net of constant times: the order of its firings in progress is part of the state.
    pub fn new(symmetries: Symmetries, model: &Model, fields: &Fields) -> Self {
        let used = if model.in_ticks || model.takes_turns { Symmetries::default() } else { symmetries };
        Reduction {
            groups: used.of_elements.into_iter().map(|one| Group::new(one, model, fields)).collect(),
            values: used.of_values.into_iter().map(|one| Values::new(one, model, fields)).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.values.is_empty()
    }

    /// Replaces the state by the one that stands for all that are like it. Returns how many these are.
    pub fn reduce(&self, model: &Model, fields: &mut Fields, numbers: &mut [u64]) -> f64 {
        let of_elements: f64 = self.groups.iter().map(|group| group.reduce(model, fields, numbers)).product();
        let of_values: f64 = self.values.iter().map(|values| values.reduce(model, fields, numbers)).product();
        of_elements * of_values
    }
}

impl Group {
    fn new(symmetry: Symmetry, model: &Model, fields: &Fields) -> Self {
        let of = |element: &Element| -> Vec<(usize, Holds)> {
            let places = element.places.iter().map(|&place| match model.place(place).width {
                0 => (place, Holds::Number),
                _ => (place, Holds::Tokens),
            });
            let firings = element.transitions.iter().filter_map(|&transition| match fields.kept[transition] {
                Kept::Number(field, _) => Some((field, Holds::Number)),
                Kept::Kinds(field) => Some((field, Holds::Kinds)),
                Kept::Not | Kept::Agenda => None,
            });
            places.chain(firings).collect()
        };
        let rows: Vec<Vec<(usize, Holds)>> = symmetry.elements.iter().map(of).collect();
        let holds = rows.first().map_or(Vec::new(), |row| row.iter().map(|(_, holds)| *holds).collect());
        let fields = rows.into_iter().map(|row| row.into_iter().map(|(field, _)| field).collect()).collect();
        Group { symmetry, fields, holds }
    }

    fn reduce(&self, model: &Model, fields: &mut Fields, numbers: &mut [u64]) -> f64 {
        let count = self.fields.len();
        let views: Vec<Vec<u64>> = (0..count).map(|element| self.carried(model, fields, numbers, element, 0)).collect();
        let mut order: Vec<usize> = (0..count).collect();
        let alike = if self.symmetry.rotates {
            let rotated = |by: usize| (0..count).map(move |at| (at + by) % count);
            let least = rotated(0).min_by(|&a, &b| {
                rotated(a).map(|element| &views[element]).cmp(rotated(b).map(|element| &views[element]))
            });
            let is_same = |by: &usize| rotated(*by).map(|element| &views[element]).eq(&views);
            order = rotated(least.unwrap_or(0)).collect();
            (1..=count).find(is_same).unwrap_or(count) as f64
        } else {
            order.sort_by(|&a, &b| views[a].cmp(&views[b]));
            arrangements(order.iter().map(|&element| &views[element]))
        };
        let before = numbers.to_vec();
        for (at, &element) in order.iter().enumerate().filter(|&(at, &element)| at != element) {
            let row = self.carried(model, fields, &before, element, at);
            self.fields[at].iter().zip(row).for_each(|(&field, number)| numbers[field] = number);
        }
        alike
    }

    /// The numbers of an element as those of another.
    fn carried(&self, model: &Model, fields: &mut Fields, numbers: &[u64], from: usize, to: usize) -> Vec<u64> {
        let carry = |(at, holds): (usize, &Holds)| {
            let (old, new) = (self.fields[from][at], self.fields[to][at]);
            let number = numbers[old];
            match holds {
                _ if number == 0 || from == to => number,
                Holds::Number => number,
                Holds::Tokens => {
                    let row = fields.contents[old].row(number).to_vec();
                    fields.contents[new].number(&row)
                }
                Holds::Kinds => {
                    let mut row = Vec::new();
                    for kind in fields.contents[old].row(number).to_vec() {
                        let kind = self.kind(&fields.kinds.all[kind as usize], from, to);
                        insert(&mut row, fields.kinds.number(kind, model));
                    }
                    fields.contents[new].number(&row)
                }
            }
        };
        self.holds.iter().enumerate().map(carry).collect()
    }

    /// A firing of one element as one of another.
    fn kind(&self, kind: &Kind, from: usize, to: usize) -> Kind {
        let elements = &self.symmetry.elements;
        let at = elements[from].transitions.iter().position(|&transition| transition == kind.transition);
        let transition = at.map_or(kind.transition, |at| elements[to].transitions[at]);
        let deposits = kind.deposits.iter().map(|deposit| {
            let place = self.place(deposit.place.at(), from, to);
            Deposit { place: PlaceId(place as u32), ..deposit.clone() }
        });
        Kind { transition, deposits: deposits.collect(), ..kind.clone() }
    }

    fn place(&self, place: usize, from: usize, to: usize) -> usize {
        let elements = &self.symmetry.elements;
        let find = |element: &Element| element.places.iter().position(|&one| one == place);
        for (number, element) in elements.iter().enumerate() {
            let Some(at) = find(element) else { continue };
            let target = match self.symmetry.rotates {
                true => (number + elements.len() + to - from) % elements.len(),
                false if number == from => to,
                false if number == to => from,
                false => number,
            };
            return elements[target].places[at];
        }
        place
    }
}
