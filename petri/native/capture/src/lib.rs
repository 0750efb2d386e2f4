//! Packet captures, pcap and pcapng, read block by block: when each packet came, how long it was, and of which flow it is.
//!
//! Memory does not depend on the length of the file: a block of packets, one packet's bytes, and the flows that are known
//! by number (at most [`MOST_FLOWS`]). Whatever the bytes of a file are, the worst that happens is a [`Fault`].

mod blocks;
mod clock;
mod counts;
mod flows;
mod links;
mod state;

use std::io::{self, Read};

use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{create_reader, PcapError};

use blocks::look;
pub use counts::Counts;
use flows::Flows;
pub use flows::MOST_FLOWS;
use state::State;

/// The buffer to begin with, and the largest block of a file that is read [bytes].
const BUFFER: usize = 1 << 18;
const LARGEST_BLOCK: usize = 1 << 24;

/// Why a capture cannot be read any further. `packet` counts from 1: the first one that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: Kind,
    pub packet: u64,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The file cannot be opened, or read.
    Unreadable,
    /// No capture at all.
    Unknown,
    /// It ends within a packet.
    Truncated,
    /// A block that is none, or one that is too large.
    Damaged,
    /// A packet without a time.
    Timeless,
    /// Flows are asked for, and the kind of link is none whose packets are understood.
    Link,
}

/// Packets, one after the other, column by column.
#[derive(Debug, Default)]
pub struct Packets {
    /// Since the first packet of the file [ns].
    pub times: Vec<i64>,
    /// On the wire [bytes].
    pub sizes: Vec<i64>,
    /// As far as they are in the file [bytes].
    pub captured: Vec<i64>,
    /// Numbers in order of first appearance; 0 where no flows were asked for.
    pub flows: Vec<i64>,
    /// Of the Internet protocol (6 is TCP, 17 UDP), -1 where there is none.
    pub protocols: Vec<i64>,
}

/// A capture under way.
pub struct Capture {
    reader: Box<dyn PcapReaderIterator + Send>,
    state: State,
    ended: bool,
    /// What is wrong behind the packets that were read.
    late: Option<Fault>,
}

/// Fills what it is given as far as the file goes: where the first read is short, the parser takes it for all there is.
struct Full<R>(R);

impl<R: Read> Read for Full<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

impl Capture {
    /// Begins with the first bytes of a file. `flows`: number packets by flow.
    pub fn of(source: impl Read + Send + 'static, flows: bool) -> Result<Self, Fault> {
        let fault = |kind, detail: String| Fault { kind, packet: 1, detail };
        let reader = create_reader(BUFFER, Full(source)).map_err(|error| match error {
            PcapError::Eof => fault(Kind::Unknown, "it is empty".into()),
            PcapError::ReadError => fault(Kind::Unreadable, "reading fails".into()),
            PcapError::Incomplete(_) | PcapError::UnexpectedEof => fault(Kind::Truncated, String::new()),
            _ => fault(Kind::Unknown, String::new()),
        })?;
        let state = State::new(flows.then(Flows::default));
        Ok(Capture { reader, state, ended: false, late: None })
    }

    /// The next packets, at most `most`; none at the end of the capture. The packets before a fault come first, the next call
    /// returns the fault.
    pub fn read(&mut self, most: usize) -> Result<Packets, Fault> {
        let mut packets = Packets::default();
        while packets.times.len() < most && !self.ended && self.late.is_none() {
            self.late = self.read_block(&mut packets).err();
        }
        match self.late.clone() {
            Some(fault) if packets.times.is_empty() => Err(fault),
            _ => Ok(packets),
        }
    }

    /// The counts over all that was read so far.
    pub fn counts(&self) -> Counts {
        self.state.counts()
    }

    /// Reads the next block of the file, which may be a packet. `ended` is set where there is none.
    fn read_block(&mut self, packets: &mut Packets) -> Result<(), Fault> {
        loop {
            let packet = self.state.packets + 1;
            let fault = |kind, detail: &str| Err(Fault { kind, packet, detail: detail.to_owned() });
            let needed = match self.reader.next() {
                Ok((length, block)) => {
                    let found = look(&block, self.state.order);
                    let taken = found.and_then(|found| self.state.take(found, length, packets));
                    self.reader.consume(length);
                    return taken.map_err(|(kind, detail)| Fault { kind, packet, detail });
                }
                Err(PcapError::Eof) => {
                    self.ended = true;
                    self.state.end_section();
                    return Ok(());
                }
                Err(PcapError::UnexpectedEof) => return fault(Kind::Truncated, ""),
                Err(PcapError::ReadError) => return fault(Kind::Unreadable, "reading fails"),
                Err(PcapError::Incomplete(needed)) => Some(needed),
                Err(PcapError::BufferTooSmall) => None,
                Err(_) => return fault(Kind::Damaged, "a block that is none"),
            };
            self.more(needed)?;
        }
    }

    fn fault(&self, kind: Kind, detail: String) -> Fault {
        Fault { kind, packet: self.state.packets + 1, detail }
    }

    /// Reads on, where a block is not in the buffer as a whole.
    fn more(&mut self, needed: Option<usize>) -> Result<(), Fault> {
        let held = self.reader.data().len();
        let wanted = needed.map_or(2 * held, |needed| held.saturating_add(needed)).max(BUFFER);
        if held >= LARGEST_BLOCK || wanted > 2 * LARGEST_BLOCK {
            return Err(self.fault(Kind::Damaged, format!("a block larger than {} MiB", LARGEST_BLOCK >> 20)));
        }
        self.reader.grow(wanted.next_power_of_two());
        let failed = self.reader.refill().is_err();
        if failed {
            return Err(self.fault(Kind::Unreadable, "reading fails".into()));
        }
        if held > 0 && self.reader.data().len() == held && self.reader.reader_exhausted() {
            return Err(self.fault(Kind::Truncated, String::new()));
        }
        Ok(())
    }
}
