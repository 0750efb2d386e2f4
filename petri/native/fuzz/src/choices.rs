//! Bytes as a row of choices. Where the bytes end, every choice is the first, so that nets stay finite.

use arbitrary::Unstructured;

pub struct Choices<'a>(Unstructured<'a>);

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Choices(Unstructured::new(bytes))
    }

    fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or(0)
    }

    /// From `low` to `high`; both fit into a byte.
    pub fn number(&mut self, low: usize, high: usize) -> usize {
        low + usize::from(self.byte()) % (high - low + 1)
    }

    pub fn one<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.number(0, options.len() - 1)]
    }

    /// True for `in_ten` of ten values.
    pub fn chance(&mut self, in_ten: u8) -> bool {
        self.byte() % 10 >= 10 - in_ten
    }

    /// True for one value in 256: for what makes most nets be refused.
    pub fn rare(&mut self) -> bool {
        self.byte() == 255
    }

    /// Any 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0.arbitrary().unwrap_or(0)
    }
}
