//! Values of tokens that may be exchanged, such as the numbers of equal machines: of the states that differ by such an exchange,
//! only one is kept.
//!
//! What a state says of a value, whatever the value is called, is its *view*: its tokens with the places of those in a queue, and its
//! firings in progress. Values are sorted by their views. If each token and firing has one value, equal views mean that an exchange
//! changes nothing; else all orders of the values with equal views are tried, and the least state is kept. Around a ring, all
//! rotations are tried.

use crate::exact::model::Model;
use crate::exact::state::{insert, Deposit, Fields, Kept, Kind};
use crate::exact::symmetry::orders::{arrangements, permuted, places_in, Order};
use crate::net::Discipline;

/// Values that may change places, all with all or around a ring, and the slots where they are, as (place, slot).
#[derive(Clone, Debug, Default)]
pub struct ValueSymmetry {
    pub rotates: bool,
    pub values: Vec<i64>,
    pub slots: Vec<(usize, usize)>,
}

pub struct Values {
    rotates: bool,
    /// Sorted.
    values: Vec<u64>,
    /// By place.
    slots: Vec<Vec<usize>>,
    places: Vec<usize>,
    /// The fields of firings in progress that have values.
    firings: Vec<usize>,
}

/// What a token, or a firing, says of its values: sorted within a bag.
type View = Vec<Vec<u64>>;

impl Values {
    pub fn new(symmetry: ValueSymmetry, model: &Model, fields: &Fields) -> Self {
        let mut slots = vec![Vec::new(); model.places()];
        symmetry.slots.iter().for_each(|&(place, slot)| slots[place].push(slot));
        let places = (0..slots.len()).filter(|&place| !slots[place].is_empty()).collect();
        let gives = |transition: usize| {
            let outputs = &model.transition(transition).outputs;
            outputs.iter().any(|output| output.places.iter().any(|place| !slots[place.at()].is_empty()))
        };
        let field = |(transition, kept): (usize, &Kept)| match *kept {
            Kept::Kinds(field) if gives(transition) => Some(field),
            _ => None,
        };
        let firings = fields.kept.iter().enumerate().filter_map(field).collect();
        let mut values: Vec<u64> = symmetry.values.iter().map(|&value| value as u64).collect();
        values.sort_unstable_by_key(|&value| value as i64);
        Values { rotates: symmetry.rotates, values, slots, places, firings }
    }

    /// Replaces the state by the one that stands for all that are like it. Returns how many these are.
    pub fn reduce(&self, model: &Model, fields: &mut Fields, numbers: &mut [u64]) -> f64 {
        let count = self.values.len();
        if self.rotates {
            let turned = |by: usize| -> Order { (0..count).map(|at| (at + by) % count).collect() };
            let same = self.keep_least(model, fields, numbers, (0..count).map(turned));
            return (count / same) as f64;
        }
        let (views, is_related) = self.views(model, fields, numbers);
        let mut sorted: Vec<usize> = (0..count).collect();
        sorted.sort_by(|&a, &b| views[a].cmp(&views[b]));
        if !is_related {
            self.keep_least(model, fields, numbers, std::iter::once(places_in(&sorted)));
            return arrangements(sorted.iter().map(|&value| &views[value]));
        }
        let mut orders = vec![sorted.clone()];
        let mut start = 0;
        for group in sorted.chunk_by(|&a, &b| views[a] == views[b]) {
            let others = |order: &Order| permuted(order, start, group.len());
            orders = orders.iter().flat_map(others).collect();
            start += group.len();
        }
        let same = self.keep_least(model, fields, numbers, orders.iter().map(|order| places_in(order)));
        (1..=count).product::<usize>() as f64 / same as f64
    }

    /// Keeps the least of the states that these exchanges give; how many of them give it.
    fn keep_least(
        &self,
        model: &Model,
        fields: &mut Fields,
        numbers: &mut [u64],
        orders: impl Iterator<Item = Order>,
    ) -> usize {
        let (mut least, mut same): (Option<Vec<u64>>, usize) = (None, 0);
        for order in orders {
            let found = self.exchanged(model, fields, numbers, &order);
            match least.as_ref().map(|least| found.cmp(least)) {
                Some(std::cmp::Ordering::Greater) => {}
                Some(std::cmp::Ordering::Equal) => same += 1,
                _ => (least, same) = (Some(found), 1),
            }
        }
        let own = self.places.iter().chain(&self.firings);
        own.zip(least.unwrap_or_default()).for_each(|(&field, number)| numbers[field] = number);
        same
    }

