//! What a block of a file is, as far as it matters here.

use pcap_parser::pcapng::{
    Block, EnhancedPacketBlock, InterfaceDescriptionBlock, InterfaceStatisticsBlock, OptionCode, PcapNGOption,
    UnknownBlock,
};
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{LegacyPcapBlock, Linktype, PcapBlockOwned, PcapHeader};

use crate::clock::Clock;
use crate::Kind;

const PACKET_BLOCK: u32 = 2;
const PACKET_HEADER: usize = 20;
/// Of a block, with both its lengths [bytes].
const INTERFACE_HEADER: usize = 20;
const ENHANCED_HEADER: usize = 32;
const STATISTICS_HEADER: usize = 24;
const OPTION_HEADER: usize = 4;
/// What an old packet block says where it does not know how many were dropped.
const DROPS_UNKNOWN: u16 = u16::MAX;
const IF_TSRESOL: OptionCode = OptionCode(9);
const IF_TSOFFSET: OptionCode = OptionCode(14);
const EPB_DROPCOUNT: OptionCode = OptionCode(4);
const ISB_IFDROP: OptionCode = OptionCode(5);
const ISB_OSDROP: OptionCode = OptionCode(7);

/// An interface of a pcapng section, or the one of a pcap file.
#[derive(Clone, Copy)]
pub struct Interface {
    pub link: Linktype,
    /// None where a tick is too short to be true.
    pub clock: Option<Clock>,
}

/// The byte order of a section.
#[derive(Clone, Copy, Default)]
pub struct Order {
    pub big: bool,
}

/// A packet as its block has it.
pub struct Packet<'a> {
    pub interface: u32,
    pub ticks: Ticks,
    pub size: u32,
    pub captured: u32,
    pub data: &'a [u8],
    /// Packets that were lost before it.
    pub dropped: u64,
}

/// A time stamp.
pub enum Ticks {
    Whole(u64),
    Split(u32, u32),
}

/// What a block turned out to be.
pub enum Found<'a> {
    Section {
        order: Order,
        length: Option<u64>,
    },
    Interface(Interface),
    Packet(Packet<'a>),
    /// Packets that were lost, counted from the beginning of the section.
    Dropped {
        interface: u32,
        count: u64,
    },
    /// No packet.
    Other,
    /// Of a type that is not known.
    Unknown(u32),
}

pub type Looked<'a> = Result<Found<'a>, (Kind, String)>;

/// `order` is that of the section.
pub fn look<'a>(block: &'a PcapBlockOwned<'a>, order: Order) -> Looked<'a> {
    let found = match block {
        PcapBlockOwned::LegacyHeader(header) => Found::Interface(interface_of_file(header)?),
        PcapBlockOwned::Legacy(packet) => Found::Packet(packet_of_file(packet)),
        PcapBlockOwned::NG(Block::SectionHeader(header)) => {
            both_lengths(header.block_len1, header.block_len2)?;
            known_version("pcapng", header.major_version == 1, header.major_version, header.minor_version)?;
            Found::Section { order: Order { big: header.big_endian() }, length: u64::try_from(header.section_len).ok() }
        }
        PcapBlockOwned::NG(Block::InterfaceDescription(block)) => Found::Interface(interface(block, order)?),
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => Found::Packet(enhanced(packet, order)?),
        PcapBlockOwned::NG(Block::SimplePacket(_)) => return Err((Kind::Timeless, String::new())),
        PcapBlockOwned::NG(Block::InterfaceStatistics(block)) => statistics(block, order)?,
        PcapBlockOwned::NG(Block::Unknown(block)) => unknown(block, order)?,
        PcapBlockOwned::NG(Block::SystemdJournalExport(block)) => {
            both_lengths(block.block_len1, block.block_len2)?;
            Found::Other
        }
        PcapBlockOwned::NG(
            Block::NameResolution(_) | Block::DecryptionSecrets(_) | Block::ProcessInformation(_) | Block::Custom(_),
        ) => Found::Other,
    };
    Ok(found)
}

/// The parser does not compare them in every block, and a wrong one would skip what follows.
fn both_lengths(first: u32, second: u32) -> Result<(), (Kind, String)> {
    if first == second {
        return Ok(());
    }
    Err((Kind::Damaged, format!("a block says {first} bytes at its start, {second} at its end")))
}

/// Another version may lay its blocks out in another way.
fn known_version(format: &str, known: bool, major: u16, minor: u16) -> Result<(), (Kind, String)> {
    let fault = || (Kind::Unknown, format!("it is of version {major}.{minor} of {format}, which pnsim does not know"));
    known.then_some(()).ok_or_else(fault)
}

fn interface_of_file(header: &PcapHeader) -> Result<Interface, (Kind, String)> {
    // Up to version 2.3, the two lengths of a packet may be exchanged.
    let known = header.version_major == 2 && header.version_minor >= 4;
    known_version("pcap", known, header.version_major, header.version_minor)?;
    let clock = if header.is_nanosecond_precision() { Clock::NANOSECONDS } else { Clock::MICROSECONDS };
    // The upper bits say how long the frame check sequence is.
    Ok(Interface { link: Linktype(header.network.0 & 0x03ff_ffff), clock: Some(clock) })
}

