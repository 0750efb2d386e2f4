//! Rows of one size: what is known of a firing in progress, and what it will deposit.

use std::marker::PhantomData;
use std::mem::{offset_of, size_of};

use crate::base::cache::fetch;
use crate::base::table::Table;

/// A word of the rows.
#[derive(Clone, Copy, Debug)]
pub struct Position;

/// Rows of a head, which is whole words, and of as many words behind it as the longest record needs. A row is a power of two
/// long.
#[derive(Clone)]
pub struct Records<H> {
    words: Table<Position, u64>,
    /// Words of a row, as a power of two.
    bits: u32,
    of: PhantomData<H>,
}

impl<H: Copy + Default> Records<H> {
    /// Where rows have the address of the first.
    pub const START: usize = offset_of!(Records<H>, words) + Table::<Position, u64>::START;
    /// Bytes of a head.
    pub const HEAD: usize = size_of::<H>();
    const HEAD_WORDS: usize = {
        assert!(size_of::<H>().is_multiple_of(8) && align_of::<H>() <= 8);
        size_of::<H>() / 8
    };

    /// So many rows for records of at most `width` words.
    pub fn new(width: usize, rows: usize) -> Self {
        let mut records = Records { words: Table::default(), bits: Self::bits(width), of: PhantomData };
        records.lengthen(rows);
        records
    }

    /// Words of a row, as a power of two.
    pub fn bits(width: usize) -> u32 {
        (Self::HEAD_WORDS + width).next_power_of_two().trailing_zeros()
    }

    /// Makes so many rows, of which the first are those that there were.
    pub fn lengthen(&mut self, rows: usize) {
        self.words = self.words.iter().copied().chain(std::iter::repeat(0)).take(rows << self.bits).collect();
    }

    /// Makes twice as many rows, of which that at a position becomes the first and those before it come last.
    pub fn double_from(&mut self, row: usize) {
        let rows = self.words.len() >> self.bits;
        self.words.rotate_left(row << self.bits);
        self.lengthen(2 * rows);
    }

    #[inline(always)]
    fn row(&self, row: usize) -> *const u64 {
        debug_assert!((row + 1) << self.bits <= self.words.len());
        self.words.as_ptr().wrapping_add(row << self.bits)
    }

    /// The head of a row, which must be one of those that there are.
    #[inline(always)]
    pub fn head(&self, row: usize) -> H {
        // SAFETY: only the agenda has such rows, and only those numbers that they have; debug builds check it. Heads are words
        // of which all values are allowed.
        unsafe { self.row(row).cast::<H>().read() }
    }

    #[inline(always)]
    pub fn set_head(&mut self, row: usize, head: H) {
        // SAFETY: see `head`.
        unsafe { self.row(row).cast_mut().cast::<H>().write(head) }
    }

    /// The words behind the head of a row.
    #[inline(always)]
    pub fn record(&self, row: usize) -> &[u64] {
        &self.words[(row << self.bits) + Self::HEAD_WORDS..(row + 1) << self.bits]
    }

    #[inline(always)]
    pub fn record_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[(row << self.bits) + Self::HEAD_WORDS..(row + 1) << self.bits]
    }

    /// Fetches a row.
    #[inline(always)]
    pub fn fetch(&self, row: usize) {
        fetch(self.row(row));
    }
}
