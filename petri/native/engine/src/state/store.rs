//! The tokens of one place, kept as its discipline requires (rules S2 to S4).
//!
//! **Problem.** A place is a bag (arcs choose among all tokens), a queue, a stack, or ordered by a key. Machine code pushes and
//! removes tokens at nearly every firing, and should find one with a shift, a mask and an addition.
//!
//! **Idea.** A token is a flat record of `width` 64-bit slots. Bag, queue and stack share one ring: a block with room for a power
//! of two tokens, where token number `i` begins at slot `((head + i) & mask) · width`. Only a queue moves its head.
//! What changes with the tokens, except the tokens themselves, is a [`Ring`] in the counters of the place, as is their
//! number. The tokens of a keyed place are cells of a binary heap of ranks.
//!
//! A position is a seat in a bag, else the rank among the tokens that the discipline shows: 0 for the one it shows first.
//!
//! ```text
//! a queue with room for 4 (mask 3), head 2, 3 tokens:
//! block       c · a b        positions: a 0, b 1, c 2
//! remove(1):  c · · a        a moves back by one, head 3: the queue is a, c
//! ```
//!
//! Invariants:
//! - *ring*: `mask` + 1 is a power of two, and the block has room for as many tokens; `slots` is its address.
//! - *head*: `head` is at most `mask`, and 0 unless the place is a queue.
//! - *room*: there are at most `mask` + 1 tokens, unless they are black.
//! - *heap*: no rank of a keyed place is less than that of its parent, number (i − 1) / 2.
//! - *cells*: each cell belongs to one rank, or is free.
//! - *arrivals*: ranks have different arrivals, each less than `arrivals`.
//! - *count*: there are as many ranks as tokens.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::base::cache::LINE;
use crate::base::invariant::{ensure, Verified};
use crate::base::reuse::clone_into_fields;
use crate::base::table::Table;
use crate::net::Discipline;
use crate::program::expression::Rank;

/// The number of tokens that a new store has room for.
const LEAST: usize = 4;

/// So many ranks are compared sooner than searched.
const FEW: usize = 64;

/// Slots of a block by number.
#[derive(Clone, Copy, Debug)]
pub struct WordIndex;

/// What changes in a store as tokens come and go, except the tokens themselves.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Ring {
    /// The address of its slots, for machine code, and to fetch them.
    pub slots: usize,
    /// The number of tokens that it has room for, less one.
    pub mask: u32,
    /// Where a queue begins; 0 otherwise.
    pub head: u32,
}

/// Tokens in one block of memory with room for a power of two of them: a bag (seat by seat), a stack (the newest at the
/// end), or a queue (in a ring). The tokens of a keyed place are in its heap.
pub struct Store {
    slots: Table<WordIndex, u64>,
    heap: Option<Box<Heap>>,
    width: u32,
    discipline: Discipline,
}

clone_into_fields!(Store { slots, heap, width, discipline });

/// A large net has a hundred thousand.
const _: () = assert!(size_of::<Store>() <= LINE / 2);

impl Store {
    /// For tokens of `width` slots. Black tokens have none, and are only counted.
    pub fn new(width: usize, discipline: Discipline) -> Self {
        let keyed = discipline == Discipline::Key && width > 0;
        let heap = keyed.then(|| Box::new(Heap { width, ..Heap::default() }));
        let room = if keyed { 0 } else { LEAST * width };
        Store { slots: vec![0; room].into_iter().collect(), heap, width: width as u32, discipline }
    }

    /// The ring of a copy of the store to which a ring belongs.
    pub fn same_ring(&self, of: Ring) -> Ring {
        Ring { slots: self.slots.as_ptr() as usize, ..of }
    }

    /// The ring of an empty store.
    pub fn ring(&self) -> Ring {
        Ring { slots: self.slots.as_ptr() as usize, mask: LEAST as u32 - 1, head: 0 }
    }

    #[inline(always)]
    fn width(&self) -> usize {
        self.width as usize
    }

    #[inline(always)]
    fn start(&self, ring: &Ring, seat: usize) -> usize {
        ((ring.head as usize + seat) & ring.mask as usize) * self.width()
    }

