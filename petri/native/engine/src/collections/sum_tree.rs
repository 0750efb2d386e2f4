//! A row of weights that finds the k-th unit: "in whose share does it lie?" in logarithmic time.
//!
//! **Problem.** Draw one of many by weight: given `k` below the sum of all weights, find the position whose weight covers unit
//! `k`, while weights change, come and go at the end of the row.
//!
//! **Idea.** A tree of sums. Level 0 holds the weights; each node above holds the sum of 16 nodes below it, which are two lines
//! of the cache. A change adds the same difference on the way to the top; a search goes down and subtracts what it passes.
//!
//! ```text
//! (fanout 4 instead of 16)
//! level 1   |      7      |      5      |
//! level 0   | 2  0  4  1  | 3  2        |      total 12
//! select(8): 8 ≥ 7, so 8 − 7 = 1 is left in the second group; 1 < 3, so position 4, unit 1 of it
//! ```
//!
//! Differences are added modulo 2⁶⁴, or 2¹²⁸, so that a weight may fall as well as rise. Bindings of several tokens are counted by
//! products, which may be large: no row of weights of 64 bits is so long that its sums of 128 bits overflow.
//!
//! Invariants:
//! - *shape*: each level has a node for every 16 nodes of the one below, at least, and the top level has at most 16. A row
//!   that was longer once leaves nodes behind.
//! - *sums*: each node is the sum of the up to 16 nodes below it; one that has none below is 0.
//! - *total*: `total` is the sum of the top level.

use std::fmt::Display;

use crate::base::invariant::{ensure, Verified};

/// A number that weights and their sums are held as.
pub trait Sum: Copy + Default + Ord + Display {
    /// Adds or subtracts modulo its size.
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

macro_rules! sum {
    ($($number:ty),*) => {
        $(impl Sum for $number {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        })*
    };
}

sum!(u64, u128);

/// Weights summed into one node of the level above.
const FANOUT: usize = 16;

/// The levels of sums, from the weights up.
#[derive(Clone, Debug)]
pub struct SumTree<T> {
    levels: Vec<Vec<T>>,
    total: T,
}

impl<T: Sum> Default for SumTree<T> {
    fn default() -> Self {
        SumTree { levels: vec![Vec::new()], total: T::default() }
    }
}

impl<T: Sum> SumTree<T> {
    #[inline(always)]
    pub fn total(&self) -> T {
        self.total
    }

    #[inline(always)]
    pub fn weight(&self, position: usize) -> T {
        self.levels[0][position]
    }

    /// Adds a weight at the end.
    #[inline]
    pub fn push(&mut self, weight: T) {
        let position = self.levels[0].len();
        if position < FANOUT {
            self.levels[0].push(weight);
            self.total = self.total.plus(weight);
            self.levels.iter_mut().skip(1).for_each(|level| level[0] = self.total);
            return;
        }
        self.levels[0].push(T::default());
        let (mut level, mut nodes) = (0, position + 1);
        while nodes > FANOUT {
            let parents = nodes.div_ceil(FANOUT);
            if self.levels.len() == level + 1 {
                let sums = self.levels[level].chunks(FANOUT).map(sum_of).collect();
                self.levels.push(sums);
            } else if self.levels[level + 1].len() < parents {
                self.levels[level + 1].push(T::default());
            }
            (level, nodes) = (level + 1, parents);
        }
        self.set(position, weight);
    }

    #[inline]
    pub fn set(&mut self, position: usize, weight: T) {
        let change = weight.minus(self.levels[0][position]);
        if change == T::default() {
            return;
        }
        self.total = self.total.plus(change);
        let mut node = position;
        for level in &mut self.levels {
            if let Some(sum) = level.get_mut(node) {
                *sum = sum.plus(change);
            }
            node /= FANOUT;
        }
    }

    /// The last weight moves to a position, and the row is one shorter. Levels above keep their length: empty nodes
    /// there weigh nothing.
    #[inline]
    pub fn swap_remove(&mut self, position: usize) {
        let last = self.levels[0].len() - 1;
        let weight = self.levels[0][last];
        self.set(last, T::default());
        if position != last {
            self.set(position, weight);
        }
        self.levels[0].pop();
    }

