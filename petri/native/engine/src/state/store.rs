//! The tokens of one place, kept as its discipline asks (rules S2 to S4).
//!
//! A token is a flat record of `width` 64-bit slots. A position is a seat in a bag, else the rank among the tokens
//! that the discipline shows: 0 for the one it shows first. How many tokens there are, the place knows (`state::Place`),
//! and it keeps what changes with them.

use crate::base::table::Table;
use crate::net::Discipline;

/// Tokens that there is room for at first.
const LEAST: usize = 4;

/// Slots of a block by number.
#[derive(Clone, Copy, Debug)]
pub struct WordIndex(pub usize);

/// What changes of a store as tokens come and go, but for the tokens.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Ring {
    /// The address of its slots, for machine code, and to fetch them.
    pub slots: usize,
    /// One less than the tokens that there is room for.
    pub mask: u32,
    /// Where a queue begins; 0 otherwise.
    pub head: u32,
}

/// Tokens in one block of memory with room for a power of two of them: a bag (seat by seat), a stack (the newest at the
/// end), or a queue (in a ring). The tokens of a keyed place are in its heap.
#[repr(align(64))]
pub struct Store {
    slots: Table<WordIndex, u64>,
    width: usize,
    discipline: Discipline,
    heap: Option<Box<Heap>>,
    /// Tokens that firings in progress will deposit, where the place has a capacity.
    pub reserved: u64,
}

impl Store {
    /// For tokens of so many slots; black tokens have none, and are only counted.
    pub fn new(width: usize, discipline: Discipline) -> Self {
        let keyed = discipline == Discipline::Key && width > 0;
        let heap = keyed.then(|| Box::new(Heap { width, ..Heap::default() }));
        let room = if keyed { 0 } else { LEAST * width };
        Store { slots: vec![0; room].into_iter().collect(), width, discipline, heap, reserved: 0 }
    }

    /// What changes of it, at first.
    pub fn ring(&self) -> Ring {
        Ring { slots: self.slots.as_ptr() as usize, mask: LEAST as u32 - 1, head: 0 }
    }

    #[inline(always)]
    fn start(&self, ring: &Ring, seat: usize) -> usize {
        ((ring.head as usize + seat) & ring.mask as usize) * self.width
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
        &self.slots[start..start + self.width]
    }

    /// Adds a token to `count` others; `key` matters only to a keyed place.
    #[inline(always)]
    pub fn push(&mut self, ring: &mut Ring, token: &[u64], key: u64, count: usize) {
        if let Some(heap) = &mut self.heap {
            heap.push(key, token);
            return;
        }
        if count > ring.mask as usize {
            self.grow(ring, count);
        }
        let start = self.start(ring, count);
        self.slots[start..start + self.width].copy_from_slice(token);
    }

    /// Doubles the room. Seats are numbered in 32 bits.
    #[cold]
    pub fn grow(&mut self, ring: &mut Ring, count: usize) {
        let mut slots = Vec::with_capacity(self.slots.len() * 2);
        for seat in 0..count {
            let start = self.start(ring, seat);
            slots.extend_from_slice(&self.slots[start..start + self.width]);
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
            Discipline::Fifo => {
                // Tokens in front of the one removed (those that read arcs keep) move back by one.
                for seat in (0..position).rev() {
                    self.copy(ring, seat, seat + 1);
                }
                ring.head = (ring.head + 1) & ring.mask;
            }
            Discipline::Lifo => (count - position..count).for_each(|seat| self.copy(ring, seat, seat - 1)),
            Discipline::Key => {
                if let Some(heap) = &mut self.heap {
                    heap.remove(position);
                }
            }
        }
    }

    #[inline(always)]
    fn copy(&mut self, ring: &Ring, from: usize, to: usize) {
        let (from, to) = (self.start(ring, from), self.start(ring, to));
        self.slots.copy_within(from..from + self.width, to);
    }

