//! Packet captures, pcap and pcapng, read block by block: when each packet came, how long it was, and of which flow it is.
//!
//! Memory does not depend on the length of the file: a block of packets, one packet's bytes, and the flows that are known
//! by number (at most [`MOST_FLOWS`]). Whatever the bytes of a file are, the worst that happens is a [`Fault`].

mod flows;

use std::fs::File;
use std::path::Path;

use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{create_reader, Block, Linktype, PcapBlockOwned, PcapError};

pub use flows::MOST_FLOWS;
use flows::{Flows, Told};

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

/// An interface of a pcapng section, or the one of a pcap file.
#[derive(Clone, Copy)]
struct Interface {
    link: Linktype,
    clock: Option<Clock>,
}

/// How long a tick of a time stamp is.
#[derive(Clone, Copy)]
struct Clock {
    ticks_per_second: u128,
    offset: i64,
}

const BILLION: i128 = 1_000_000_000;

impl Clock {
    /// Time since 1970 [ns], rounded down.
    fn instant(&self, ticks: u64) -> i128 {
        // A tick count of 64 bits times 10⁹ fits.
        (u128::from(ticks) * BILLION as u128 / self.ticks_per_second) as i128 + i128::from(self.offset) * BILLION
    }
}

/// A capture under way.
pub struct Capture {
    reader: Box<dyn PcapReaderIterator + Send>,
    interfaces: Vec<Interface>,
    flows: Option<Flows>,
    first: Option<i128>,
    packets: u64,
    ended: bool,
    /// What is wrong behind the packets that were read.
    late: Option<Fault>,
}

/// What a block of the file turned out to be.
enum Found {
    Nothing,
    Section,
    Interface(Interface),
    Packet { instant: i128, size: u32, captured: u32, told: Told },
}

impl Capture {
    /// Opens a file. `flows`: tell packets apart by flow.
    pub fn open(path: &Path, flows: bool) -> Result<Self, Fault> {
        let fault = |kind, detail: String| Fault { kind, packet: 1, detail };
        let file = File::open(path).map_err(|error| fault(Kind::Unreadable, error.to_string()))?;
        let reader = create_reader(BUFFER, file).map_err(|error| match error {
            PcapError::Eof => fault(Kind::Unknown, "it is empty".into()),
            PcapError::ReadError => fault(Kind::Unreadable, "reading fails".into()),
            PcapError::Incomplete(_) | PcapError::UnexpectedEof => fault(Kind::Truncated, String::new()),
            _ => fault(Kind::Unknown, String::new()),
        })?;
        let flows = flows.then(Flows::default);
        Ok(Capture { reader, interfaces: Vec::new(), flows, first: None, packets: 0, ended: false, late: None })
    }

    /// The next packets, at most so many; none are the end. Those before a fault come first.
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

    /// Reads the next block of the file, which may be a packet.
    fn read_block(&mut self, packets: &mut Packets) -> Result<(), Fault> {
        match self.block()? {
            Found::Nothing => {}
            Found::Section => self.interfaces.clear(),
            Found::Interface(interface) => self.interfaces.push(interface),
            Found::Packet { instant, size, captured, told } => {
                let flow = match &mut self.flows {
                    Some(flows) => flows.number(&told),
                    None => 0,
                };
                let since = instant - *self.first.get_or_insert(instant);
                let time = i64::try_from(since).map_err(|_| self.fault(Kind::Damaged, "its time".into()))?;
                self.packets += 1;
                packets.times.push(time);
                packets.sizes.push(i64::from(size));
                packets.captured.push(i64::from(captured));
                packets.flows.push(i64::from(flow));
                packets.protocols.push(told.protocol.map_or(-1, i64::from));
            }
        }
        Ok(())
    }

    fn fault(&self, kind: Kind, detail: String) -> Fault {
        Fault { kind, packet: self.packets + 1, detail }
    }

