//! A set of small numbers that answers "which is the k-th?" in logarithmic time.

/// Words summed into one node of the level above.
const FANOUT: usize = 16;

/// A bitmap with counts above it: level 0 counts groups of 16 words, level 1 groups of 16 such counts, and so on.
#[derive(Clone, Debug)]
pub struct RankSet {
    words: Vec<u64>,
    levels: Vec<Vec<u32>>,
    len: usize,
}

impl RankSet {
    /// An empty set of numbers below `size`.
    pub fn new(size: usize) -> Self {
        let words = vec![0; size.div_ceil(64).max(1)];
        let mut levels: Vec<Vec<u32>> = Vec::new();
        let mut nodes = words.len();
        while nodes > FANOUT {
            nodes = nodes.div_ceil(FANOUT);
            levels.push(vec![0; nodes]);
        }
        RankSet { words, levels, len: 0 }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub fn insert(&mut self, number: usize) {
        let bit = 1 << (number % 64);
        let word = &mut self.words[number / 64];
        if *word & bit == 0 {
            *word |= bit;
            self.len += 1;
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
        let word = &mut self.words[number / 64];
        if *word & bit != 0 {
            *word &= !bit;
            self.len -= 1;
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
        let mut word = self.words[node];
        for _ in 0..left {
            word &= word - 1;
        }
        node * 64 + word.trailing_zeros() as usize
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.words.iter().enumerate().flat_map(|(node, &word)| {
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
