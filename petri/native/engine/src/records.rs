//! What firings in progress will deposit: a record for each, in cells of one size.

use crate::cache::fetch;
use crate::table::Table;

/// Cells at the start.
const FEWEST: usize = 8;

/// A word of the cells, or one of the vacant cells.
#[derive(Clone, Copy, Debug)]
pub struct Position;

/// Cells of the words that the longest record needs.
pub struct Records {
    pub words: Table<Position, u64>,
    /// The numbers of vacant cells: the first `vacancies`.
    pub vacant: Table<Position, u32>,
    pub vacancies: usize,
    pub width: usize,
}

impl Records {
    /// For records of at most so many words.
    pub fn new(width: usize) -> Self {
        let mut records = Records { words: Table::default(), vacant: Table::default(), vacancies: 0, width };
        records.grow();
        records
    }

    /// Takes a vacant cell.
    #[inline(always)]
    pub fn take(&mut self) -> u32 {
        self.make_room();
        self.vacancies -= 1;
        self.vacant[self.vacancies]
    }

    /// Sees to it that there is a vacant cell.
    #[inline(always)]
    pub fn make_room(&mut self) {
        if self.vacancies == 0 {
            self.grow();
        }
    }

    /// Doubles the cells, all of which are taken.
    #[cold]
    fn grow(&mut self) {
        let old = self.vacant.len();
        let cells = (2 * old).max(FEWEST);
        self.words = self.words.iter().copied().chain(std::iter::repeat(0)).take(cells * self.width).collect();
        let new = (old as u32..cells as u32).rev();
        self.vacancies = new.len();
        self.vacant = new.chain(std::iter::repeat(0)).take(cells).collect();
    }

    /// A cell is vacant again. Its words stay as they are until it is taken.
    #[inline(always)]
    pub fn leave(&mut self, cell: u32) {
        self.vacant[self.vacancies] = cell;
        self.vacancies += 1;
    }

    /// Fetches the words of a cell, if it is one.
    #[inline(always)]
    pub fn fetch(&self, cell: u32) {
        fetch(self.words.as_ptr().wrapping_add(cell as usize * self.width));
    }

    /// The words of a cell.
    #[inline(always)]
    pub fn words(&mut self, cell: u32) -> &mut [u64] {
        let start = cell as usize * self.width;
        &mut self.words[start..start + self.width]
    }
}
