//! A priority queue of events, earliest first: a tournament (winner tree).
//!
//! **Problem.** The firings in progress, by the time at which they end, and among equal times by the number of their start. Most
//! often one leaves and another comes in the same step. A binary heap branches on the times, which are random, and each
//! of its steps waits for an address that the previous one loads.
//!
//! **Idea.** Each event has a slot, a leaf of a tree whose inner nodes hold the earlier of their children (Knuth, The Art of
//! Computer Programming, vol. 3, 5.4.1). When an event comes or goes, only the path from its slot to the root changes,
//! and both that path and the nodes beside it are known from the start: the processor loads them at once, and no branch
//! depends on their contents. An event that follows another takes its slot, so that one path serves both.
//!
//! ```text
//! slots 4        node 1: 2.5 (slot 2)
//!                ├─ node 2: 3.0 (slot 0)  ─┬─ node 4, slot 0: 3.0
//!                │                         └─ node 5, slot 1: never + 1   (free)
//!                └─ node 3: 2.5 (slot 2)  ─┬─ node 6, slot 2: 2.5
//!                                          └─ node 7, slot 3: 8.0
//! the event of slot 2 is over, and 9.0 follows: nodes 6, 3 (now 8.0) and 1 (now 3.0) change
//! ```
//!
//! A slot without an event has a time beyond all others, plus its number, so that two of them are never equal. A slot whose
//! event is over is first a *gap*: it stays in the tree until another event takes it, or the next event is requested.
//!
//! A large tree leaves out levels far from the root: there four nodes meet, which are one line of the cache, instead of two in
//! each of two lines. Nodes keep their numbers, so that some are not used: above node `n` is `n / 2` near the root, and `n / 4`
//! from node `FAR` on.
//!
//! Invariants:
//! - *shape*: the number of slots is a power of two, and there are twice as many nodes (at least a line of them).
//! - *leaves*: the leaf of a slot has the slot in the lowest bits of its order, or no event and the time `NEVER` + slot.
//! - *winners*: each node in use is the earliest of the two or four below it.
//! - *free*: the first `frees` entries of `free`, from number 1, are different slots. Together with the gap, if there is one, they
//!   are all slots without an event.
//! - *tie*: if two events are at the time of the first, `tie` is not before that time.

use std::mem::replace;

use crate::base::cache::fetch;
use crate::base::invariant::{ensure, Verified};
use crate::base::reuse::clone_into_fields;
use crate::base::table::{Checked, Table};
use crate::base::ticks::Ticks;

/// Slots at the start: enough for a net whose firings are all in one lane.
const FEWEST: usize = 1;
/// From this number of slots on, it pays to fetch memory before it is needed.
pub const MANY: usize = 4096;
/// The number of levels next to the root in which two nodes meet; they are always in the cache. In the levels below, four meet.
pub const NEAR: u32 = 10;
/// The first node of the levels below.
pub const FAR: usize = 2 << NEAR;
/// No slot.
pub const NONE: usize = usize::MAX;

/// When an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Key {
    /// Which of the events at one time is first; the lowest bits are the slot.
    pub order: u64,
    /// Not negative, so that as words without a sign times are in the same order.
    pub time: Ticks,
}

/// Nodes of one line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Four([Key; 4]);

/// Beyond any time: the time of a slot without an event. Each slot adds its number, so that two of them do not tie.
pub const NEVER: Ticks = 1 << 62;

/// Four nodes of the tree, or the slot of an event, by number: all stay below the number of nodes or slots.
#[derive(Clone, Copy)]
pub struct EventSlot(pub usize);

impl Checked for EventSlot {
    #[inline(always)]
    fn at(self) -> usize {
        self.0
    }
}

/// The node above a node.
#[inline(always)]
fn above(node: usize) -> usize {
    node / if node < FAR { 2 } else { 4 }
}