    /// The token at a position among `count`. Empty for black tokens.
    #[inline(always)]
    pub fn token(&self, ring: &Ring, position: usize, count: usize) -> &[u64] {
        let seat = match self.discipline {
            Discipline::Bag | Discipline::Fifo => position,
            Discipline::Lifo => count - 1 - position,
            Discipline::Key => match &self.heap {
                Some(heap) => return heap.token(position),
                None => position,
            },
        };
        let start = self.start(ring, seat);
        &self.slots[start..start + self.width()]
    }

    /// Adds a token to `count` others; `key` matters only to a keyed place.
    #[inline(always)]
    pub fn push(&mut self, ring: &mut Ring, token: &[u64], key: Rank, count: usize) {
        if let Some(heap) = &mut self.heap {
            heap.push(key, token);
            return;
        }
        if count > ring.mask as usize {
            self.grow(ring, count);
        }
        let (start, width) = (self.start(ring, count), self.width());
        self.slots[start..start + width].copy_from_slice(token);
    }

    /// Doubles the room. Seats are numbered in 32 bits.
    #[cold]
    pub fn grow(&mut self, ring: &mut Ring, count: usize) {
        let mut slots = Vec::with_capacity(self.slots.len() * 2);
        for seat in 0..count {
            let start = self.start(ring, seat);
            slots.extend_from_slice(&self.slots[start..start + self.width()]);
        }
        slots.resize(self.slots.len() * 2, 0);
        self.slots = slots.into_iter().collect();
        let mask = ring.mask.checked_mul(2).expect("a place of fewer than 2^32 tokens") + 1;
        *ring = Ring { slots: self.slots.as_ptr() as usize, mask, head: 0 };
    }

    /// Removes the token at a position among `count`; in a bag the last token takes its seat (S4).
    #[inline(always)]
    pub fn remove(&mut self, ring: &mut Ring, position: usize, count: usize) {
        match self.discipline {
            Discipline::Bag => self.copy(ring, count - 1, position),
            // Of those in front and those behind, the fewer move.
            Discipline::Fifo if position <= count / 2 => {
                self.shift(ring, 0..position, true);
                ring.head = (ring.head + 1) & ring.mask;
            }
            Discipline::Fifo => self.shift(ring, position + 1..count, false),
            Discipline::Lifo => self.shift(ring, count - position..count, false),
            Discipline::Key => {
                if let Some(heap) = &mut self.heap {
                    heap.remove(position);
                }
            }
        }
    }

    /// Moves tokens that stand side by side to the next seats, or to those before.
    fn shift(&mut self, ring: &Ring, seats: Range<usize>, back: bool) {
        let (first, last, width) = (self.start(ring, seats.start), self.start(ring, seats.end), self.width());
        // They and their next seats do not go around the end of the ring.
        if width <= first && first <= last && last + width <= self.slots.len() {
            self.slots.copy_within(first..last, if back { first + width } else { first - width });
        } else if back {
            seats.rev().for_each(|seat| self.copy(ring, seat, seat + 1));
        } else {
            seats.for_each(|seat| self.copy(ring, seat, seat - 1));
        }
    }

    /// Removes the tokens at some positions, in order, of a place that is not a bag. Each of the others moves once at most.
    pub fn remove_all(&mut self, ring: &mut Ring, positions: &[u64], count: usize) {
        let Some(&last) = positions.last() else { return };
        let (last, mut gone) =
            (last as usize, positions.iter().rev().skip(1).map(|&position| position as usize).peekable());
        match self.discipline {
            // Those in front of the last one removed move back.
            Discipline::Fifo => {
                let mut to = last;
                for position in (0..last).rev() {
                    if gone.next_if_eq(&position).is_none() {
                        self.copy(ring, position, to);
                        to -= 1;
                    }
                }
                ring.head = (ring.head + positions.len() as u32) & ring.mask;
            }
            // Those above it move down: a position counts from the end.
            Discipline::Lifo => {
                let mut to = count - 1 - last;
                for position in (0..last).rev() {
                    if gone.next_if_eq(&position).is_none() {
                        self.copy(ring, count - 1 - position, to);
                        to += 1;
                    }
                }
            }
            Discipline::Key => {
                if let Some(heap) = &mut self.heap {
                    heap.remove_all(positions);
                }
            }
            Discipline::Bag => unreachable!("where a token leaves a bag, another one moves (S4)"),
        }
    }

