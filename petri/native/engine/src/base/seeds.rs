//! The words that begin the random numbers of a replication (R1): `numpy.random.SeedSequence`.

/// The three words of a seed and the number of a replication.
pub fn seed_words(seed: u64, replication: u32) -> [u64; 3] {
    let mut entropy = vec![seed as u32, (seed >> 32) as u32, 0, 0, replication];
    let mut constant = 0x43B0_D7E5_u32;
    let mut hashed = |value: u32, multiplier: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(multiplier);
        let value = value.wrapping_mul(constant);
        value ^ value >> 16
    };
    let mixed = |value: u32, other: u32| {
        let value = value.wrapping_mul(0xCA01_F9DD).wrapping_sub(other.wrapping_mul(0x4973_F715));
        value ^ value >> 16
    };
    let key = entropy.split_off(4);
    let mut pool: Vec<u32> = entropy.iter().map(|&word| hashed(word, 0x931E_8875)).collect();
    for source in 0..4 {
        for other in (0..4).filter(|&other| other != source) {
            pool[other] = mixed(pool[other], hashed(pool[source], 0x931E_8875));
        }
    }
    for word in key {
        pool.iter_mut().for_each(|one| *one = mixed(*one, hashed(word, 0x931E_8875)));
    }
    let mut constant = 0x8B51_F9DD_u32;
    let mut half = |number: usize| {
        let value = pool[number % 4] ^ constant;
        constant = constant.wrapping_mul(0x58F3_8DED);
        let value = value.wrapping_mul(constant);
        u64::from(value ^ value >> 16)
    };
    [0, 2, 4].map(|number| half(number) | half(number + 1) << 32)
}

#[cfg(test)]
mod tests {
    use super::seed_words;

    #[test]
    fn words_are_those_of_numpy() {
        // numpy.random.SeedSequence(7, spawn_key=(0,)).generate_state(3, numpy.uint64), and of 2**40 + 5 with (3,)
        assert_eq!(seed_words(7, 0), [0x2EFE612D4797B856, 0xF3F7F6CB6E93DFD5, 0x32F8C02BD32A582B]);
        assert_eq!(seed_words((1 << 40) + 5, 3), [0xF16233943CDCE5EC, 0x36C88209167873C9, 0xAE9D0B7B4E6619A6]);
    }
}
