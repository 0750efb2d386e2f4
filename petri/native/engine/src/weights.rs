//! A row of weights that knows their sum: "in whose share does the k-th unit lie?"
//!
//! Weights are mostly 0 or 1. As long as all are, they are bits, and a few words hold them; the first greater one turns the
//! row into a tree of sums.

use crate::bits::nth_bit;
use crate::row::Row;
use crate::sum_tree::SumTree;

/// Weights of a word.
const WORD: usize = 64;
/// Words of a block. Blocks are counted in a tree of their own.
const BLOCK: usize = 16;

/// Weights of 0 or 1, by position, and how many are 1.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bits: u64,
    ones: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Weights {
    total: u64,
    len: usize,
    /// Positions that the words are for, as long as they stand alone: 0 where there are blocks or sums.
    room: usize,
    words: Row<Word>,
    /// The ones of each block, where there are several blocks.
    blocks: Option<Box<SumTree>>,
    /// Takes the place of the words when a weight is greater than 1.
    sums: Option<Box<SumTree>>,
}

impl Weights {
    /// Where the sum of all weights stands.
    pub const TOTAL: usize = std::mem::offset_of!(Weights, total);

    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.total
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether all weights are 0 or 1, and not too many.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.room > 0
    }

    pub fn weight(&self, position: u32) -> u64 {
        match &self.sums {
            None => (self.words[position / WORD as u32].bits >> (position % WORD as u32)) & 1,
            Some(sums) => sums.weight(position as usize),
        }
    }

    /// Adds a weight at the end.
    #[inline(always)]
    pub fn push(&mut self, weight: u64) {
        if self.takes(weight) {
            self.push_bit(weight);
        } else {
            self.push_slowly(weight);
        }
    }

    /// Whether a weight can be added at the end as a bit.
    #[inline(always)]
    pub fn takes(&self, weight: u64) -> bool {
        self.len < self.room && weight <= 1
    }

    #[inline(always)]
    pub fn push_bit(&mut self, weight: u64) {
        let position = self.len as u32;
        self.len += 1;
        let word = &mut self.words[position / WORD as u32];
        word.bits |= weight << (position % WORD as u32);
        word.ones += weight;
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
        self.set(position as u32, weight);
    }

    #[cold]
    fn add_word(&mut self) {
        self.words.push(Word::default());
        if self.words.len() <= BLOCK {
            self.room = self.words.len() * WORD;
            return;
        }
        self.room = 0;
        let blocks = self.blocks.get_or_insert_with(|| {
            let mut blocks = SumTree::default();
            blocks.push(self.words.iter().map(|word| word.ones).sum());
            Box::new(blocks)
        });
        if self.words.len() % BLOCK == 1 {
            blocks.push(0);
        }
    }

    #[inline(always)]
    pub fn set(&mut self, position: u32, weight: u64) {
        if self.is_plain() && weight <= 1 {
            self.set_bit(position, weight);
        } else {
            self.set_slowly(position, weight);
        }
    }

    /// Returns how the weight has changed.
    #[inline(always)]
    fn set_bit(&mut self, position: u32, weight: u64) -> u64 {
        let word = &mut self.words[position / WORD as u32];
        let shift = position % WORD as u32;
        let change = weight.wrapping_sub((word.bits >> shift) & 1);
        word.bits ^= (change & 1) << shift;
        word.ones = word.ones.wrapping_add(change);
        self.total = self.total.wrapping_add(change);
        change
    }

    #[inline(never)]
    fn set_slowly(&mut self, position: u32, weight: u64) {
        if weight > 1 && self.sums.is_none() {
            self.sums = Some(Box::new(self.summed()));
            (self.words, self.blocks, self.room) = (Row::default(), None, 0);
        }
        if let Some(sums) = &mut self.sums {
            sums.set(position as usize, weight);
            self.total = sums.total();
            return;
        }
        let change = self.set_bit(position, weight);
        if let Some(blocks) = &mut self.blocks {
            let block = position as usize / (WORD * BLOCK);
            blocks.set(block, blocks.weight(block).wrapping_add(change));
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
        if self.is_plain() {
            self.swap_remove_bit(position);
        } else {
            self.swap_remove_slowly(position);
        }
    }

    #[inline(always)]
    pub fn swap_remove_bit(&mut self, position: u32) {
        self.len -= 1;
        let last = self.len as u32;
        let word = &mut self.words[last / WORD as u32];
        let moved = (word.bits >> (last % WORD as u32)) & 1;
        word.bits ^= moved << (last % WORD as u32);
        word.ones -= moved;
        if position == last {
            self.total -= moved;
            return;
        }
        let word = &mut self.words[position / WORD as u32];
        let change = moved.wrapping_sub((word.bits >> (position % WORD as u32)) & 1);
        word.bits ^= (change & 1) << (position % WORD as u32);
        word.ones = word.ones.wrapping_add(change);
        // What has gone is the weight that stood there.
        self.total = self.total.wrapping_add(change).wrapping_sub(moved);
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
        if self.is_plain() {
            (self.select_bit(k, 0), 0)
        } else {
            self.select_slowly(k)
        }
    }

    /// The position of the 1 that `k` others come before, from a word on.
    #[inline(always)]
    pub fn select_bit(&self, k: u64, first: u32) -> u32 {
        let (mut word, mut left) = (first, k);
        while left >= self.words[word].ones {
            left -= self.words[word].ones;
            word += 1;
        }
        word * WORD as u32 + nth_bit(self.words[word].bits, left)
    }

    #[inline(never)]
    fn select_slowly(&self, k: u64) -> (u32, u64) {
        if let Some(sums) = &self.sums {
            let (position, left) = sums.select(k);
            return (position as u32, left);
        }
        let (block, left) = self.blocks.as_ref().map_or((0, k), |blocks| blocks.select(k));
        (self.select_bit(left, (block * BLOCK) as u32), 0)
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
            assert_eq!((weights.total(), weights.len()), (total, row.len()));
            if total > 0 {
                let k = random.equal_choice(total);
                let (position, left) = unit(&row, k);
                assert_eq!(weights.select(k), (position as u32, left));
            }
        }
    }

    #[test]
    fn few_and_many_small_and_large() {
        for bound in [2, 3] {
            against_a_plain_row(20, bound, 120);
            against_a_plain_row(1000, bound, 6000);
            against_a_plain_row(30_000, bound, 3000);
        }
    }
}
