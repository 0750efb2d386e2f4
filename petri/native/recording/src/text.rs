//! The rows of a text with separated columns, as words of slots.

use std::path::Path;

use crate::lines::LONGEST_RECORD;
use crate::numbers::{is_grouped, plain, plain_float, Decimal, Instant};
use crate::records::{as_text, is_space, Records};
use crate::slots::{Slot, Value};
use crate::source::{decoded, open, Source};
use crate::{Problem, Reason, Wrong};

/// A float distinguishes decimal numbers of this many digits.
const EXACT_DIGITS: u32 = 15;
/// Differences of times below are off by less than a tick.
const EXACT_TICKS: f64 = 1e15;
/// The column that gives the days of a column with times of day.
const DATE: &str = "date";
/// Bytes after which a call returns, whatever it found: whoever waits may have been interrupted.
const BYTES_AT_ONCE: u64 = 1 << 26;

/// What fills a slot.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// The number of its column.
    pub index: usize,
    pub slot: Slot,
    /// The names of its values, if they have any.
    pub labels: Vec<String>,
    /// Whether its values count from that of the first row.
    pub relative: bool,
    /// Whether it is a time, and whether that is in seconds: only then it may be a calendar time.
    pub time: bool,
    pub seconds: bool,
}

/// Rows that were read.
#[derive(Debug, Default)]
pub struct Rows {
    /// Slot after slot.
    pub words: Vec<u64>,
    /// Whether these are the last ones.
    pub ended: bool,
    /// What is wrong with the row after them.
    pub problem: Option<Problem>,
}

/// A file, of which the first record was read.
pub struct Text {
    records: Records,
    fields: Vec<Field>,
    /// The labels of each field, in alphabetical order.
    labels: Vec<Vec<(String, i64)>>,
    date: Option<usize>,
    /// The last value of the ordered slot.
    last: f64,
    first: Option<First>,
    /// The first calendar time.
    calendar: Option<Instant>,
    /// Whether the first record is a row that has yet to be read.
    first_is_row: bool,
}

/// The value of the relative field in the first row.
#[derive(Clone, Copy, Debug)]
enum First {
    Float(f64),
    /// A float would be too coarse, as for times since 1970.
    Exact(Decimal),
}

impl First {
    fn to_float(self) -> f64 {
        match self {
            First::Float(first) => first,
            First::Exact(first) => first.to_float(),
        }
    }
}

/// A number of a cell.
enum Number {
    Plain(i64, usize),
    /// Others, as they are written.
    Written(String),
    Calendar(Decimal),
}

impl Text {
    pub fn open(path: &Path) -> Result<Self, Problem> {
        Text::of(open(path)?)
    }

    pub fn of(source: Source) -> Result<Self, Problem> {
        let records = Records::new(decoded(source)?)?;
        let mut dates = (0..records.headers.len()).filter(|&at| records.headers[at].to_lowercase() == DATE);
        let date = dates.next().filter(|_| dates.next().is_none());
        let (fields, labels) = (vec![], vec![]);
        Ok(Text { records, fields, labels, date, last: 0.0, first: None, calendar: None, first_is_row: false })
    }

    /// The names of its columns.
    pub fn headers(&self) -> &[String] {
        &self.records.headers
    }

    /// Whether the first record names columns.
    pub fn is_named(&self) -> bool {
        let number = |header: &String| Decimal::of(header).is_some() || header.parse::<f64>().is_ok();
        !self.headers().iter().all(number)
    }

    /// The columns that the slots of a row are filled from.
    pub fn fill(&mut self, fields: Vec<Field>) {
        let sorted = |field: &Field| {
            let mut labels: Vec<_> = field.labels.iter().cloned().zip(0..).collect();
            if field.labels == ["false", "true"] {
                labels.extend([("0".to_owned(), 0), ("1".to_owned(), 1)]);
            }
            labels.sort();
            labels
        };
        self.labels = fields.iter().map(sorted).collect();
        self.fields = fields;
    }

    /// Takes the first record as a row, not as the names of columns, where it has only numbers, or a value for some field; says
    /// whether. Call it after [`Self::fill`].
    pub fn take_first(&mut self) -> bool {
        let has_value = |text: &mut Self| (0..text.fields.len()).any(|number| text.value(number).is_ok());
        self.first_is_row = !self.is_named() || has_value(self);
        self.calendar = None;
        self.first_is_row
    }

