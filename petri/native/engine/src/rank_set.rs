//! A set of small numbers that answers "which is the k-th?" in logarithmic time.

use crate::bits::nth_bit;

/// Words summed into one node of the level above.
const FANOUT: usize = 16;
/// Sets of numbers below this are one word.
pub const SMALL: usize = 64;

/// One word; or a bitmap with counts above it: level 0 counts groups of 16 words, level 1 groups of 16 such counts, and so on.
#[derive(Clone, Debug)]
pub struct RankSet {
    /// A small set; of another, how many members it has. So it is 0 when there are none.
    pub word: u64,
    words: Vec<u64>,
    levels: Vec<Vec<u32>>,
}

impl RankSet {
    /// An empty set of numbers below `size`.
    pub fn new(size: usize) -> Self {
        let words = if size <= SMALL { Vec::new() } else { vec![0; size.div_ceil(64)] };
        let mut levels: Vec<Vec<u32>> = Vec::new();
        let mut nodes = words.len();
        while nodes > FANOUT {
            nodes = nodes.div_ceil(FANOUT);
            levels.push(vec![0; nodes]);
        }
        RankSet { word: 0, words, levels }
    }

    #[inline(always)]
    fn is_small(&self) -> bool {
        self.words.is_empty()
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        if self.is_small() {
            self.word.count_ones() as usize
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
        let bit = 1 << (number % 64);
        if self.is_small() {
            self.word |= bit;
        } else if self.words[number / 64] & bit == 0 {
            self.words[number / 64] |= bit;
            self.word += 1;
            let mut node = number / 64;
            for level in &mut self.levels {
                node /= FANOUT;
                level[node] += 1;
            }
        }
    }

    #[inline(always)]
    pub fn remove(&mut self, number: usize) {
        let bit = 1 << (number % 64);
        if self.is_small() {
            self.word &= !bit;
        } else if self.words[number / 64] & bit != 0 {
            self.words[number / 64] &= !bit;
            self.word -= 1;
            let mut node = number / 64;
            for level in &mut self.levels {
                node /= FANOUT;
                level[node] -= 1;
            }
        }
    }

    /// The member that `k` members are smaller than; `k` must be below `len`.
    #[inline(always)]
    pub fn select(&self, k: usize) -> usize {
        if self.is_small() {
            return nth_bit(self.word, k as u64) as usize;
        }
        let mut left = k as u32;
        let mut node = 0;
        for level in self.levels.iter().rev() {
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

    /// The only member, if there is one and the set is small.
    #[inline(always)]
    pub fn single(&self) -> Option<usize> {
        (self.is_small() && self.word & self.word.wrapping_sub(1) == 0).then(|| self.word.trailing_zeros() as usize)
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let words = if self.is_small() { std::slice::from_ref(&self.word) } else { &self.words };
        words.iter().enumerate().flat_map(|(node, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(node * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn against_a_sorted_list() {
        for size in [1, 64, 65, 1024, 1025, 40_000, 300_000] {
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
            for (k, &number) in list.iter().enumerate() {
                assert_eq!(set.select(k), number, "size {size}");
            }
        }
    }
}