pub struct Tournament {
    /// The winner of all is node 1, the leaves are the second half. Not all numbers are used.
    pub nodes: Table<EventSlot, Four>,
    pub slots: usize,
    /// The free slots except the gap, `frees` of them, from number 1.
    pub free: Table<EventSlot, u32>,
    pub frees: usize,
    /// The slot of an event that is over, still in the tree.
    pub gap: usize,
    /// The earliest time when `next_time` was called last.
    time: Ticks,
    /// Whether there is an event at that time beside the one that has left a gap.
    pub more: bool,
    /// The latest time at which events were found to be at one time. Two events at one time meet, or others at that time do
    /// in their place, before the first of them is over.
    pub tie: Ticks,
    /// How many matches were between two events at one time.
    pub ties: u64,
    /// The slot of the event that was first when `upcoming` was called last.
    previous: usize,
}

clone_into_fields!(Tournament { nodes, slots, free, frees, gap, time, more, tie, ties, previous });

impl Default for Tournament {
    fn default() -> Self {
        let mut events = Tournament {
            nodes: Table::default(),
            slots: 0,
            free: Table::default(),
            frees: 0,
            gap: NONE,
            time: 0,
            more: false,
            tie: 0,
            ties: 0,
            previous: 0,
        };
        events.widen_to(FEWEST);
        events
    }
}

impl Tournament {
    /// An event at a time that is not negative, for which there is room. Of events at one time, that with the least
    /// number is first. Returns its slot.
    #[inline(always)]
    pub fn insert(&mut self, time: Ticks, number: u64) -> usize {
        let slot = match replace(&mut self.gap, NONE) {
            NONE => self.free_slot(),
            gap => gap,
        };
        self.succeed(slot, time, number);
        slot
    }

    /// The earliest time; `NEVER` when there are no events.
    #[inline(always)]
    pub fn next_time(&mut self) -> Ticks {
        self.close_gap();
        self.time = self.node(1).time;
        self.time.min(NEVER)
    }

    /// The slot of the first of the events at the time that `next_time` returned, if any are left. The caller ends that event
    /// (`leave`), or gives its slot to another that ends no earlier (`succeed`).
    #[inline(always)]
    pub fn first_due(&mut self) -> Option<usize> {
        if self.gap != NONE {
            if !self.more {
                return None;
            }
            self.close_gap();
        }
        let first = self.node(1);
        let due = first.time == self.time && first.time < NEVER;
        due.then_some(first.order as usize & (self.slots - 1))
    }

    /// An event in a slot is over, and the slot is a gap.
    #[inline(always)]
    pub fn leave(&mut self, slot: usize) {
        self.gap = slot;
        self.more = self.time <= self.tie && self.is_due_beside(slot);
    }

    /// Puts an event in a slot, perhaps at a time beyond any.
    #[inline(always)]
    pub fn succeed(&mut self, slot: usize, time: Ticks, number: u64) {
        let order = number << self.slots.trailing_zeros() | slot as u64;
        self.play(slot, Key { order, time });
    }

    #[inline(always)]
    fn node(&self, node: usize) -> Key {
        self.nodes[EventSlot(node / 4)].0[node % 4]
    }

    #[inline(always)]
    fn set_node(&mut self, node: usize, key: Key) {
        self.nodes[EventSlot(node / 4)].0[node % 4] = key;
    }

    /// Replays the matches of a slot.
    #[inline(always)]
    fn play(&mut self, slot: usize, key: Key) {
        let mut node = self.slots + slot;
        let mut first = key;
        self.set_node(node, key);
        while node > 1 {
            (node, first) = self.round(node, first);
        }
    }

    /// One round of a node that has a key. Returns the node above, and its key.
    #[inline(always)]
    fn round(&mut self, node: usize, key: Key) -> (usize, Key) {
        let mut first = self.earlier(key, self.node(node ^ 1));
        if node >= FAR {
            let other = self.earlier(self.node(node ^ 2), self.node(node ^ 3));
            first = self.earlier(first, other);
        }
        let above = above(node);
        self.set_node(above, first);
        (above, first)
    }