    /// The next rows, at most `most`. They are fewer, or none, where it took long to find them, at the end of the file, and
    /// before a row that is wrong.
    pub fn read(&mut self, most: usize) -> Rows {
        let mut rows = Rows::default();
        rows.words.reserve(most.min(LONGEST_RECORD) * self.fields.len());
        let last_byte = self.records.lines.read + BYTES_AT_ONCE;
        for _ in 0..most {
            let whole = rows.words.len();
            match self.row(&mut rows.words) {
                Ok(true) if self.records.lines.read < last_byte => {}
                Ok(found) => {
                    rows.ended = !found;
                    break;
                }
                Err(problem) => {
                    rows.words.truncate(whole);
                    rows.problem = Some(problem);
                    break;
                }
            }
        }
        rows
    }

    /// Reads the next row. False at the end of the file.
    #[inline]
    fn row(&mut self, words: &mut Vec<u64>) -> Result<bool, Problem> {
        if !std::mem::take(&mut self.first_is_row) {
            if !self.records.next()? {
                return Ok(false);
            }
            self.records.split()?;
        }
        if self.records.len() > self.records.headers.len() {
            self.check_length()?;
        }
        if self.first.is_none() {
            self.first = Some(self.first_value());
        }
        // A cell that cannot be read comes before a value that does not fit.
        let mut misfit = None;
        for number in 0..self.fields.len() {
            let value = self.value(number).map_err(|reason| self.wrong(number, reason))?;
            match self.fields[number].slot.word(value, &mut self.last) {
                Ok(word) => words.push(word),
                Err(found) => misfit = misfit.or(Some((number, found))),
            }
        }
        match misfit {
            None => Ok(true),
            Some((number, misfit)) => Err(self.wrong(number, Reason::Misfit(misfit))),
        }
    }

    fn wrong(&self, field: usize, reason: Reason) -> Problem {
        Problem::Row(Wrong { line: self.records.number, field: Some(field), reason })
    }

    /// Cells beyond those that the first record names must be empty.
    fn check_length(&self) -> Result<(), Problem> {
        let count = self.records.len();
        if (self.records.headers.len()..count).all(|at| self.records.text(at).chars().all(is_space)) {
            return Ok(());
        }
        Err(Problem::Row(Wrong { line: self.records.number, field: None, reason: Reason::Long(count) }))
    }

    /// The value of the relative field in the first row; 0 where there is none. An error in it is reported when it is read.
    fn first_value(&mut self) -> First {
        let Some(number) = (0..self.fields.len()).find(|&number| self.fields[number].relative) else {
            return First::Float(0.0);
        };
        if self.fields[number].index >= self.records.len() {
            return First::Float(0.0);
        }
        let Some(value) = self.number(number).ok().and_then(|found| found.to_decimal()) else {
            return First::Float(0.0);
        };
        let slot = self.fields[number].slot;
        let short = value.digits <= EXACT_DIGITS;
        let near = || (value.to_float() * slot.times / slot.over).abs() < EXACT_TICKS;
        if slot.real && short && near() {
            First::Float(value.to_float())
        } else {
            First::Exact(value)
        }
    }

    /// The value of a field in the last record, before it is scaled.
    #[inline]
    fn value(&mut self, number: usize) -> Result<Value, Reason> {
        let field = &self.fields[number];
        if field.index >= self.records.len() {
            return Err(Reason::Short(self.records.len()));
        }
        if !field.labels.is_empty() {
            return self.label(number);
        }
        let (real, first) = (field.slot.real, self.first.filter(|_| field.relative));
        match (plain(trimmed(self.records.cell(field.index))), first) {
            (Some((value, 0)), None) if !real => return Ok(Value::Int(value)),
            (Some(found), None | Some(First::Float(_))) if real => {
                let first = first.map_or(0.0, First::to_float);
                if let Some(found) = plain_float(found) {
                    return Ok(Value::Real(found - first));
                }
            }
            _ => {}
        }
        self.other_value(number, real, first)
    }

    /// The same where a number is not short, or counts exactly from the first one.
    fn other_value(&mut self, number: usize, real: bool, first: Option<First>) -> Result<Value, Reason> {
        let found = self.number(number)?;
        match (real, first) {
            (false, first) => self.int(number, &found, first).map(Value::Int),
            (true, Some(First::Exact(first))) => {
                self.finite(number, found.to_decimal().map(|found| found.minus(first).to_float()))
            }
            (true, Some(First::Float(first))) => self.finite(number, found.to_float().map(|found| found - first)),
            (true, None) => self.finite(number, found.to_float()),
        }
    }

