//! Numbers of bindings: of 128 bits, though nearly all have 64, whose arithmetic takes a tenth of the time.

/// The product, or the greatest number if it is greater.
#[inline]
pub fn product(factors: impl Iterator<Item = u128> + Clone) -> u128 {
    let short = factors.clone().try_fold(1, |product: u64, factor| product.checked_mul(u64::try_from(factor).ok()?));
    short.map_or_else(|| factors.fold(1, |product: u128, factor| product.saturating_mul(factor)), u128::from)
}

/// The quotient and the remainder. `by` is not 0.
#[inline]
pub fn divided(number: u128, by: u128) -> (u128, u128) {
    match (u64::try_from(number), u64::try_from(by)) {
        (Ok(number), Ok(by)) => (u128::from(number / by), u128::from(number % by)),
        _ => (number / by, number % by),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: u128 = 1 << 64;

    #[test]
    fn products_are_cut_to_the_greatest_number() {
        for (factors, expected) in [
            (&[][..], 1),
            (&[3, 5], 15),
            (&[WORD - 1, WORD - 1], (WORD - 1) * (WORD - 1)),
            (&[WORD, 7], 7 * WORD),
            (&[WORD, WORD], u128::MAX),
            (&[WORD, WORD, 0], 0),
            (&[0, WORD, WORD], 0),
        ] {
            assert_eq!(product(factors.iter().copied()), expected, "{factors:?}");
        }
    }

    #[test]
    fn quotients_are_those_of_all_bits() {
        for number in [0, 1, 6, WORD - 1, WORD, 7 * WORD + 5, u128::MAX] {
            for by in [1, 2, 7, WORD - 1, WORD, u128::MAX] {
                assert_eq!(divided(number, by), (number / by, number % by));
            }
        }
    }
}
