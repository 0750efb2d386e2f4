//! A row of weights that finds the k-th unit: "in whose share does it lie?"
//!
//! **Problem.** A join keeps the number of bindings of each token of its pivot, and draws one of all bindings. Weights change
//! at nearly every firing. They are mostly small (a key has few tokens), and most rows are short.
//!
//! **Idea.** As long as no weight is greater than 15, weights are bytes, eight to a word. A search adds up whole words with one
//! multiplication each. The first greater weight turns the row for good into a [`SumTree`]. Long rows of bytes have, besides, the sum
//! of each block of 256 weights, or, while at most four weights are not 0, the positions of these.
//!
//! ```text
//! one block       words   02 00 01 00 03 00 00 00 | 01 00 …      total 7
//! select(4):      sums    02 02 03 03 06 06 06 06                 byte i: the sum of bytes 0 to i
//!                         the first sum greater than 4 is that of byte 4, and 3 units come before it:
//!                         position 4, unit 4 − 3 = 1
//! ```
//!
//! The sums are `word · ONES`, and the first byte that is great enough comes from
//! `((sums | HIGHEST) − (k + 1) · ONES) & HIGHEST`, as [`bits`](crate::base::bits) derives. Eight weights of 15 are 120, so no
//! byte of the sums reaches its highest bit: that is why 15 is the greatest weight of a byte.
//!
//! A row whose weights are all 1 needs no search at all: unit `k` is that of position `k`. Such a row is recognised by `seen`,
//! the bits of all weights so far, and `total`.
//!
//! Machine code changes bytes and `total` itself, and calls [`Weights::note`] where there are blocks.
//!
//! Invariants:
//! - *total*: `total` is the sum of the first `len` weights.
//! - *seen*: no byte is greater than `seen`; with `sums`, `seen` is greater than 15.
//! - *bytes*: without `sums`, `room` is eight times the number of words and not less than `len`; each weight, including those
//!   behind the last, is at most 15; `limit` is 16 and `as_bytes` all ones.
//! - *tree*: with `sums`, these are as many as the weights and add up to `total`; words and blocks are gone; `room`, `limit` and
//!   `as_bytes` are 0.
//! - *blocks*: a row of bytes has blocks exactly if its room is longer than one.
//! - *few*: where blocks are not summed, `nonzero` has exactly the positions of weights other than 0, and the sums are 0.
//! - *summed*: where they are, `total` is not 0, `nonzero` is empty, and each sum is that of the weights of its block.

use std::mem::{offset_of, take};

use crate::base::invariant::{ensure, Verified};
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

/// The lowest bit of each byte.
pub const ONES: u64 = u64::MAX / 255;
/// The highest bit of each byte.
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
    /// The bits of all weights so far, up to the first that is not a byte; machine code leaves out those of a weight that shrinks.
    seen: u64,
    /// Weights by position. Bytes behind the last one have no meaning.
    words: Row<[u8; WORD]>,
    /// Weights that the words have room for.
    room: usize,
    /// Where there are several blocks.
    blocks: Option<Box<Blocks>>,
    /// Takes the place of the words when a weight is too great.
    sums: Option<Box<SumTree<u64>>>,
}

/// The sums of several blocks of words.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// The positions of all weights that are not 0, unless blocks are summed.
    nonzero: SmallSortedSet,
    /// Whether blocks are summed: more weights than `nonzero` has room for were not 0.
    summed: bool,
    /// The sum of each block, if blocks are summed.
    sums: SumTree<u64>,
}

impl Blocks {
    #[inline(always)]
    fn add(&mut self, position: u32, change: u64) {
        let block = position as usize / IN_BLOCK;
        self.sums.set(block, self.sums.weight(block).wrapping_add(change));
    }
}