    /// The earlier of two.
    #[inline(always)]
    fn earlier(&mut self, one: Key, other: Key) -> Key {
        if one.time == other.time {
            self.tie = self.tie.max(one.time);
            self.ties += 1;
        }
        if (other.time, other.order) < (one.time, one.order) {
            other
        } else {
            one
        }
    }

    /// Notes whether an event other than the first, which had this slot, is at the same time.
    pub fn look_beside(&mut self, slot: usize, time: Ticks) {
        self.time = time;
        self.more = self.is_due_beside(slot);
    }

    fn is_due_beside(&self, slot: usize) -> bool {
        let mut node = self.slots + slot;
        let mut due = false;
        while node > 1 {
            let others = if node < FAR { 2 } else { 4 };
            due |= (1..others).any(|other| self.node(node ^ other).time == self.time);
            node = above(node);
        }
        due
    }

    /// The event that is first now in the part of the tree whose first event has gone last. To be asked whenever another is
    /// first of all. It is one of 2^`level` parts, so most often about as many others come before that event.
    #[inline(always)]
    pub fn upcoming(&mut self, level: u32) -> EventSlot {
        let first = self.node(1).order as usize & (self.slots - 1);
        let leaf = self.slots + replace(&mut self.previous, first);
        let part = leaf >> (self.slots.trailing_zeros() - level);
        EventSlot(self.node(part).order as usize & (self.slots - 1))
    }

    /// Prefetches the nodes that change when an event is over.
    #[inline(always)]
    pub fn fetch(&self, slot: EventSlot) {
        let mut node = self.slots + slot.0;
        while node >= FAR {
            fetch(&self.nodes[EventSlot(node / 4)]);
            node = above(node);
        }
    }

    #[inline(always)]
    fn close_gap(&mut self) {
        if self.gap != NONE {
            let slot = replace(&mut self.gap, NONE);
            self.succeed(slot, NEVER + slot as Ticks, 0);
            self.frees += 1;
            self.free[EventSlot(self.frees)] = slot as u32;
        }
    }

    #[inline(always)]
    fn free_slot(&mut self) -> usize {
        self.frees -= 1;
        self.free[EventSlot(self.frees + 1)] as usize
    }

    /// The slot, time and number of each event, when no slot is a gap.
    pub fn events(&self) -> impl Iterator<Item = (usize, Ticks, u64)> + '_ {
        let leaves = (0..self.slots).map(|slot| (slot, self.node(self.slots + slot)));
        let bits = self.slots.trailing_zeros();
        leaves.filter(|(_, key)| key.time < NEVER).map(move |(slot, key)| (slot, key.time, key.order >> bits))
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.frees + usize::from(self.gap != NONE) == self.slots
    }

    /// Whether there is no slot for one more event.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.frees == 0 && self.gap == NONE
    }

    /// Makes twice as many slots, all of which are taken.
    #[cold]
    pub fn widen(&mut self) {
        self.widen_to(2 * self.slots);
    }

    /// Grows the tree to `slots` slots. Events keep their slots.
    fn widen_to(&mut self, slots: usize) {
        let taken = replace(&mut self.slots, slots);
        let before =
            replace(&mut self.nodes, Table::from_iter(vec![Four([Key { order: 0, time: 0 }; 4]); slots.div_ceil(2)]));
        for slot in 0..slots {
            self.set_node(slots + slot, Key { order: 0, time: NEVER + slot as Ticks });
        }
        for slot in 0..taken {
            let leaf = taken + slot;
            let Key { order, time } = before[EventSlot(leaf / 4)].0[leaf % 4];
            let number = order >> taken.trailing_zeros();
            self.set_node(slots + slot, Key { order: number << slots.trailing_zeros() | slot as u64, time });
        }
        let mut first = slots;
        while first > 1 {
            for node in (first..2 * first).step_by(first / above(first)) {
                self.round(node, self.node(node));
            }
            first = above(first);
        }
        // All slots were taken.
        self.free = std::iter::once(0).chain((taken as u32..slots as u32).rev()).chain(0..taken as u32).collect();
        self.frees = slots - taken;
    }
}