    /// The position in whose weight unit `k` lies, and how many units of that weight come before it. `k` is below `total`.
    #[inline]
    pub fn select(&self, k: T) -> (usize, T) {
        let mut left = k;
        let mut node = 0;
        for level in self.levels.iter().rev() {
            node *= FANOUT;
            node += skip(level[node..].iter().copied(), &mut left);
        }
        (node, left)
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.levels[0].len()
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        for (number, pair) in self.levels.windows(2).enumerate() {
            let [below, level] = pair else { continue };
            let fits = level.len() >= below.len().div_ceil(FANOUT);
            ensure(fits, "shape", || format!("{} nodes above {} of level {number}", level.len(), below.len()))?;
            for (node, &weight) in level.iter().enumerate() {
                let from = |node: usize| (node * FANOUT).min(below.len());
                let expected = sum_of(&below[from(node)..from(node + 1)]);
                let found = || format!("node {node} above level {number} is {weight} instead of {expected}");
                ensure(weight == expected, "sums", found)?;
            }
        }
        let top = self.levels.last().map_or(&[][..], |level| level);
        ensure(!self.levels.is_empty() && top.len() <= FANOUT, "shape", || format!("{} nodes at the top", top.len()))?;
        ensure(self.total == sum_of(top), "total", || format!("{} instead of {}", self.total, sum_of(top)))
    }
}

fn sum_of<T: Sum>(nodes: &[T]) -> T {
    nodes.iter().fold(T::default(), |sum, &node| sum.plus(node))
}

/// The first number that `left` is below, once those before have been subtracted from it.
#[inline]
pub fn skip<T: Sum>(numbers: impl Iterator<Item = T>, left: &mut T) -> usize {
    let mut position = 0;
    for number in numbers {
        if *left < number {
            break;
        }
        *left = left.minus(number);
        position += 1;
    }
    position
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    /// The position in whose weight unit `k` of a row lies, and how many units of that weight come before it, by counting.
    pub(crate) fn unit(row: &[u64], k: u64) -> (usize, u64) {
        let mut left = k;
        let position = row.iter().position(|&weight| {
            let found = left < weight;
            left -= if found { 0 } else { weight };
            found
        });
        (position.expect("a position"), left)
    }

    #[derive(Clone, Debug)]
    enum Step {
        Push(u64),
        Set(prop::sample::Index, u64),
        SwapRemove(prop::sample::Index),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            12 => (0..5u64).prop_map(Step::Push),
            4 => (any::<prop::sample::Index>(), 0..5u64).prop_map(|(at, weight)| Step::Set(at, weight)),
            6 => any::<prop::sample::Index>().prop_map(Step::SwapRemove),
        ];
        prop::collection::vec(step, 0..400)
    }

    proptest! {
        /// The row starts with up to 600 weights, so that it grows to three levels, and shrinks from there.
        #[test]
        fn finds_each_unit_of_a_plain_row(start in 0..600usize, steps in steps(), draws in any::<[prop::sample::Index; 8]>()) {
            let (mut tree, mut row) = (SumTree::default(), Vec::new());
            let first = (0..start).map(|i| Step::Push(i as u64 % 3)).chain(steps);
            for step in first {
                match step {
                    Step::Push(weight) => (tree.push(weight), row.push(weight)),
                    Step::Set(at, weight) if !row.is_empty() => {
                        let position = at.index(row.len());
                        (tree.set(position, weight), row[position] = weight)
                    }
                    Step::SwapRemove(at) if !row.is_empty() => {
                        let position = at.index(row.len());
                        (tree.swap_remove(position), _ = row.swap_remove(position))
                    }
                    _ => continue,
                };
                let total: u64 = row.iter().sum();
                prop_assert_eq!((tree.total(), tree.len()), (total, row.len()));
            }
            prop_assert_eq!(tree.verify(), Ok(()));
            for draw in draws.iter().filter(|_| tree.total() > 0) {
                let k = draw.index(tree.total() as usize) as u64;
                prop_assert_eq!(tree.select(k), unit(&row, k));
            }
        }
    }

    #[test]
    fn sums_may_be_wider_than_weights() {
        let mut tree = SumTree::<u128>::default();
        (0..20).for_each(|_| tree.push(u128::from(u64::MAX)));
        assert_eq!(tree.verify(), Ok(()));
        assert_eq!(tree.select(tree.total() - 1), (19, u128::from(u64::MAX - 1)));
    }

    #[test]
    fn damage_is_found() {
        let tree = || {
            let mut tree = SumTree::default();
            (0..300).for_each(|weight| tree.push(weight));
            assert_eq!((tree.levels.len(), tree.verify()), (3, Ok(())));
            tree
        };
        let damaged = |damage: fn(&mut SumTree<u64>)| {
            let mut tree = tree();
            damage(&mut tree);
            broken(tree.verify())
        };
        assert_eq!(damaged(|tree| tree.levels[0][7] += 1), "sums");
        assert_eq!(damaged(|tree| tree.levels[1][17] -= 1), "sums");
        assert_eq!(damaged(|tree| tree.total += 1), "total");
        assert_eq!(damaged(|tree| _ = tree.levels[1].pop()), "shape");
        assert_eq!(damaged(|tree| _ = tree.levels.pop()), "shape");
    }
}
