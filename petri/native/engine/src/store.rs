//! The tokens of one place, kept as its discipline asks (rules S2 to S4).
//!
//! A token is a flat record of `width` 64-bit slots. A position is a seat in a bag, else the rank among the tokens
//! that the discipline shows: 0 for the one it shows first.

/// Tokens that stand in a row: a bag (seat by seat) or a stack (the newest at the end).
#[derive(Clone, Debug)]
pub struct Row {
    width: usize,
    slots: Vec<u64>,
}

impl Row {
    fn len(&self) -> usize {
        self.slots.len() / self.width
    }

    #[inline(always)]
    fn token(&self, seat: usize) -> &[u64] {
        &self.slots[seat * self.width..(seat + 1) * self.width]
    }

    /// The last token moves into the seat that becomes free (S4).
    #[inline(always)]
    fn swap_remove(&mut self, seat: usize) {
        let last = self.slots.len() - self.width;
        self.slots.copy_within(last.., seat * self.width);
        self.slots.truncate(last);
    }

    fn remove_below_top(&mut self, depth: usize) {
        let seat = self.len() - 1 - depth;
        self.slots.copy_within((seat + 1) * self.width.., seat * self.width);
        self.slots.truncate(self.slots.len() - self.width);
    }
}

/// A queue in a ring whose capacity is a power of two.
#[derive(Clone, Debug)]
pub struct Ring {
    width: usize,
    slots: Vec<u64>,
    mask: usize,
    head: usize,
    len: usize,
}

impl Ring {
    fn new(width: usize) -> Self {
        Ring { width, slots: vec![0; 4 * width], mask: 3, head: 0, len: 0 }
    }

    #[inline(always)]
    fn start(&self, depth: usize) -> usize {
        ((self.head + depth) & self.mask) * self.width
    }

    #[inline(always)]
    fn token(&self, depth: usize) -> &[u64] {
        let start = self.start(depth);
        &self.slots[start..start + self.width]
    }

    #[inline(always)]
    fn push(&mut self, token: &[u64]) {
        if self.len > self.mask {
            self.grow();
        }
        let start = self.start(self.len);
        self.slots[start..start + self.width].copy_from_slice(token);
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = Vec::with_capacity(self.slots.len() * 2);
        for depth in 0..self.len {
            slots.extend_from_slice(self.token(depth));
        }
        slots.resize(self.slots.len() * 2, 0);
        self.slots = slots;
        self.mask = self.mask * 2 + 1;
        self.head = 0;
    }