    #[inline(always)]
    fn copy(&mut self, ring: &Ring, from: usize, to: usize) {
        let (from, to, width) = (self.start(ring, from), self.start(ring, to), self.width());
        self.slots.copy_within(from..from + width, to);
    }

    /// Removes all tokens.
    pub fn clear(&mut self, ring: &mut Ring) {
        ring.head = 0;
        if let Some(heap) = &mut self.heap {
            **heap = Heap { width: heap.width, arrivals: heap.arrivals, ..Heap::default() };
        }
    }

    /// All of `count` tokens: by seat in a bag, else in order of arrival.
    pub fn listed(&self, ring: &Ring, count: usize) -> Vec<&[u64]> {
        match &self.heap {
            Some(heap) => heap.listed(),
            None => (0..count).map(|seat| &self.slots[self.start(ring, seat)..][..self.width()]).collect(),
        }
    }

    /// The slots of all of `count` tokens, by position.
    pub fn in_order(&self, ring: &Ring, count: usize) -> Vec<u64> {
        match &self.heap {
            Some(heap) => heap.in_order(),
            None => (0..count).flat_map(|position| self.token(ring, position, count)).copied().collect(),
        }
    }

    /// The slots of all of `count` tokens, by seat. None of a keyed place.
    pub fn by_seat(&self, ring: &Ring, count: usize) -> Vec<u64> {
        let (first, all) = (self.start(ring, 0), count * self.width());
        let to_end = all.min(self.slots.len() - first);
        [&self.slots[first..first + to_end], &self.slots[..all - to_end]].concat()
    }

    /// Checks the invariants, given the number of tokens.
    pub fn verify(&self, ring: &Ring, count: usize) -> Verified {
        if let Some(heap) = &self.heap {
            ensure(heap.ranks.len() == count, "count", || format!("{} ranks of {count} tokens", heap.ranks.len()))?;
            return heap.verify();
        }
        let room = ring.mask as usize + 1;
        let right = room.is_power_of_two()
            && self.slots.len() == room * self.width()
            && ring.slots == self.slots.as_ptr() as usize;
        ensure(right, "ring", || format!("{ring:x?} of {} slots", self.slots.len()))?;
        let in_ring = if self.discipline == Discipline::Fifo { ring.head <= ring.mask } else { ring.head == 0 };
        ensure(in_ring, "head", || format!("{ring:?} of a {:?}", self.discipline))?;
        ensure(self.width() == 0 || count <= room, "room", || format!("{count} tokens, room for {room}"))
    }
}

/// Place of a token in a heap: the least key first, ties oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    key: Rank,
    arrival: u64,
    cell: u32,
}

impl Place {
    /// The derived order, but quick where the first keys differ, as they mostly do.
    #[inline(always)]
    fn comes_before(&self, other: &Place) -> bool {
        if self.key.0 == other.key.0 {
            (self.key.1, self.arrival) < (other.key.1, other.arrival)
        } else {
            self.key.0 < other.key.0
        }
    }
}

/// A binary heap of tokens by key.
#[derive(Clone, Debug, Default)]
struct Heap {
    width: usize,
    /// The heap itself.
    ranks: Vec<Place>,
    /// The tokens, in cells of `width` slots that stay where they are.
    cells: Vec<u64>,
    /// The cells without a token.
    free: Vec<u32>,
    /// The number of tokens that have arrived so far.
    arrivals: u64,
}

impl Heap {
    fn token(&self, depth: usize) -> &[u64] {
        self.cell(self.ranks[self.nth(depth)].cell)
    }

    fn cell(&self, cell: u32) -> &[u64] {
        &self.cells[cell as usize * self.width..(cell as usize + 1) * self.width]
    }

