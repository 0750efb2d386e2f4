//! Joins: transitions whose bindings are a token of one bag (the *pivot*) and, in other bags, tokens that are keyed by it.
//!
//! For each seat of the pivot's bag the join keeps the number of bindings with that token. A token that arrives or leaves
//! adjusts only the seats of its own key, so neither the question whether the transition is enabled nor the draw of a
//! binding, in the order of E7, needs a search.

use crate::expression::{Bool, Scope, Value};
use crate::ids::{IndexId, JoinId, VariableId};
use crate::index::{Bucket, Index, KeyTable};
use crate::random::Random;
use crate::sum_tree::SumTree;

/// A compiled join.
pub struct JoinProgram {
    /// Arc of the pivot.
    pub pivot: usize,
    pub binds: Vec<(u32, VariableId)>,
    /// A condition on the pivot's token alone. It cannot fail.
    pub filter: Option<Bool>,
    pub links: Vec<LinkProgram>,
    /// Variables of the transition.
    pub variables: usize,
}

/// An arc whose tokens are keyed by the pivot's.
pub struct LinkProgram {
    pub arc: usize,
    pub index: IndexId,
    /// The key as expressions of the pivot's variables. They cannot fail.
    pub key: Vec<Value>,
}

/// What a place is to a join.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    Pivot(JoinId),
    /// The place of a link, and its position among the links.
    Keyed(JoinId, usize),
}

/// The pivot's seats by the group of their key, for one link.
#[derive(Clone, Debug, Default)]
struct Link {
    group_of_seat: Vec<u32>,
    seats: Vec<Bucket>,
}

/// The state of a join.
pub struct Join {
    links: Vec<Link>,
    /// Whether the token of each seat passes the filter.
    admitted: Vec<bool>,
    /// Bindings with the token of each seat of the pivot.
    weights: SumTree,
    variables: Vec<u64>,
    key: Vec<u64>,
    chance: Random,
}

impl Join {
    pub fn new(program: &JoinProgram) -> Self {
        Join {
            links: vec![Link::default(); program.links.len()],
            admitted: Vec::new(),
            weights: SumTree::default(),
            variables: vec![0; program.variables],
            key: Vec::new(),
            chance: Random::new([0; 3]),
        }
    }

    /// The number of bindings.
    #[inline(always)]
    pub fn bindings(&self) -> u64 {
        self.weights.total()
    }

    /// A token has come to the end of the pivot's row.
    #[inline]
    pub fn pivot_arrives(&mut self, program: &JoinProgram, tables: &mut [KeyTable], indices: &[Index], token: &[u64]) {
        for (slot, variable) in &program.binds {
            self.variables[variable.at()] = token[*slot as usize];
        }
        let mut scope = Scope {
            variables: &self.variables,
            places: &[],
            tables: &[],
            random: &mut self.chance,
            now: 0.0,
            end: 0.0,
        };
        // Filter and keys were found unable to fail.
        let admitted = program.filter.as_ref().is_none_or(|filter| filter.value(&mut scope).unwrap_or(false));
        let mut weight = u64::from(admitted);
        for (link, arc) in self.links.iter_mut().zip(&program.links) {
            self.key.clear();
            self.key.extend(arc.key.iter().map(|value| value.bits(&mut scope).unwrap_or(0)));
            let index = &indices[arc.index.at()];
            let group = tables[index.table].enter(&self.key);
            if link.seats.len() <= group as usize {
                link.seats.resize_with(group as usize + 1, Bucket::default);
            }
            link.seats[group as usize].insert(link.group_of_seat.len() as u32);
            link.group_of_seat.push(group);
            weight *= index.bucket(group).map_or(0, |bucket| bucket.len() as u64);
        }
        self.admitted.push(admitted);
        self.weights.push(weight);
    }

    /// The token of a seat of the pivot leaves, and the last one moves there.
    #[inline]
    pub fn pivot_leaves(&mut self, program: &JoinProgram, tables: &mut [KeyTable], indices: &[Index], seat: usize) {
        for (link, arc) in self.links.iter_mut().zip(&program.links) {
            let last = link.group_of_seat.len() - 1;
            let group = link.group_of_seat[seat];
            link.seats[group as usize].remove(seat as u32);
            if seat != last {
                let moved = link.group_of_seat[last];
                link.seats[moved as usize].renumber(last as u32, seat as u32);
            }
            link.group_of_seat.swap_remove(seat);
            tables[indices[arc.index.at()].table].leave(group);
        }
        self.admitted.swap_remove(seat);
        self.weights.swap_remove(seat);
    }

    /// The number of tokens in a group of a link has changed from `before` to `after`.
    #[inline]
    pub fn keyed_changed(
        &mut self,
        program: &JoinProgram,
        indices: &[Index],
        link: usize,
        group: u32,
        before: usize,
        after: usize,
    ) {
        let Some(seats) = self.links[link].seats.get(group as usize) else { return };
        for k in 0..seats.len() {
            let seat = seats.seat(k);
            let weight = if before > 0 {
                self.weights.weight(seat) / before as u64 * after as u64
            } else {
                self.weight(program, indices, seat)
            };
            self.weights.set(seat, weight);
        }
    }

    /// The number of bindings with the token of a seat, counted anew.
    fn weight(&self, program: &JoinProgram, indices: &[Index], seat: usize) -> u64 {
        if !self.admitted[seat] {
            return 0;
        }
        let counts = self.links.iter().zip(&program.links).map(|(link, arc)| {
            let bucket = indices[arc.index.at()].bucket(link.group_of_seat[seat]);
            bucket.map_or(0, |bucket| bucket.len() as u64)
        });
        counts.product()
    }

    /// The tokens of binding number `k`, in the order of E7: a seat for the pivot and for each link.
    #[inline]
    pub fn choose(&self, program: &JoinProgram, indices: &[Index], k: u64, chosen: &mut [u64]) {
        let (seat, mut left) = self.weights.select(k);
        chosen[program.pivot] = seat as u64;
        for (link, arc) in self.links.iter().zip(&program.links).rev() {
            let group = link.group_of_seat[seat];
            if let Some(bucket) = indices[arc.index.at()].bucket(group) {
                let radix = bucket.len() as u64;
                chosen[arc.arc] = bucket.seat((left % radix) as usize) as u64;
                left /= radix;
            }
        }
    }
}
