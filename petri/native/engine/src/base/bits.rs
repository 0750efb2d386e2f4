//! The bits of a word, in order.
//!
//! **Problem.** Where is the set bit that `k` other set bits are below?
//!
//! **Idea.** Count in parallel, then search bytes without a branch. The method is S. Vigna's broadword selection ("Broadword
//! implementation of rank/select queries", WEA 2008, algorithm 2), with a table for the last byte.
//!
//! 1. Count the bits of each byte: in pairs, then in groups of four, then in bytes, each count in the place of its bits. A pair
//!    `ab` has the value 2a + b, so that subtracting a leaves a + b.
//! 2. Multiply by `ONES`, which has a 1 in each byte: byte i of the product is the sum of bytes 0 to i, the number of bits up to
//!    there. It is at most 64, so no byte overflows into the next.
//! 3. Byte i of `(sums | HIGHEST) − (k + 1) · ONES` is `128 + sum − (k + 1)`, between 64 and 191: bytes do not borrow from each
//!    other, and the highest bit is left exactly where the sum is greater than `k`. The first such byte has the bit.
//! 4. What is left of `k` after the bytes below is looked up in a table of bytes.
//!
//! ```text
//! word 0x…_0101_0110_0000_1001, k = 3
//! bits of bytes   …  4  2        sums  …  6  2
//! the first sum greater than 3 is that of byte 1; 3 − 2 = 1 is left; bit 1 of 0101_0110, counted from 0, is at 2
//! position 8 + 2 = 10
//! ```

/// The lowest bit of each byte.
const ONES: u64 = u64::MAX / 255;
/// The highest bit of each byte.
const HIGHEST: u64 = ONES << 7;
/// The lower bit of each pair.
const PAIRS: u64 = u64::MAX / 3;
/// The lower pair of each four bits.
const FOURS: u64 = u64::MAX / 5;
/// The lower half of each byte.
const BYTES: u64 = u64::MAX / 17;

/// The position of the set bit that `k` others are below. `k` must be less than the number of set bits.
#[inline(always)]
pub fn nth_bit(word: u64, k: u64) -> u32 {
    let pairs = word - ((word >> 1) & PAIRS);
    let fours = (pairs & FOURS) + ((pairs >> 2) & FOURS);
    let bytes = (fours + (fours >> 4)) & BYTES;
    // The set bits up to each byte: the byte sought is the first with more than k.
    let sums = bytes.wrapping_mul(ONES);
    let more = ((sums | HIGHEST) - (k + 1) * ONES) & HIGHEST;
    let shift = more.trailing_zeros() & !7;
    let below = ((sums << 8) >> shift) & 0xFF;
    let byte = (word >> shift) & 0xFF;
    shift + u32::from(NTH_BIT[(k - below) as usize][byte as usize])
}

/// The same for a byte: `NTH_BIT[k][byte]`.
static NTH_BIT: [[u8; 256]; 8] = nth_bits();

const fn nth_bits() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut below) = (0, 0);
        while bit < 8 {
            if (byte >> bit) & 1 == 1 {
                table[below][byte] = bit as u8;
                below += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn bits_in_order() {
        let mut random = Random::new([4, 4, 4]);
        let dense = |random: &mut Random| random.word() | random.word();
        for round in 0..2000 {
            let word = match round % 4 {
                0 => random.word(),
                1 => random.word() & random.word() & random.word(),
                2 => dense(&mut random),
                _ => u64::MAX >> (round % 64),
            };
            let bits: Vec<u32> = (0..64).filter(|bit| (word >> bit) & 1 == 1).collect();
            for (k, &bit) in bits.iter().enumerate() {
                assert_eq!(nth_bit(word, k as u64), bit, "{word:x} {k}");
            }
        }
    }
}
