//! The bytes of a file: unpacked where they are gzip, and UTF-8 where they are UTF-16 or UTF-32 with a byte order mark.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

pub type Source = Box<dyn Read + Send + Sync>;

const GZIP: &[u8] = b"\x1f\x8b";
/// What no UTF-8 text has: it stands for what is damaged in another encoding.
const NO_TEXT: u8 = 0xFF;
/// Bytes that are decoded at a time.
const PIECE: usize = 1 << 16;

/// A byte order mark, how many bytes a unit has, and whether its first is the highest.
const MARKS: [(&[u8], usize, bool); 5] = [
    (b"\xff\xfe\0\0", 4, false),
    (b"\0\0\xfe\xff", 4, true),
    (b"\xff\xfe", 2, false),
    (b"\xfe\xff", 2, true),
    (b"\xef\xbb\xbf", 1, false),
];

/// Opens a file, and unpacks what gzip has packed.
pub fn open(path: &Path) -> io::Result<Source> {
    let mut file = BufReader::with_capacity(PIECE, File::open(path)?);
    let packed = file.fill_buf()?.starts_with(GZIP);
    Ok(if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// The text as UTF-8. Without a byte order mark it is taken for that.
pub fn decoded(mut source: Source) -> io::Result<Source> {
    let mut start = Vec::new();
    source.by_ref().take(4).read_to_end(&mut start)?;
    let mark = MARKS.iter().find(|(mark, ..)| start.starts_with(mark));
    let (width, big) = mark.map_or((1, false), |(_, width, big)| (*width, *big));
    let rest = io::Cursor::new(start.split_off(mark.map_or(0, |(mark, ..)| mark.len()))).chain(source);
    Ok(match width {
        1 => Box::new(rest),
        _ => Box::new(Decoder { source: rest, width, big, high: None, held: Vec::new(), text: Vec::new(), next: 0 }),
    })
}

/// UTF-16 or UTF-32 as UTF-8.
struct Decoder<R> {
    source: R,
    width: usize,
    big: bool,
    /// The first half of a character of two units.
    high: Option<u32>,
    /// The bytes of a unit that is not whole yet.
    held: Vec<u8>,
    text: Vec<u8>,
    /// The first byte of `text` that was not handed over.
    next: usize,
}

impl<R: Read> Decoder<R> {
    /// Decodes the next bytes. None are left where `text` stays empty.
    fn decode(&mut self) -> io::Result<()> {
        self.text.clear();
        self.next = 0;
        while self.text.is_empty() {
            let read = self.source.by_ref().take(PIECE as u64).read_to_end(&mut self.held)?;
            let held = std::mem::take(&mut self.held);
            let units = held.chunks_exact(self.width);
            let rest = units.remainder();
            units.for_each(|unit| self.unit(unit));
            if read > 0 {
                self.held.extend_from_slice(rest);
                continue;
            }
            if !rest.is_empty() || self.high.take().is_some() {
                self.text.push(NO_TEXT);
            }
            return Ok(());
        }
        Ok(())
    }

    fn unit(&mut self, bytes: &[u8]) {
        let joined = |whole: u32, byte: &u8| whole << 8 | u32::from(*byte);
        let unit = if self.big { bytes.iter().fold(0, joined) } else { bytes.iter().rev().fold(0, joined) };
        let found = match (self.high.take(), unit) {
            (Some(high), 0xDC00..=0xDFFF) => char::from_u32(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00)),
            (Some(_), _) => None,
            (None, 0xD800..=0xDBFF) if self.width == 2 => {
                self.high = Some(unit);
                return;
            }
            (None, _) => char::from_u32(unit),
        };
        match found {
            Some(found) => self.text.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.text.push(NO_TEXT),
        }
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.text.len() {
            self.decode()?;
        }
        let count = (&self.text[self.next..]).read(buffer)?;
        self.next += count;
        Ok(count)
    }
}
