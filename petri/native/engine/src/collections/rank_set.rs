//! A set of small numbers that answers "which is the k-th?" in logarithmic time.
//!
//! **Problem.** Keep the enabled transitions of one priority: insert, remove, test for emptiness at every firing, and draw the
//! k-th of them. Nets have from one to a million transitions, and mostly either few or many of them are enabled.
//!
//! **Idea.** A bitmap, with summaries above it as its size requires. `word` is the one field that every operation reads, and it
//! is 0 exactly when the set is empty.
//!
//! ```text
//! numbers below   word                       words                    large
//! 64              the bitmap itself          none                     none
//! 4096            bit i: words[i] is not 0   64 numbers each          none
//! more            the number of members      64 numbers each          few members: a SmallSortedSet, words are all 0
//!                                                                     else: counts of 16 words, of 16 such counts, …
//! ```
//!
//! The k-th member of a medium set: go through the words that `word` has a bit for, subtract their numbers of bits from `k`
//! until one has more than are left, and take that bit of it ([`nth_bit`]). A large set with many members searches its counts from
//! the top first, as a [`SumTree`](crate::collections::sum_tree::SumTree) does.
//!
//! Invariants:
//! - *form*: words, and what is kept of a large set, are there for the sizes of the table above only.
//! - *summary*: in a medium set, bit i of `word` is set exactly if `words[i]` is not 0.
//! - *few*: in a large set that is not counted, `word` is the number of `members`, and all words and counts are 0.
//! - *counts*: in a large set that is counted, `members` is empty, `word` is the number of bits in all words and not 0, and each
//!   count is the sum of what is below it.

use std::mem::{offset_of, take};

use crate::base::bits::nth_bit;
use crate::base::invariant::{ensure, Verified};
use crate::base::reuse::clone_into_fields;
use crate::base::table::Table;
use crate::collections::small_set::SmallSortedSet;

/// Words summed into one node of the level above.
const FANOUT: usize = 16;
/// A set of numbers below this is one word.
pub const SMALL: usize = 64;
/// A set of numbers below this has a word for each 64 numbers, and a summary: one word whose bits say which of these are not 0.
pub const MEDIUM: usize = SMALL * 64;

/// One word; or a bitmap with a summary above it: a word, or counts.
pub struct RankSet {
    /// A small set; of a medium one the words that are not 0; of a large one, how many members it has. So it is 0 when there are
    /// none.
    pub word: u64,
    words: Table<WordNumber, u64>,
    large: Option<Box<Large>>,
}

clone_into_fields!(RankSet { word, words, large });

/// Additional data of a large set.
#[derive(Clone)]
struct Large {
    /// All members, while they are few: then words and counts are 0.
    members: SmallSortedSet,
    /// Whether they are not few.
    counted: bool,
    /// Counts. Level 0 counts groups of 16 words, level 1 groups of 16 such counts, and so on.
    levels: Vec<Vec<u32>>,
}

impl Large {
    /// An empty set whose bitmap has `words` words.
    fn new(words: usize) -> Self {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        let mut nodes = words;
        while nodes > FANOUT {
            nodes = nodes.div_ceil(FANOUT);
            levels.push(vec![0; nodes]);
        }
        Large { members: SmallSortedSet::default(), counted: false, levels }
    }

    /// The number of members in a word has changed by 1, or by -1.
    #[inline(always)]
    fn count(&mut self, mut node: usize, change: i32) {
        for level in &mut self.levels {
            node /= FANOUT;
            level[node] = level[node].wrapping_add_signed(change);
        }
    }
}

/// Sixty-four numbers.
#[derive(Clone, Copy)]
pub struct WordNumber;

impl RankSet {
    /// Where the address of the words is.
    pub const WORDS: usize = offset_of!(RankSet, words) + Table::<WordNumber, u64>::START;

    /// An empty set of numbers below `size`.
    pub fn new(size: usize) -> Self {
        let words = if size <= SMALL { 0 } else { size.div_ceil(64) };
        let large = (size > MEDIUM).then(|| Box::new(Large::new(words)));
        RankSet { word: 0, words: vec![0; words].into_iter().collect(), large }
    }

