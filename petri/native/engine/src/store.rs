//! The tokens of one place, kept as its discipline asks (rules S2 to S4).
//!
//! A token is a flat record of `width` 64-bit slots. A position is a seat in a bag, else the rank among the tokens
//! that the discipline shows: 0 for the one it shows first. How many tokens there are, the place knows (`state::Place`).

use crate::cache::fetch;
use crate::net::Discipline;
use crate::table::Table;

/// Slots of a block by number.
#[derive(Clone, Copy, Debug)]
pub struct Slot(pub usize);

/// Tokens in one block of memory with room for a power of two of them: a bag (seat by seat), a stack (the newest at the
/// end), or a queue (in a ring). The tokens of a keyed place are in its heap.
#[derive(Clone)]
#[repr(align(64))]
pub struct Store {
    pub slots: Table<Slot, u64>,
    /// One less than the tokens that there is room for.
    pub mask: u64,
    /// Where a queue begins; 0 otherwise.
    pub head: u64,
    width: usize,
    discipline: Discipline,
    heap: Option<Box<Heap>>,
}

impl Store {
    /// For tokens of so many slots; black tokens have none, and are only counted.
    pub fn new(width: usize, discipline: Discipline) -> Self {
        let keyed = discipline == Discipline::Key && width > 0;
        let heap = keyed.then(|| Box::new(Heap { width, ..Heap::default() }));
        let room = if keyed { 0 } else { 4 * width };
        Store { slots: vec![0; room].into_iter().collect(), mask: 3, head: 0, width, discipline, heap }
    }

    /// Fetches the token of a seat of a bag, if there is one.
    #[inline(always)]
    pub fn fetch(&self, seat: u32) {
        fetch(self.slots.as_ptr().wrapping_add(seat as usize * self.width));
    }

    #[inline(always)]
    fn start(&self, seat: usize) -> usize {
        ((self.head as usize + seat) & self.mask as usize) * self.width
    }

    /// The token at a position among `count`. Empty for black tokens.
    #[inline(always)]
    pub fn token(&self, position: usize, count: usize) -> &[u64] {
        let seat = match self.discipline {
            Discipline::Bag | Discipline::Fifo => position,
            Discipline::Lifo => count - 1 - position,
            Discipline::Key => match &self.heap {
                Some(heap) => return heap.token(position),
                None => position,
            },
        };
        let start = self.start(seat);
        &self.slots[start..start + self.width]
    }

    /// Adds a token to `count` others; `key` matters only to a keyed place.
    #[inline(always)]
    pub fn push(&mut self, token: &[u64], key: u64, count: usize) {
        if let Some(heap) = &mut self.heap {
            heap.push(key, token);
            return;
        }
        if count > self.mask as usize {
            self.grow(count);
        }
        let start = self.start(count);
        self.slots[start..start + self.width].copy_from_slice(token);
    }

    /// Doubles the room.
    #[cold]
    pub fn grow(&mut self, count: usize) {
        let mut slots = Vec::with_capacity(self.slots.len() * 2);
        for seat in 0..count {
            let start = self.start(seat);
            slots.extend_from_slice(&self.slots[start..start + self.width]);
        }
        slots.resize(self.slots.len() * 2, 0);
        self.slots = slots.into_iter().collect();
        self.mask = self.mask * 2 + 1;
        self.head = 0;
    }

    /// Removes the token at a position among `count`; in a bag the last token takes its seat (S4).
    #[inline(always)]
    pub fn remove(&mut self, position: usize, count: usize) {
        match self.discipline {
            Discipline::Bag => self.copy(count - 1, position),
            Discipline::Fifo => {
                // Tokens in front of the one removed (those that read arcs keep) move back by one.
                for seat in (0..position).rev() {
                    self.copy(seat, seat + 1);
                }
                self.head = (self.head + 1) & self.mask;
            }
            Discipline::Lifo => (count - position..count).for_each(|seat| self.copy(seat, seat - 1)),
            Discipline::Key => {
                if let Some(heap) = &mut self.heap {
                    heap.remove(position);
                }
            }
        }
    }

    #[inline(always)]
    fn copy(&mut self, from: usize, to: usize) {
        let (from, to) = (self.start(from), self.start(to));
        self.slots.copy_within(from..from + self.width, to);
    }

    /// Removes all tokens.
    pub fn clear(&mut self) {
        self.head = 0;
        if let Some(heap) = &mut self.heap {
            **heap = Heap { width: self.width, arrivals: heap.arrivals, ..Heap::default() };
        }
    }

    /// All of `count` tokens: by seat in a bag, else in order of arrival.
    pub fn listed(&self, count: usize) -> Vec<&[u64]> {
        match &self.heap {
            Some(heap) => heap.listed(),
            None => (0..count).map(|seat| &self.slots[self.start(seat)..][..self.width]).collect(),
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

    /// A store that knows its number of tokens.
    struct Counted(Store, usize);

    impl Counted {
        fn new(width: usize, discipline: Discipline) -> Self {
            Counted(Store::new(width, discipline), 0)
        }

        fn push(&mut self, token: &[u64], key: u64) {
            self.0.push(token, key, self.1);
            self.1 += 1;
        }

        fn remove(&mut self, position: usize) {
            self.0.remove(position, self.1);
            self.1 -= 1;
        }

        fn shown(&self) -> Vec<u64> {
            (0..self.1).map(|position| self.0.token(position, self.1)[0]).collect()
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
        assert_eq!(store.0.listed(4).concat(), [0, 2, 4, 5]);
    }

    #[test]
    fn ranks_of_reals_are_ordered() {
        let keys = [-1e300, -2.0, -1.0, 0.0, 1e-300, 1.0, 3.5];
        assert!(keys.windows(2).all(|pair| real_rank(pair[0]) < real_rank(pair[1])));
    }
}
