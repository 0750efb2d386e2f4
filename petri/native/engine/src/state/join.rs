//! Joins: transitions whose bindings are a token of one bag (the *pivot*) and, in other bags, tokens that are keyed by it,
//! or any tokens.
//!
//! **Problem.** Such a transition is enabled if it has a binding, and one of all its bindings is drawn by number, in
//! order (E7). Looking for bindings costs the product of the tokens of its bags, at nearly every firing.
//!
//! **Idea.** For each seat of the pivot's bag the join keeps the number of choices of keyed tokens with that token: its *weight*, the
//! product of the sizes of the groups that it wants, one for each *link*. A token that arrives or leaves adjusts only the seats
//! that want its own group. These are a doubly linked list through the seats, with a head for each group. The number of bindings
//! is the sum of the weights times the numbers of tokens of bags that any token will do from (*free* arcs): they are counted
//! nowhere, as they would change all weights at once.
//!
//! ```text
//! transition t: a(x, y), b(x, z) ->        pivot a, one link: the index of b over its first slot
//! a   seat 0 (1, 5)   seat 1 (2, 6)   seat 2 (1, 7)        b   group of 1: seats 0 2 3    group of 2: seat 1
//! weights     3               1               3           7 bindings
//! heads       group of 1: seat 2 → seat 0                  group of 2: seat 1
//! binding 5: 5 ≥ 3, 2 is left; 2 ≥ 1, 1 is left; 1 < 3: seat 2 of a, and number 1 of its group, seat 2 of b
//! ```
//!
//! With several links, the number that is left is written in mixed radix: its digits choose in the groups, the last arc
//! first. A change of one group from `before` to `after` tokens multiplies the weight by `after / before`, which divides it
//! evenly; where there were none, it is recounted.
//!
//! **Several arcs on one place** find distinct tokens (E1), as philosophers their left and their right fork. Keyed arcs of one
//! place have their keys in the same slots, so that their groups are equal or disjoint: of a group of size 3 the second
//! arc that wants it has 2 choices. So has the first one if the pivot's own token is of that group. Such weights are
//! recounted at each change, and the digits are ranks among the tokens that are left.
//!
//! Invariants:
//! - *seats*: there is a weight for each token of the pivot, and a seat in each link.
//! - *groups*: a seat of a link has the group of its token's key, and is admitted exactly if its token passes the filter. One that
//!   is listed and not admitted has no group.
//! - *weights*: each weight is 0 if the token is not admitted, and else the product of the sizes of its groups, without the tokens
//!   that arcs before have found there.
//! - [`Weights`] and [`Links`] hold their own.

use std::mem::offset_of;
use std::sync::Arc;

use crate::base::cache::{fetch, LINE};
use crate::base::ids::{IndexId, PlaceId, TransitionId};
use crate::base::invariant::{ensure, Verified};
use crate::base::row::Row;
use crate::base::table::Table;
use crate::collections::weights::Weights;
use crate::program::expression::Value;
use crate::program::join::{ArcChoice, JoinProgram, LinkKey};
use crate::state::counters::PlaceCounters;
use crate::state::evaluator::{CalledCode, Evaluator};
use crate::state::index::{Index, NONE};
use crate::state::join_links::{Link, Links, Others, Seat};

/// Seats whose memory is fetched together, before the first of them is weighed.
const AT_A_TIME: usize = 16;

/// The choices of the arcs that take any token.
#[inline(always)]
fn free_choices(program: &JoinProgram, places: &Table<PlaceId, PlaceCounters>) -> u64 {
    program.free.iter().map(|arc| places[arc.place].tokens.saturating_sub(arc.used())).product()
}

/// The last digit of a number to a radix that may change from digit to digit.
#[inline(always)]
fn take_digit(number: &mut u64, radix: u64) -> u64 {
    if radix == 1 {
        return 0;
    }
    let digit = *number % radix;
    *number /= radix;
    digit
}

/// The seat of a rank among the seats that are not used, given the ascending seats by position.
fn unused(used: &[u64], rank: u64, seat: impl Fn(u64) -> u64) -> u64 {
    let mut position = rank;
    loop {
        let found = seat(position);
        let below = used.iter().filter(|&&used| used <= found).count() as u64;
        if rank + below == position {
            return found;
        }
        position = rank + below;
    }
}

/// The state of a join. What machine code reads is in its first two cache lines.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Join {
    /// Choices with the token of each seat of the pivot.
    weights: Weights,
    pub transition: TransitionId,
    links: Links,
    key: Vec<u64>,
    evaluator: Evaluator,
}

