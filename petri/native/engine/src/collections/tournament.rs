//! A list of events, earliest first: a tournament.
//!
//! Each event has a slot, a leaf of a tree whose nodes hold the earlier of two. Where an event has come or gone, only
//! the way from its slot to the root changes, and what stands beside that way is known from the start: the processor
//! loads it at once, and no branch depends on what it finds. Most often an event is followed by another that takes its slot,
//! so that one such way serves both.
//!
//! A large tree leaves out levels far from the root: there four nodes meet, which are one line of the cache, instead of two in
//! each of two lines. The numbers of nodes are the same.

use std::mem::replace;

use crate::base::cache::fetch;
use crate::base::table::{Checked, Table};

/// Slots at the start: a net whose firings all stand in one lane needs no more.
const FEWEST: usize = 1;
/// With so many slots, memory is worth fetching before it is needed.
pub const MANY: usize = 4096;
/// In so many levels, which are always in the cache, two nodes meet, and in those below four.
pub const NEAR: u32 = 10;
/// The first node of those below.
pub const FAR: usize = 2 << NEAR;
/// No slot.
pub const NONE: usize = usize::MAX;

/// When an event happens.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Key {
    /// Which of the events at one time is first; the lowest bits are the slot.
    pub order: u64,
    /// The bits of the time, which is not negative, so they are in its order.
    pub time: u64,
}

/// Nodes of one line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Four([Key; 4]);

/// Beyond any time: where there is no event. Each slot adds its number, so that two of them are no tie.
pub const NEVER: u64 = f64::INFINITY.to_bits();

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
    /// What `next_time` told, and whether there is an event at that time beside the one that has left a gap.
    time: u64,
    pub more: bool,
    /// The latest time at which events were found to be at one time. Two events at one time meet, or others at that time do
    /// in their place, before the first of them is over.
    pub tie: u64,
    /// The slot of the event that was first when `upcoming` was called last.
    previous: usize,
}

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
            previous: 0,
        };
        events.widen_to(FEWEST);
        events
    }
}

impl Tournament {
    /// An event at a time that is finite and not negative, for which there is room. Of events at one time, that with the least
    /// number is first. Returns its slot.
    #[inline(always)]
    pub fn insert(&mut self, time: f64, number: u64) -> usize {
        let slot = match replace(&mut self.gap, NONE) {
            NONE => self.free_slot(),
            gap => gap,
        };
        self.succeed(slot, time, number);
        slot
    }

    /// The earliest time; infinite when there are no events.
    #[inline(always)]
    pub fn next_time(&mut self) -> f64 {
        self.close_gap();
        self.time = self.node(1).time;
        f64::from_bits(self.time.min(NEVER))
    }

    /// The slot of the first of the events at the time that `next_time` told, if any are left. It is to be left, or given to
    /// another that is no earlier.
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

    /// Puts an event in a slot.
    #[inline(always)]
    pub fn succeed(&mut self, slot: usize, time: f64, number: u64) {
        self.enter(slot, time.to_bits(), number);
    }

    /// The same for the bits of a time, which may be beyond any.
    #[inline(always)]
    pub fn enter(&mut self, slot: usize, time: u64, number: u64) {
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

    /// Plays the matches of a slot anew.
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
        }
        if (other.time, other.order) < (one.time, one.order) {
            other
        } else {
            one
        }
    }

    /// Takes note whether an event other than the first, which had this slot, is at the same time.
    pub fn look_beside(&mut self, slot: usize, time: f64) {
        self.time = time.to_bits();
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

    /// Fetches what will change when an event is over.
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
            self.enter(slot, NEVER + slot as u64, 0);
            self.frees += 1;
            self.free[EventSlot(self.frees)] = slot as u32;
        }
    }

    #[inline(always)]
    fn free_slot(&mut self) -> usize {
        self.frees -= 1;
        self.free[EventSlot(self.frees + 1)] as usize
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

    /// Makes so many slots.
    fn widen_to(&mut self, slots: usize) {
        let taken = replace(&mut self.slots, slots);
        let before =
            replace(&mut self.nodes, Table::from_iter(vec![Four([Key { order: 0, time: 0 }; 4]); slots.div_ceil(2)]));
        for slot in 0..slots {
            self.set_node(slots + slot, Key { order: 0, time: NEVER + slot as u64 });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    impl Tournament {
        fn add(&mut self, time: f64, number: u64) {
            if self.is_full() {
                self.widen();
            }
            self.insert(time, number);
        }

        /// The first event that is due leaves its slot, perhaps to another. Its number.
        fn pop(&mut self, successor: impl FnOnce() -> Option<(f64, u64)>) -> Option<u64> {
            let slot = self.first_due()?;
            let number = self.node(self.slots + slot).order >> self.slots.trailing_zeros();
            match successor() {
                Some((time, next)) => self.succeed(slot, time, next),
                None => self.leave(slot),
            }
            Some(number)
        }
    }

    /// So many events, each followed by another after a random time, against a sorted list. Some events have a successor that
    /// takes their place.
    fn against_a_list(events: u64, steps: u64, mut delay: impl FnMut(&mut Random) -> f64) {
        let mut random = Random::new([events, 7, 1]);
        let mut chance = Random::new([events, 8, 1]);
        let mut events_list = Tournament::default();
        let mut list = std::collections::BTreeSet::new();
        let mut number = 0;
        let mut make = |now: f64, list: &mut std::collections::BTreeSet<(u64, u64)>| {
            let time = now + delay(&mut random);
            list.insert((time.to_bits(), number));
            number += 1;
            (time, number - 1)
        };
        let add = |events: &mut Tournament, (time, number)| events.add(time, number);
        (0..events).for_each(|_| add(&mut events_list, make(0.0, &mut list)));
        let mut step = 0;
        while step < steps {
            let now = events_list.next_time();
            assert_eq!(now, list.first().map_or(f64::INFINITY, |first| f64::from_bits(first.0)));
            // All that happen at one time; then others begin.
            while list.first().is_some_and(|first| f64::from_bits(first.0) == now) {
                let expected = list.pop_first().map(|(_, number)| number);
                let follows = chance.equal_choice(3) == 0;
                let popped = events_list.pop(|| follows.then(|| make(now, &mut list)));
                assert_eq!(popped, expected);
                step += 1;
            }
            assert_eq!(events_list.pop(|| None), None);
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
            against_a_list(events, steps, Random::exponential);
            against_a_list(events, steps, |random| random.equal_choice(4) as f64);
            against_a_list(events, steps, |_| 1.0);
            against_a_list(events, steps, |random| random.uniform().powi(30) * 1e9);
            against_a_list(events, steps, |random| [1e-12, 5.0, 1e15][random.equal_choice(3) as usize]);
            against_a_list(events, steps, |random| 1e15 + random.uniform());
        }
    }

    #[test]
    fn empty_and_filled_again() {
        let mut events_list = Tournament::default();
        assert_eq!(events_list.next_time(), f64::INFINITY);
        for wave in 0..5 {
            (0..100).rev().for_each(|i| events_list.add((wave * 1000 + i) as f64, i));
            for i in 0..100 {
                assert_eq!(events_list.next_time(), (wave * 1000 + i) as f64);
                assert_eq!(events_list.pop(|| None), Some(i));
            }
            assert_eq!(events_list.next_time(), f64::INFINITY);
        }
    }
}
