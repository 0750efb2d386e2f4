//! A row of ranks that answers "which is the k-th of those in a range?", in the order of the row.
//!
//! **Problem.** The tokens of a bag form a row, in an order that draws depend on. A guard such as `m >= j` asks for the k-th
//! token, in this order, whose rank is not less than another's; tokens are added at the end of the row, and the last
//! one moves to the position of one that leaves. Looking through all of them costs their number.
//!
//! **Idea.** Cut the row into *blocks* of some positions each, and the ranks into *buckets* of some members each. A table has, for
//! each bucket and block, how many members of the bucket are in the block, summed up over the buckets before, so that one line
//! of the table gives for each block how many of its ranks are less than the bucket's. A range costs a look at two lines, at
//! the members of the two buckets that its ends lie in, and at the positions of the one block that has the k-th: about the
//! square root of all.
//!
//! ```text
//! positions  0  1 | 2  3 | 4  5         blocks of two
//! ranks      7  2 | 9  4 | 1  8         buckets: 0 for ranks from 0 (2 4 1), 1 from 7 (7 9 8)
//! table      up to bucket 0: 1 1 1      up to bucket 1: 2 2 2
//! the 2nd of ranks not less than 4: in each block 2 − 1 of bucket 1, and of bucket 0 the 4 of position 3: 1 2 1.
//! One is in the first block, so it is the first one of the second block: position 2
//! ```
//!
//! Sums over all buckets would all change with each token. So buckets are on *shelves* of 32: a line is the sum over
//! earlier shelves, and over earlier buckets of its own shelf. Ranks that many members share have a bucket of their
//! own, of which a range has all or none.
//!
//! Sizes fit the row as it was when buckets were last made. They are rebuilt when the row outgrows its table, when
//! little of it is left, and when looks at the members of too long buckets have cost as much.
//!
//! Invariants:
//! - *row*: each position has a rank, a bucket and a place among its members, or is absent and has none.
//! - *buckets*: a bucket has exactly its positions; their ranks are not less than its least, and less than the next one's.
//! - *lows*: the least ranks of buckets ascend, and begin with 0.
//! - *uniform*: a bucket that is not mixed has one rank only.
//! - *table*: each number is the sum of the members in its block, over the buckets of the shelf up to its own, or over the
//!   shelves before.
//! - *room*: each block has a column.
//! - *present*: `present` is the number of members of all buckets.

use std::fmt::Debug;

use crate::base::invariant::{ensure, Verified};

/// No bucket.
const NONE: u32 = u32::MAX;

/// Buckets of a shelf.
const SHELF: usize = 32;

/// The least and greatest number of positions in a block, as powers of two.
const SHIFTS: (u32, u32) = (5, 14);

/// What positions are ranked by: a whole number without sign.
pub trait Ranked: Copy + Debug + Default + Ord {
    const GREATEST: Self;

    /// The next number, if there is one.
    fn next(self) -> Option<Self>;
}

macro_rules! ranked {
    ($($number:ident),*) => {
        $(impl Ranked for $number {
            const GREATEST: Self = $number::MAX;

            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }
        })*
    };
}

ranked!(u64, u128);

/// A point between ranks: before all members of a rank, or behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut<R = u64> {
    pub rank: R,
    pub behind: bool,
}

impl<R: Ranked> Cut<R> {
    /// Behind all ranks.
    pub const END: Self = Cut { rank: R::GREATEST, behind: true };

    /// Whether a rank lies before the cut.
    #[inline(always)]
    pub fn has(self, rank: R) -> bool {
        rank < self.rank || (self.behind && rank == self.rank)
    }
}

/// Where a cut lies: the first `whole` buckets lie before it. If `parted`, some members of the next bucket may lie before it,
/// too.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub whole: usize,
    pub parted: bool,
}

#[derive(Clone, Debug, Default)]
struct Bucket {
    positions: Vec<u32>,
    /// There may be several ranks.
    mixed: bool,
}

/// Where a position's rank is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Home {
    bucket: u32,
    at: u32,
}

const ABSENT: Home = Home { bucket: NONE, at: 0 };

