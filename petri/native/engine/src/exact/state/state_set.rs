//! The states found so far, by number: a hash set of packed words with open addressing.
//!
//! A slot has the upper half of the hash beside the number of its state, so a probe that finds another state rarely reads that
//! state's words. Slots are filled up to two thirds.

use crate::base::cache::fetch;
use crate::base::trajectory::splitmix;

/// For each word of a state, a multiplier. The hash of a sum of states is the sum of their hashes, before it is mixed.
fn multiplier(word: usize) -> u64 {
    splitmix(word as u64, 0) | 1
}

/// Spreads a sum of products over all bits.
#[inline(always)]
pub fn mixed(sum: u64) -> u64 {
    let z = (sum ^ (sum >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (z ^ (z >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

pub struct StateSet {
    words: usize,
    keys: Vec<u64>,
    /// The upper half of the hash, and the number of the state plus one; 0 if the slot is free.
    slots: Vec<u64>,
    multipliers: Vec<u64>,
}

/// States have smaller numbers than this.
pub const MOST_STATES: usize = u32::MAX as usize - 1;

impl StateSet {
    pub fn new(words: usize) -> Self {
        let multipliers = (0..words).map(multiplier).collect();
        StateSet { words, keys: Vec::new(), slots: vec![0; 1 << 10], multipliers }
    }

    pub fn len(&self) -> usize {
        self.keys.len() / self.words
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn bytes(&self) -> usize {
        8 * (self.keys.capacity() + self.slots.capacity())
    }

    #[inline(always)]
    pub fn state(&self, number: usize) -> &[u64] {
        &self.keys[number * self.words..(number + 1) * self.words]
    }

    /// The sum of products that [`mixed`] makes a hash of. It is linear, so that of a change may be added.
    #[inline(always)]
    pub fn sum(&self, state: &[u64]) -> u64 {
        state.iter().zip(&self.multipliers).fold(0, |sum, (word, by)| sum.wrapping_add(word.wrapping_mul(*by)))
    }

    #[inline(always)]
    pub fn fetch(&self, hash: u64) {
        fetch(&raw const self.slots[hash as usize & (self.slots.len() - 1)]);
    }

    /// Fetches the words of the state that the first slot for this hash shows, if it seems to be the same.
    #[inline(always)]
    pub fn fetch_state(&self, hash: u64) {
        let slot = self.slots[hash as usize & (self.slots.len() - 1)];
        if slot >> 32 == hash >> 32 && slot as u32 != 0 {
            fetch(&raw const self.keys[(slot as u32 as usize - 1) * self.words]);
        }
    }

    /// The number of a state; a new one if it was not there.
    #[inline(always)]
    pub fn insert(&mut self, state: &[u64], hash: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return self.add(at, state, hash);
            }
            if slot >> 32 == hash >> 32 {
                let number = slot as u32 - 1;
                if self.state(number as usize) == state {
                    return number;
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn add(&mut self, at: usize, state: &[u64], hash: u64) -> u32 {
        let number = self.len() as u32;
        self.keys.extend_from_slice(state);
        self.slots[at] = hash & !0xffff_ffff | (u64::from(number) + 1);
        if 3 * self.len() > 2 * self.slots.len() {
            self.rehash(2 * self.slots.len());
        }
        number
    }

    fn rehash(&mut self, size: usize) {
        self.slots = vec![0; size];
        let mask = size - 1;
        for number in 0..self.len() {
            let hash = mixed(self.sum(self.state(number)));
            let mut at = hash as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = hash & !0xffff_ffff | (number as u64 + 1);
        }
    }

    /// The same states, numbered as before, in other words.
    pub fn repacked(&self, words: usize, mut repack: impl FnMut(&[u64], &mut [u64])) -> Self {
        let mut other = StateSet::new(words);
        other.keys = vec![0; self.len() * words];
        for (number, state) in other.keys.chunks_exact_mut(words).enumerate() {
            repack(self.state(number), state);
        }
        other.rehash(self.slots.len());
        other
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_states_as_a_map_does(states in prop::collection::vec([0u64..40, 0u64..40], 1..4000)) {
            let (mut set, mut known) = (StateSet::new(2), HashMap::new());
            for state in &states {
                let next = known.len() as u32;
                let expected = *known.entry(*state).or_insert(next);
                prop_assert_eq!(set.insert(state, mixed(set.sum(state))), expected);
            }
            prop_assert_eq!(set.len(), known.len());
            let mut wider = set.repacked(3, |old, new| new.copy_from_slice(&[0, old[0], old[1]]));
            for (state, number) in &known {
                let new = [0, state[0], state[1]];
                prop_assert_eq!(wider.insert(&new, mixed(wider.sum(&new))), *number);
                prop_assert_eq!(set.state(*number as usize), state);
            }
        }

        #[test]
        fn the_sum_is_linear(a in any::<[u64; 3]>(), b in any::<[u64; 3]>()) {
            let set = StateSet::new(3);
            let both: Vec<u64> = a.iter().zip(b).map(|(x, y)| x.wrapping_add(y)).collect();
            prop_assert_eq!(set.sum(&both), set.sum(&a).wrapping_add(set.sum(&b)));
        }
    }
}
