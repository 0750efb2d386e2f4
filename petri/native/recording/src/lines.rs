//! The lines of a text, one after the other, in a buffer that holds little more than the longest record.

use std::io;
use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::source::Source;
use crate::Problem;

/// Characters of a record, with its line breaks.
pub const LONGEST_RECORD: usize = 1 << 16;
/// No character of UTF-8 has more bytes.
const WIDEST: usize = 4;
/// Room for a record, and for one more line as long.
const BUFFER: usize = 4 * WIDEST * LONGEST_RECORD;

pub struct Lines {
    source: Source,
    buffer: Vec<u8>,
    /// Where the record begins that is being read: what is before may be forgotten.
    begin: usize,
    /// Where the next line begins.
    next: usize,
    /// How much of the buffer is filled.
    end: usize,
    /// Up to here it is UTF-8 without NUL.
    text: usize,
    /// The first quote from `next` on, as far as the buffer is filled.
    quote: usize,
    ended: bool,
    /// The number of the last line.
    pub number: u64,
    /// Bytes that were read.
    pub read: u64,
}

impl Lines {
    pub fn new(source: Source) -> Self {
        let buffer = vec![0; BUFFER];
        Lines { source, buffer, begin: 0, next: 0, end: 0, text: 0, quote: 0, ended: false, number: 0, read: 0 }
    }

    /// A record begins with the next line.
    #[inline]
    pub fn begin(&mut self) {
        self.begin = self.next;
    }

    /// The next line with its end, as where it is from the beginning of the record on. None at the end of the file.
    #[inline]
    pub fn line(&mut self) -> Result<Option<Range<usize>>, Problem> {
        let length = loop {
            let held = &self.buffer[self.next..self.end];
            match memchr2(b'\n', b'\r', held) {
                Some(at) if held[at] == b'\n' => break at + 1,
                Some(at) if at + 1 < held.len() => break at + 1 + usize::from(held[at + 1] == b'\n'),
                _ if self.ended && held.is_empty() => return Ok(None),
                _ if self.ended || held.len() > WIDEST * LONGEST_RECORD => break held.len(),
                _ => self.fill()?,
            }
        };
        self.number += 1;
        let (start, stop) = (self.next, self.next + length);
        if stop > self.text || length > LONGEST_RECORD {
            self.check(start, stop)?;
        }
        self.next = stop;
        Ok(Some(start - self.begin..stop - self.begin))
    }

    /// Lines must be text, and not too long. What a line is longer than that is not looked at.
    fn check(&self, start: usize, stop: usize) -> Result<(), Problem> {
        let text = &self.buffer[start..stop.min(self.text).max(start)];
        match () {
            () if characters(text) > LONGEST_RECORD => Err(Problem::Long(self.number)),
            () if stop > self.text => Err(Problem::NotText(self.number)),
            () => Ok(()),
        }
    }

    /// The record up to the last line.
    #[inline]
    pub fn record(&self) -> &[u8] {
        &self.buffer[self.begin..self.next]
    }

    /// Whether there is a quote in the record.
    #[inline]
    pub fn has_quote(&mut self) -> bool {
        if self.quote < self.begin {
            self.find_quote();
        }
        self.quote < self.next
    }

    fn find_quote(&mut self) {
        let from = self.begin;
        self.quote = memchr(b'"', &self.buffer[from..self.end]).map_or(self.end, |at| from + at);
    }

    /// Reads more, and forgets what is before the record.
    fn fill(&mut self) -> Result<(), Problem> {
        self.buffer.copy_within(self.begin..self.end, 0);
        for position in [&mut self.next, &mut self.end, &mut self.text] {
            *position -= self.begin;
        }
        self.begin = 0;
        match self.source.read(&mut self.buffer[self.end..]) {
            Ok(count) => {
                self.end += count;
                self.read += count as u64;
                self.ended = count == 0;
                self.check_text(self.end - count);
                self.find_quote();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Moves `text` forward, over what is new from `from` on. It stays at what is not text.
    fn check_text(&mut self, from: usize) {
        if from.saturating_sub(self.text) >= WIDEST {
            return;
        }
        let fresh = &self.buffer[self.text..self.end];
        let fresh = &fresh[..memchr(0, fresh).unwrap_or(fresh.len())];
        self.text += std::str::from_utf8(fresh).map_or_else(|error| error.valid_up_to(), str::len);
    }
}

/// How many characters a text has.
pub fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
