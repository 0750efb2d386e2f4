//! Joins: transitions whose bindings are a token of one bag (the *pivot*) and, in other bags, tokens that are keyed by it.
//!
//! For each seat of the pivot's bag the join keeps the number of bindings with that token. A token that arrives or leaves
//! adjusts only the seats of its own key, so neither the question whether the transition is enabled nor the draw of a
//! binding, in the order of E7, needs a search.

use crate::expression::{Bool, Scope, Value};
use crate::ids::{IndexId, TransitionId, VariableId};
use crate::index::{Bucket, Index, KeyTable};
use crate::random::Random;
use crate::sum_tree::SumTree;

/// A compiled join.
pub struct JoinProgram {
    pub transition: TransitionId,
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
    /// The key as slots of the pivot's token, where it is no more than that.
    pub slots: Option<Vec<u32>>,
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
    /// Whether it was told that there are bindings.
    told: bool,
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
            told: false,
            variables: vec![0; program.variables],
            key: Vec::new(),
            chance: Random::new([0; 3]),
        }
    }

    /// Whether there are bindings when there were none before, or none any more: not known to the enabling yet.
    #[inline(always)]
    pub fn has_turned(&self) -> bool {
        (self.weights.total() > 0) != self.told
    }

    /// Takes note that the enabling knows; returns whether there are bindings.
    pub fn tell(&mut self) -> bool {
        self.told = self.weights.total() > 0;
        self.told
    }

    /// The number of bindings.
    #[inline(always)]
    pub fn bindings(&self) -> u64 {
        self.weights.total()
    }

    /// A token has come to the end of the pivot's row.
    #[inline]
    pub fn pivot_arrives(&mut self, program: &JoinProgram, tables: &mut [KeyTable], indices: &[Index], token: &[u64]) {
        let admitted = program.filter.is_none() || self.admits(program, token);
        let mut weight = u64::from(admitted);
        for (position, arc) in program.links.iter().enumerate() {
            self.load_key(program, arc, token);
            let index = &indices[arc.index.at()];
            let group = tables[index.table].enter(&self.key);
            let link = &mut self.links[position];
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

    /// What the pivot's token and its arc let expressions see.
    fn scope<'a>(&'a mut self, program: &JoinProgram, token: &[u64]) -> Scope<'a> {
        for (slot, variable) in &program.binds {
            self.variables[variable.at()] = token[*slot as usize];
        }
        Scope { variables: &self.variables, places: &[], tables: &[], random: &mut self.chance, now: 0.0, end: 0.0 }
    }

    /// The filter was found unable to fail.
    fn admits(&mut self, program: &JoinProgram, token: &[u64]) -> bool {
        let scope = &mut self.scope(program, token);
        program.filter.as_ref().is_none_or(|filter| filter.value(scope).unwrap_or(false))
    }

    /// The key of a link for a token of the pivot.
    #[inline(always)]
    fn load_key(&mut self, program: &JoinProgram, arc: &LinkProgram, token: &[u64]) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        match &arc.slots {
            Some(slots) => key.extend(slots.iter().map(|&slot| token[slot as usize])),
            None => {
                let scope = &mut self.scope(program, token);
                // Keys were found unable to fail.
                key.extend(arc.key.iter().map(|value| value.bits(scope).unwrap_or(0)));
            }
        }
        self.key = key;
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
    #[inline(always)]
    pub fn keyed_changed(
        &mut self,
        program: &JoinProgram,
        indices: &[Index],
        link: usize,
        group: u32,
        before: usize,
        after: usize,
    ) {
        if self.links[link].seats.get(group as usize).is_some_and(|seats| !seats.is_empty()) {
            self.weigh(program, indices, link, group, before, after);
        }
    }

    fn weigh(
        &mut self,
        program: &JoinProgram,
        indices: &[Index],
        link: usize,
        group: u32,
        before: usize,
        after: usize,
    ) {
        let seats = &self.links[link].seats[group as usize];
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