const _: () = assert!(Join::LINK + offset_of!(Link, heads) + Row::<u32>::START < 2 * LINE);

impl Join {
    /// Where the weights are, and the first link.
    pub const WEIGHTS: usize = offset_of!(Join, weights);
    pub const LINK: usize = offset_of!(Join, links) + Links::FIRST;

    /// `most`: how many tokens the pivot has at most, if that is known.
    pub fn new(program: &JoinProgram, indices: &Table<IndexId, Index>, most: Option<u64>) -> Self {
        Join {
            weights: Weights::new(most),
            transition: program.transition,
            links: Links::new(program, indices),
            key: Vec::new(),
            evaluator: Evaluator::new(program.variables),
        }
    }

    /// Whether there are choices of keyed tokens.
    #[inline(always)]
    pub fn has_choices(&self) -> bool {
        self.weights.total() > 0
    }

    /// Fetches the head of a group's list into the cache: the first of three steps, each of which reads what the one before has
    /// fetched.
    #[inline(always)]
    pub fn fetch_head(&self, link: usize, group: u32) {
        self.links.fetch_head(link, group);
    }

    /// Fetches the first seat of a group's list, and its weight. Returns the seat, or `NONE`.
    #[inline(always)]
    pub fn fetch_first(&self, link: usize, group: u32) -> u32 {
        self.fetch_seat(link, self.links.first_seat(link, group))
    }

    /// Fetches the seat behind another in its list. Returns it, or `NONE`. There may be no such seat any more.
    #[inline(always)]
    pub fn fetch_next(&self, link: usize, seat: u32) -> u32 {
        self.fetch_seat(link, self.links.next_seat(link, seat))
    }

    #[inline(always)]
    fn fetch_seat(&self, link: usize, seat: u32) -> u32 {
        let at = if seat == NONE { 0 } else { seat };
        self.links.fetch_seat(link, at);
        self.weights.fetch(at as usize);
        seat
    }

    /// Machine code has changed the weight of a seat.
    pub fn note(&mut self, seat: u32, before: u64, after: u64) {
        self.weights.note(seat, before, after);
    }

    /// The number of bindings.
    #[inline(always)]
    pub fn bindings(&self, program: &JoinProgram, places: &Table<PlaceId, PlaceCounters>) -> u64 {
        self.weights.total() * free_choices(program, places)
    }

    /// A token has come to the end of the pivot's row.
    #[inline(always)]
    pub fn pivot_arrives(&mut self, program: &JoinProgram, indices: &mut Table<IndexId, Index>, token: &[u64]) {
        let admitted = program.filter.is_none() || self.admits(program, token);
        let mut weight = u64::from(admitted);
        for (position, link) in program.links.iter().enumerate() {
            let index = &mut indices[link.index];
            let group = match &link.key {
                LinkKey::Slots(slots) => index.want_slots(token, slots, link.bit),
                LinkKey::Values(values) => {
                    self.load_key(program, values, token);
                    index.want(&self.key[..], link.bit)
                }
            };
            let tokens = index.len(group);
            weight *= tokens as u64;
            self.links.push(position, group, admitted, tokens);
        }
        if program.crowded {
            weight = u64::from(admitted) * self.links.choices(program, indices, self.weights.len() as u32);
        }
        self.weights.push(weight);
    }

    /// The same for a join of one link and no filter, given the group of the token's key.
    pub fn pivot_arrives_alone(&mut self, indices: &mut Table<IndexId, Index>, group: u32) {
        let link = &mut self.links.first;
        let index = &mut indices[link.target.index];
        index.want_group(group, link.target.bit);
        link.push(group, 1);
        self.weights.push(index.len(group) as u64);
    }

    /// From now on, these functions tell whether the filter passes a token.
    pub fn call(&mut self, functions: Option<&Arc<CalledCode>>) {
        self.evaluator.call(functions);
    }

    fn admits(&mut self, program: &JoinProgram, token: &[u64]) -> bool {
        self.evaluator.load_token(&program.binds, token);
        self.evaluator.holds(program.filter.as_ref())
    }