    /// The position in the heap of the token of rank `depth`. Beyond the first, the heap is searched from the top:
    /// only several arcs on one keyed place ask for that.
    fn nth(&self, depth: usize) -> usize {
        // Tokens that came in the order of their keys are in order.
        if depth == 0 || self.ranks.len() <= FEW && self.ranks.is_sorted() {
            return depth;
        }
        let mut frontier = BinaryHeap::from([Reverse((self.ranks[0], 0))]);
        let mut last = 0;
        for _ in 0..=depth {
            let Some(Reverse((_, position))) = frontier.pop() else { break };
            let below = [2 * position + 1, 2 * position + 2].into_iter().filter(|&below| below < self.ranks.len());
            frontier.extend(below.map(|below| Reverse((self.ranks[below], below))));
            last = position;
        }
        last
    }

    fn push(&mut self, key: Rank, token: &[u64]) {
        let cell = match self.free.pop() {
            Some(cell) => {
                let start = cell as usize * self.width;
                self.cells[start..start + self.width].copy_from_slice(token);
                cell
            }
            None => {
                self.cells.extend_from_slice(token);
                (self.cells.len() / self.width - 1) as u32
            }
        };
        self.ranks.push(Place { key, arrival: self.arrivals, cell });
        self.arrivals += 1;
        self.sift_up(self.ranks.len() - 1);
    }

    fn remove(&mut self, depth: usize) {
        let position = self.nth(depth);
        self.free.push(self.ranks.swap_remove(position).cell);
        if position < self.ranks.len() {
            self.sift_up(position);
            self.sift_down(position);
        }
    }

    /// Removes the tokens at some depths, in order. What is left is sorted, and so a heap.
    fn remove_all(&mut self, depths: &[u64]) {
        self.ranks.sort_unstable();
        let (mut gone, mut depth) = (depths.iter().peekable(), 0);
        let free = &mut self.free;
        self.ranks.retain(|rank| {
            depth += 1;
            let goes = gone.next_if_eq(&&(depth - 1)).is_some();
            free.extend(goes.then_some(rank.cell));
            !goes
        });
    }

    fn sift_up(&mut self, mut position: usize) {
        let rank = self.ranks[position];
        while position > 0 {
            let parent = (position - 1) / 2;
            if !rank.comes_before(&self.ranks[parent]) {
                break;
            }
            self.ranks[position] = self.ranks[parent];
            position = parent;
        }
        self.ranks[position] = rank;
    }

    fn sift_down(&mut self, mut position: usize) {
        let rank = self.ranks[position];
        loop {
            let mut child = 2 * position + 1;
            if child >= self.ranks.len() {
                break;
            }
            if child + 1 < self.ranks.len() && self.ranks[child + 1].comes_before(&self.ranks[child]) {
                child += 1;
            }
            if !self.ranks[child].comes_before(&rank) {
                break;
            }
            self.ranks[position] = self.ranks[child];
            position = child;
        }
        self.ranks[position] = rank;
    }

    /// All tokens in order of arrival.
    fn listed(&self) -> Vec<&[u64]> {
        let mut ranks: Vec<_> = self.ranks.iter().collect();
        ranks.sort_by_key(|rank| rank.arrival);
        ranks.into_iter().map(|rank| self.cell(rank.cell)).collect()
    }

    /// All tokens by rank.
    fn in_order(&self) -> Vec<u64> {
        let mut ranks = self.ranks.clone();
        ranks.sort_unstable();
        ranks.into_iter().flat_map(|rank| self.cell(rank.cell)).copied().collect()
    }

    fn verify(&self) -> Verified {
        let ordered = |&i: &usize| self.ranks[(i - 1) / 2] <= self.ranks[i];
        ensure((1..self.ranks.len()).all(|i| ordered(&i)), "heap", || format!("{:?}", self.ranks))?;
        let mut cells: Vec<u32> = self.ranks.iter().map(|rank| rank.cell).chain(self.free.iter().copied()).collect();
        cells.sort_unstable();
        let all = 0..(self.cells.len() / self.width) as u32;
        ensure(cells.iter().copied().eq(all), "cells", || format!("{cells:?} of {} slots", self.cells.len()))?;
        let mut arrivals: Vec<u64> = self.ranks.iter().map(|rank| rank.arrival).collect();
        arrivals.sort_unstable();
        let past = arrivals.last().is_none_or(|&last| last < self.arrivals);
        ensure(past && arrivals.is_sorted_by(|one, other| one < other), "arrivals", || format!("{arrivals:?}"))
    }
}

