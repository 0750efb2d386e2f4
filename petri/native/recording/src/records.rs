//! The records of a text with separated columns (RFC 4180), and their cells. A quoted cell may have line breaks.

use crate::lines::{characters, Lines, LONGEST_RECORD};
use crate::source::Source;
use crate::{Problem, Reason, Wrong};

const DELIMITERS: [char; 3] = [',', ';', '\t'];

/// A cell: where it is in its record, without quotes around it, and whether it has quotes that are doubled.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    start: usize,
    end: usize,
    doubled: bool,
}

/// A text, of which the first record was read. It names the columns.
pub struct Records {
    pub lines: Lines,
    pub delimiter: char,
    pub headers: Vec<String>,
    /// The line in which the last record begins.
    pub number: u64,
    /// The cells of the last record.
    cells: Vec<Cell>,
}

impl Records {
    pub fn new(source: Source) -> Result<Self, Problem> {
        let (lines, cells) = (Lines::new(source), Vec::new());
        let mut records = Records { lines, delimiter: ',', headers: Vec::new(), number: 0, cells };
        if records.header()? {
            records.split()?;
            let cells = 0..records.cells.len();
            records.headers = cells.map(|cell| records.text(cell).trim_matches(is_space).to_owned()).collect();
        }
        Ok(records)
    }

    /// Reads the first record, which also decides what separates its cells. False if there is none.
    fn header(&mut self) -> Result<bool, Problem> {
        if !self.begin()? {
            return Ok(false);
        }
        if let Some(delimiter) = named_delimiter(as_text(self.lines.record())) {
            self.delimiter = delimiter;
            return self.next();
        }
        self.complete()?;
        let record = as_text(self.lines.record());
        let cells = |delimiter: &char| walk(record, *delimiter, false, |_| ()).cells;
        let most = DELIMITERS.iter().map(cells).max().unwrap_or_default();
        self.delimiter = DELIMITERS.into_iter().find(|delimiter| cells(delimiter) == most).unwrap_or(',');
        self.complete()?;
        Ok(true)
    }

    /// Reads the next record. False at the end of the file.
    #[inline]
    pub fn next(&mut self) -> Result<bool, Problem> {
        Ok(self.begin()? && {
            if self.lines.has_quote() {
                self.complete()?;
            }
            true
        })
    }

    /// Reads the next line that is not empty, nor a comment.
    #[inline]
    fn begin(&mut self) -> Result<bool, Problem> {
        loop {
            self.lines.begin();
            if self.lines.line()?.is_none() {
                return Ok(false);
            }
            let record = self.lines.record();
            let blank = || as_text(record).chars().all(is_space);
            if record[0] != b'#' && (record[0].is_ascii_graphic() || !blank()) {
                self.number = self.lines.number;
                return Ok(true);
            }
        }
    }

    /// Reads as many more lines as a quoted cell of the record goes on.
    fn complete(&mut self) -> Result<(), Problem> {
        let mut length = characters(self.lines.record());
        let mut open = walk(as_text(self.lines.record()), self.delimiter, false, |_| ()).open;
        while open {
            let Some(line) = self.lines.line()? else { break };
            let line = &self.lines.record()[line];
            length += characters(line);
            if length > LONGEST_RECORD {
                return Err(Problem::Long(self.number));
            }
            open = walk(as_text(line), self.delimiter, true, |_| ()).open;
        }
        Ok(())
    }

    /// Finds the cells of the last record.
    #[inline]
    pub fn split(&mut self) -> Result<(), Problem> {
        self.cells.clear();
        if self.lines.has_quote() || !self.delimiter.is_ascii() {
            return self.split_quoted();
        }
        let record = without_end(self.lines.record());
        let mut start = 0;
        let delimiter = self.delimiter as u8;
        for (end, &byte) in record.iter().enumerate() {
            if byte == delimiter {
                self.cells.push(Cell { start, end, doubled: false });
                start = end + 1;
            }
        }
        self.cells.push(Cell { start, end: record.len(), doubled: false });
        Ok(())
    }

    /// The same where there are quotes, which must be those of whole cells, or within cells that begin with none.
    fn split_quoted(&mut self) -> Result<(), Problem> {
        let record = as_text(without_end(self.lines.record()));
        let cells = &mut self.cells;
        let walked = walk(record, self.delimiter, false, |cell| cells.push(cell));
        let reason = match walked {
            Walked { behind: true, .. } => Reason::BehindQuote(self.delimiter),
            Walked { open: true, .. } => Reason::OpenQuote,
            _ => return Ok(()),
        };
        Err(Problem::Row(Wrong { line: self.number, field: None, reason }))
    }

    /// How many cells the last record has.
    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// A cell as it is in the file, but for quotes around it.
    #[inline]
    pub fn cell(&self, number: usize) -> &[u8] {
        let cell = self.cells[number];
        &self.lines.record()[cell.start..cell.end]
    }

    /// The text of a cell.
    pub fn text(&self, number: usize) -> String {
        let text = as_text(self.cell(number));
        if self.cells[number].doubled {
            text.replace("\"\"", "\"")
        } else {
            text.to_owned()
        }
    }
}

/// What is left when a record, or a line of it, was gone through.
struct Walked {
    cells: usize,
    /// Whether it ends within a quoted cell.
    open: bool,
    /// Whether something follows the end of a quoted cell that is not the delimiter.
    behind: bool,
}

/// Goes through the cells of a record, or of a line that begins within a quoted cell if `open`.
fn walk(text: &str, delimiter: char, mut open: bool, mut cell: impl FnMut(Cell)) -> Walked {
    let (mut cells, mut behind, mut from) = (0, false, 0);
    loop {
        let quoted = open || text[from..].starts_with('"');
        let start = from + usize::from(quoted && !open);
        let (mut after, mut doubled) = (start, false);
        cells += 1;
        open = quoted;
        while open {
            let Some(quote) = text[after..].find('"') else {
                cell(Cell { start, end: text.len(), doubled });
                return Walked { cells, open, behind };
            };
            after += quote + 1;
            open = text[after..].starts_with('"');
            doubled |= open;
            after += usize::from(open);
        }
        let found = text[after..].find(delimiter).map(|at| after + at);
        let stop = found.unwrap_or(text.len());
        behind |= quoted && stop > after;
        cell(Cell { start, end: if quoted { after - 1 } else { stop }, doubled });
        match found {
            Some(found) => from = found + delimiter.len_utf8(),
            None => return Walked { cells, open, behind },
        }
    }
}

/// A record without its line break.
fn without_end(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}

/// The delimiter that a spreadsheet has written into the first line: `sep=;`.
fn named_delimiter(line: &str) -> Option<char> {
    let named = line.get(..4).filter(|start| start.eq_ignore_ascii_case("sep=")).and(line.get(4..))?;
    let mut rest = named.chars();
    let delimiter = rest.next().filter(|one| !matches!(one, '\n' | '\r' | '"'))?;
    rest.all(is_space).then_some(delimiter)
}

/// Text that `Lines` has checked.
pub fn as_text(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}

/// Whether a character is space, as Python has it.
pub fn is_space(one: char) -> bool {
    one.is_whitespace() || ('\x1c'..='\x1f').contains(&one)
}
