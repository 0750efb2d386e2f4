//! A row of thresholds that knows how many *marks* reach each: "in whose share does the k-th pair lie?"
//!
//! **Problem.** Each token of a bag has a threshold, and tokens elsewhere have marks. All pairs of a threshold and a mark that reaches
//! it are numbered, in the order of the row; one is drawn by number. A mark that comes or goes changes the number of pairs of
//! all thresholds that it reaches, which may be all.
//!
//! **Idea.** Thresholds are the ranks of a [`RankedRow`]. A mark reaches whole buckets and some members of one more. Each whole
//! bucket counts the mark once for all of its members; in the last one, each member that the mark reaches counts it. Each block
//! of positions keeps the sum of its pairs. It grows by the number of its thresholds that the mark reaches, which a line of the
//! row's table gives for all blocks.
//!
//! ```text
//! thresholds 2 7 | 4 9      buckets: 0 from 0 (2 4), 1 from 7 (7 9)
//! a mark 8 comes: bucket 0 counts it for both members, threshold 7 counts it itself; the blocks have 2 and 1 pairs
//! pair 1 lies in the first block: threshold 2 has one, pair 0; so it is that of threshold 7
//! ```
//!
//! The row does not keep the marks: whoever adds a threshold passes the number of marks that reach it.
//!
//! Invariants:
//! - *shape*: there is a number for each position, one for each bucket, and a sum for each block.
//! - *marks*: each position has as many marks, with those of its bucket, as reach its threshold.
//! - *sums*: the sum of a block is that of the marks of its positions.
//! - *total*: `total` is the sum over all blocks.
//! - The [`RankedRow`] holds its own.

use crate::base::invariant::{ensure, Verified};
use crate::collections::ranked_row::{Cut, RankedRow};

#[derive(Clone, Debug)]
pub struct Thresholds {
    row: RankedRow,
    /// Marks of each position, modulo 2^32, and for all members of each bucket.
    own: Vec<u32>,
    shared: Vec<u32>,
    /// Pairs of each block, modulo 2^64 while they are counted.
    sums: Vec<u64>,
    total: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        let row = RankedRow::default();
        Thresholds { own: Vec::new(), shared: vec![0; row.buckets()], sums: vec![0; row.columns()], total: 0, row }
    }
}

impl Thresholds {
    /// All pairs.
    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// How many marks reach the threshold of a position.
    #[inline(always)]
    fn marks(&self, position: usize) -> u64 {
        let shared = self.row.bucket_of(position).map_or(0, |bucket| self.shared[bucket]);
        u64::from(self.own[position].wrapping_add(shared))
    }

    /// The threshold of a position, unless none ever reaches it.
    pub fn get(&self, position: usize) -> Option<u64> {
        self.row.get(position)
    }

    /// The threshold of a position that marks reach.
    pub fn threshold(&self, position: usize) -> u64 {
        self.row.rank(position)
    }

    /// Appends a threshold that `marks` marks reach. None is a threshold that no mark ever reaches.
    pub fn push(&mut self, threshold: Option<u64>, marks: u64) {
        if self.row.is_worn() {
            self.rebuild();
        }
        let position = self.row.len();
        self.row.push(threshold);
        let shared = self.row.bucket_of(position).map_or(0, |bucket| self.shared[bucket]);
        self.own.push((marks as u32).wrapping_sub(shared));
        let block = self.row.block_of(position);
        self.sums[block] = self.sums[block].wrapping_add(marks);
        self.total += marks;
    }

    /// Removes a threshold; the last one moves to its position.
    pub fn swap_remove(&mut self, position: usize) {
        let last = self.row.len() - 1;
        let (gone, moved) = (self.marks(position), self.marks(last));
        let (from, to) = (self.row.block_of(last), self.row.block_of(position));
        self.sums[from] = self.sums[from].wrapping_sub(moved);
        self.sums[to] = self.sums[to].wrapping_add(moved).wrapping_sub(gone);
        self.total -= gone;
        self.own.swap_remove(position);
        self.row.swap_remove(position);
    }

    /// A mark comes, or goes, that reaches the thresholds before a cut.
    pub fn mark(&mut self, cut: Cut, comes: bool) {
        if self.row.is_worn() {
            self.rebuild();
        }
        let (less, more) = if comes { (1, 1) } else { (u32::MAX, u64::MAX) };
        let edge = self.row.edge(cut);
        self.shared[..edge.whole].iter_mut().for_each(|marks| *marks = marks.wrapping_add(less));
        let mut number = 0;
        for (sum, members) in self.sums.iter_mut().zip(self.row.whole(edge)) {
            *sum = sum.wrapping_add(members.wrapping_mul(more));
            number += members;
        }
        let (own, sums, shift) = (&mut self.own, &mut self.sums, self.row.shift());
        for position in self.row.parted(cut, edge) {
            own[position] = own[position].wrapping_add(less);
            sums[position >> shift] = sums[position >> shift].wrapping_add(more);
            number += 1;
        }
        self.total = self.total.wrapping_add(more.wrapping_mul(number));
    }

