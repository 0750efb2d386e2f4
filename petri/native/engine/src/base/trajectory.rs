//! The 64-bit hash of a trajectory (rule R4): equal for equal runs, on any engine.

use crate::base::ticks::Ticks;

/// The `index`-th output of SplitMix64 from a state (Steele, Lea & Flood 2014).
pub const fn splitmix(index: u64, state: u64) -> u64 {
    let mut z = state.wrapping_add((index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The multiplier of each firing; odd, so that it is a bijection modulo 2⁶⁴.
pub const FIRINGS: u64 = splitmix(0, 0) | 1;
/// The multiplier of each word of a firing; odd as well.
pub const WORDS: u64 = splitmix(1, 0) | 1;

/// The contribution of a transition to the hash of its firings.
pub const fn first_word(transition: u32) -> u64 {
    (transition as u64 + 1).wrapping_mul(WORDS)
}

/// Adds firings in the order in which they start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrajectoryHash(pub u64);

impl TrajectoryHash {
    /// A firing is a number whose digits are its transition, start, end [ticks], and variables, to the base of `WORDS`.
    #[inline(always)]
    pub fn add(&mut self, transition: u32, variables: &[u64], start: Ticks, end: Ticks) {
        let mut word = first_word(transition).wrapping_add(start as u64);
        for digit in [&(end as u64)].into_iter().chain(variables) {
            word = word.wrapping_mul(WORDS).wrapping_add(*digit);
        }
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FIRINGS);
    }
}
