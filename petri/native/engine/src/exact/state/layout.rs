//! How the numbers that make a state are packed into words: each has a few bits, and a guard bit above them.
//!
//! The guard bits make two things cheap. Numbers are compared with constants a word at a time: `(word | guards) - needed`
//! keeps the guard bits of the fields that are at least what is needed. And a change is one addition for each word: a guard bit
//! that is set afterwards tells that a number has outgrown its field, which then gets another bit.

/// Where a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub word: u32,
    pub shift: u32,
    /// The greatest number that fits.
    pub most: u64,
}

#[derive(Clone, Debug)]
pub struct Layout {
    pub fields: Vec<Field>,
    /// The guard bits of each word.
    pub guards: Vec<u64>,
}

/// How many bits a number has, at least 1.
pub fn bits_of(number: u64) -> u32 {
    (64 - number.leading_zeros()).max(1)
}

impl Layout {
    /// bits: of each field, at most 62, so that its guard bit is in the same word. No field lies in two words.
    pub fn new(bits: &[u32]) -> Self {
        let (mut fields, mut guards, mut used) = (Vec::with_capacity(bits.len()), vec![0u64], 0);
        for &bits in bits {
            if used + bits + 1 > 64 {
                guards.push(0);
                used = 0;
            }
            let word = guards.len() - 1;
            guards[word] |= 1 << (used + bits);
            fields.push(Field { word: word as u32, shift: used, most: (1 << bits) - 1 });
            used += bits + 1;
        }
        Layout { fields, guards }
    }

    pub fn words(&self) -> usize {
        self.guards.len()
    }

    /// The layout in which a field has one bit more, or as many as a number needs.
    pub fn wider(&self, field: usize, number: u64) -> Self {
        let mut bits: Vec<u32> = self.fields.iter().map(|field| bits_of(field.most)).collect();
        bits[field] = (bits[field] + 1).max(bits_of(number));
        Layout::new(&bits)
    }

    #[inline(always)]
    pub fn get(&self, state: &[u64], field: usize) -> u64 {
        let field = self.fields[field];
        state[field.word as usize] >> field.shift & field.most
    }

    pub fn unpack(&self, state: &[u64], numbers: &mut [u64]) {
        for (number, field) in numbers.iter_mut().zip(&self.fields) {
            *number = state[field.word as usize] >> field.shift & field.most;
        }
    }

    /// Packs the numbers; the field that is too narrow for its number, if there is one.
    pub fn pack(&self, numbers: &[u64], state: &mut [u64]) -> Result<(), usize> {
        state.fill(0);
        for (i, (&number, field)) in numbers.iter().zip(&self.fields).enumerate() {
            if number > field.most {
                return Err(i);
            }
            state[field.word as usize] |= number << field.shift;
        }
        Ok(())
    }

    /// The first field of a word whose guard bit is among these bits.
    pub fn outgrown(&self, word: usize, bits: u64) -> usize {
        let shift = bits.trailing_zeros();
        let is_it = |field: &Field| field.word as usize == word && field.shift + bits_of(field.most) == shift;
        self.fields.iter().position(is_it).expect("a guard bit of the word")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(0u64..1 << 20, 1..40)) {
            let bits: Vec<u32> = numbers.iter().map(|&number| bits_of(number)).collect();
            let layout = Layout::new(&bits);
            let mut state = vec![0; layout.words()];
            prop_assert_eq!(layout.pack(&numbers, &mut state), Ok(()));
            let mut back = vec![0; numbers.len()];
            layout.unpack(&state, &mut back);
            prop_assert_eq!(&back, &numbers);
            prop_assert!(state.iter().zip(&layout.guards).all(|(word, guards)| word & guards == 0));
            prop_assert!((0..numbers.len()).all(|field| layout.get(&state, field) == numbers[field]));
        }

        #[test]
        fn a_number_that_outgrows_its_field_sets_its_guard(bits in prop::collection::vec(1u32..9, 1..40), at in 0usize..40) {
            let layout = Layout::new(&bits);
            let field = at % bits.len();
            let mut numbers = vec![0; bits.len()];
            numbers[field] = layout.fields[field].most + 1;
            let mut state = vec![0; layout.words()];
            prop_assert_eq!(layout.pack(&numbers, &mut state), Err(field));
            let place = layout.fields[field];
            let word = numbers[field] << place.shift;
            prop_assert_eq!(layout.outgrown(place.word as usize, word & layout.guards[place.word as usize]), field);
            prop_assert_eq!(layout.wider(field, numbers[field]).pack(&numbers, &mut vec![0; 64][..layout.words() + 1]), Ok(()));
        }
    }
}