    /// The next block of the file. `ended` is set where there is none.
    fn block(&mut self) -> Result<Found, Fault> {
        loop {
            let packet = self.packets + 1;
            let fault = |kind, detail: &str| Err(Fault { kind, packet, detail: detail.to_owned() });
            let needed = match self.reader.next() {
                Ok((length, block)) => {
                    let found = look(&block, &self.interfaces, self.flows.is_some());
                    self.reader.consume(length);
                    return found.map_err(|(kind, detail)| Fault { kind, packet, detail });
                }
                Err(PcapError::Eof) => {
                    self.ended = true;
                    return Ok(Found::Nothing);
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

/// What a block says, as far as it matters here.
fn look(block: &PcapBlockOwned, interfaces: &[Interface], flows: bool) -> Result<Found, (Kind, String)> {
    match block {
        PcapBlockOwned::LegacyHeader(header) => {
            let ticks = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
            let clock = Some(Clock { ticks_per_second: ticks, offset: 0 });
            Ok(Found::Interface(Interface { link: header.network, clock }))
        }
        PcapBlockOwned::Legacy(packet) => {
            let interface = *interfaces.first().ok_or((Kind::Damaged, "a packet before the header".into()))?;
            let per_second = interface.clock.map_or(1_000_000, |clock| clock.ticks_per_second);
            let ticks = u128::from(packet.ts_sec) * per_second + u128::from(packet.ts_usec);
            told(interface, 0, ticks as u64, packet.origlen, packet.caplen, packet.data, flows)
        }
        PcapBlockOwned::NG(Block::SectionHeader(_)) => Ok(Found::Section),
        PcapBlockOwned::NG(Block::InterfaceDescription(block)) => {
            Ok(Found::Interface(Interface { link: block.linktype, clock: clock(block.if_tsresol, block.if_tsoffset) }))
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
            let number = packet.if_id as usize;
            let known = interfaces.get(number).copied();
            let interface =
                known.ok_or((Kind::Damaged, format!("a packet of interface {number}, which is not described")))?;
            let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
            let data = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
            told(interface, number, ticks, packet.origlen, packet.caplen, data, flows)
        }
        PcapBlockOwned::NG(Block::SimplePacket(_)) => Err((Kind::Timeless, String::new())),
        PcapBlockOwned::NG(_) => Ok(Found::Nothing),
    }
}

/// A resolution is a negative power of ten, or of two with the upper bit set. None where it is absurd.
fn clock(resolution: u8, offset: i64) -> Option<Clock> {
    let exponent = u32::from(resolution & 0x7f);
    let base: u128 = if resolution & 0x80 == 0 { 10 } else { 2 };
    base.checked_pow(exponent).map(|ticks_per_second| Clock { ticks_per_second, offset })
}

fn told(
    interface: Interface,
    number: usize,
    ticks: u64,
    size: u32,
    captured: u32,
    data: &[u8],
    flows: bool,
) -> Result<Found, (Kind, String)> {
    let clock = interface.clock.ok_or((Kind::Damaged, format!("a clock of interface {number} that cannot be")))?;
    let told = match flows::tell(interface.link, data) {
        Some(told) => told,
        None if flows => return Err((Kind::Link, interface.link.to_string())),
        None => Told::default(),
    };
    Ok(Found::Packet { instant: clock.instant(ticks), size, captured, told })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_of_any_resolution() {
        let instant = |resolution, ticks| clock(resolution, 0).map(|clock| clock.instant(ticks));
        assert_eq!(instant(6, 1_500_000), Some(1_500_000_000));
        assert_eq!(instant(9, u64::MAX), Some(i128::from(u64::MAX)));
        assert_eq!(instant(0x80 | 1, 3), Some(1_500_000_000));
        assert_eq!(instant(12, 1_999), Some(1));
        assert_eq!(clock(100, 0).map(|clock| clock.ticks_per_second), None);
        assert_eq!(clock(6, -2).map(|clock| clock.instant(0)), Some(-2_000_000_000));
    }

    #[test]
    fn flows_beyond_the_most_share_numbers() {
        let mut flows = Flows::default();
        let frame = |n: u32| {
            let mut data = vec![0; 14];
            data[..4].copy_from_slice(&n.to_be_bytes());
            flows::tell(Linktype::ETHERNET, &data).unwrap_or_default()
        };
        for n in 0..MOST_FLOWS {
            assert_eq!(flows.number(&frame(n)), n);
        }
        let shared = flows.number(&frame(MOST_FLOWS));
        assert!(shared < MOST_FLOWS);
        assert_eq!(flows.number(&frame(MOST_FLOWS)), shared);
        assert_eq!(flows.number(&frame(7)), 7);
    }
}
