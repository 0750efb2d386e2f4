//! Rows of one size: the data of a firing in progress, and the tokens that it will deposit.
//!
//! **Problem.** A firing in progress has a head of a fixed type (when it ends, of which transition it is) and a number of words
//! that depends on its transition. Machine code must find both with one shift.
//!
//! **Idea.** All rows have the length of the longest, rounded up to a power of two words. Row `r` begins at word `r << bits`.
//!
//! ```text
//! a head of 3 words, records of up to 4: rows of 8 words, bits = 3
//! words   h h h r r r r ·   h h h r r r r ·   …        row 1 begins at word 1 << 3
//! ```
//!
//! The words begin at a line of the cache, so that no more lines are touched than need be.
//!
//! Invariants:
//! - *rows*: the words are room for a whole number of rows.
//! - *head*: a row is at least as long as a head.

use std::marker::PhantomData;
use std::mem::{offset_of, size_of};

use crate::base::cache::{fetch, CacheLine, LINE};
use crate::base::invariant::{ensure, Verified};
use crate::base::reuse::clone_into_fields;
use crate::base::table::Table;

/// A line of the cache, of those that the rows are in.
#[derive(Clone, Copy, Debug)]
pub struct Position;

/// Words of a line.
const LINE_WORDS: usize = LINE / size_of::<u64>();
type Line = CacheLine<[u64; LINE_WORDS]>;

/// Rows of a head, which is whole words, and of as many words behind it as the longest record needs. A row is a power of two
/// long.
pub struct Records<H> {
    lines: Table<Position, Line>,
    /// Words of a row, as a power of two.
    bits: u32,
    of: PhantomData<H>,
}

clone_into_fields!(Records<H: Copy> { lines, bits, of });

impl<H: Copy + Default> Records<H> {
    /// Where rows have the address of the first.
    pub const START: usize = offset_of!(Records<H>, lines) + Table::<Position, Line>::START;
    /// Bytes of a head.
    pub const HEAD: usize = size_of::<H>();
    const HEAD_WORDS: usize = {
        assert!(size_of::<H>().is_multiple_of(8) && align_of::<H>() <= 8);
        size_of::<H>() / 8
    };

    /// `rows` rows for records of at most `width` words.
    pub fn new(width: usize, rows: usize) -> Self {
        let mut records = Records { lines: Table::default(), bits: Self::bits(width), of: PhantomData };
        records.lengthen(rows);
        records
    }

    /// Words of a row, as a power of two.
    pub fn bits(width: usize) -> u32 {
        (Self::HEAD_WORDS + width).next_power_of_two().trailing_zeros()
    }

    /// Lengthens to at least `rows` rows: first those that there were, then rows of zeros.
    pub fn lengthen(&mut self, rows: usize) {
        let lines = (rows << self.bits).div_ceil(LINE_WORDS);
        self.lines = self.lines.iter().copied().chain(std::iter::repeat(Line::default())).take(lines).collect();
    }

    /// Doubles the number of rows of a ring of `rows` rows that begins at `row`: first the rows in the order of the ring, then rows
    /// of zeros.
    pub fn double_from(&mut self, row: usize, rows: usize) {
        let (row, ring) = (row << self.bits, rows << self.bits);
        self.words_mut()[..ring].rotate_left(row);
        self.lengthen(2 * rows);
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        // SAFETY: lines are words, one behind the other.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.lines.len() * LINE_WORDS) }
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: the same, and this borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.lines.len() * LINE_WORDS) }
    }

    #[inline(always)]
    fn row(&self, row: usize) -> *const u64 {
        debug_assert!((row + 1) << self.bits <= self.words().len());
        self.words().as_ptr().wrapping_add(row << self.bits)
    }

    /// The head of a row, which must be one of those that there are.
    #[inline(always)]
    pub fn head(&self, row: usize) -> H {
        // SAFETY: the row is within the words: the agenda and its lanes, which alone have such rows, ask for rows that they
        // have made, and debug builds check it (`row`). A head fits a row, is no more aligned than a word, and is made of
        // integers, for which all bits are allowed.
        unsafe { self.row(row).cast::<H>().read() }
    }

    #[inline(always)]
    pub fn set_head(&mut self, row: usize, head: H) {
        // SAFETY: see `head`; this borrow is exclusive.
        unsafe { self.row(row).cast_mut().cast::<H>().write(head) }
    }

    /// The words behind the head of a row.
    #[inline(always)]
    pub fn record(&self, row: usize) -> &[u64] {
        &self.words()[(row << self.bits) + Self::HEAD_WORDS..(row + 1) << self.bits]
    }

    #[inline(always)]
    pub fn record_mut(&mut self, row: usize) -> &mut [u64] {
        let bits = self.bits;
        &mut self.words_mut()[(row << bits) + Self::HEAD_WORDS..(row + 1) << bits]
    }

    /// Prefetches a row.
    #[inline(always)]
    pub fn fetch(&self, row: usize) {
        fetch(self.row(row));
    }

    /// Checks the invariants.
    pub fn verify(&self) -> Verified {
        let (words, row) = (self.words().len(), 1 << self.bits);
        ensure(words.is_multiple_of(row), "rows", || format!("{words} words for rows of {row}"))?;
        ensure(row >= Self::HEAD_WORDS, "head", || format!("rows of {row} words"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::invariant::broken;

    type Head = [u64; 3];

    proptest! {
        /// Rows are written; there are more of them, or twice as many from one of them on.
        #[test]
        fn a_row_of_rows(width in 0..9usize, steps in prop::collection::vec((0..8u8, 0..64usize, 1..9u64), 0..60)) {
            let mut records = Records::<Head>::new(width, 1);
            let mut model = vec![(Head::default(), vec![0; width])];
            for (action, row, value) in steps {
                let row = row % model.len();
                if action == 0 && model.len() < 64 {
                    records.lengthen(model.len() + 1);
                    model.push((Head::default(), vec![0; width]));
                } else if action == 1 && model.len() < 64 {
                    records.double_from(row, model.len());
                    model.rotate_left(row);
                    model.resize(2 * model.len(), (Head::default(), vec![0; width]));
                } else {
                    records.set_head(row, [value, 2 * value, 3 * value]);
                    records.record_mut(row)[..width].fill(value);
                    model[row] = ([value, 2 * value, 3 * value], vec![value; width]);
                }
                prop_assert_eq!(records.verify(), Ok(()));
                for (row, (head, record)) in model.iter().enumerate() {
                    prop_assert_eq!(&records.head(row), head);
                    prop_assert_eq!(&records.record(row)[..width], &record[..]);
                }
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let records = || Records::<Head>::new(2, 3);
        assert_eq!((records().bits, records().verify()), (3, Ok(())));
        assert_eq!(broken(Records { bits: 4, ..records() }.verify()), "rows");
        assert_eq!(broken(Records { bits: 1, ..records() }.verify()), "head");
    }
}
