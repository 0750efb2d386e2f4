//! A sorted set of at most four numbers.
//!
//! **Problem.** A large set often has few members. Finding its k-th member through a bitmap and its counts then touches memory
//! that is seldom in the cache.
//!
//! **Idea.** Keep few members in a sorted array inside the owner. Positions are unpredictable, so no operation branches on
//! them: each of the four cells computes its new number from its old neighbours.
//!
//! ```text
//! numbers  3  7  9  ∞      len 3      ∞ is u32::MAX
//! insert 5: cell i becomes min(old[i], max(old[i - 1], 5))
//!          3  5  7  9      len 4
//! remove 7: cell i keeps a number below 7, and takes its right neighbour otherwise
//!          3  5  9  ∞      len 3
//! ```
//!
//! The formula for insertion: where `old[i]` is smaller than the new number it stays (`old[i - 1]` is smaller still, so the
//! inner maximum is the new number). Where `old[i - 1]` is greater, it moves one cell to the right. Between the two the new
//! number is both the maximum and the minimum.
//!
//! Invariants:
//! - *room*: `len` is at most 4.
//! - *sorted*: the first `len` numbers ascend strictly, and are less than `u32::MAX`.
//! - *padding*: the others are `u32::MAX`.

use crate::base::invariant::{ensure, Verified};

/// The number of members that it has room for.
const ROOM: usize = 4;

/// A sorted set of at most four numbers below `u32::MAX`.
#[derive(Clone, Debug)]
pub struct SmallSortedSet {
    /// The members in order; the cells behind them hold `u32::MAX`.
    numbers: [u32; ROOM],
    len: usize,
}

impl Default for SmallSortedSet {
    fn default() -> Self {
        SmallSortedSet { numbers: [u32::MAX; ROOM], len: 0 }
    }
}

impl SmallSortedSet {
    #[inline(always)]
    pub fn all(&self) -> &[u32] {
        &self.numbers[..self.len]
    }

    #[inline(always)]
    pub fn contains(&self, number: u32) -> bool {
        self.numbers.iter().fold(false, |found, &other| found | (other == number))
    }

    /// Adds a number below `u32::MAX` that is not a member. Returns false, and changes nothing, if there is no room.
    #[inline(always)]
    pub fn insert(&mut self, number: u32) -> bool {
        if self.len == ROOM {
            return false;
        }
        let before = self.numbers;
        self.numbers[0] = before[0].min(number);
        for i in 1..ROOM {
            self.numbers[i] = before[i].min(before[i - 1].max(number));
        }
        self.len += 1;
        true
    }

    /// Removes a number. Returns whether it was a member.
    #[inline(always)]
    pub fn remove(&mut self, number: u32) -> bool {
        if !self.contains(number) {
            return false;
        }
        let before = self.numbers;
        for i in 0..ROOM {
            let next = before.get(i + 1).copied().unwrap_or(u32::MAX);
            self.numbers[i] = if before[i] < number { before[i] } else { next };
        }
        self.len -= 1;
        true
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        ensure(self.len <= ROOM, "room", || format!("{} members", self.len))?;
        let (members, others) = self.numbers.split_at(self.len);
        let ascend = members.windows(2).all(|pair| pair[0] < pair[1]) && !members.contains(&u32::MAX);
        ensure(ascend, "sorted", || format!("{members:?}"))?;
        ensure(others.iter().all(|&number| number == u32::MAX), "padding", || format!("{others:?}"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    proptest! {
        #[test]
        fn a_sorted_set_of_at_most_four(steps in prop::collection::vec((any::<bool>(), 0..9u32), 0..60)) {
            let (mut set, mut model) = (SmallSortedSet::default(), BTreeSet::new());
            for (inserts, number) in steps {
                if !inserts {
                    prop_assert_eq!(set.remove(number), model.remove(&number));
                } else if !model.contains(&number) {
                    let fits = model.len() < ROOM;
                    prop_assert_eq!(set.insert(number), fits);
                    model.extend(fits.then_some(number));
                }
                prop_assert_eq!(set.verify(), Ok(()));
                prop_assert!(set.all().iter().eq(&model));
                prop_assert!((0..9).all(|number| set.contains(number) == model.contains(&number)));
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let set = |numbers, len| SmallSortedSet { numbers, len };
        assert_eq!(set([1, 5, u32::MAX, u32::MAX], 2).verify(), Ok(()));
        assert_eq!(broken(set([1, 5, 6, 7], 5).verify()), "room");
        assert_eq!(broken(set([5, 1, u32::MAX, u32::MAX], 2).verify()), "sorted");
        assert_eq!(broken(set([1, 5, u32::MAX, u32::MAX], 3).verify()), "sorted");
        assert_eq!(broken(set([1, 5, 0, u32::MAX], 2).verify()), "padding");
    }
}
