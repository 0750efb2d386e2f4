//! A quick hash for blueprints: a large net has one for each transition, and each is hashed twice before any code is made.

use std::hash::{BuildHasherDefault, Hasher};

/// Odd, with its bits spread: 2⁶⁴ over the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

pub type QuickHash = BuildHasherDefault<QuickHasher>;

/// Adds a word: rotate, exclusive or, multiply.
#[derive(Default)]
pub struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    /// The upper bits are the best mixed, and a table looks at the lower ones first.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