    /// Removes all tokens.
    pub fn clear(&mut self, ring: &mut Ring) {
        ring.head = 0;
        if let Some(heap) = &mut self.heap {
            **heap = Heap { width: self.width, arrivals: heap.arrivals, ..Heap::default() };
        }
    }

    /// All of `count` tokens: by seat in a bag, else in order of arrival.
    pub fn listed(&self, ring: &Ring, count: usize) -> Vec<&[u64]> {
        match &self.heap {
            Some(heap) => heap.listed(),
            None => (0..count).map(|seat| &self.slots[self.start(ring, seat)..][..self.width]).collect(),
        }
    }
}

/// Place of a token in a heap: the least key first, ties oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    key: u64,
    arrival: u64,
    cell: u32,
}

/// A binary heap of tokens by key.
#[derive(Clone, Debug, Default)]
struct Heap {
    width: usize,
    ranks: Vec<Rank>,
    cells: Vec<u64>,
    free: Vec<u32>,
    arrivals: u64,
}

impl Heap {
    fn token(&self, depth: usize) -> &[u64] {
        self.cell(self.ranks[self.nth(depth)].cell)
    }

    fn cell(&self, cell: u32) -> &[u64] {
        &self.cells[cell as usize * self.width..(cell as usize + 1) * self.width]
    }

    /// Where in the heap the token of rank `depth` stands. Beyond the first, the heap is searched from the top:
    /// only several arcs on one keyed place ask for that.
    fn nth(&self, depth: usize) -> usize {
        if depth == 0 {
            return 0;
        }
        let mut frontier = vec![0];
        for _ in 0..depth {
            let least = self.least(&frontier);
            let position = frontier.swap_remove(least);
            frontier.extend([2 * position + 1, 2 * position + 2].into_iter().filter(|&p| p < self.ranks.len()));
        }
        frontier[self.least(&frontier)]
    }

    fn least(&self, frontier: &[usize]) -> usize {
        (0..frontier.len()).min_by_key(|&i| self.ranks[frontier[i]]).unwrap_or(0)
    }

    fn push(&mut self, key: u64, token: &[u64]) {
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
        self.ranks.push(Rank { key, arrival: self.arrivals, cell });
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

    fn sift_up(&mut self, mut position: usize) {
        while position > 0 {
            let parent = (position - 1) / 2;
            if self.ranks[parent] <= self.ranks[position] {
                return;
            }
            self.ranks.swap(parent, position);
            position = parent;
        }
    }

    fn sift_down(&mut self, mut position: usize) {
        loop {
            let mut child = 2 * position + 1;
            if child >= self.ranks.len() {
                return;
            }
            if child + 1 < self.ranks.len() && self.ranks[child + 1] < self.ranks[child] {
                child += 1;
            }
            if self.ranks[position] <= self.ranks[child] {
                return;
            }
            self.ranks.swap(position, child);
            position = child;
        }
    }

    /// All tokens in order of arrival.
    fn listed(&self) -> Vec<&[u64]> {
        let mut ranks: Vec<_> = self.ranks.iter().collect();
        ranks.sort_by_key(|rank| rank.arrival);
        ranks.into_iter().map(|rank| self.cell(rank.cell)).collect()
    }
}

/// A key as a number whose order is that of the keys, for integers …
pub fn int_rank(key: i64) -> u64 {
    key as u64 ^ (1 << 63)
}

/// … and for finite reals.
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
    use super::*;

    /// A store with what its place keeps.
    struct Counted(Store, Ring, usize);

    impl Counted {
        fn new(width: usize, discipline: Discipline) -> Self {
            let store = Store::new(width, discipline);
            let ring = store.ring();
            Counted(store, ring, 0)
        }

        fn push(&mut self, token: &[u64], key: u64) {
            self.0.push(&mut self.1, token, key, self.2);
            self.2 += 1;
        }

        fn remove(&mut self, position: usize) {
            self.0.remove(&mut self.1, position, self.2);
            self.2 -= 1;
        }

        fn shown(&self) -> Vec<u64> {
            (0..self.2).map(|position| self.0.token(&self.1, position, self.2)[0]).collect()
        }
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
