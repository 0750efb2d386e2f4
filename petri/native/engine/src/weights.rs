//! A row of weights that knows their sum: "in whose share does the k-th unit lie?"
//!
//! Weights are mostly small, and few. As long as they are small, they are bytes, and the sums of a word's bytes are one
//! multiplication away; the first greater one turns the row into a tree of sums.

use std::mem::offset_of;

use crate::few::Few;
use crate::row::Row;
use crate::sum_tree::SumTree;

/// Weights of a word.
const WORD: usize = 8;
/// The greatest weight that is held as a byte: the sums of a word's bytes stay below the highest bit of a byte.
pub const MOST: u64 = 15;
/// Words of a block. Blocks are counted in a tree of their own.
const BLOCK: usize = 32;

/// The lowest bit of each byte, and the highest.
pub const ONES: u64 = u64::MAX / 255;
pub const HIGHEST: u64 = ONES << 7;

#[derive(Clone, Debug, Default)]
pub struct Weights {
    total: u64,
    len: usize,
    /// Positions that the words are for, as long as they stand alone: 0 where there are blocks or sums.
    room: usize,
    /// The bits of all weights that there were.
    seen: u64,
    /// Weights by position. What stands behind the last one means nothing.
    words: Row<[u8; WORD]>,
    /// Where there are several blocks.
    blocks: Option<Box<Blocks>>,
    /// Takes the place of the words when a weight is too great.
    sums: Option<Box<SumTree>>,
}

/// What is known of many words.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// The sum of each block.
    sums: SumTree,
    /// Positions of weights that are not 0.
    few: Few,
}

impl Weights {
    /// Where the sum of all weights stands, their number, and so on.
    pub const TOTAL: usize = offset_of!(Weights, total);
    pub const LEN: usize = offset_of!(Weights, len);
    pub const ROOM: usize = offset_of!(Weights, room);
    pub const SEEN: usize = offset_of!(Weights, seen);
    pub const BYTES: usize = offset_of!(Weights, words) + Row::<[u8; WORD]>::START;

    /// Fetches a weight, if it is a byte.
    #[inline(always)]
    pub fn fetch(&self, position: usize) {
        self.words.fetch((position / WORD) as u32);
    }

    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether all weights are small, and not too many.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.room > 0
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
        if self.len >= self.room || weight > MOST {
            return self.push_slowly(weight);
        }
        *self.byte(self.len as u32) = weight as u8;
        self.len += 1;
        self.seen |= weight;
        self.total += weight;
    }

    #[inline(never)]
    fn push_slowly(&mut self, weight: u64) {
        let position = self.len;
        self.len += 1;
        if let Some(sums) = &mut self.sums {
            sums.push(weight);
            self.total = sums.total();
            return;
        }
        if position == self.words.len() * WORD {
            self.add_word();
        }
        *self.byte(position as u32) = 0;
        self.set(position as u32, weight);
    }

    #[cold]
    fn add_word(&mut self) {
        self.words.push([0; WORD]);
        if self.words.len() <= BLOCK {
            self.room = self.words.len() * WORD;
            return;
        }
        self.room = 0;
        let blocks = self.blocks.get_or_insert_with(|| {
            let mut blocks = Box::new(Blocks::default());
            blocks.sums.push(self.total);
            blocks
        });
        if self.words.len() % BLOCK == 1 {
            blocks.sums.push(0);
        }
    }

    #[inline(always)]
    pub fn set(&mut self, position: u32, weight: u64) {
        if self.is_plain() && weight <= MOST {
            self.set_byte(position, weight);
        } else {
            self.set_slowly(position, weight);
        }
    }

    /// Returns how the weight has changed.
    #[inline(always)]
    fn set_byte(&mut self, position: u32, weight: u64) -> u64 {
        let before = std::mem::replace(self.byte(position), weight as u8);
        let change = weight.wrapping_sub(u64::from(before));
        self.seen |= weight;
        self.total = self.total.wrapping_add(change);
        change
    }

    #[inline(never)]
    fn set_slowly(&mut self, position: u32, weight: u64) {
        if weight > MOST && self.sums.is_none() {
            self.sums = Some(Box::new(self.summed()));
            (self.words, self.blocks, self.room) = (Row::default(), None, 0);
        }
        if let Some(sums) = &mut self.sums {
            sums.set(position as usize, weight);
            self.total = sums.total();
            return;
        }
        let change = self.set_byte(position, weight);
        if let Some(blocks) = &mut self.blocks {
            let block = position as usize / (WORD * BLOCK);
            blocks.sums.set(block, blocks.sums.weight(block).wrapping_add(change));
            match (weight.wrapping_sub(change), weight) {
                (0, 0) => {}
                (0, _) => blocks.few.insert(position),
                (_, 0) => blocks.few.remove(position),
                _ => {}
            }
        }
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
        if !self.is_plain() {
            return self.swap_remove_slowly(position);
        }
        self.len -= 1;
        let moved = *self.byte(self.len as u32);
        let gone = std::mem::replace(self.byte(position), moved);
        self.total -= u64::from(gone);
    }

    #[inline(never)]
    fn swap_remove_slowly(&mut self, position: u32) {
        self.len -= 1;
        if let Some(sums) = &mut self.sums {
            sums.swap_remove(position as usize);
            self.total = sums.total();
            return;
        }
        let last = self.len as u32;
        let weight = self.weight(last);
        self.set_slowly(last, 0);
        if position != last {
            self.set_slowly(position, weight);
        }
    }

    /// The position in whose weight unit `k` lies, and how many units of that weight come before it. `k` is below `total`.
    #[inline(always)]
    pub fn select(&self, k: u64) -> (u32, u64) {
        if self.are_ones() {
            (k as u32, 0)
        } else if self.is_plain() {
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
        self.select_few(blocks.few.all(), k).unwrap_or_else(|| {
            let (block, left) = blocks.sums.select(k);
            self.select_from((block * BLOCK) as u32, left)
        })
    }

    /// The same if the weights of these positions are all that are not 0.
    #[inline(always)]
    fn select_few(&self, positions: &[u32], k: u64) -> Option<(u32, u64)> {
        let weights = || positions.iter().map(|&position| (position, self.weight(position)));
        if weights().map(|(_, weight)| weight).sum::<u64>() != self.total {
            return None;
        }
        let mut left = k;
        weights().find_map(|(position, weight)| {
            let here = (left < weight).then_some((position, left));
            left = left.wrapping_sub(weight);
            here
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::sum_tree::tests::unit;

    /// Random weights below `bound`, in a row that grows to about `size` and shrinks again.
    fn against_a_plain_row(size: usize, bound: u64, checks: usize) {
        let mut random = Random::new([9, size as u64, bound]);
        let mut weights = Weights::default();
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
    fn few_of_many_are_not_zero() {
        let mut random = Random::new([9, 1, 1]);
        let mut weights = Weights::default();
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
