//! A row of weights that knows their sum: "in whose share does the k-th unit lie?"
//!
//! Weights are mostly small, and few. As long as they are small, they are bytes, and the sums of a word's bytes are one
//! multiplication away; the first greater one turns the row into a tree of sums. Machine code changes bytes itself, and leaves the
//! rest to this.

use std::mem::{offset_of, take};

use crate::base::row::Row;
use crate::collections::small_set::SmallSortedSet;
use crate::collections::sum_tree::SumTree;

/// Weights of a word.
const WORD: usize = 8;
/// The greatest weight that is held as a byte: the sums of a word's bytes stay below the highest bit of a byte.
const MOST: u64 = 15;
/// Words of a block. Blocks are counted in a tree of their own.
const BLOCK: usize = 32;
/// Weights of a block.
const IN_BLOCK: usize = WORD * BLOCK;

/// The lowest bit of each byte, and the highest.
pub const ONES: u64 = u64::MAX / 255;
pub const HIGHEST: u64 = ONES << 7;

/// What machine code reads comes first: a line of the cache.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Weights {
    total: u64,
    len: usize,
    /// Weights below this are bytes: none where there are sums.
    limit: u64,
    /// All bits, or none where there are sums.
    as_bytes: u64,
    /// The bits of all weights that there were.
    seen: u64,
    /// Weights by position. What stands behind the last one means nothing.
    words: Row<[u8; WORD]>,
    /// Positions that the words are for.
    room: usize,
    /// Where there are several blocks.
    blocks: Option<Box<Blocks>>,
    /// Takes the place of the words when a weight is too great.
    sums: Option<Box<SumTree>>,
}

/// What is known of many words.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// Positions of all weights that are not 0, while they are few: then sums are 0.
    nonzero: SmallSortedSet,
    /// Whether they are not few.
    summed: bool,
    /// The sum of each block.
    sums: SumTree,
}

impl Blocks {
    #[inline(always)]
    fn add(&mut self, position: u32, change: u64) {
        let block = position as usize / IN_BLOCK;
        self.sums.set(block, self.sums.weight(block).wrapping_add(change));
    }
}

impl Weights {
    /// Where the sum of all weights stands, their number, and so on.
    pub const TOTAL: usize = offset_of!(Weights, total);
    pub const LEN: usize = offset_of!(Weights, len);
    pub const ROOM: usize = offset_of!(Weights, room);
    pub const LIMIT: usize = offset_of!(Weights, limit);
    pub const AS_BYTES: usize = offset_of!(Weights, as_bytes);
    pub const SEEN: usize = offset_of!(Weights, seen);
    pub const BYTES: usize = offset_of!(Weights, words) + Row::<[u8; WORD]>::START;
    /// The address of what is known of blocks, or 0.
    pub const BLOCKS: usize = offset_of!(Weights, blocks);

    /// A row that will never be longer, if that is known. Where it fits one block, it has room for all.
    pub fn new(most: Option<u64>) -> Self {
        let room = most.filter(|&most| Weights::fit_a_block(Some(most))).unwrap_or(0) as usize;
        let words = Row::of([0; WORD], room.div_ceil(WORD));
        Weights {
            total: 0,
            len: 0,
            room: words.len() * WORD,
            limit: MOST + 1,
            as_bytes: u64::MAX,
            seen: 0,
            words,
            blocks: None,
            sums: None,
        }
    }

    /// Whether no more weights than this fit one block.
    pub fn fit_a_block(most: Option<u64>) -> bool {
        most.is_some_and(|most| most <= IN_BLOCK as u64)
    }