    /// Tokens in front of the one removed (those that read arcs keep) move back by one.
    #[inline(always)]
    fn remove(&mut self, depth: usize) {
        for position in (0..depth).rev() {
            let (from, to) = (self.start(position), self.start(position + 1));
            self.slots.copy_within(from..from + self.width, to);
        }
        self.head = (self.head + 1) & self.mask;
        self.len -= 1;
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
#[derive(Clone, Debug)]
pub struct Heap {
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
}

/// The tokens of one place. Black tokens are only counted, which the marking does.
#[derive(Clone, Debug)]
pub enum Store {
    Black,
    Bag(Row),
    Fifo(Ring),
    Lifo(Row),
    Key(Heap),
}

impl Store {
    pub fn bag(width: usize) -> Self {
        Store::Bag(Row { width, slots: Vec::new() })
    }

    pub fn fifo(width: usize) -> Self {
        Store::Fifo(Ring::new(width))
    }

    pub fn lifo(width: usize) -> Self {
        Store::Lifo(Row { width, slots: Vec::new() })
    }

    pub fn key(width: usize) -> Self {
        Store::Key(Heap { width, ranks: Vec::new(), cells: Vec::new(), free: Vec::new(), arrivals: 0 })
    }

    /// The token at a position. Empty for black tokens.
    #[inline(always)]
    pub fn token(&self, position: usize) -> &[u64] {
        match self {
            Store::Black => &[],
            Store::Bag(row) => row.token(position),
            Store::Fifo(ring) => ring.token(position),
            Store::Lifo(row) => row.token(row.len() - 1 - position),
            Store::Key(heap) => heap.token(position),
        }
    }

    /// Adds a token; `key` matters only to a keyed store.
    #[inline(always)]
    pub fn push(&mut self, token: &[u64], key: u64) {
        match self {
            Store::Black => {}
            Store::Bag(row) | Store::Lifo(row) => row.slots.extend_from_slice(token),
            Store::Fifo(ring) => ring.push(token),
            Store::Key(heap) => heap.push(key, token),
        }
    }

    /// Removes the token at a position; in a bag the last token takes its seat.
    #[inline(always)]
    pub fn remove(&mut self, position: usize) {
        match self {
            Store::Black => {}
            Store::Bag(row) => row.swap_remove(position),
            Store::Fifo(ring) => ring.remove(position),
            Store::Lifo(row) => row.remove_below_top(position),
            Store::Key(heap) => heap.remove(position),
        }
    }

    pub fn clear(&mut self) {
        match self {
            Store::Black => {}
            Store::Bag(row) | Store::Lifo(row) => row.slots.clear(),
            Store::Fifo(ring) => ring.len = 0,
            Store::Key(heap) => {
                heap.ranks.clear();
                heap.cells.clear();
                heap.free.clear();
            }
        }
    }

    /// All tokens: by seat in a bag, else in order of arrival.
    pub fn listed(&self) -> Vec<&[u64]> {
        match self {
            Store::Black => Vec::new(),
            Store::Bag(row) | Store::Lifo(row) => row.slots.chunks(row.width).collect(),
            Store::Fifo(ring) => (0..ring.len).map(|depth| ring.token(depth)).collect(),
            Store::Key(heap) => {
                let mut ranks: Vec<_> = heap.ranks.iter().collect();
                ranks.sort_by_key(|rank| rank.arrival);
                ranks.into_iter().map(|rank| heap.cell(rank.cell)).collect()
            }
        }
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

    fn shown(store: &Store, n: usize) -> Vec<u64> {
        (0..n).map(|depth| store.token(depth)[0]).collect()
    }

    #[test]
    fn s4_the_last_token_moves_into_the_seat() {
        let mut store = Store::bag(1);
        (10..15).for_each(|x| store.push(&[x], 0));
        store.remove(1);
        assert_eq!(shown(&store, 4), [10, 14, 12, 13]);
        store.remove(3);
        assert_eq!(shown(&store, 3), [10, 14, 12]);
    }

    #[test]
    fn a_queue_wraps_grows_and_loses_from_its_middle() {
        let mut store = Store::fifo(2);
        for x in 0..3 {
            store.push(&[x, 0], 0);
        }
        store.remove(0);
        store.remove(0);
        for x in 3..9 {
            store.push(&[x, 0], 0);
        }
        assert_eq!(shown(&store, 7), [2, 3, 4, 5, 6, 7, 8]);
        store.remove(2);
        assert_eq!(shown(&store, 6), [2, 3, 5, 6, 7, 8]);
    }

    #[test]
    fn a_stack_shows_the_newest() {
        let mut store = Store::lifo(1);
        (0..4).for_each(|x| store.push(&[x], 0));
        assert_eq!(shown(&store, 4), [3, 2, 1, 0]);
        store.remove(1);
        assert_eq!(shown(&store, 3), [3, 1, 0]);
    }

    #[test]
    fn least_key_first_and_ties_by_age() {
        let mut store = Store::key(1);
        for (key, x) in [(5, 0), (-2, 1), (5, 2), (-2, 3), (7, 4), (0, 5)] {
            store.push(&[x], int_rank(key));
        }
        assert_eq!(shown(&store, 6), [1, 3, 5, 0, 2, 4]);
        store.remove(1);
        store.remove(0);
        assert_eq!(shown(&store, 4), [5, 0, 2, 4]);
        assert_eq!(store.listed().concat(), [0, 2, 4, 5]);
    }

    #[test]
    fn ranks_of_reals_are_ordered() {
        let keys = [-1e300, -2.0, -1.0, 0.0, 1e-300, 1.0, 3.5];
        assert!(keys.windows(2).all(|pair| real_rank(pair[0]) < real_rank(pair[1])));
    }
}