impl Weights {
    /// The offsets of the sum of all weights, their number, and so on.
    pub const TOTAL: usize = offset_of!(Weights, total);
    pub const LEN: usize = offset_of!(Weights, len);
    pub const ROOM: usize = offset_of!(Weights, room);
    pub const LIMIT: usize = offset_of!(Weights, limit);
    pub const AS_BYTES: usize = offset_of!(Weights, as_bytes);
    pub const SEEN: usize = offset_of!(Weights, seen);
    pub const BYTES: usize = offset_of!(Weights, words) + Row::<[u8; WORD]>::START;
    /// The address of the block sums, or 0.
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

    /// Prefetches a weight, if it is a byte.
    #[inline(always)]
    pub fn fetch(&self, position: usize) {
        self.words.fetch((position / WORD) as u32);
    }

    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.len
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
    fn summed(&self) -> SumTree<u64> {
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

    /// The position of a unit counted from the start of a word; see the top of the file.
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

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        match &self.sums {
            Some(sums) => self.verify_tree(sums)?,
            None => self.verify_bytes()?,
        }
        let weights = || (0..self.len as u32).map(|position| self.weight(position));
        let total: u64 = weights().sum();
        ensure(self.total == total, "total", || format!("{} instead of {total}", self.total))?;
        let greatest = weights().max().unwrap_or(0);
        let noted = if self.sums.is_some() { self.seen > MOST } else { greatest <= self.seen };
        ensure(noted, "seen", || format!("{greatest} among weights, {:#x} noted", self.seen))?;
        self.blocks.iter().try_for_each(|blocks| self.verify_blocks(blocks))
    }

    fn verify_tree(&self, sums: &SumTree<u64>) -> Verified {
        sums.verify()?;
        let same = (sums.len(), sums.total()) == (self.len, self.total);
        ensure(same, "tree", || {
            format!("{} sums to {}, not {} to {}", sums.len(), sums.total(), self.len, self.total)
        })?;
        let gone = self.words.len() == 0 && self.blocks.is_none() && self.room == 0;
        ensure(gone && (self.limit, self.as_bytes) == (0, 0), "tree", || "bytes are left".to_owned())
    }

    fn verify_bytes(&self) -> Verified {
        let words = self.words.len();
        let fits = self.room == words * WORD && self.len <= self.room;
        ensure(fits, "bytes", || format!("{} of {} weights in {words} words", self.len, self.room))?;
        let small = self.words.all().as_flattened().iter().all(|&weight| u64::from(weight) <= MOST);
        ensure(small, "bytes", || "a weight is too great".to_owned())?;
        ensure((self.limit, self.as_bytes) == (MOST + 1, u64::MAX), "bytes", || "there is no limit".to_owned())?;
        let several = self.room > IN_BLOCK;
        ensure(self.blocks.is_some() == several, "blocks", || format!("room for {}", self.room))
    }