    fn int(&self, number: usize, found: &Number, first: Option<First>) -> Result<i64, Reason> {
        let whole = match (found, first) {
            (found, Some(First::Exact(first))) => found.to_decimal().map(|found| found.minus(first)),
            (found, _) => found.to_decimal(),
        };
        whole.and_then(Decimal::to_int).ok_or_else(|| Reason::IsNot("64-bit integer", self.text(number)))
    }

    fn finite(&self, number: usize, found: Option<f64>) -> Result<Value, Reason> {
        let finite = found.filter(|found| found.is_finite());
        finite.map(Value::Real).ok_or_else(|| Reason::IsNot("finite number", self.text(number)))
    }

    fn label(&self, number: usize) -> Result<Value, Reason> {
        let cell = trimmed(self.records.cell(self.fields[number].index));
        let labels = &self.labels[number];
        match labels.binary_search_by(|(label, _)| label.as_bytes().cmp(cell)) {
            Ok(at) => Ok(Value::Int(labels[at].1)),
            Err(_) => {
                let text = self.text(number);
                let found = labels.iter().find(|(label, _)| *label == text).map(|(_, value)| Value::Int(*value));
                found.ok_or(Reason::IsNot("label", text))
            }
        }
    }

    /// The text of the cell of a field.
    fn text(&self, number: usize) -> String {
        self.records.text(self.fields[number].index).trim_matches(is_space).to_owned()
    }

    /// The number of the cell of a field, seconds for a calendar time.
    fn number(&mut self, number: usize) -> Result<Number, Reason> {
        let index = self.fields[number].index;
        match plain(trimmed(self.records.cell(index))) {
            Some((value, behind)) => Ok(Number::Plain(value, behind)),
            None => self.written(number),
        }
    }

    fn written(&mut self, number: usize) -> Result<Number, Reason> {
        let cell = self.text(number);
        let delimiter = self.records.delimiter;
        let comma = delimiter != ',' && !(delimiter == '\t' && is_grouped(&cell)) && !cell.contains('.');
        let text = if comma { cell.replacen(',', ".", 1) } else { cell.clone() };
        if Decimal::of(&text).is_some() {
            return Ok(Number::Written(text.replace('_', "")));
        }
        let Some(time) = Instant::of(&cell) else {
            return Err(match () {
                () if cell.contains(':') => Reason::NearlyTime(cell),
                () if cell.contains(',') => Reason::Grouped(cell),
                () => Reason::IsNot(if self.fields[number].slot.real { "number" } else { "whole number" }, cell),
            });
        };
        self.calendar_time(number, time, cell).map(Number::Calendar)
    }

    /// Calendar times fill times in seconds, and are all written like the first one.
    fn calendar_time(&mut self, number: usize, mut time: Instant, cell: String) -> Result<Decimal, Reason> {
        match &self.fields[number] {
            Field { time: false, .. } => return Err(Reason::CalendarNoTime(cell)),
            Field { seconds: false, .. } => return Err(Reason::CalendarUnit(cell)),
            _ => {}
        }
        if let Some(date) = self.date.filter(|&date| !time.dated && date < self.records.len()) {
            let date = self.records.text(date);
            let day = Instant::of(date.trim_matches(is_space)).filter(|day| day.dated);
            let Some(day) = day else { return Err(Reason::NoDate(cell, date)) };
            time = Instant { seconds: time.seconds.plus(day.seconds), dated: true, ..time };
        }
        let first = *self.calendar.get_or_insert(time);
        if (time.dated, time.zoned) != (first.dated, first.zoned) {
            return Err(Reason::UnlikeFirst(cell));
        }
        Ok(time.seconds)
    }
}

impl Number {
    fn to_decimal(&self) -> Option<Decimal> {
        match self {
            Number::Plain(value, behind) => Some(Decimal::tenths(*value, *behind)),
            Number::Written(text) => Decimal::of(text),
            Number::Calendar(seconds) => Some(*seconds),
        }
    }

    fn to_float(&self) -> Option<f64> {
        match self {
            &Number::Plain(value, behind) => Some(Decimal::tenths(value, behind).to_float()),
            Number::Written(text) => text.parse().ok(),
            Number::Calendar(seconds) => Some(seconds.to_float()),
        }
    }
}

/// A cell without the space around it.
#[inline]
fn trimmed(cell: &[u8]) -> &[u8] {
    match cell {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => cell,
        cell => as_text(cell).trim_matches(is_space).as_bytes(),
    }
}
