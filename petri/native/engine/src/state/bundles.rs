//! Tokens of several values that one output arc gives: one for each token of a set (E11).
//!
//! **Problem.** The record of a firing in progress has a fixed number of words, but a set may have any number of tokens.
//!
//! **Idea.** The record holds the number of a bundle instead of values. While a firing starts, its arcs have *loose* bundles, which
//! all firings use in turn, so that what an immediate firing gives needs no memory of its own. A firing that lasts exchanges
//! them for *held* ones, until it ends.
//!
//! ```text
//! an arc evaluates    loose 1 has its tokens      the record has 1
//! the firing begins   held 4 has them             the record has HELD + 4
//! it ends             held 4 is free
//! ```
//!
//! Invariants:
//! - *free*: the held bundles that are free have no tokens, and are different.
//! - *held*: while no firing is in progress, all of them are free.

use crate::base::invariant::{ensure, Verified};

/// Numbers from here on are those of held bundles.
const HELD: u64 = 1 << 63;

#[derive(Clone, Default)]
pub struct Bundles {
    loose: Vec<Vec<u64>>,
    held: Vec<Vec<u64>>,
    free: Vec<u32>,
}

impl Bundles {
    fn of(&mut self, number: u64) -> &mut Vec<u64> {
        match number.checked_sub(HELD) {
            Some(held) => &mut self.held[held as usize],
            None => {
                let at = number as usize;
                if at >= self.loose.len() {
                    self.loose.resize_with(at + 1, Vec::new);
                }
                &mut self.loose[at]
            }
        }
    }

    /// The values of its tokens, one after the other.
    pub fn words(&self, number: u64) -> &[u64] {
        number.checked_sub(HELD).map_or_else(|| &self.loose[number as usize], |held| &self.held[held as usize])
    }

    /// Takes the words out, which `put_back` returns.
    pub fn take(&mut self, number: u64) -> Vec<u64> {
        std::mem::take(self.of(number))
    }

    /// The words of a bundle come back. If it was held, it is free now.
    pub fn put_back(&mut self, number: u64, mut words: Vec<u64>) {
        if let Some(held) = number.checked_sub(HELD) {
            words.clear();
            self.free.push(held as u32);
        }
        *self.of(number) = words;
    }

    /// Room for the words of a loose bundle.
    pub fn open(&mut self, number: u64, words: usize) -> *mut u64 {
        let bundle = self.of(number);
        bundle.resize(words, 0);
        bundle.as_mut_ptr()
    }

    /// A held bundle gets the tokens of a loose one. Returns its number.
    pub fn hold(&mut self, loose: u64) -> u64 {
        let held = self.free.pop().unwrap_or_else(|| {
            self.held.push(Vec::new());
            self.held.len() as u32 - 1
        });
        let number = HELD + u64::from(held);
        let words = self.take(loose);
        let empty = std::mem::replace(self.of(number), words);
        *self.of(loose) = empty;
        number
    }

    /// Becomes as another is between two firings.
    pub fn assume(&mut self, other: &Self) {
        self.held.clone_from(&other.held);
        self.free.clone_from(&other.free);
    }

    /// Checks the invariants. `none`: no firing is in progress.
    pub fn verify(&self, none: bool) -> Verified {
        let mut free = self.free.clone();
        free.sort_unstable();
        free.dedup();
        let right = free.len() == self.free.len() && free.iter().all(|&one| self.held[one as usize].is_empty());
        ensure(right, "free", || format!("{:?}", self.free))?;
        ensure(!none || free.len() == self.held.len(), "held", || format!("{} of {}", free.len(), self.held.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_tokens_stay_while_loose_ones_change() {
        let mut bundles = Bundles::default();
        bundles.put_back(1, vec![7, 8]);
        let held = bundles.hold(1);
        assert!(bundles.words(1).is_empty());
        bundles.put_back(1, vec![9]);
        assert_eq!(bundles.words(held), [7, 8]);
        bundles.verify(false).expect("one held");
        assert!(bundles.verify(true).is_err());
        let words = bundles.take(held);
        bundles.put_back(held, words);
        bundles.verify(true).expect("none held");
        assert_eq!(bundles.hold(1), held);
    }
}