    /// The key of a link for a token of the pivot. Keys were found unable to fail.
    #[inline(never)]
    fn load_key(&mut self, program: &JoinProgram, values: &[Value], token: &[u64]) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        self.evaluator.load_token(&program.binds, token);
        let scope = &mut self.evaluator.scope();
        key.extend(values.iter().map(|value| value.bits(scope).unwrap_or(0)));
        self.key = key;
    }

    /// The token of a seat of the pivot leaves, and the last one moves there.
    #[inline(always)]
    pub fn pivot_leaves(&mut self, indices: &mut Table<IndexId, Index>, seat: u32) {
        self.links.swap_remove(indices, seat);
        self.weights.swap_remove(seat);
    }

    /// The number of tokens in a group of a link has changed from `before` to `after`.
    #[inline(always)]
    pub fn keyed_changed(
        &mut self,
        program: &JoinProgram,
        indices: &Table<IndexId, Index>,
        link: usize,
        group: u32,
        before: usize,
        after: usize,
    ) {
        if !self.links.listed.is_empty() {
            return self.weigh_listed(indices, link, group, before, after);
        }
        if !self.links.alone {
            return self.weigh(program, indices, link, group, before, after);
        }
        let link = &self.links.first;
        let mut seat = link.heads[group];
        while seat != NONE {
            let Seat { next, admitted, .. } = link.seats[seat];
            self.weights.set(seat, u64::from(admitted) * after as u64);
            seat = next;
        }
    }

    /// The same where the link is not alone.
    #[inline(never)]
    fn weigh(
        &mut self,
        program: &JoinProgram,
        indices: &Table<IndexId, Index>,
        link: usize,
        group: u32,
        before: usize,
        after: usize,
    ) {
        let Join { weights, links, .. } = self;
        let mut seat = links.first_seat(link, group);
        while seat != NONE {
            let weight = match before > 0 && !program.crowded {
                true => weights.weight(seat) / before as u64 * after as u64,
                false => links.choices(program, indices, seat),
            };
            weights.set(seat, weight);
            seat = links.at(link).seats[seat].next;
        }
    }

    /// The same where the seats of groups are listed. The memory of all seats is fetched before the first is weighed.
    #[inline(never)]
    fn weigh_listed(&mut self, indices: &Table<IndexId, Index>, link: usize, group: u32, before: usize, after: usize) {
        let Join { weights, links: Links { listed, empty, .. }, .. } = self;
        listed[link].most = listed[link].most.max(after);
        let others = Others::of(listed, link);
        // A seat of which no other group is empty.
        let alone = u8::from(before == 0);
        for seats in listed[link].seats.seats(group).chunks(AT_A_TIME) {
            for &seat in seats {
                weights.fetch(seat as usize);
                empty.fetch(seat);
            }
            if before == 0 && !others.are_single {
                let counted = || seats.iter().filter(|&&seat| empty[seat] == alone);
                counted().for_each(|&seat| others.fetch_groups(seat));
                counted().for_each(|&seat| others.fetch_buckets(indices, seat));
            }
            // Which seats these are is unpredictable: no branch depends on it.
            let (mut counted, mut count) = ([0; AT_A_TIME], 0);
            for &seat in seats {
                counted[count] = seat;
                count += usize::from(empty[seat] == alone);
                empty[seat] = empty[seat] - u8::from(before == 0) + u8::from(after == 0);
            }
            for &seat in &counted[..count] {
                let weight = match (before, after) {
                    (0, after) => others.choices(indices, seat) * after as u64,
                    (_, 0) => 0,
                    (1, after) => weights.weight(seat) * after as u64,
                    (before, after) => weights.weight(seat) / before as u64 * after as u64,
                };
                weights.set(seat, weight);
            }
        }
    }

    /// The same for a join of one link and no arc that takes any token: the seats for the pivot and for the link.
    pub fn choose_pair(&self, indices: &Table<IndexId, Index>, k: u64) -> (u32, u32) {
        let link = &self.links.first;
        let (seat, rest) = self.weights.select(k);
        (seat, indices[link.target.index].seats(link.seats[seat].group)[rest as usize])
    }

    /// The tokens of binding number `k`, in order (E7): a seat for the pivot and for each arc behind it.
    #[inline(always)]
    pub fn choose(
        &self,
        program: &JoinProgram,
        indices: &Table<IndexId, Index>,
        places: &Table<PlaceId, PlaceCounters>,
        k: u64,
        chosen: &mut [u64],
    ) {
        let any = free_choices(program, places);
        let (seat, rest) = if any == 1 { self.weights.select(k) } else { self.weights.select(k / any) };
        let mut left = if any == 1 { rest } else { rest * any + k % any };
        chosen[program.pivot] = u64::from(seat);
        if !self.links.listed.is_empty() {
            fetch((places[program.place].ring.slots + size_of::<u64>() * program.width * seat as usize) as *const u64);
            self.links.fetch_choices(indices, seat);
        }
        for choice in &program.choices {
            match *choice {
                ArcChoice::Keyed { arc, link } => {
                    let plan = &program.links[link];
                    let group = self.links.group(link, seat);
                    self.links.fetch_head(link, group); // the list is read soon, if the token is taken
                    let seats = indices[plan.index].seats(group);
                    if program.crowded {
                        let used = self.links.used(indices, plan, seat, group);
                        chosen[arc] = take_digit(&mut left, seats.len() as u64 - used);
                    } else {
                        chosen[arc] = u64::from(seats[take_digit(&mut left, seats.len() as u64) as usize]);
                    }
                }
                ArcChoice::Any { arc, place, used } => {
                    chosen[arc] = take_digit(&mut left, places[place].tokens - used);
                }
            }
        }
        if program.crowded {
            self.pass_used(program, indices, seat, chosen);
        }
    }

    /// Turns the ranks that arcs have chosen, among the tokens that arcs before them have left, into seats.
    fn pass_used(&self, program: &JoinProgram, indices: &Table<IndexId, Index>, seat: u32, chosen: &mut [u64]) {
        for (number, link) in program.links.iter().enumerate() {
            let index = &indices[link.index];
            let group = self.links.group(number, seat);
            let pivot = link.beside_pivot.then_some(program.pivot);
            let beside = pivot.into_iter().chain(link.beside.iter().map(|&other| program.links[other].arc));
            let used: Vec<u64> =
                beside.map(|arc| chosen[arc]).filter(|&used| index.group_of(used as u32) == group).collect();
            let seats = index.seats(group);
            chosen[link.arc] = unused(&used, chosen[link.arc], |position| u64::from(seats[position as usize]));
        }
        for free in program.free.iter().filter(|free| !free.before.is_empty()) {
            let used: Vec<u64> = free.before.iter().map(|&arc| chosen[arc]).collect();
            chosen[free.arc] = unused(&used, chosen[free.arc], |position| position);
        }
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants, given the tokens of the pivot by seat.
    pub fn verify(&self, program: &JoinProgram, indices: &Table<IndexId, Index>, tokens: &[&[u64]]) -> Verified {
        self.weights.verify()?;
        let rows = || self.links.lens(program).into_iter().chain([self.weights.len()]);
        let same = rows().all(|seats| seats == tokens.len());
        ensure(same, "seats", || format!("{:?} of {} tokens", rows().collect::<Vec<_>>(), tokens.len()))?;
        let mut evaluator = Evaluator::new(program.variables);
        for (seat, token) in tokens.iter().enumerate() {
            evaluator.load_token(&program.binds, token);
            self.verify_seat(program, indices, seat as u32, token, &mut evaluator)?;
        }
        self.links.verify(&program.links, indices)
    }

    fn verify_seat(
        &self,
        program: &JoinProgram,
        indices: &Table<IndexId, Index>,
        seat: u32,
        token: &[u64],
        evaluator: &mut Evaluator,
    ) -> Verified {
        let passes = evaluator.holds(program.filter.as_ref());
        let scope = &mut evaluator.scope();
        let mut weight = u64::from(passes);
        let mut empty = 0;
        for (number, plan) in program.links.iter().enumerate() {
            let key: Vec<u64> = match &plan.key {
                LinkKey::Slots(slots) => slots.iter().map(|&slot| token[slot as usize]).collect(),
                LinkKey::Values(values) => values.iter().map(|value| value.bits(scope).unwrap_or(0)).collect(),
            };
            let index = &indices[plan.index];
            let group = index.find_or_outside(&key[..]).unwrap_or(NONE);
            let found = self.links.group(number, seat);
            let none = found == NONE && program.is_listed();
            let right = (found == group || none && !passes) && self.links.admitted(seat) == passes;
            ensure(right, "groups", || format!("seat {seat} has group {found}, its key {group}, and passes {passes}"))?;
            let own = plan.beside_pivot && index.find_or_outside(index.key(token)) == Some(group);
            let same = plan.beside.iter().filter(|&&other| self.links.group(other, seat) == group).count();
            weight *= (index.len(group) as u64).saturating_sub(u64::from(own) + same as u64);
            empty += u8::from(passes && index.len(group) == 0);
        }
        if program.is_listed() {
            let found = self.links.empty[seat];
            ensure(found == empty, "empty", || format!("seat {seat} has {empty} empty groups, and not {found}"))?;
        }
        let found = self.weights.weight(seat);
        ensure(found == weight, "weights", || format!("{found} of seat {seat} instead of {weight}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::invariant::broken;
    use crate::program::index::IndexProgram;
    use crate::program::join::LinkProgram;

    fn indices() -> Table<IndexId, Index> {
        let (place, links) = (PlaceId(1), vec![(crate::base::ids::JoinId(0), 0)]);
        let program = IndexProgram { place, slots: vec![0], extents: None, seated: true, links };
        [Index::new(&program)].into_iter().collect()
    }

    fn only(indices: Table<IndexId, Index>) -> Option<Index> {
        indices.iter().next().cloned()
    }

    fn program() -> JoinProgram {
        let key = LinkKey::Slots([0].into());
        JoinProgram {
            transition: TransitionId(0),
            pivot: 0,
            place: PlaceId(0),
            width: 1,
            binds: Vec::new(),
            filter: None,
            links: vec![LinkProgram {
                index: IndexId(0),
                arc: 1,
                beside_pivot: false,
                beside: Vec::new(),
                bit: 1,
                key,
            }],
            choices: vec![ArcChoice::Keyed { arc: 1, link: 0 }],
            free: Vec::new(),
            crowded: false,
            stays: false,
            variables: 0,
        }
    }

    #[test]
    fn damage_to_listed_links_is_found() {
        let damaged = |damage: fn(&mut Join)| {
            let mut program = program();
            let link = LinkProgram { index: IndexId(1), arc: 2, ..program.links.pop().expect("a link") };
            program.links = vec![self::program().links.remove(0), link];
            program.stays = true;
            let mut indices: Table<IndexId, Index> = [indices(), indices()].into_iter().flat_map(only).collect();
            let mut join = Join::new(&program, &indices, None);
            let tokens: Vec<[u64; 1]> = (0..6).map(|i| [i % 2]).collect();
            let tokens: Vec<&[u64]> = tokens.iter().map(|token| &token[..]).collect();
            tokens.iter().for_each(|token| join.pivot_arrives(&program, &mut indices, token));
            // Tokens come by both links, and then one goes.
            for (link, key) in [(0, 0), (1, 0), (1, 0), (0, 1)] {
                let group = indices[IndexId(link)].enter(&[key]);
                let after = indices[IndexId(link)].len(group);
                join.keyed_changed(&program, &indices, link as usize, group, after - 1, after);
                assert_eq!(join.verify(&program, &indices, &tokens), Ok(()));
            }
            assert_eq!(join.weights.total(), 6);
            let group = indices[IndexId(0)].leave_seat(0);
            join.keyed_changed(&program, &indices, 0, group, 1, 0);
            assert_eq!((join.verify(&program, &indices, &tokens), join.weights.total()), (Ok(()), 0));
            damage(&mut join);
            broken(join.verify(&program, &indices, &tokens))
        };
        assert_eq!(damaged(|join| join.links.empty[3] = 0), "empty");
        assert_eq!(damaged(|join| join.links.listed[1].most = 1), "most");
        assert_eq!(damaged(|join| join.links.empty.pop()), "seats");
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Join, &mut Table<IndexId, Index>)| {
            let (program, mut indices) = (program(), indices());
            let mut join = Join::new(&program, &indices, None);
            let tokens: Vec<[u64; 1]> = (0..6).map(|i| [i % 2]).collect();
            let tokens: Vec<&[u64]> = tokens.iter().map(|token| &token[..]).collect();
            tokens.iter().for_each(|token| join.pivot_arrives(&program, &mut indices, token));
            [0, 0, 1].iter().enumerate().for_each(|(before, &key)| {
                let group = indices[IndexId(0)].enter(&[key]);
                let after = indices[IndexId(0)].len(group);
                join.keyed_changed(&program, &indices, 0, group, before.min(after - 1), after);
            });
            assert_eq!(join.verify(&program, &indices, &tokens), Ok(()));
            damage(&mut join, &mut indices);
            broken(join.verify(&program, &indices, &tokens))
        };
        assert_eq!(damaged(|join, _| join.weights.push(0)), "seats");
        assert_eq!(damaged(|join, _| join.links.first.seats[2].group = 1), "groups");
        assert_eq!(damaged(|join, _| join.links.first.seats[2].admitted = 0), "groups");
        assert_eq!(damaged(|join, _| join.links.first.seats[2].previous = 0), "lists");
        assert_eq!(damaged(|join, _| join.links.first.seats[4].next = NONE), "lists");
        assert_eq!(damaged(|join, _| join.links.first.seats[0].next = 4), "lists");
        assert_eq!(damaged(|join, _| join.links.first.heads[1] = NONE), "waiting");
        assert_eq!(damaged(|_, indices| indices[IndexId(0)].unwant(1, 1)), "waiting");
        assert_eq!(damaged(|join, _| join.weights.set(3, 2)), "weights");
    }
}
