//! A row of small numbers in as few bytes each as the greatest of them needs.

/// The numbers, in bytes of the width that the greatest needs.
#[derive(Clone, Debug)]
pub enum Narrow {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
}

impl Default for Narrow {
    fn default() -> Self {
        Narrow::Bytes(Vec::new())
    }
}

impl Narrow {
    pub fn len(&self) -> usize {
        match self {
            Narrow::Bytes(row) => row.len(),
            Narrow::Halves(row) => row.len(),
            Narrow::Words(row) => row.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn bytes(&self) -> usize {
        match self {
            Narrow::Bytes(row) => row.capacity(),
            Narrow::Halves(row) => 2 * row.capacity(),
            Narrow::Words(row) => 4 * row.capacity(),
        }
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> u32 {
        match self {
            Narrow::Bytes(row) => u32::from(row[at]),
            Narrow::Halves(row) => u32::from(row[at]),
            Narrow::Words(row) => row[at],
        }
    }

    #[inline(always)]
    pub fn push(&mut self, number: u32) {
        match self {
            Narrow::Bytes(row) if number <= 0xff => row.push(number as u8),
            Narrow::Halves(row) if number <= 0xffff => row.push(number as u16),
            Narrow::Words(row) => row.push(number),
            _ => {
                self.widen(number);
                self.push(number);
            }
        }
    }

    #[cold]
    fn widen(&mut self, number: u32) {
        let all = (0..self.len()).map(|at| self.get(at));
        *self = match number {
            0..=0xffff => Narrow::Halves(all.map(|number| number as u16).collect()),
            _ => Narrow::Words(all.collect()),
        };
    }

    pub fn truncate(&mut self, len: usize) {
        match self {
            Narrow::Bytes(row) => row.truncate(len),
            Narrow::Halves(row) => row.truncate(len),
            Narrow::Words(row) => row.truncate(len),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn is_a_row(numbers in prop::collection::vec(prop_oneof![0u32..300, any::<u32>(), 0u32..70_000], 0..50)) {
            let mut row = Narrow::default();
            numbers.iter().for_each(|&number| row.push(number));
            prop_assert_eq!(row.len(), numbers.len());
            prop_assert!(numbers.iter().enumerate().all(|(at, &number)| row.get(at) == number));
        }
    }
}
