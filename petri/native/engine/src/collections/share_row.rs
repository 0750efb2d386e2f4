//! A row of shares that finds the k-th unit and does not overflow: "in whose share does it lie?"
//!
//! **Problem.** Bindings of several tokens are counted by products, which may be large, and one arriving token may change
//! the counts of many others, while only one binding is drawn. So changes must be cheaper than draws.
//!
//! **Idea.** Sum the shares over blocks of 64 positions, and over 64 blocks. A change adds the same difference to three sums;
//! a draw looks at the long blocks, at the blocks of one of them, and at the shares of one of those. Sums have 128 bits: no
//! row of shares of 64 bits is so long that they overflow.
//!
//! ```text
//! (blocks of 2 instead of 64)
//! long     |    7    |  5  |
//! blocks   | 2  | 5  | 5   |
//! shares   | 2 0| 4 1| 3 2 |      total 12
//! select(8): 8 ≥ 7, so 1 is left behind the first long block; 1 < 3, so position 4, unit 1 of it
//! ```
//!
//! Invariants:
//! - *blocks*: there is a sum for every block and every long block, and each is that of its shares.
//! - *total*: `total` is the sum of all shares.

use crate::base::invariant::{ensure, Verified};

/// A block has 2^SHIFT positions, a long one as many blocks.
const SHIFT: u32 = 6;

#[derive(Clone, Debug, Default)]
pub struct ShareRow {
    shares: Vec<u64>,
    blocks: Vec<u128>,
    long: Vec<u128>,
    total: u128,
}

impl ShareRow {
    pub fn len(&self) -> usize {
        self.shares.len()
    }

    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    #[inline(always)]
    pub fn total(&self) -> u128 {
        self.total
    }

    #[inline(always)]
    pub fn get(&self, position: usize) -> u64 {
        self.shares[position]
    }

    /// Appends a share.
    pub fn push(&mut self, share: u64) {
        let position = self.shares.len();
        self.shares.push(0);
        if position >> SHIFT == self.blocks.len() {
            self.blocks.push(0);
        }
        if position >> (2 * SHIFT) == self.long.len() {
            self.long.push(0);
        }
        self.set(position, share);
    }

    #[inline]
    pub fn set(&mut self, position: usize, share: u64) {
        let before = std::mem::replace(&mut self.shares[position], share);
        let more = u128::from(share).wrapping_sub(u128::from(before));
        for sum in [&mut self.blocks[position >> SHIFT], &mut self.long[position >> (2 * SHIFT)], &mut self.total] {
            *sum = sum.wrapping_add(more);
        }
    }

    /// Removes a share; the last one moves to its position.
    pub fn swap_remove(&mut self, position: usize) {
        let last = self.shares.len() - 1;
        let moved = self.shares[last];
        self.set(last, 0);
        if position != last {
            self.set(position, moved);
        }
        self.shares.pop();
        self.blocks.truncate((last + (1 << SHIFT) - 1) >> SHIFT);
        self.long.truncate((last + (1 << (2 * SHIFT)) - 1) >> (2 * SHIFT));
    }

    /// The position that unit `k` lies in, and how many units of this share come before it. `k` is below the total.
    pub fn select(&self, k: u128) -> (usize, u64) {
        let mut left = k;
        let long = skip(self.long.iter().copied(), &mut left);
        let block = (long << SHIFT) + skip(self.blocks.iter().skip(long << SHIFT).copied(), &mut left);
        let shares = self.shares.iter().skip(block << SHIFT);
        let position = (block << SHIFT) + skip(shares.map(|&share| u128::from(share)), &mut left);
        (position, left as u64)
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let sums = |positions: usize| -> Vec<u128> {
            self.shares.chunks(positions).map(|shares| shares.iter().map(|&share| u128::from(share)).sum()).collect()
        };
        let right = (sums(1 << SHIFT), sums(1 << (2 * SHIFT)));
        let same = (&self.blocks, &self.long) == (&right.0, &right.1);
        ensure(same, "blocks", || format!("{:?} and {:?} instead of {right:?}", self.blocks, self.long))?;
        let total = self.shares.iter().map(|&share| u128::from(share)).sum::<u128>();
        ensure(self.total == total, "total", || format!("{} instead of {total}", self.total))
    }
}

/// The first number that `left` is below, once those before have been subtracted from it.
#[inline]
pub fn skip(numbers: impl Iterator<Item = u128>, left: &mut u128) -> usize {
    let mut position = 0;
    for number in numbers {
        if *left < number {
            break;
        }
        *left -= number;
        position += 1;
    }
    position
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Shares come, change and go; compared with a plain row.
        #[test]
        fn units_of_a_plain_row(
            start in prop::collection::vec(0..5u64, 0..5000),
            steps in prop::collection::vec((0..3u8, any::<prop::sample::Index>(), prop_oneof![0..9u64, Just(u64::MAX)]), 0..60),
        ) {
            let (mut row, mut model) = (ShareRow::default(), start);
            model.iter().for_each(|&share| row.push(share));
            for (action, at, share) in steps {
                let position = at.index(model.len().max(1));
                match action {
                    1 if !model.is_empty() => {
                        row.set(position, share);
                        model[position] = share;
                    }
                    2 if !model.is_empty() => {
                        row.swap_remove(position);
                        model.swap_remove(position);
                    }
                    _ => {
                        row.push(share);
                        model.push(share);
                    }
                }
                prop_assert_eq!(row.verify(), Ok(()));
                if let Some(last) = row.total().checked_sub(1) {
                    let k = last.min(u128::from(share) * 3);
                    let mut left = k;
                    let expected = skip(model.iter().map(|&share| u128::from(share)), &mut left);
                    prop_assert_eq!(row.select(k), (expected, left as u64));
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut ShareRow)| {
            let mut row = ShareRow::default();
            (0..5000).for_each(|share| row.push(share));
            assert_eq!(row.verify(), Ok(()));
            damage(&mut row);
            broken(row.verify())
        };
        assert_eq!(damaged(|row| row.shares[70] += 1), "blocks");
        assert_eq!(damaged(|row| row.blocks[3] += 1), "blocks");
        assert_eq!(damaged(|row| row.long.push(0)), "blocks");
        assert_eq!(damaged(|row| row.total += 1), "total");
    }
}