    /// Fetches a weight, if it is a byte.
    #[inline(always)]
    pub fn fetch(&self, position: usize) {
        self.words.fetch((position / WORD) as u32);
    }

    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.total
    }

    #[inline(always)]
    fn byte(&mut self, position: u32) -> &mut u8 {
        &mut self.words[position / WORD as u32][position as usize % WORD]
    }

    pub fn weight(&self, position: u32) -> u64 {
        match &self.sums {
            None => u64::from(self.words[position / WORD as u32][position as usize % WORD]),
            Some(sums) => sums.weight(position as usize),
        }
    }

    /// Adds a weight at the end.
    #[inline(always)]
    pub fn push(&mut self, weight: u64) {
        let position = self.len;
        if let Some(sums) = &mut self.sums {
            sums.push(weight);
            self.total = sums.total();
            self.len += 1;
            return;
        }
        if position == self.room {
            self.add_word();
        }
        self.len += 1;
        *self.byte(position as u32) = 0;
        self.set(position as u32, weight);
    }

    #[cold]
    fn add_word(&mut self) {
        self.words.push([0; WORD]);
        self.room = self.words.len() * WORD;
        if self.room <= IN_BLOCK {
            return;
        }
        let blocks = self.blocks.get_or_insert_with(|| {
            let mut blocks = Box::new(Blocks { summed: self.total > 0, ..Blocks::default() });
            blocks.sums.push(self.total);
            blocks
        });
        if self.words.len() % BLOCK == 1 {
            blocks.sums.push(0);
        }
    }

    #[inline(always)]
    pub fn set(&mut self, position: u32, weight: u64) {
        if weight > MOST || self.sums.is_some() {
            return self.set_in_sums(position, weight);
        }
        let before = u64::from(std::mem::replace(self.byte(position), weight as u8));
        self.seen |= weight;
        self.total = self.total + weight - before;
        if before != weight && self.blocks.is_some() {
            self.note(position, before, weight);
        }
    }

    #[inline(never)]
    fn set_in_sums(&mut self, position: u32, weight: u64) {
        let summed = self.sums.take().unwrap_or_else(|| Box::new(self.summed()));
        (self.words, self.blocks, self.room) = (Row::default(), None, 0);
        (self.limit, self.as_bytes, self.seen) = (0, 0, self.seen | weight);
        let sums = self.sums.insert(summed);
        sums.set(position as usize, weight);
        self.total = sums.total();
    }

    /// A weight of several blocks has changed, and so has the sum of all.
    pub fn note(&mut self, position: u32, before: u64, after: u64) {
        let Some(blocks) = &mut self.blocks else { return };
        if blocks.summed {
            blocks.add(position, after.wrapping_sub(before));
            blocks.summed = self.total > 0;
        } else if after == 0 {
            blocks.nonzero.remove(position);
        } else if before == 0 && !blocks.nonzero.insert(position) {
            self.sum_few(position);
        }
    }

    /// One more weight is not 0, and there is no room for it among the few.
    #[cold]
    fn sum_few(&mut self, another: u32) {
        let Some(mut blocks) = self.blocks.take() else { return };
        let few = take(&mut blocks.nonzero);
        few.all().iter().chain([&another]).for_each(|&position| blocks.add(position, self.weight(position)));
        blocks.summed = true;
        self.blocks = Some(blocks);
    }

    /// The weights in a tree of sums.
    fn summed(&self) -> SumTree {
        let mut sums = SumTree::default();
        (0..self.len as u32).for_each(|position| sums.push(self.weight(position)));
        sums
    }

    /// The last weight moves to a position, and the row is one shorter.
    #[inline(always)]
    pub fn swap_remove(&mut self, position: u32) {
        self.len -= 1;
        if let Some(sums) = &mut self.sums {
            sums.swap_remove(position as usize);
            self.total = sums.total();
            return;
        }
        let last = self.len as u32;
        let weight = u64::from(*self.byte(last));
        self.set(last, 0);
        if position != last {
            self.set(position, weight);
        }
    }

    /// The position in whose weight unit `k` lies, and how many units of that weight come before it. `k` is below `total`.
    #[inline(always)]
    pub fn select(&self, k: u64) -> (u32, u64) {
        if self.are_ones() {
            (k as u32, 0)
        } else if self.blocks.is_none() && self.sums.is_none() {
            self.select_from(0, k)
        } else {
            self.select_slowly(k)
        }
    }

    /// Whether each weight is 1, as far as it is known.
    #[inline(always)]
    fn are_ones(&self) -> bool {
        self.seen <= 1 && self.total == self.len as u64
    }

    /// The same where units are counted from a word on.
    #[inline(always)]
    fn select_from(&self, first: u32, k: u64) -> (u32, u64) {
        let (mut word, mut left) = (first, k);
        // The sums of the bytes up to each.
        let sums = loop {
            let sums = u64::from_le_bytes(self.words[word]).wrapping_mul(ONES);
            let all = sums >> 56;
            if left < all {
                break sums;
            }
            left -= all;
            word += 1;
        };
        // The byte sought is the first up to which there are more than are left.
        let more = ((sums | HIGHEST) - (left + 1) * ONES) & HIGHEST;
        let shift = more.trailing_zeros() & !7;
        let below = ((sums << 8) >> shift) & 0xFF;
        (word * WORD as u32 + shift / 8, left - below)
    }

    #[inline(never)]
    fn select_slowly(&self, k: u64) -> (u32, u64) {
        if let Some(sums) = &self.sums {
            let (position, left) = sums.select(k);
            return (position as u32, left);
        }
        let Some(blocks) = &self.blocks else { return self.select_from(0, k) };
        let mut left = k;
        let few = blocks.nonzero.all().iter().map(|&position| (position, self.weight(position)));
        let found = few.into_iter().find_map(|(position, weight)| {
            let here = (left < weight).then_some((position, left));
            left = left.wrapping_sub(weight);
            here
        });
        found.unwrap_or_else(|| {
            let (block, left) = blocks.sums.select(k);
            self.select_from((block * BLOCK) as u32, left)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::collections::sum_tree::tests::unit;

    /// Random weights below `bound`, in a row that grows to about `size` and shrinks again.
    fn against_a_plain_row(size: usize, bound: u64, checks: usize) {
        let mut random = Random::new([9, size as u64, bound]);
        let mut weights = Weights::new(None);
        let mut row: Vec<u64> = Vec::new();
        for step in 0..6 * size {
            let grows = if step < 3 * size { 0.6 } else { 0.3 };
            // The greatest weights come late.
            let weight = random.equal_choice(if step < size { bound.min(2) } else { bound });
            if row.is_empty() || random.uniform() < grows {
                weights.push(weight);
                row.push(weight);
            } else {
                let position = random.equal_choice(row.len() as u64) as usize;
                if random.uniform() < 0.5 {
                    weights.swap_remove(position as u32);
                    row.swap_remove(position);
                } else {
                    weights.set(position as u32, weight);
                    row[position] = weight;
                }
            }
            if step % (6 * size).div_ceil(checks) > 0 {
                continue;
            }
            let total: u64 = row.iter().sum();
            assert_eq!((weights.total(), weights.len), (total, row.len()));
            if total > 0 {
                let k = random.equal_choice(total);
                let (position, left) = unit(&row, k);
                assert_eq!(weights.select(k), (position as u32, left));
            }
        }
    }

    #[test]
    fn few_and_many_small_and_large() {
        for bound in [2, 3, MOST + 1, MOST + 2] {
            against_a_plain_row(20, bound, 120);
            against_a_plain_row(1000, bound, 6000);
            against_a_plain_row(30_000, bound, 3000);
        }
    }

    #[test]
    fn a_great_weight_among_zeros() {
        let mut weights = Weights::new(Some(20));
        weights.push(MOST + 1);
        (0..MOST).for_each(|_| weights.push(0));
        assert_eq!(weights.total(), weights.len as u64);
        assert_eq!(weights.select(5), (0, 5));
    }

    #[test]
    fn few_of_many_are_not_zero() {
        let mut random = Random::new([9, 1, 1]);
        let mut weights = Weights::new(None);
        let mut row = vec![0; 4000];
        row.iter().for_each(|_| weights.push(0));
        let mut others = Vec::new();
        for step in 0..20_000 {
            // From none to a dozen, and back.
            if random.uniform() < [0.55, 0.45][step / 500 % 2] {
                let position = random.equal_choice(row.len() as u64);
                row[position as usize] = random.equal_choice(4);
                weights.set(position as u32, row[position as usize]);
                others.push(position);
            } else if let Some(position) = others.pop().filter(|&position| (position as usize) < row.len()) {
                row.swap_remove(position as usize);
                weights.swap_remove(position as u32);
                row.push(0);
                weights.push(0);
            }
            let total: u64 = row.iter().sum();
            assert_eq!(weights.total(), total);
            if total > 0 {
                let k = random.equal_choice(total);
                let (position, left) = unit(&row, k);
                assert_eq!(weights.select(k), (position as u32, left));
            }
        }
    }
}