fn packet_of_file<'a>(packet: &LegacyPcapBlock<'a>) -> Packet<'a> {
    Packet {
        interface: 0,
        ticks: Ticks::Split(packet.ts_sec, packet.ts_usec),
        size: packet.origlen,
        captured: packet.caplen,
        data: packet.data,
        dropped: 0,
    }
}

fn interface(block: &InterfaceDescriptionBlock, order: Order) -> Result<Interface, (Kind, String)> {
    all_options(&block.options, INTERFACE_HEADER, block.block_len1)?;
    // Not the parser's own reading of them: it takes offsets of either byte order for little-endian.
    let resolution = match option(&block.options, IF_TSRESOL) {
        Some([resolution]) => *resolution,
        Some(_) => return Err(wrong_length("if_tsresol")),
        None => 6,
    };
    let offset = match option(&block.options, IF_TSOFFSET) {
        Some(bytes) => order.u64(bytes).ok_or_else(|| wrong_length("if_tsoffset"))? as i64,
        None => 0,
    };
    Ok(Interface { link: block.linktype, clock: Clock::new(resolution, offset) })
}

fn enhanced<'a>(packet: &'a EnhancedPacketBlock<'a>, order: Order) -> Result<Packet<'a>, (Kind, String)> {
    all_options(&packet.options, ENHANCED_HEADER + packet.data.len(), packet.block_len1)?;
    Ok(Packet {
        interface: packet.if_id,
        ticks: Ticks::Whole(u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low)),
        size: packet.origlen,
        captured: packet.caplen,
        data: packet.packet_data(),
        dropped: count(&packet.options, EPB_DROPCOUNT, "epb_dropcount", order)?,
    })
}

fn statistics<'a>(block: &InterfaceStatisticsBlock, order: Order) -> Looked<'a> {
    all_options(&block.options, STATISTICS_HEADER, block.block_len1)?;
    let by_interface = count(&block.options, ISB_IFDROP, "isb_ifdrop", order)?;
    let by_system = count(&block.options, ISB_OSDROP, "isb_osdrop", order)?;
    Ok(Found::Dropped { interface: block.if_id, count: by_interface.saturating_add(by_system) })
}

fn unknown<'a>(block: &UnknownBlock<'a>, order: Order) -> Looked<'a> {
    both_lengths(block.block_len1, block.block_len2)?;
    let kind = if order.big { block.block_type.swap_bytes() } else { block.block_type };
    if kind == PACKET_BLOCK {
        old_packet(block.data, order).map(Found::Packet)
    } else {
        Ok(Found::Unknown(kind))
    }
}

/// A Packet Block, which pcapng has replaced by the Enhanced Packet Block, and which the parser does not know.
fn old_packet(content: &[u8], order: Order) -> Result<Packet<'_>, (Kind, String)> {
    let short = || (Kind::Damaged, "a packet block that is too short for its packet".to_owned());
    let (head, rest) = content.split_at_checked(PACKET_HEADER).ok_or_else(short)?;
    let word = |at: usize| order.u32(&head[at..at + 4]);
    let dropped = order.u16(&head[2..4]);
    let captured = word(12);
    let data = usize::try_from(captured).ok().and_then(|length| rest.get(..length)).ok_or_else(short)?;
    Ok(Packet {
        interface: u32::from(order.u16(&head[..2])),
        ticks: Ticks::Whole(u64::from(word(4)) << 32 | u64::from(word(8))),
        size: word(16),
        captured,
        data,
        dropped: if dropped == DROPS_UNKNOWN { 0 } else { u64::from(dropped) },
    })
}

/// The parser leaves out an option that goes beyond its block, and all behind it. `head`: the bytes of the block that are
/// not options; `length`: all of them.
fn all_options(options: &[PcapNGOption], head: usize, length: u32) -> Result<(), (Kind, String)> {
    let read: usize = options.iter().map(|option| OPTION_HEADER + option.value.len()).sum();
    if head + read == length as usize || options.iter().any(|option| option.code == OptionCode::EndOfOpt) {
        return Ok(());
    }
    Err((Kind::Damaged, "an option that goes beyond its block".to_owned()))
}

fn wrong_length(name: &str) -> (Kind, String) {
    (Kind::Damaged, format!("the option {name} is not of its length"))
}

/// What an option counts; 0 where it is missing.
fn count(options: &[PcapNGOption], code: OptionCode, name: &str, order: Order) -> Result<u64, (Kind, String)> {
    match option(options, code) {
        Some(bytes) => order.u64(bytes).ok_or_else(|| wrong_length(name)),
        None => Ok(0),
    }
}

/// The value of an option without its padding; options behind the one that ends them are none.
fn option<'a>(options: &'a [PcapNGOption<'a>], code: OptionCode) -> Option<&'a [u8]> {
    let real = options.iter().take_while(|option| option.code != OptionCode::EndOfOpt);
    real.filter(|option| option.code == code).find_map(|option| option.as_bytes().ok())
}

impl Order {
    fn u16(self, bytes: &[u8]) -> u16 {
        let bytes = [bytes[0], bytes[1]];
        if self.big {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        }
    }

    fn u32(self, bytes: &[u8]) -> u32 {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        if self.big {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }

    /// None where there are more or fewer than eight bytes.
    fn u64(self, bytes: &[u8]) -> Option<u64> {
        let bytes = <[u8; 8]>::try_from(bytes).ok()?;
        Some(if self.big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }
}
