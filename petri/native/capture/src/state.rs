//! What is known of a capture at some block: its interfaces, the flows, the time of the first packet, and the counts.

use crate::blocks::{Found, Interface, Order, Packet, Ticks};
use crate::counts::{Counts, Drops};
use crate::flows::{self, Flows, Headers, Told};
use crate::{Kind, Packets};

#[derive(Default)]
pub struct State {
    pub order: Order,
    pub packets: u64,
    /// None where flows are not asked for.
    flows: Option<Flows>,
    counts: Counts,
    section: Section,
    /// When the first packet was [ns since 1970].
    first: Option<i128>,
}

/// A section of pcapng, or a whole pcap file.
#[derive(Default)]
struct Section {
    interfaces: Vec<Interface>,
    /// By interface, whether a packet is from it.
    used: Vec<bool>,
    drops: Drops,
    /// Of its blocks behind the header [bytes], where it says so.
    length: Option<u64>,
    read: u64,
}

impl State {
    pub fn new(flows: Option<Flows>) -> Self {
        State { flows, ..State::default() }
    }

    /// Takes in a block, `length` bytes of the file; a packet is added to `packets`.
    pub fn take(&mut self, found: Found, length: usize, packets: &mut Packets) -> Result<(), (Kind, String)> {
        if let Found::Section { order, length } = found {
            self.end_section();
            self.order = order;
            self.section.length = length;
            return Ok(());
        }
        self.section.read += length as u64;
        match found {
            Found::Interface(interface) => {
                self.section.interfaces.push(interface);
                self.section.used.push(false);
            }
            Found::Packet(packet) => self.packet(&packet, packets)?,
            Found::Dropped { interface, count } => self.section.drops.of_interface(interface, count),
            Found::Unknown(kind) => self.counts.unknown_block(kind),
            Found::Section { .. } | Found::Other => {}
        }
        Ok(())
    }

    /// At the end of the file, or where the next section begins.
    pub fn end_section(&mut self) {
        self.counts = self.counts();
        let section = std::mem::take(&mut self.section);
        self.counts.missing_bytes += section.length.map_or(0, |length| length.saturating_sub(section.read));
    }

    /// Of all that was read.
    pub fn counts(&self) -> Counts {
        let mut counts = self.counts.clone();
        counts.dropped = counts.dropped.saturating_add(self.section.drops.total());
        counts.interfaces = counts.interfaces.max(self.section.used.iter().filter(|&&used| used).count() as u64);
        counts
    }

    fn packet(&mut self, packet: &Packet, packets: &mut Packets) -> Result<(), (Kind, String)> {
        let number = packet.interface as usize;
        let known = self.section.interfaces.get(number);
        let interface =
            known.ok_or_else(|| (Kind::Damaged, format!("a packet of interface {number}, which is not described")))?;
        let clock =
            interface.clock.ok_or_else(|| (Kind::Damaged, format!("a clock of interface {number} that cannot be")))?;
        let told = self.flows.as_ref().and_then(|_| flows::tell(interface.link, packet.data));
        if told.is_none() && self.flows.is_some() {
            return Err((Kind::Link, interface.link.to_string()));
        }
        let ticks = match packet.ticks {
            Ticks::Whole(ticks) => ticks,
            Ticks::Split(seconds, rest) => clock.ticks(seconds, rest),
        };
        let instant = clock.instant(ticks);
        let since = instant - *self.first.get_or_insert(instant);
        let time = i64::try_from(since).map_err(|_| (Kind::Damaged, "its time".to_owned()))?;
        let (told, headers) = told.unwrap_or_default();
        let flow = self.flow(&told, headers);
        self.section.used[number] = true;
        self.section.drops.before_packet(packet.dropped);
        self.counts.lengths(packet.size, packet.captured);
        self.packets += 1;
        packets.times.push(time);
        packets.sizes.push(i64::from(packet.size));
        packets.captured.push(i64::from(packet.captured));
        packets.flows.push(i64::from(flow));
        packets.protocols.push(told.protocol.map_or(-1, i64::from));
        Ok(())
    }

    /// The number of a packet's flow; 0 where no flows are asked for.
    fn flow(&mut self, told: &Told, headers: Headers) -> u32 {
        let Some(flows) = &mut self.flows else { return 0 };
        match headers {
            Headers::Whole => {}
            Headers::NotInternet => self.counts.not_internet += 1,
            Headers::Fragment => self.counts.fragments += 1,
            Headers::NoPorts => self.counts.no_ports += 1,
        }
        let (flow, shared) = flows.number(told);
        self.counts.shared_flows += u64::from(shared);
        flow
    }
}