    /// The numbers of the fields that have values, once these are exchanged.
    fn exchanged(&self, model: &Model, fields: &mut Fields, numbers: &[u64], order: &Order) -> Vec<u64> {
        let mut found = Vec::with_capacity(self.places.len() + self.firings.len());
        for &place in &self.places {
            let width = model.place(place).width;
            let row = fields.contents[place].row(numbers[place]);
            let mut tokens: Vec<Vec<u64>> = row.chunks_exact(width).map(|one| self.token(place, one, order)).collect();
            if model.place(place).discipline == Discipline::Bag {
                tokens.sort_unstable();
            }
            found.push(fields.contents[place].number(&tokens.concat()));
        }
        for &field in &self.firings {
            let mut row = Vec::new();
            for kind in fields.contents[field].row(numbers[field]).to_vec() {
                let old = &fields.kinds.all[kind as usize];
                let deposits = old.deposits.iter().map(|deposit| {
                    let token = self.token(deposit.place.at(), &deposit.token, order);
                    Deposit { token, ..deposit.clone() }
                });
                let new = Kind { deposits: deposits.collect(), ..old.clone() };
                insert(&mut row, fields.kinds.number(new, model));
            }
            found.push(fields.contents[field].number(&row));
        }
        found
    }

    fn token(&self, place: usize, token: &[u64], order: &Order) -> Vec<u64> {
        let mut token = token.to_vec();
        for &slot in &self.slots[place] {
            if let Some(at) = self.position(token[slot]) {
                token[slot] = self.values[order[at]];
            }
        }
        token
    }

    fn position(&self, value: u64) -> Option<usize> {
        self.values.binary_search_by_key(&(value as i64), |&one| one as i64).ok()
    }

    // ------------------------------------------------------------ views

    /// The view of each value, and whether a token or a firing has several values.
    fn views(&self, model: &Model, fields: &Fields, numbers: &[u64]) -> (Vec<View>, bool) {
        let mut views: Vec<View> = vec![Vec::new(); self.values.len()];
        let mut is_related = false;
        let mut see = |mut item: Item, at: [u64; 2]| {
            item.values.sort_unstable();
            item.values.dedup();
            is_related |= item.values.len() > 1;
            for &value in &item.values {
                let seen = item.words.iter().map(|&(word, of)| match of {
                    None => [0, word],
                    Some(of) => [1 + u64::from(of != value), 0],
                });
                views[value].push(at.into_iter().chain(seen.flatten()).collect());
            }
        };
        for &place in &self.places {
            let row = fields.contents[place].row(numbers[place]);
            for (position, token) in row.chunks_exact(model.place(place).width).enumerate() {
                let mut item = Item::default();
                self.add(&mut item, place, token);
                let is_bag = model.place(place).discipline == Discipline::Bag;
                see(item, [place as u64, if is_bag { 0 } else { position as u64 }]);
            }
        }
        for &field in &self.firings {
            for &kind in fields.contents[field].row(numbers[field]) {
                let kind = &fields.kinds.all[kind as usize];
                let mut item = Item::default();
                item.words.extend(kind.means.iter().map(|mean| (mean.to_bits(), None)));
                for deposit in &kind.deposits {
                    item.words.extend([(u64::from(deposit.place.0), None), (deposit.count, None)]);
                    self.add(&mut item, deposit.place.at(), &deposit.token);
                }
                see(item, [field as u64, 0]);
            }
        }
        views.iter_mut().for_each(|view| view.sort_unstable());
        (views, is_related)
    }

    fn add(&self, item: &mut Item, place: usize, token: &[u64]) {
        for (slot, &word) in token.iter().enumerate() {
            let of = if self.slots[place].contains(&slot) { self.position(word) } else { None };
            item.words.push((word, of));
            item.values.extend(of);
        }
    }
}

/// A token or a firing: its words, each with the position of the value that it is, and these positions.
#[derive(Default)]
struct Item {
    words: Vec<(u64, Option<usize>)>,
    values: Vec<usize>,
}
