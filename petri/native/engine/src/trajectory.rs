//! The 64-bit hash of a trajectory (rule R4): equal for equal runs, on any engine.

/// How many multipliers there are for variables; a firing with more uses them again.
pub const VARIABLE_MULTIPLIERS: usize = 256;

/// The `index`-th output of SplitMix64 from state 0 (Steele, Lea & Flood 2014).
const fn splitmix(index: u64) -> u64 {
    let mut z = (index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Odd multipliers: the first mixes firings, the next three a firing's start, transition and end, the rest its variables.
pub const MULTIPLIERS: [u64; 4 + VARIABLE_MULTIPLIERS] = {
    let mut multipliers = [0; 4 + VARIABLE_MULTIPLIERS];
    let mut i = 0;
    while i < multipliers.len() {
        multipliers[i] = splitmix(i as u64) | 1;
        i += 1;
    }
    multipliers
};

/// Takes in firings in the order in which they start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrajectoryHash(pub u64);

impl TrajectoryHash {
    /// A firing's word is a sum of products, so that its parts need not wait for one another.
    #[inline(always)]
    pub fn add(&mut self, transition: u32, variables: &[u64], start: f64, end: f64) {
        let mut word = start
            .to_bits()
            .wrapping_mul(MULTIPLIERS[1])
            .wrapping_add((u64::from(transition) + 1).wrapping_mul(MULTIPLIERS[2]))
            .wrapping_add(end.to_bits().wrapping_mul(MULTIPLIERS[3]));
        for (position, value) in variables.iter().enumerate() {
            word = word.wrapping_add(value.wrapping_mul(MULTIPLIERS[4 + position % VARIABLE_MULTIPLIERS]));
        }
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(MULTIPLIERS[0]);
    }
}