    fn verify_blocks(&self, blocks: &Blocks) -> Verified {
        blocks.sums.verify()?;
        blocks.nonzero.verify()?;
        let weight = |position: usize| self.weight(position as u32);
        let nonzero: Vec<u32> = (0..self.len as u32).filter(|&position| self.weight(position) > 0).collect();
        let (name, listed) = if blocks.summed { ("summed", &[][..]) } else { ("few", &nonzero[..]) };
        ensure(blocks.nonzero.all() == listed, name, || format!("{:?} are listed", blocks.nonzero.all()))?;
        ensure(!blocks.summed || self.total > 0, name, || "all weights are 0".to_owned())?;
        let number = self.words.len().div_ceil(BLOCK);
        ensure(blocks.sums.len() == number, "blocks", || format!("{} instead of {number}", blocks.sums.len()))?;
        (0..number).try_for_each(|block| {
            let end = self.len.min((block + 1) * IN_BLOCK);
            let sum = if blocks.summed { (block * IN_BLOCK..end).map(weight).sum() } else { 0 };
            let found = || format!("block {block} has {} instead of {sum}", blocks.sums.weight(block));
            ensure(blocks.sums.weight(block) == sum, name, found)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;
    use crate::collections::sum_tree::tests::unit;

    #[derive(Clone, Debug)]
    enum Step {
        Push(u64),
        Set(prop::sample::Index, u64),
        SwapRemove(prop::sample::Index),
    }

    /// Of the weights of a row, one in `sparse` is not 0, and they are less than `bound`.
    fn steps(sparse: u64, bound: u64) -> impl Strategy<Value = Vec<Step>> {
        let weight = move || (0..sparse, 0..bound).prop_map(|(other, weight)| if other == 0 { weight } else { 0 });
        let step = prop_oneof![
            3 => weight().prop_map(Step::Push),
            3 => (any::<prop::sample::Index>(), weight()).prop_map(|(at, weight)| Step::Set(at, weight)),
            2 => any::<prop::sample::Index>().prop_map(Step::SwapRemove),
        ];
        prop::collection::vec(step, 0..300)
    }

    /// Rows of any length from none to several blocks; of few and many weights that are not 0; of small and great ones.
    fn rows() -> impl Strategy<Value = (usize, u64, Vec<Step>)> {
        let bound = prop::sample::select(vec![2, 3, MOST + 1, MOST + 2]);
        let start = prop::sample::select(vec![0, 1, 250, 400, 1100]);
        (start, 0..2u64, prop::sample::select(vec![1, 20, 200]), bound)
            .prop_flat_map(|(start, first, sparse, bound)| (Just(start), Just(first), steps(sparse, bound)))
    }

    fn check(weights: &Weights, row: &[u64]) {
        assert_eq!(weights.verify(), Ok(()));
        let total: u64 = row.iter().sum();
        assert_eq!((weights.total(), weights.len), (total, row.len()));
        for k in (0..total).step_by((total as usize / 40).max(1)) {
            let (position, left) = unit(row, k);
            assert_eq!(weights.select(k), (position as u32, left));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(120))]
        #[test]
        fn finds_units_of_a_plain_row((start, first, steps) in rows()) {
            let (mut weights, mut row) = (Weights::new(None), Vec::new());
            (0..start).for_each(|_| (weights.push(first), row.push(first)).0);
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push(weight) => (weights.push(weight), row.push(weight)),
                    Step::Set(at, weight) if !row.is_empty() => {
                        let position = at.index(row.len());
                        (weights.set(position as u32, weight), row[position] = weight)
                    }
                    Step::SwapRemove(at) if !row.is_empty() => {
                        let position = at.index(row.len());
                        (weights.swap_remove(position as u32), _ = row.swap_remove(position))
                    }
                    _ => continue,
                };
                if number % 16 == 0 {
                    check(&weights, &row);
                }
            }
            check(&weights, &row);
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
    fn damage_is_found() {
        let damaged = |weight: u64, nonzero: u32, damage: fn(&mut Weights)| {
            let mut weights = Weights::new(None);
            (0..300).for_each(|_| weights.push(0));
            (0..nonzero).for_each(|position| weights.set(position, weight));
            assert_eq!(weights.verify(), Ok(()));
            damage(&mut weights);
            broken(weights.verify())
        };
        fn blocks(weights: &mut Weights) -> &mut Blocks {
            weights.blocks.as_mut().expect("blocks")
        }
        assert_eq!(damaged(2, 3, |weights| weights.total += 1), "total");
        assert_eq!(damaged(2, 3, |weights| weights.seen = 1), "seen");
        assert_eq!(damaged(2, 3, |weights| *weights.byte(299) = 16), "bytes");
        assert_eq!(damaged(2, 3, |weights| weights.limit = 0), "bytes");
        assert_eq!(damaged(2, 3, |weights| weights.blocks = None), "blocks");
        assert_eq!(damaged(2, 3, |weights| _ = blocks(weights).nonzero.remove(1)), "few");
        assert_eq!(damaged(2, 9, |weights| blocks(weights).sums.set(1, 2)), "summed");
        assert_eq!(damaged(2, 9, |weights| blocks(weights).summed = false), "few");
        assert_eq!(damaged(99, 9, |weights| weights.len -= 1), "tree");
        assert_eq!(damaged(99, 9, |weights| weights.limit = 16), "tree");
    }
}
