//! Whole numbers of 256 bits: sums of values, and their integrals over time.

use std::ops::{Add, Neg};

/// Two to the power of 128.
const HALF: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

/// The number `high` · 2¹²⁸ + `low`. Beyond 256 bits it wraps around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole {
    high: i128,
    low: u128,
}

impl Whole {
    /// The nearest to a finite number, the even one of two.
    pub fn nearest_to(value: f64) -> Self {
        let size = value.abs().round_ties_even();
        let high = (size / HALF).floor();
        let whole = Whole { high: high as i128, low: (size - high * HALF) as u128 };
        if value < 0.0 {
            -whole
        } else {
            whole
        }
    }

    #[must_use]
    pub fn times(self, factor: u64) -> Self {
        let factor = u128::from(factor);
        let (first, second) = ((self.low & u128::from(u64::MAX)) * factor, (self.low >> 64) * factor);
        let (low, carry) = first.overflowing_add(second << 64);
        let high = self.high.wrapping_mul(factor as i128);
        Whole { high: high.wrapping_add((second >> 64) as i128 + i128::from(carry)), low }
    }

    /// The nearest double, the even one of two.
    pub fn nearest(self) -> f64 {
        if self.high < 0 {
            return -(-self).nearest();
        }
        let high = self.high.unsigned_abs();
        if high == 0 {
            return self.low as f64;
        }
        // The first 128 bits. The last of them is also set if one of the bits after it is, so that rounding is right.
        let shift = high.leading_zeros();
        let first = if shift == 0 { high } else { high << shift | self.low >> (128 - shift) };
        (first | u128::from(self.low << shift != 0)) as f64 * 2_f64.powi(128 - shift as i32)
    }

    /// Four words, the lowest first, in two's complement.
    pub fn words(self) -> [u64; 4] {
        [self.low as u64, (self.low >> 64) as u64, self.high as u64, (self.high >> 64) as u64]
    }

    pub fn of_words(words: [u64; 4]) -> Self {
        let [low, next, third, high] = words.map(u128::from);
        Whole { high: (third | high << 64) as i128, low: low | next << 64 }
    }
}

impl From<i128> for Whole {
    fn from(number: i128) -> Self {
        Whole { high: number >> 127, low: number as u128 }
    }
}

impl Add for Whole {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        Whole { high: self.high.wrapping_add(other.high).wrapping_add(i128::from(carry)), low }
    }
}

impl Neg for Whole {
    type Output = Self;

    fn neg(self) -> Self {
        Whole { high: !self.high, low: !self.low } + Whole { high: 0, low: 1 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A number times a power of two.
    fn moved(number: Whole, power: u32) -> Whole {
        (0..power).fold(number, |number, _| number.times(2))
    }

    #[test]
    fn small_numbers_are_as_those_of_128_bits() {
        for number in [0, 1, -1, 7, i128::from(u64::MAX), -i128::from(u64::MAX) - 1, i128::MAX, i128::MIN] {
            let whole = Whole::from(number);
            assert_eq!((whole.nearest(), Whole::of_words(whole.words())), (number as f64, whole));
            assert_eq!(-(-whole), whole);
            assert_eq!(whole < Whole::default(), number < 0);
        }
        assert_eq!(Whole::from(-1).words(), [u64::MAX; 4]);
    }

    proptest! {
        /// Sums of products that 128 bits hold are those; times a power of two they are rounded alike.
        #[test]
        fn sums_and_products_are_rounded_once(
            terms in prop::collection::vec((any::<i64>(), 0_u64..1 << 60), 1..8),
            power in 0_u32..125,
        ) {
            let products = terms.iter().map(|&(number, factor)| Whole::from(i128::from(number)).times(factor));
            let sum = products.fold(Whole::default(), Whole::add);
            let plain = terms.iter().map(|&(number, factor)| i128::from(number) * i128::from(factor)).sum::<i128>();
            prop_assert_eq!(sum, Whole::from(plain));
            prop_assert_eq!(moved(sum, power).nearest(), plain as f64 * 2_f64.powi(power as i32));
        }

        /// A double times a power of two is a whole number of as many bits, or rounded to one.
        #[test]
        fn doubles_are_rounded_to_whole_numbers(value in any::<i64>(), power in -70_i32..180) {
            let double = value as f64 * 2_f64.powi(power);
            let expected = match u32::try_from(power) {
                Ok(power) => moved(Whole::from(value as f64 as i128), power),
                Err(_) => Whole::from(double.round_ties_even() as i128),
            };
            prop_assert_eq!(Whole::nearest_to(double), expected);
        }
    }
}
