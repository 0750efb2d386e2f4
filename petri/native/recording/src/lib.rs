//! Recordings: the rows of files as the slots of tokens (rule S6), read block by block.
//!
//! Text with separated columns is read here, also packed by gzip; the columns of other files become slots by [`slots`]. Memory does not depend
//! on the length of the file: a block of rows, and a buffer for the longest record. Whatever the bytes of a file are, the worst that
//! happens is a [`Problem`].
//!
//! The crate `csv` would not do: its buffer grows with a record, it takes quotes that do not end, and it counts lines by `\n`.

mod lines;
mod numbers;
mod records;
pub mod slots;
pub mod source;
pub mod text;

use std::io;

pub use lines::LONGEST_RECORD;
use slots::Misfit;

/// Why a file cannot be read any further.
#[derive(Debug)]
pub enum Problem {
    /// The file cannot be opened, read or unpacked.
    Unreadable(io::Error),
    /// A line is no text.
    NotText(u64),
    /// The record that begins in a line is longer than [`LONGEST_RECORD`].
    Long(u64),
    Row(Wrong),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::Unreadable(error)
    }
}

/// What is wrong with a row. `line` is the first of its record.
#[derive(Debug, PartialEq)]
pub struct Wrong {
    pub line: u64,
    /// Counted from 0, unless the row as a whole is wrong.
    pub field: Option<usize>,
    pub reason: Reason,
}

/// Texts are those of cells.
#[derive(Debug, PartialEq)]
pub enum Reason {
    OpenQuote,
    /// A quoted cell goes on behind its end, where this should be.
    BehindQuote(char),
    /// It has so many cells, more than the first record names, or fewer than the field needs.
    Long(usize),
    Short(usize),
    IsNot(&'static str, String),
    NearlyTime(String),
    Grouped(String),
    CalendarNoTime(String),
    CalendarUnit(String),
    /// A time of day, and what should be its date.
    NoDate(String, String),
    UnlikeFirst(String),
    Misfit(Misfit),
}