impl Tournament {
    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let shape = self.slots.is_power_of_two() && self.nodes.len() == self.slots.div_ceil(2);
        ensure(shape, "shape", || format!("{} slots, {} lines of nodes", self.slots, self.nodes.len()))?;
        (0..self.slots).try_for_each(|slot| {
            let Key { order, time } = self.node(self.slots + slot);
            let right = if time < NEVER { order as usize % self.slots == slot } else { time == NEVER + slot as Ticks };
            ensure(right, "leaves", || format!("slot {slot} has order {order:#x} and time {time:#x}"))
        })?;
        self.verify_winners()?;
        self.verify_free()?;
        let first = self.node(1).time;
        let due = (0..self.slots).filter(|slot| self.node(self.slots + slot).time == first).count();
        ensure(due < 2 || self.tie >= first, "tie", || {
            format!("{due} events at {first:#x}, the tie is {:#x}", self.tie)
        })
    }

    fn verify_winners(&self) -> Verified {
        let mut below = self.slots;
        while below > 1 {
            let step = below / above(below);
            for node in (below..2 * below).step_by(step) {
                let keys = (node..node + step).map(|child| self.node(child));
                let (first, winner) = (keys.min_by_key(|key| (key.time, key.order)), self.node(above(node)));
                ensure(first == Some(winner), "winners", || format!("node {}", above(node)))?;
            }
            below = above(below);
        }
        Ok(())
    }

    fn verify_free(&self) -> Verified {
        ensure(self.frees <= self.slots, "free", || format!("{} of {} slots", self.frees, self.slots))?;
        let mut free: Vec<usize> = (1..=self.frees).map(|number| self.free[EventSlot(number)] as usize).collect();
        free.sort_unstable();
        let has_none = |&slot: &usize| self.node(self.slots + slot).time >= NEVER;
        let empty: Vec<usize> = (0..self.slots).filter(has_none).collect();
        ensure(self.gap == NONE || !free.contains(&self.gap), "free", || format!("the gap {} is free", self.gap))?;
        ensure(free == empty, "free", || format!("{free:?} instead of {empty:?}"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;
    use crate::base::random::Random;

    impl Tournament {
        fn add(&mut self, time: Ticks, number: u64) {
            if self.is_full() {
                self.widen();
            }
            self.insert(time, number);
        }

        /// The first event that is due leaves its slot, perhaps to another. Its number.
        fn pop(&mut self, successor: impl FnOnce() -> Option<(Ticks, u64)>) -> Option<u64> {
            let slot = self.first_due()?;
            let number = self.node(self.slots + slot).order >> self.slots.trailing_zeros();
            match successor() {
                Some((time, next)) => self.succeed(slot, time, next),
                None => self.leave(slot),
            }
            Some(number)
        }
    }

    /// Compares the tournament with a sorted list: `events` events, each followed by another after a random time. Some events
    /// have a successor that takes their slot.
    fn against_a_list(events: u64, steps: u64, mut delay: impl FnMut(&mut Random) -> Ticks) {
        let mut random = Random::new([events, 7, 1]);
        let mut chance = Random::new([events, 8, 1]);
        let mut events_list = Tournament::default();
        let mut list = BTreeSet::new();
        let mut number = 0;
        let mut make = |now: Ticks, list: &mut BTreeSet<(Ticks, u64)>| {
            let time = now + delay(&mut random);
            list.insert((time, number));
            number += 1;
            (time, number - 1)
        };
        let add = |events: &mut Tournament, (time, number)| events.add(time, number);
        (0..events).for_each(|_| add(&mut events_list, make(0, &mut list)));
        let mut step = 0;
        while step < steps {
            let now = events_list.next_time();
            assert_eq!(now, list.first().map_or(NEVER, |first| first.0));
            // All that happen at one time; then others begin.
            while list.first().is_some_and(|first| first.0 == now) {
                let expected = list.pop_first().map(|(_, number)| number);
                let follows = chance.equal_choice(3) == 0;
                let popped = events_list.pop(|| follows.then(|| make(now, &mut list)));
                assert_eq!(popped, expected);
                step += 1;
            }
            assert_eq!(events_list.pop(|| None), None);
            if step % events < 2 {
                assert_eq!(events_list.verify(), Ok(()));
            }
            // Waves: the list empties and fills again.
            for _ in 0..[1, 1, 2, 0][(step / events.max(1)) as usize % 4] {
                add(&mut events_list, make(now, &mut list));
            }
            if list.is_empty() {
                (0..events).for_each(|_| add(&mut events_list, make(now, &mut list)));
            }
        }
    }

    #[test]
    fn in_order_whatever_the_times() {
        for events in [1, 5, 40, 300, 5000] {
            let steps = 20 * events + 2000;
            against_a_list(events, steps, |random| random.equal_choice(1 << 30) as Ticks);
            against_a_list(events, steps, |random| random.equal_choice(4) as Ticks);
            against_a_list(events, steps, |_| 1);
            against_a_list(events, steps, |random| (random.uniform().powi(30) * 1e9) as Ticks);
            against_a_list(events, steps, |random| [1, 5, 1 << 40][random.equal_choice(3) as usize]);
            against_a_list(events, steps, |random| (1 << 40) + random.equal_choice(2) as Ticks);
        }
    }

    #[test]
    fn empty_and_filled_again() {
        let mut events_list = Tournament::default();
        assert_eq!(events_list.next_time(), NEVER);
        for wave in 0..5 {
            (0..100).rev().for_each(|i| events_list.add((wave * 1000 + i) as Ticks, i));
            for i in 0..100 {
                assert_eq!(events_list.next_time(), (wave * 1000 + i) as Ticks);
                assert_eq!(events_list.pop(|| None), Some(i));
            }
            assert_eq!(events_list.next_time(), NEVER);
        }
    }

    proptest! {
        /// Events come, and all that are due leave, some to a successor; compared with a sorted set.
        #[test]
        fn a_sorted_set_of_events(steps in prop::collection::vec((0..4u8, 0..5u8), 0..200)) {
            let (mut events, mut model) = (Tournament::default(), BTreeSet::new());
            let mut now: Ticks = 0;
            for (number, (action, delay)) in steps.into_iter().enumerate() {
                let (time, number) = (now + Ticks::from(delay), number as u64);
                if action < 2 {
                    events.add(time, number);
                    model.insert((time, number));
                } else if !model.is_empty() {
                    now = events.next_time();
                    let (due, expected) = model.pop_first().expect("an event");
                    prop_assert_eq!(now, due);
                    let successor = (action == 2).then_some((now + Ticks::from(delay), number));
                    prop_assert_eq!(events.pop(|| successor), Some(expected));
                    model.extend(successor);
                    prop_assert_eq!(events.gap != NONE, successor.is_none());
                }
                prop_assert_eq!(events.verify(), Ok(()));
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Tournament)| {
            let mut events = Tournament::default();
            [3, 1, 1, 5, 2].iter().enumerate().for_each(|(number, &time)| events.add(time, number as u64));
            assert_eq!((events.slots, events.verify()), (8, Ok(())));
            damage(&mut events);
            broken(events.verify())
        };
        assert_eq!(damaged(|events| events.slots = 12), "shape");
        assert_eq!(damaged(|events| events.slots = 16), "shape");
        let leaf = |events: &mut Tournament| {
            let Key { order, time } = events.node(8);
            events.set_node(8, Key { order: order ^ 1, time });
        };
        assert_eq!(damaged(leaf), "leaves");
        assert_eq!(damaged(|events| events.set_node(2, events.node(15))), "winners");
        assert_eq!(damaged(|events| events.frees -= 1), "free");
        assert_eq!(damaged(|events| events.free[EventSlot(1)] = 0), "free");
        assert_eq!(damaged(|events| events.gap = events.free[EventSlot(1)] as usize), "free");
        assert_eq!(damaged(|events| events.tie = 0), "tie");
    }
}
