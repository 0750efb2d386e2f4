//! The bits of a word, in order.

/// The lowest bit of each byte, and the highest; every other bit, pair of bits, and half of a byte.
const ONES: u64 = u64::MAX / 255;
const HIGHEST: u64 = ONES << 7;
const PAIRS: u64 = u64::MAX / 3;
const FOURS: u64 = u64::MAX / 5;
const BYTES: u64 = u64::MAX / 17;

/// The position of the bit that `k` set bits are below.
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

/// The position of the bit of a byte that so many set bits are below.
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