#[derive(Clone, Debug)]
pub struct RankedRow<R = u64> {
    ranks: Vec<R>,
    homes: Vec<Home>,
    lows: Vec<R>,
    buckets: Vec<Bucket>,
    /// Members of each shelf.
    shelves: Vec<u32>,
    present: usize,
    /// A block has 2^shift positions.
    shift: u32,
    /// Blocks that the table has columns for.
    columns: usize,
    /// For each bucket and block: members of the buckets of the shelf up to this one.
    within: Vec<u16>,
    /// For each shelf and block: members of the shelves before.
    before: Vec<u16>,
    /// Positions when buckets were made, and the cost of too long ones since.
    built: usize,
    strain: usize,
    /// Space for a line of the table.
    line: Vec<u32>,
}

impl<R: Ranked> Default for RankedRow<R> {
    fn default() -> Self {
        let mut row = RankedRow {
            ranks: Vec::new(),
            homes: Vec::new(),
            lows: Vec::new(),
            buckets: Vec::new(),
            shelves: Vec::new(),
            present: 0,
            shift: SHIFTS.0,
            columns: 0,
            within: Vec::new(),
            before: Vec::new(),
            built: 0,
            strain: 0,
            line: Vec::new(),
        };
        row.rebuild();
        row
    }
}

impl<R: Ranked> RankedRow<R> {
    /// Positions.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    #[inline(always)]
    pub fn block_of(&self, position: usize) -> usize {
        position >> self.shift
    }

    /// A block has 2^shift positions.
    #[inline(always)]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The positions of a block.
    #[inline(always)]
    pub fn positions_of(&self, block: usize) -> std::ops::Range<usize> {
        let end = (block + 1) << self.shift;
        (block << self.shift).min(self.len())..end.min(self.len())
    }

