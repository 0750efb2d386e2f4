//! Counts whatever in a capture is not a packet as it was on the wire, so that nothing is skipped silently.

use std::collections::BTreeMap;

/// The number of types of unknown blocks that are counted separately. Blocks of further types are counted under the greatest
/// type.
const MOST_TYPES: usize = 8;

/// Counts of packets, except where it says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Blocks of types that are not known, by type: they may hold packets.
    pub unknown_blocks: BTreeMap<u32, u64>,
    /// Lost before they came into the file, as the file itself says.
    pub dropped: u64,
    /// Bytes by which sections are shorter than they say.
    pub missing_bytes: u64,
    /// Of which the file holds only the beginning.
    pub cut: u64,
    /// Of which the file holds more bytes than there were on the wire, as it says.
    pub longer: u64,
    /// Of no length.
    pub empty: u64,
    /// Without Internet addresses, where flows are asked for.
    pub not_internet: u64,
    /// Fragments, whose ports are not known, where flows are asked for.
    pub fragments: u64,
    /// TCP or UDP, but cut before their ports, where flows are asked for.
    pub no_ports: u64,
    /// Whose flow shares its number with another.
    pub shared_flows: u64,
    /// Interfaces that packets are from: the most of a section.
    pub interfaces: u64,
}

impl Counts {
    pub fn unknown_block(&mut self, kind: u32) {
        let full = self.unknown_blocks.len() >= MOST_TYPES && !self.unknown_blocks.contains_key(&kind);
        let kind = if full { self.unknown_blocks.keys().next_back().copied().unwrap_or(kind) } else { kind };
        *self.unknown_blocks.entry(kind).or_default() += 1;
    }

    pub fn lengths(&mut self, size: u32, captured: u32) {
        self.cut += u64::from(captured < size);
        self.longer += u64::from(captured > size);
        self.empty += u64::from(size == 0);
    }
}

/// What a section says of packets that were lost before they came into it: with each packet, or at its end.
#[derive(Default)]
pub struct Drops {
    beside_packets: u64,
    /// The last statistics of each interface, which count from the beginning.
    statistics: BTreeMap<u32, u64>,
}

impl Drops {
    /// Lost between a packet and the one before it.
    pub fn before_packet(&mut self, count: u64) {
        self.beside_packets = self.beside_packets.saturating_add(count);
    }

    pub fn of_interface(&mut self, interface: u32, count: u64) {
        self.statistics.insert(interface, count);
    }

    /// Both ways count the same packets.
    pub fn total(&self) -> u64 {
        let counted = self.statistics.values().fold(0, |total: u64, &count| total.saturating_add(count));
        self.beside_packets.max(counted)
    }
}
