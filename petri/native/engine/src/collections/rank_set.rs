//! A set of small numbers that answers "which is the k-th?" in logarithmic time.

use std::mem::{offset_of, take};

use crate::base::bits::nth_bit;
use crate::base::table::Table;
use crate::collections::small_set::SmallSortedSet;

/// Words summed into one node of the level above.
const FANOUT: usize = 16;
/// Sets of numbers below this are one word, …
pub const SMALL: usize = 64;
/// … and those of numbers below this a word for each 64 numbers, and one that tells which of these are not 0.
pub const MEDIUM: usize = SMALL * 64;

/// One word; or a bitmap with a summary above it: a word, or counts.
#[derive(Clone)]
pub struct RankSet {
    /// A small set; of a medium one the words that are not 0; of a large one, how many members it has. So it is 0 when there are
    /// none.
    pub word: u64,
    words: Table<WordNumber, u64>,
    large: Option<Box<Large>>,
}

/// What is known of a large set besides.
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
    /// For so many words.
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

    /// A number becomes a member of a large set whose members are counted, or is none any more.
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
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn against_a_sorted_list() {
        for size in [1, 64, 65, 1024, 1025, 4096, 4097, 40_000, 300_000] {
            let mut random = Random::new([size as u64, 1, 1]);
            let mut set = RankSet::new(size);
            let mut list = std::collections::BTreeSet::new();
            for _ in 0..600 {
                let number = random.equal_choice(size as u64) as usize;
                if random.uniform() < 0.7 {
                    set.insert(number);
                    list.insert(number);
                } else {
                    set.remove(number);
                    list.remove(&number);
                }
            }
            assert_eq!(set.len(), list.len());
            assert!(set.iter().eq(list.iter().copied()));
            assert_eq!(set.is_empty(), list.is_empty());
            for (k, &number) in list.iter().enumerate() {
                assert_eq!(set.select(k), number, "size {size}");
            }
        }
    }
}