    #[inline(always)]
    fn is_small(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether there are no counts.
    #[inline(always)]
    fn is_medium(&self) -> bool {
        self.large.is_none()
    }

    /// All members, if the set is large and has few.
    #[inline(always)]
    fn all(&self) -> Option<&[u32]> {
        self.large.as_ref().filter(|large| !large.counted).map(|large| large.members.all())
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        if self.is_small() {
            self.word.count_ones() as usize
        } else if self.is_medium() {
            bits(self.word).map(|node| self.words[node].count_ones() as usize).sum()
        } else {
            self.word as usize
        }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.word == 0
    }

    #[inline(always)]
    pub fn insert(&mut self, number: usize) {
        if self.is_small() {
            self.word |= 1 << (number % 64);
        } else if self.is_medium() {
            self.words[number / 64] |= 1 << (number % 64);
            self.word |= 1 << (number / 64);
        } else {
            self.insert_in_large(number);
        }
    }

    #[inline(always)]
    pub fn remove(&mut self, number: usize) {
        if self.is_small() {
            self.word &= !(1 << (number % 64));
        } else if self.is_medium() {
            let word = &mut self.words[number / 64];
            *word &= !(1 << (number % 64));
            self.word &= !(u64::from(*word == 0) << (number / 64));
        } else {
            self.remove_from_large(number);
        }
    }

    #[inline(always)]
    fn insert_in_large(&mut self, number: usize) {
        let Some(large) = self.large.as_mut().filter(|large| !large.counted) else { return self.count(number, true) };
        if large.members.contains(number as u32) {
            return;
        }
        if large.members.insert(number as u32) {
            self.word += 1;
            return;
        }
        let few = take(&mut large.members);
        large.counted = true;
        self.word = 0;
        few.all().iter().for_each(|&member| self.count(member as usize, true));
        self.count(number, true);
    }

    #[inline(always)]
    fn remove_from_large(&mut self, number: usize) {
        if let Some(large) = self.large.as_mut().filter(|large| !large.counted) {
            self.word -= u64::from(large.members.remove(number as u32));
            return;
        }
        self.count(number, false);
        let many = self.word > 0;
        self.large.iter_mut().for_each(|large| large.counted = many);
    }

    /// A number joins or leaves a large set whose members are counted.
    fn count(&mut self, number: usize, is_member: bool) {
        let (word, bit) = (&mut self.words[number / 64], 1 << (number % 64));
        if (*word & bit != 0) == is_member {
            return;
        }
        *word ^= bit;
        let change = if is_member { 1 } else { -1 };
        self.word = self.word.wrapping_add_signed(change);
        self.large.iter_mut().for_each(|large| large.count(number / 64, change as i32));
    }

    /// The member that `k` members are smaller than; `k` must be below `len`.
    #[inline(always)]
    pub fn select(&self, k: usize) -> usize {
        if self.is_small() {
            return nth_bit(self.word, k as u64) as usize;
        }
        if let Some(all) = self.all() {
            return all[k] as usize;
        }
        let mut left = k as u32;
        if self.is_medium() {
            for node in bits(self.word) {
                let here = self.words[node].count_ones();
                if left < here {
                    return node * 64 + nth_bit(self.words[node], u64::from(left)) as usize;
                }
                left -= here;
            }
        }
        let mut node = 0;
        for level in self.large.iter().flat_map(|large| large.levels.iter().rev()) {
            while left >= level[node] {
                left -= level[node];
                node += 1;
            }
            node *= FANOUT;
        }
        while left >= self.words[node].count_ones() {
            left -= self.words[node].count_ones();
            node += 1;
        }
        node * 64 + nth_bit(self.words[node], u64::from(left)) as usize
    }

    /// The only member, if there is one and the set is small or medium.
    #[inline(always)]
    pub fn single(&self) -> Option<usize> {
        let only = |word: u64| (word & word.wrapping_sub(1) == 0).then(|| word.trailing_zeros() as usize);
        if self.is_small() {
            return only(self.word);
        }
        let node = if self.is_medium() { only(self.word)? } else { return None };
        only(self.words[node]).map(|bit| node * 64 + bit)
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let all = self.all();
        let words = match all {
            Some(_) => &[],
            None if self.is_small() => std::slice::from_ref(&self.word),
            None => &self.words[..],
        };
        let members = words.iter().enumerate().flat_map(|(node, &word)| bits(word).map(move |bit| node * 64 + bit));
        all.unwrap_or_default().iter().map(|&number| number as usize).chain(members)
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let form = match (self.words.len(), &self.large) {
            (0, None) => true,
            (words, None) => words > 1 && words <= MEDIUM / 64,
            (words, Some(large)) => {
                let levels = Large::new(words).levels;
                words > MEDIUM / 64 && levels.iter().map(Vec::len).eq(large.levels.iter().map(Vec::len))
            }
        };
        ensure(form, "form", || format!("{} words", self.words.len()))?;
        match &self.large {
            Some(large) if large.counted => self.verify_counts(large),
            Some(large) => self.verify_few(large),
            None => self.words.iter().enumerate().try_for_each(|(node, &word)| {
                let bit = self.word >> node & 1 == 1;
                ensure(bit == (word != 0), "summary", || format!("word {node} is {word:#x}, its bit is {bit}"))
            }),
        }
    }

    fn verify_few(&self, large: &Large) -> Verified {
        large.members.verify()?;
        let members = large.members.all().len();
        ensure(self.word == members as u64, "few", || format!("{} instead of {members} members", self.word))?;
        let zero = self.words.iter().all(|&word| word == 0) && large.levels.iter().flatten().all(|&count| count == 0);
        ensure(zero, "few", || "words or counts are not 0".to_owned())
    }

    fn verify_counts(&self, large: &Large) -> Verified {
        ensure(large.members.all().is_empty(), "counts", || "there are members besides".to_owned())?;
        let mut below: Vec<u32> = self.words.iter().map(|word| word.count_ones()).collect();
        let members: u32 = below.iter().sum();
        let right = self.word == u64::from(members) && members > 0;
        ensure(right, "counts", || format!("{} instead of {members} members", self.word))?;
        for (number, level) in large.levels.iter().enumerate() {
            let sums: Vec<u32> = below.chunks(FANOUT).map(|counts| counts.iter().sum()).collect();
            ensure(*level == sums, "counts", || format!("level {number} is {level:?} instead of {sums:?}"))?;
            below = sums;
        }
        Ok(())
    }
}

/// The positions of the bits that are set, in order.
#[inline(always)]
fn bits(mut word: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    const SIZES: [usize; 9] = [1, 64, 65, 1024, 1025, 4096, 4097, 40_000, 300_000];

    /// Insertions and removals. Numbers repeat, so that sets have few members for a while.
    fn steps() -> impl Strategy<Value = Vec<(bool, usize)>> {
        let number = prop_oneof![0..8usize, 0..300_000usize, (0..8usize).prop_map(|i| i * 40_503)];
        prop::collection::vec((any::<bool>(), number), 0..80)
    }

    fn check(set: &RankSet, model: &BTreeSet<usize>) {
        assert_eq!(set.verify(), Ok(()));
        assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
        assert!(set.iter().eq(model.iter().copied()));
        model.iter().enumerate().for_each(|(k, &number)| assert_eq!(set.select(k), number));
        if model.len() == 1 && set.large.is_none() {
            assert_eq!(set.single(), model.first().copied());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn ranks_of_a_sorted_set(size in prop::sample::select(&SIZES[..]), steps in steps()) {
            let (mut set, mut model) = (RankSet::new(size), BTreeSet::new());
            for (number, &(inserts, at)) in steps.iter().enumerate() {
                if inserts {
                    set.insert(at % size);
                    model.insert(at % size);
                } else {
                    set.remove(at % size);
                    model.remove(&(at % size));
                }
                if number % 8 == 0 {
                    check(&set, &model);
                }
            }
            check(&set, &model);
            // Large sets lose their members until they are few again.
            while let Some(last) = model.pop_last() {
                set.remove(last);
            }
            check(&set, &model);
        }
    }

    #[test]
    fn damage_is_found() {
        let damaged = |size: usize, members: usize, damage: fn(&mut RankSet)| {
            let mut set = RankSet::new(size);
            (0..members).for_each(|member| set.insert(17 * member % size));
            assert_eq!(set.verify(), Ok(()));
            damage(&mut set);
            broken(set.verify())
        };
        fn large(set: &mut RankSet) -> &mut Large {
            set.large.as_mut().expect("a large set")
        }
        assert_eq!(damaged(64, 3, |set| set.words = vec![0].into_iter().collect()), "form");
        assert_eq!(damaged(5000, 3, |set| _ = large(set).levels.pop()), "form");
        assert_eq!(damaged(1000, 3, |set| set.word ^= 4), "summary");
        assert_eq!(damaged(5000, 3, |set| set.word += 1), "few");
        assert_eq!(damaged(5000, 3, |set| set.words[7] = 1), "few");
        assert_eq!(damaged(5000, 30, |set| set.word -= 1), "counts");
        assert_eq!(damaged(5000, 30, |set| large(set).levels[0][1] += 1), "counts");
        assert_eq!(damaged(5000, 30, |set| _ = large(set).members.insert(1)), "counts");
    }
}