/// An integer key as a number without sign, in the same order: flipping the sign bit adds 2⁶³ modulo 2⁶⁴.
pub fn int_rank(key: i64) -> u64 {
    key as u64 ^ (1 << 63)
}

/// A finite real key as a number without sign, in the same order. The bits of doubles without their sign are in the order of
/// magnitudes (IEEE 754): positive ones get the highest bit, and negative ones, whose order is the reverse, are complemented.
pub fn real_rank(key: f64) -> u64 {
    let bits = key.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | (1 << 63)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    /// A store with what its place keeps.
    struct Counted(Store, Ring, usize);

    impl Counted {
        fn new(width: usize, discipline: Discipline) -> Self {
            let store = Store::new(width, discipline);
            let ring = store.ring();
            Counted(store, ring, 0)
        }

        fn push(&mut self, token: &[u64], key: u64) {
            // Halves, so that equal first numbers occur.
            self.0.push(&mut self.1, token, (key >> 1, key & 1), self.2);
            self.2 += 1;
        }

        fn remove(&mut self, position: usize) {
            self.0.remove(&mut self.1, position, self.2);
            self.2 -= 1;
        }

        fn remove_all(&mut self, positions: &[u64]) {
            self.0.remove_all(&mut self.1, positions, self.2);
            self.2 -= positions.len();
        }

        fn shown(&self) -> Vec<u64> {
            (0..self.2).map(|position| self.0.token(&self.1, position, self.2)[0]).collect()
        }
    }

    /// Tokens as the discipline shows them; `[value, key, arrival]`.
    fn removed_from_model(model: &mut Vec<[u64; 3]>, discipline: Discipline, position: usize) {
        match discipline {
            Discipline::Bag => _ = model.swap_remove(position),
            _ => _ = model.remove(position),
        }
    }

    fn added_to_model(model: &mut Vec<[u64; 3]>, discipline: Discipline, token: [u64; 3]) {
        match discipline {
            Discipline::Bag | Discipline::Fifo => model.push(token),
            Discipline::Lifo => model.insert(0, token),
            Discipline::Key => {
                model.push(token);
                model.sort_by_key(|token| (token[1], token[2]));
            }
        }
    }

    proptest! {
        #[test]
        fn each_discipline_against_a_list(
            discipline in prop::sample::select(vec![Discipline::Bag, Discipline::Fifo, Discipline::Lifo, Discipline::Key]),
            steps in prop::collection::vec((0..22u8, any::<prop::sample::Index>(), 0..4u64), 0..150),
        ) {
            let (mut store, mut model) = (Counted::new(2, discipline), Vec::new());
            for (number, (action, at, key)) in steps.into_iter().enumerate() {
                if action < 11 {
                    store.push(&[number as u64, 7], key);
                    added_to_model(&mut model, discipline, [number as u64, key, number as u64]);
                } else if action < 19 && !model.is_empty() {
                    let position = at.index(model.len());
                    store.remove(position);
                    removed_from_model(&mut model, discipline, position);
                } else if action == 19 {
                    store.0.clear(&mut store.1);
                    store.2 = 0;
                    model.clear();
                } else if action > 19 && discipline != Discipline::Bag {
                    let goes = |position: usize| at.index(64) >> (position % 6) & 1 == 1;
                    let gone: Vec<u64> = (0..model.len()).filter(|&one| goes(one)).map(|one| one as u64).collect();
                    store.remove_all(&gone);
                    let mut position = 0;
                    model.retain(|_| {
                        position += 1;
                        !goes(position - 1)
                    });
                }
                prop_assert_eq!(store.0.verify(&store.1, store.2), Ok(()));
                let values = |tokens: &[[u64; 3]]| tokens.iter().map(|token| token[0]).collect::<Vec<_>>();
                prop_assert_eq!(store.shown(), values(&model));
                if discipline != Discipline::Key {
                    prop_assert_eq!(store.0.by_seat(&store.1, store.2), store.0.listed(&store.1, store.2).concat());
                }
                let listed: Vec<u64> = store.0.listed(&store.1, store.2).iter().map(|token| token[0]).collect();
                let mut by_arrival = values(&model);
                if discipline != Discipline::Bag {
                    by_arrival.sort_unstable();
                }
                prop_assert_eq!(listed, by_arrival);
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |discipline, damage: fn(&mut Counted)| {
            let mut store = Counted::new(1, discipline);
            (0..6).for_each(|x| store.push(&[x], 10 - x));
            assert_eq!(store.0.verify(&store.1, store.2), Ok(()));
            damage(&mut store);
            broken(store.0.verify(&store.1, store.2))
        };
        fn heap(store: &mut Counted) -> &mut Heap {
            store.0.heap.as_mut().expect("a heap")
        }
        assert_eq!(damaged(Discipline::Bag, |store| store.1.mask = 3), "ring");
        assert_eq!(damaged(Discipline::Bag, |store| store.1.slots += 8), "ring");
        assert_eq!(damaged(Discipline::Fifo, |store| store.1.head = 8), "head");
        assert_eq!(damaged(Discipline::Lifo, |store| store.1.head = 1), "head");
        assert_eq!(damaged(Discipline::Bag, |store| store.2 = 9), "room");
        assert_eq!(damaged(Discipline::Key, |store| heap(store).ranks[0].key = (99, 0)), "heap");
        assert_eq!(damaged(Discipline::Key, |store| heap(store).free.push(3)), "cells");
        assert_eq!(damaged(Discipline::Key, |store| heap(store).arrivals = 2), "arrivals");
        assert_eq!(damaged(Discipline::Key, |store| store.2 = 5), "count");
    }

    #[test]
    fn s4_the_last_token_moves_into_the_seat() {
        let mut store = Counted::new(1, Discipline::Bag);
        (10..15).for_each(|x| store.push(&[x], 0));
        store.remove(1);
        assert_eq!(store.shown(), [10, 14, 12, 13]);
        store.remove(3);
        assert_eq!(store.shown(), [10, 14, 12]);
    }

    #[test]
    fn a_queue_wraps_grows_and_loses_from_its_middle() {
        let mut store = Counted::new(2, Discipline::Fifo);
        (0..3).for_each(|x| store.push(&[x, 0], 0));
        store.remove(0);
        store.remove(0);
        (3..9).for_each(|x| store.push(&[x, 0], 0));
        assert_eq!(store.shown(), [2, 3, 4, 5, 6, 7, 8]);
        store.remove(2);
        assert_eq!(store.shown(), [2, 3, 5, 6, 7, 8]);
    }

    #[test]
    fn a_stack_shows_the_newest() {
        let mut store = Counted::new(1, Discipline::Lifo);
        (0..4).for_each(|x| store.push(&[x], 0));
        assert_eq!(store.shown(), [3, 2, 1, 0]);
        store.remove(1);
        assert_eq!(store.shown(), [3, 1, 0]);
    }

    #[test]
    fn least_key_first_and_ties_by_age() {
        let mut store = Counted::new(1, Discipline::Key);
        for (key, x) in [(5, 0), (-2, 1), (5, 2), (-2, 3), (7, 4), (0, 5)] {
            store.push(&[x], int_rank(key));
        }
        assert_eq!(store.shown(), [1, 3, 5, 0, 2, 4]);
        store.remove(1);
        store.remove(0);
        assert_eq!(store.shown(), [5, 0, 2, 4]);
        assert_eq!(store.0.listed(&store.1, 4).concat(), [0, 2, 4, 5]);
    }

    #[test]
    fn ranks_of_reals_are_ordered() {
        let keys = [-1e300, -2.0, -1.0, 0.0, 1e-300, 1.0, 3.5];
        assert!(keys.windows(2).all(|pair| real_rank(pair[0]) < real_rank(pair[1])));
    }
}
