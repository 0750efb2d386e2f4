//! Flows: packets of the same addresses, protocol and ports, in one direction.

use std::collections::HashMap;
use std::net::IpAddr;

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice};
use pcap_parser::Linktype;

use crate::links::{open, tunnel, Inner, Link};

/// Flows that get a number of their own; later ones share these numbers.
pub const MOST_FLOWS: u32 = 1 << 20;

const TCP: u8 = 6;
const UDP: u8 = 17;
/// Links within links that are followed.
const DEEPEST: usize = 8;

/// What distinguishes flows: two packets that agree in all of it are of one flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Told {
    addresses: Option<(IpAddr, IpAddr)>,
    /// Where the packet has no Internet addresses: those of the link and what it carries, as far as they are there.
    link: Link,
    pub protocol: Option<u8>,
    ports: (u16, u16),
}

/// Flows that are looked for before the table, whose keys are dear to hash.
const RECENT: usize = 256;

/// Numbers in order of first appearance. The table keeps its keys from being guessed, the numbers do not depend on it.
pub struct Flows {
    numbers: HashMap<Told, u32>,
    /// Flows of late, by their ports and the ends of their addresses.
    recent: [Option<(Told, u32)>; RECENT],
}

impl Default for Flows {
    fn default() -> Self {
        Flows { numbers: HashMap::new(), recent: [const { None }; RECENT] }
    }
}

impl Flows {
    /// The number of a flow, and whether it shares it with another.
    pub fn number(&mut self, told: &Told) -> (u32, bool) {
        let place = told.place();
        match &self.recent[place] {
            Some((known, number)) if known == told => return (*number, false),
            _ => {}
        }
        let (number, shared) = self.find(told);
        if !shared {
            self.recent[place] = Some((told.clone(), number));
        }
        (number, shared)
    }

    fn find(&mut self, told: &Told) -> (u32, bool) {
        if let Some(&number) = self.numbers.get(told) {
            return (number, false);
        }
        let number = self.numbers.len() as u32;
        if number >= MOST_FLOWS {
            return (told.hash() % MOST_FLOWS, true);
        }
        self.numbers.insert(told.clone(), number);
        (number, false)
    }
}

/// Which of the headers that distinguish flows a packet has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headers {
    /// All that its protocol has.
    Whole,
    /// No Internet addresses.
    #[default]
    NotInternet,
    /// A fragment of a packet: addresses and protocol alone distinguish its flow.
    Fragment,
    /// TCP or UDP, but the ports were not captured.
    NoPorts,
}

impl Told {
    /// Where it is among the recent flows.
    fn place(&self) -> usize {
        let end = |address: &IpAddr| match address {
            IpAddr::V4(address) => address.octets()[3],
            IpAddr::V6(address) => address.octets()[15],
        };
        let ends = self.addresses.as_ref().map_or(0, |(from, to)| end(from) ^ end(to).rotate_left(4));
        let [high, low] = (self.ports.0 ^ self.ports.1.rotate_left(4)).to_be_bytes();
        usize::from(ends ^ high ^ low) % RECENT
    }

    /// The same on every machine: FNV-1a of 32 bits.
    fn hash(&self) -> u32 {
        let mut bytes = self.link.to_vec();
        for address in self.addresses.iter().flat_map(|(from, to)| [from, to]) {
            match address {
                IpAddr::V4(address) => bytes.extend(address.octets()),
                IpAddr::V6(address) => bytes.extend(address.octets()),
            }
        }
        bytes.extend(self.protocol);
        bytes.extend(self.ports.0.to_be_bytes());
        bytes.extend(self.ports.1.to_be_bytes());
        bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}

/// What a packet's headers say, as far as they were captured. None for a link that is not understood.
pub fn tell(link: Linktype, data: &[u8]) -> Option<(Told, Headers)> {
    let (mut inner, link) = open(link, data)?;
    for _ in 0..DEEPEST {
        let packet = match inner {
            Inner::Ethernet(data) => LaxSlicedPacket::from_ethernet(data).ok(),
            Inner::Typed(kind, data) => Some(LaxSlicedPacket::from_ether_type(EtherType(kind), data)),
            Inner::Opaque => None,
        };
        let Some(packet) = packet else { break };
        let (told, headers) = read(&packet);
        if told.addresses.is_some() {
            return Some((told, headers));
        }
        let Some(next) = packet.ether_payload().and_then(|content| tunnel(content.ether_type.0, content.payload))
        else {
            break;
        };
        inner = next;
    }
    Some((Told { link, ..Told::default() }, Headers::NotInternet))
}

fn read(packet: &LaxSlicedPacket) -> (Told, Headers) {
    let mut told = Told::default();
    let mut headers = Headers::NotInternet;
    match &packet.net {
        Some(LaxNetSlice::Ipv4(ip)) => {
            let header = ip.header();
            told.addresses = Some((header.source_addr().into(), header.destination_addr().into()));
            told.protocol = Some(ip.payload().ip_number.0);
            headers = if ip.payload().fragmented { Headers::Fragment } else { Headers::Whole };
        }
        Some(LaxNetSlice::Ipv6(ip)) => {
            let header = ip.header();
            told.addresses = Some((header.source_addr().into(), header.destination_addr().into()));
            told.protocol = Some(ip.payload().ip_number.0);
            headers = if ip.payload().fragmented { Headers::Fragment } else { Headers::Whole };
        }
        _ => {}
    }
    told.ports = match &packet.transport {
        Some(TransportSlice::Udp(udp)) => (udp.source_port(), udp.destination_port()),
        Some(TransportSlice::Tcp(tcp)) => (tcp.source_port(), tcp.destination_port()),
        _ => {
            if headers == Headers::Whole && matches!(told.protocol, Some(TCP | UDP)) {
                headers = Headers::NoPorts;
            }
            (0, 0)
        }
    };
    (told, headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_beyond_the_most_share_numbers() {
        let mut flows = Flows::default();
        let frame = |n: u32| {
            let mut data = vec![0; 14];
            data[..4].copy_from_slice(&n.to_be_bytes());
            tell(Linktype::ETHERNET, &data).unwrap_or_default().0
        };
        for n in 0..MOST_FLOWS {
            assert_eq!(flows.number(&frame(n)), (n, false));
        }
        let (number, shared) = flows.number(&frame(MOST_FLOWS));
        assert!(number < MOST_FLOWS && shared);
        assert_eq!(flows.number(&frame(MOST_FLOWS)), (number, true));
        assert_eq!(flows.number(&frame(7)), (7, false));
    }
}