    /// The position in whose share pair `k` lies, and how many pairs of that share come before it. Pairs of `others` do not count;
    /// these have the same positions in the same blocks, and no pair that is not here. `k` is below the number of those left.
    pub fn select(&self, others: Option<&Thresholds>, k: u64) -> (usize, u64) {
        let (mut block, mut left) = (0, k);
        let sum = |block: usize| self.sums[block] - others.map_or(0, |others| others.sums[block]);
        while left >= sum(block) {
            left -= sum(block);
            block += 1;
        }
        for position in self.row.positions_of(block) {
            let marks = self.marks(position) - others.map_or(0, |others| others.marks(position));
            if left < marks {
                return (position, left);
            }
            left -= marks;
        }
        (0, 0)
    }

    /// Whether buckets should be rebuilt before the next change.
    #[inline(always)]
    pub fn is_worn(&self) -> bool {
        self.row.is_worn()
    }

    /// A block has 2^shift positions.
    pub fn shift(&self) -> u32 {
        self.row.shift()
    }

    pub fn rebuild(&mut self) {
        self.own = (0..self.row.len()).map(|position| self.marks(position) as u32).collect();
        self.row.rebuild();
        self.shared = vec![0; self.row.buckets()];
        self.sums = vec![0; self.row.columns()];
        for (position, &marks) in self.own.iter().enumerate() {
            self.sums[self.row.block_of(position)] += u64::from(marks);
        }
    }

    /// Checks the invariants, given how many marks reach each threshold.
    pub fn verify(&self, marks: impl Fn(usize) -> u64) -> Verified {
        self.row.verify()?;
        let lengths = (self.own.len(), self.shared.len(), self.sums.len());
        let right = (self.row.len(), self.row.buckets(), self.row.columns());
        ensure(lengths == right, "shape", || format!("{lengths:?} instead of {right:?}"))?;
        for position in 0..self.row.len() {
            let (found, marks) = (self.marks(position), marks(position));
            ensure(found == marks, "marks", || format!("{found} at {position} instead of {marks}"))?;
        }
        for (block, &sum) in self.sums.iter().enumerate() {
            let positions = self.row.positions_of(block);
            let marks: u64 = positions.map(|position| self.marks(position)).sum();
            ensure(sum == marks, "sums", || format!("{sum} of block {block} instead of {marks}"))?;
        }
        let total: u64 = self.sums.iter().sum();
        ensure(self.total == total, "total", || format!("{} instead of {total}", self.total))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;
    use crate::collections::ranked_row::tests::{cuts, ranks};
    use crate::collections::sum_tree::tests::unit;

    fn reached(marks: &[Cut], threshold: Option<u64>) -> u64 {
        threshold.map_or(0, |threshold| marks.iter().filter(|cut| cut.has(threshold)).count() as u64)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn finds_the_pairs_of_plain_rows(
            start in prop::collection::vec(prop::option::weighted(0.9, ranks()), 0..500),
            steps in prop::collection::vec((0..5u8, ranks(), any::<prop::sample::Index>(), cuts()), 0..120),
        ) {
            let (mut row, mut model, mut marks) = (Thresholds::default(), Vec::new(), Vec::<Cut>::new());
            for threshold in start {
                row.push(threshold, 0);
                model.push(threshold);
            }
            for (action, rank, at, cut) in steps {
                match action {
                    0 => {
                        row.push(Some(rank), reached(&marks, Some(rank)));
                        model.push(Some(rank));
                    }
                    1 if !model.is_empty() => {
                        row.swap_remove(at.index(model.len()));
                        model.swap_remove(at.index(model.len()));
                    }
                    2 if !marks.is_empty() => row.mark(marks.swap_remove(at.index(marks.len())), false),
                    _ => {
                        row.mark(cut, true);
                        marks.push(cut);
                    }
                }
                if at.index(4) > 0 {
                    continue;
                }
                let weights: Vec<u64> = model.iter().map(|&threshold| reached(&marks, threshold)).collect();
                prop_assert_eq!(row.verify(|position| weights[position]), Ok(()));
                prop_assert_eq!(row.total(), weights.iter().sum::<u64>());
                if row.total() > 0 {
                    let k = at.index(row.total() as usize) as u64;
                    let (position, left) = unit(&weights, k);
                    prop_assert_eq!(row.select(None, k), (position, left));
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Thresholds)| {
            let mut row = Thresholds::default();
            (0..300).for_each(|i| row.push(Some(i), 0));
            row.rebuild();
            row.mark(Cut { rank: 200, behind: false }, true);
            let marks = |position: usize| u64::from(position < 200);
            assert_eq!(row.verify(marks), Ok(()));
            damage(&mut row);
            broken(row.verify(marks))
        };
        assert_eq!(damaged(|row| row.own[7] = 5), "marks");
        assert_eq!(damaged(|row| row.shared[0] = 5), "marks");
        assert_eq!(damaged(|row| _ = row.own.pop()), "shape");
        assert_eq!(damaged(|row| row.sums[1] += 1), "sums");
        assert_eq!(damaged(|row| row.total += 1), "total");
    }
}