    /// Blocks that the table has room for.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        self.buckets.len()
    }

    /// The bucket of a position that is not absent.
    #[inline(always)]
    pub fn bucket_of(&self, position: usize) -> Option<usize> {
        let Home { bucket, .. } = self.homes[position];
        (bucket != NONE).then_some(bucket as usize)
    }

    /// The rank of a position, unless it is absent.
    pub fn get(&self, position: usize) -> Option<R> {
        self.bucket_of(position).map(|_| self.ranks[position])
    }

    /// The rank of a position that is not absent.
    #[inline(always)]
    pub fn rank(&self, position: usize) -> R {
        self.ranks[position]
    }

    // ------------------------------------------------------------ changes

    /// Whether buckets should be rebuilt before the next rank is added.
    #[inline(always)]
    pub fn is_worn(&self) -> bool {
        self.len() >> self.shift >= self.columns || self.strain > 8 * self.len().max(64) || self.len() < self.built / 8
    }

    /// Appends a rank, or an absent position. The row does not have to be rebuilt.
    #[inline]
    pub fn push(&mut self, rank: Option<R>) {
        let position = self.len();
        self.ranks.push(rank.unwrap_or_default());
        self.homes.push(ABSENT);
        if let Some(rank) = rank {
            let bucket = self.bucket_for(rank);
            self.enter(position, bucket);
            self.count(bucket, self.block_of(position), 1);
        }
    }

    /// Removes a position; the last one moves there.
    #[inline]
    pub fn swap_remove(&mut self, position: usize) {
        let last = self.len() - 1;
        if let Some(bucket) = self.bucket_of(position) {
            self.leave(position, bucket);
            self.count(bucket, self.block_of(position), u16::MAX);
        }
        if position != last {
            let home = self.homes[last];
            if home.bucket != NONE {
                self.buckets[home.bucket as usize].positions[home.at as usize] = position as u32;
                let (from, to) = (self.block_of(last), self.block_of(position));
                if from != to {
                    self.count(home.bucket as usize, from, u16::MAX);
                    self.count(home.bucket as usize, to, 1);
                }
            }
        }
        self.ranks.swap_remove(position);
        self.homes.swap_remove(position);
    }

    fn enter(&mut self, position: usize, bucket: usize) {
        let rank = self.ranks[position];
        let Bucket { positions, mixed } = &mut self.buckets[bucket];
        let at = positions.len() as u32;
        *mixed = positions.first().is_some_and(|&first| *mixed || self.ranks[first as usize] != rank);
        positions.push(position as u32);
        self.homes[position] = Home { bucket: bucket as u32, at };
        self.shelves[bucket / SHELF] += 1;
        self.present += 1;
    }

    fn leave(&mut self, position: usize, bucket: usize) {
        let Home { at, .. } = self.homes[position];
        let positions = &mut self.buckets[bucket].positions;
        positions.swap_remove(at as usize);
        if let Some(&moved) = positions.get(at as usize) {
            self.homes[moved as usize].at = at;
        }
        self.shelves[bucket / SHELF] -= 1;
        self.present -= 1;
    }

    /// Adds `more` to the number of a bucket's members in a block, modulo 2^16: `u16::MAX` removes one.
    #[inline]
    fn count(&mut self, bucket: usize, block: usize, more: u16) {
        let shelf = bucket / SHELF;
        let end = ((shelf + 1) * SHELF).min(self.buckets.len());
        for number in bucket..end {
            let cell = &mut self.within[number * self.columns + block];
            *cell = cell.wrapping_add(more);
        }
        for number in shelf + 1..self.shelves.len() {
            let cell = &mut self.before[number * self.columns + block];
            *cell = cell.wrapping_add(more);
        }
    }

    // ------------------------------------------------------------ buckets

    #[inline]
    fn bucket_for(&self, rank: R) -> usize {
        self.lows.partition_point(|&low| low <= rank) - 1
    }

    /// Makes buckets of about equal size, with a bucket of its own for each rank that would fill one, and recounts
    /// them.
    pub fn rebuild(&mut self) {
        let present = (0..self.len()).filter(|&position| self.homes[position].bucket != NONE);
        let mut sorted: Vec<u32> = present.map(|position| position as u32).collect();
        sorted.sort_unstable_by_key(|&position| self.ranks[position as usize]);
        let half = (self.len() as f64).sqrt() / 2.0;
        self.shift = (half as usize).next_power_of_two().trailing_zeros().clamp(SHIFTS.0, SHIFTS.1);
        self.built = self.len();
        self.columns = ((self.len() * 5 / 4) >> self.shift) + 2;
        self.strain = 0;
        self.make_buckets(&sorted, 1 << (self.shift - 1));
        self.make_table();
    }

    /// Of ascending ranks: at least `few` members each, but for the last.
    fn make_buckets(&mut self, sorted: &[u32], few: usize) {
        (self.lows, self.buckets) = (vec![R::default()], vec![Bucket::default()]);
        self.present = 0;
        self.shelves = vec![0];
        let mut rest = sorted;
        while let Some(&first) = rest.first() {
            let rank = self.ranks[first as usize];
            let same = rest.partition_point(|&position| self.ranks[position as usize] == rank);
            let (equal, others) = rest.split_at(same);
            let (frequent, last) = (same >= few, self.buckets.len() - 1);
            if self.buckets[last].positions.len() >= few || (frequent && self.lows[last] < rank) {
                self.open_bucket(rank);
            }
            let bucket = self.buckets.len() - 1;
            equal.iter().for_each(|&position| self.enter(position as usize, bucket));
            if let (true, Some(next)) = (frequent, rank.next()) {
                self.open_bucket(next);
            }
            rest = others;
        }
    }

    fn open_bucket(&mut self, low: R) {
        self.lows.push(low);
        self.buckets.push(Bucket::default());
        if self.shelves.len() * SHELF < self.buckets.len() {
            self.shelves.push(0);
        }
    }

    fn make_table(&mut self) {
        let columns = self.columns;
        self.line.clear();
        self.line.resize(columns, 0);
        self.within.clear();
        self.within.resize(self.buckets.len() * columns, 0);
        self.before.clear();
        self.before.resize(self.shelves.len() * columns, 0);
        for (number, bucket) in self.buckets.iter().enumerate() {
            let start = number * columns;
            if number % SHELF > 0 {
                self.within.copy_within(start - columns..start, start);
            }
            for &position in &bucket.positions {
                self.within[start + (position as usize >> self.shift)] += 1;
            }
        }
        for shelf in 1..self.shelves.len() {
            let (before, line) = self.before.split_at_mut(shelf * columns);
            let last = &self.within[(shelf * SHELF - 1) * columns..][..columns];
            let sums = before[(shelf - 1) * columns..].iter().zip(last);
            line.iter_mut().zip(sums).for_each(|(sum, (before, last))| *sum = before + last);
        }
    }

    // ------------------------------------------------------------ cuts

    /// Where a cut lies.
    #[inline]
    pub fn edge(&self, cut: Cut<R>) -> Edge {
        let bucket = self.bucket_for(cut.rank);
        let Bucket { positions, mixed } = &self.buckets[bucket];
        match positions.first() {
            None => Edge { whole: bucket, parted: false },
            Some(_) if *mixed => Edge { whole: bucket, parted: true },
            Some(&first) => {
                let all = cut.has(self.ranks[first as usize]);
                Edge { whole: bucket + usize::from(all), parted: false }
            }
        }
    }

    /// The positions that a cut parts from the others of their bucket, which lie behind it.
    #[inline]
    pub fn parted(&mut self, cut: Cut<R>, edge: Edge) -> impl Iterator<Item = usize> + '_ {
        let positions: &[u32] = if edge.parted { &self.buckets[edge.whole].positions } else { &[] };
        self.strain += positions.len().saturating_sub(1 << self.shift);
        let ranks = &self.ranks;
        positions.iter().map(|&position| position as usize).filter(move |&position| cut.has(ranks[position]))
    }

    /// For each block, the two parts of the number of its members in whole buckets before an edge.
    #[inline]
    pub fn whole(&self, edge: Edge) -> impl Iterator<Item = u64> + '_ {
        let columns = self.columns;
        let shelf = (edge.whole / SHELF).min(self.shelves.len() - 1);
        let (before, within) = (&self.before[shelf * columns..][..columns], edge.whole - shelf * SHELF);
        let none = &self.before[..columns];
        let own = if within == 0 { none } else { &self.within[(edge.whole - 1) * columns..][..columns] };
        before.iter().zip(own).map(|(before, own)| u64::from(*before) + u64::from(*own))
    }

    /// How many ranks lie before a cut.
    #[inline]
    pub fn count_before(&mut self, cut: Cut<R>) -> u64 {
        let edge = self.edge(cut);
        let shelf = edge.whole / SHELF;
        let shelves: u64 = self.shelves[..shelf].iter().map(|&members| u64::from(members)).sum();
        let own = self.buckets[shelf * SHELF..edge.whole].iter();
        let own: usize = own.map(|bucket| bucket.positions.len()).sum();
        shelves + own as u64 + self.parted(cut, edge).count() as u64
    }

    /// How many ranks do not lie before a cut.
    #[inline]
    pub fn count_behind(&mut self, cut: Cut<R>) -> u64 {
        self.present as u64 - self.count_before(cut)
    }

    /// The position of the k-th rank, in the order of the row, that lies behind one cut and before another. There is one.
    pub fn select(&mut self, from: Cut<R>, to: Cut<R>, k: u64) -> usize {
        self.select_without(from, to, None, k)
    }

    /// The same without the positions whose ranks in another row lie behind a cut. That row has the same positions, in the same
    /// blocks, and none behind its cut that does not lie between those here.
    pub fn select_without(
        &mut self,
        from: Cut<R>,
        to: Cut<R>,
        mut others: Option<(&mut RankedRow<R>, Cut<R>)>,
        k: u64,
    ) -> usize {
        let mut line = std::mem::take(&mut self.line);
        line.fill(0);
        self.add_to_line(&mut line, [from, to], 1);
        if let Some((others, cut)) = &mut others {
            others.add_to_line(&mut line, [*cut, Cut::END], u32::MAX);
        }
        let (mut block, mut left) = (0, k);
        while left >= u64::from(line[block]) {
            left -= u64::from(line[block]);
            block += 1;
        }
        self.line = line;
        let within = |&position: &usize| {
            let rank = self.ranks[position];
            let inside = to.has(rank) && !from.has(rank) && self.homes[position].bucket != NONE;
            inside && others.as_ref().is_none_or(|(others, cut)| cut.has(others.ranks[position]))
        };
        self.positions_of(block).filter(within).nth(left as usize).unwrap_or(0)
    }

    /// Adds, for each block, `times` the number of its ranks between two cuts, modulo 2^32.
    #[inline]
    fn add_to_line(&mut self, line: &mut [u32], cuts: [Cut<R>; 2], times: u32) {
        let edges = cuts.map(|cut| self.edge(cut));
        let sums = self.whole(edges[1]).zip(self.whole(edges[0]));
        line.iter_mut().zip(sums).for_each(|(sum, (to, from))| {
            *sum = sum.wrapping_add((to as u32).wrapping_sub(from as u32).wrapping_mul(times));
        });
        let shift = self.shift;
        for (cut, edge, more) in [(cuts[1], edges[1], times), (cuts[0], edges[0], times.wrapping_neg())] {
            self.parted(cut, edge)
                .for_each(|position| line[position >> shift] = line[position >> shift].wrapping_add(more));
        }
    }

    /// The least rank, and how many share it.
    pub fn least(&mut self) -> Option<(R, u64)> {
        let shelf = self.shelves.iter().position(|&members| members > 0)?;
        let mut buckets = self.buckets[shelf * SHELF..].iter();
        let Bucket { positions, mixed } = buckets.find(|bucket| !bucket.positions.is_empty())?;
        let first = self.ranks[positions[0] as usize];
        if !mixed {
            return Some((first, positions.len() as u64));
        }
        self.strain += positions.len().saturating_sub(1 << self.shift);
        let (mut least, mut number) = (first, 0);
        for &position in positions {
            let rank = self.ranks[position as usize];
            if rank < least {
                (least, number) = (rank, 0);
            }
            number += u64::from(rank == least);
        }
        Some((least, number))
    }

    // ------------------------------------------------------------ invariants

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let lows = self.lows.first() == Some(&R::default()) && self.lows.is_sorted_by(|a, b| a < b);
        ensure(lows && self.lows.len() == self.buckets.len(), "lows", || format!("{:?}", self.lows))?;
        ensure(self.ranks.len() == self.homes.len(), "row", || format!("{} homes", self.homes.len()))?;
        ensure(self.len() <= self.columns << self.shift, "room", || format!("{} columns", self.columns))?;
        let mut present = 0;
        for (number, bucket) in self.buckets.iter().enumerate() {
            self.verify_bucket(number, bucket)?;
            present += bucket.positions.len();
        }
        let homes = self.homes.iter().filter(|home| home.bucket != NONE).count();
        ensure(homes == present, "row", || format!("{homes} of {present} positions have a bucket"))?;
        let shelves: u64 = self.shelves.iter().map(|&members| u64::from(members)).sum();
        let same = self.present == present && shelves == present as u64;
        ensure(same, "present", || format!("{} and {shelves} instead of {present}", self.present))?;
        self.verify_table()
    }

    fn verify_bucket(&self, number: usize, bucket: &Bucket) -> Verified {
        let next = self.lows.get(number + 1);
        let mut ranks = Vec::new();
        for (at, &position) in bucket.positions.iter().enumerate() {
            let home = self.homes.get(position as usize);
            let right = home == Some(&Home { bucket: number as u32, at: at as u32 });
            ensure(right, "row", || format!("position {position} of bucket {number} has {home:?}"))?;
            let rank = self.ranks[position as usize];
            let holds = rank >= self.lows[number] && next.is_none_or(|&next| rank < next);
            ensure(holds, "buckets", || format!("rank {rank:?} in bucket {number}"))?;
            ranks.push(rank);
        }
        let uniform = ranks.windows(2).all(|pair| pair[0] == pair[1]);
        ensure(uniform || bucket.mixed, "uniform", || format!("{ranks:?} in bucket {number}"))
    }

    fn verify_table(&self) -> Verified {
        let mut sums = vec![0u64; self.columns];
        for whole in 0..=self.buckets.len() {
            let found: Vec<u64> = self.whole(Edge { whole, parted: false }).collect();
            ensure(found == sums, "table", || format!("{found:?} before bucket {whole} instead of {sums:?}"))?;
            let positions = self.buckets.get(whole).map_or(&[][..], |bucket| &bucket.positions);
            positions.iter().for_each(|&position| sums[position as usize >> self.shift] += 1);
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    /// Ranks that repeat, that are spread, or both.
    pub(crate) fn ranks() -> impl Strategy<Value = u64> {
        prop_oneof![4 => 0..12u64, 4 => 0..2000u64, 1 => any::<u64>(), 1 => prop::sample::select(vec![0, u64::MAX])]
    }

    pub(crate) fn cuts() -> impl Strategy<Value = Cut> {
        (ranks(), any::<bool>()).prop_map(|(rank, behind)| Cut { rank, behind })
    }

    fn push(row: &mut RankedRow, rank: Option<u64>) {
        if row.is_worn() {
            row.rebuild();
        }
        row.push(rank);
    }

    fn check(row: &mut RankedRow, model: &[Option<u64>], from: Cut, to: Cut) {
        let before = model.iter().flatten().filter(|&&rank| to.has(rank)).count() as u64;
        assert_eq!(row.count_before(to), before);
        assert_eq!(row.count_behind(to), model.iter().flatten().count() as u64 - before);
        let within = |rank: u64| to.has(rank) && !from.has(rank);
        let expected: Vec<usize> = (0..model.len()).filter(|&i| model[i].is_some_and(within)).collect();
        if to.rank > from.rank {
            for k in (0..expected.len()).step_by(expected.len() / 6 + 1) {
                assert_eq!(row.select(from, to, k as u64), expected[k]);
            }
        }
        let least = model.iter().flatten().min();
        let number = model.iter().flatten().filter(|&rank| Some(rank) == least).count() as u64;
        assert_eq!(row.least(), least.map(|&least| (least, number)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn finds_the_ranks_of_a_plain_row(
            start in prop::collection::vec(prop::option::weighted(0.9, ranks()), 0..700),
            steps in prop::collection::vec((any::<bool>(), ranks(), any::<prop::sample::Index>(), cuts(), cuts()), 0..80),
        ) {
            let (mut row, mut model) = (RankedRow::default(), Vec::new());
            for rank in start {
                push(&mut row, rank);
                model.push(rank);
            }
            for (number, (comes, rank, at, from, to)) in steps.into_iter().enumerate() {
                if comes || model.is_empty() {
                    push(&mut row, Some(rank));
                    model.push(Some(rank));
                } else {
                    let position = at.index(model.len());
                    row.swap_remove(position);
                    model.swap_remove(position);
                }
                if number % 8 == 0 {
                    check(&mut row, &model, from, to);
                    prop_assert_eq!(row.verify(), Ok(()));
                    row.rebuild();
                }
                check(&mut row, &model, from, to);
            }
        }
    }

    #[test]
    fn a_frequent_rank_has_a_bucket_of_its_own() {
        let mut row = RankedRow::default();
        (0..1000).for_each(|i| push(&mut row, Some(if i % 4 == 0 { i } else { 5000 })));
        row.rebuild();
        assert!(row.buckets.iter().any(|bucket| bucket.positions.len() == 750 && !bucket.mixed));
        assert!(row.buckets.iter().filter(|bucket| bucket.mixed).all(|bucket| bucket.positions.len() < 64));
    }

    #[test]
    fn buckets_that_grow_too_long_are_made_anew() {
        let mut row = RankedRow::default();
        (0..60).for_each(|i| push(&mut row, Some(i)));
        assert_eq!(row.buckets(), 1);
        let mut looks = 0;
        while !row.is_worn() {
            row.count_before(Cut { rank: 50, behind: true });
            looks += 1;
        }
        assert!(looks < 30);
        push(&mut row, Some(7));
        assert!(row.buckets() > 2);
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut RankedRow)| {
            let mut row = RankedRow::default();
            (0..400).for_each(|i| push(&mut row, Some(i * 7 % 400)));
            row.rebuild();
            assert_eq!(row.verify(), Ok(()));
            damage(&mut row);
            broken(row.verify())
        };
        assert_eq!(damaged(|row| row.homes[5].at += 1), "row");
        assert_eq!(damaged(|row| _ = row.homes.pop()), "row");
        assert_eq!(damaged(|row| row.ranks[5] = 399), "buckets");
        assert_eq!(damaged(|row| row.lows[1] = 0), "lows");
        assert_eq!(damaged(|row| row.buckets[1].mixed = false), "uniform");
        assert_eq!(damaged(|row| row.within[0] += 1), "table");
        assert_eq!(damaged(|row| row.columns = 2), "room");
        assert_eq!(damaged(|row| row.present += 1), "present");
        assert_eq!(damaged(|row| row.shelves[0] += 1), "present");
    }
}
