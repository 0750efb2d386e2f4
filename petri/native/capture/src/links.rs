//! What is between the link of a packet and its Internet protocol: Ethernet, wireless LAN, PPP, and labels of MPLS.

use pcap_parser::Linktype;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const MPLS: u16 = 0x8847;
const MPLS_MULTICAST: u16 = 0x8848;
const PPPOE_SESSION: u16 = 0x8864;
const SNAP: [u8; 3] = [0xaa, 0xaa, 0x03];

/// What a header is followed by.
pub enum Inner<'a> {
    Ethernet(&'a [u8]),
    /// What the number of an EtherType says.
    Typed(u16, &'a [u8]),
    /// Nothing that is understood.
    Opaque,
}

/// What tells packets apart that have no Internet addresses: those of the link, and what it carries.
pub type Link = [u8; 14];

/// What a link carries, as far as it was captured. None for a link that is not understood.
pub fn open(link: Linktype, data: &[u8]) -> Option<(Inner<'_>, Link)> {
    let inner = match link.0 {
        1 => return Some((Inner::Ethernet(data), addresses(data, 0, 14))),
        // Raw IP: the version is the first half byte. 12 and 14 are what some systems call it.
        12 | 14 | 101 | 228 | 229 => by_version(data),
        // Loopback: the address family in four bytes, in the order of the machine that captured.
        0 | 108 => by_version(rest(data, 4)),
        113 => typed(data, 14, 16),
        276 => typed(data, 0, 20),
        // PPP: alone, as in HDLC, behind the direction, and behind a header of PPPoE. Cisco's HDLC may be in its place.
        9 | 50 | 104 => match data {
            [0x0f | 0x8f, 0, ..] => typed(data, 2, 4),
            _ => ppp(data),
        },
        166 | 204 => match data {
            [0 | 1, 0x03, ..] if link.0 == 166 => ppp(rest(data, 2)),
            _ => ppp(rest(data, usize::from(link.0 == 204))),
        },
        51 => pppoe(data),
        219 => mpls(data),
        105 => return Some(wireless(data, false)),
        // Radiotap, the header of Prism and that of AVS: each says how long it is, but for the second.
        127 => {
            let padded = radiotap_flags(data).is_some_and(|flags| flags & 0x20 != 0);
            return Some(wireless(rest(data, usize::from(le16(data, 2).unwrap_or(0))), padded));
        }
        119 | 163 => {
            let length = if data.first() == Some(&0x80) { be32(data, 4).unwrap_or(0) as usize } else { 144 };
            return Some(wireless(rest(data, length), false));
        }
        // A header that says which link follows.
        192 => {
            let link = le32(data, 4).filter(|&link| link != 192)?;
            return open(Linktype(i32::try_from(link).ok()?), rest(data, usize::from(le16(data, 2)?)));
        }
        _ => return None,
    };
    let mut told = Link::default();
    if let Inner::Typed(kind, _) = inner {
        told[12..].copy_from_slice(&kind.to_be_bytes());
    }
    Some((inner, told))
}

/// What is carried below an EtherType that is no Internet protocol.
pub fn tunnel(kind: u16, data: &[u8]) -> Option<Inner<'_>> {
    match kind {
        MPLS | MPLS_MULTICAST => Some(mpls(data)),
        PPPOE_SESSION => Some(pppoe(data)),
        _ => None,
    }
}

fn by_version(data: &[u8]) -> Inner<'_> {
    match data.first().map(|byte| byte >> 4) {
        Some(4) => Inner::Typed(IPV4, data),
        Some(6) => Inner::Typed(IPV6, data),
        _ => Inner::Opaque,
    }
}

fn typed(data: &[u8], kind: usize, behind: usize) -> Inner<'_> {
    Inner::Typed(be16(data, kind).unwrap_or(0), rest(data, behind))
}

/// Labels of four bytes, of which the last has a mark. A packet begins with its version, and a frame with a control word,
/// which begins with 0 (RFC 4385).
fn mpls(data: &[u8]) -> Inner<'_> {
    let Some(last) = data.chunks_exact(4).position(|label| label[2] & 1 != 0) else { return Inner::Opaque };
    let content = rest(data, 4 * (last + 1));
    match content.first().map(|byte| byte >> 4) {
        Some(0) => Inner::Ethernet(rest(content, 4)),
        _ => by_version(content),
    }
}

/// Version and type, code, session and length are before the protocol of PPP.
fn pppoe(data: &[u8]) -> Inner<'_> {
    ppp(rest(data, 6))
}

/// Address and control of HDLC may be left out, and so may the first byte of a protocol below 256 (RFC 1661 and 1662).
fn ppp(data: &[u8]) -> Inner<'_> {
    let data = data.strip_prefix(&[0xff, 0x03]).unwrap_or(data);
    let (protocol, content) = match data {
        [short, content @ ..] if short & 1 != 0 => (u16::from(*short), content),
        [high, low, content @ ..] => (u16::from_be_bytes([*high, *low]), content),
        _ => return Inner::Opaque,
    };
    match protocol {
        0x0021 => Inner::Typed(IPV4, content),
        0x0057 => Inner::Typed(IPV6, content),
        0x0281 | 0x0283 => mpls(content),
        _ => Inner::Opaque,
    }
}

/// A frame of IEEE 802.11. padded: its header fills words of four bytes.
fn wireless(data: &[u8], padded: bool) -> (Inner<'_>, Link) {
    let link = addresses(data, 4, 12);
    (wireless_content(data, padded).unwrap_or(Inner::Opaque), link)
}

fn wireless_content(data: &[u8], padded: bool) -> Option<Inner<'_>> {
    let [control, flags, ..] = data else { return None };
    let is_data = control & 0x0c == 0x08 && control & 0x40 == 0; // with a content
    let is_later_fragment = le16(data, 22)? & 0x0f != 0;
    if !is_data || is_later_fragment || flags & 0x40 != 0 {
        return None; // or encrypted
    }
    let (has_quality, between_stations) = (control & 0x80 != 0, flags & 0x03 == 0x03);
    let quality = 24 + 6 * usize::from(between_stations);
    let length = quality + 2 * usize::from(has_quality) + 4 * usize::from(has_quality && flags & 0x80 != 0);
    let body = rest(data, if padded { length.next_multiple_of(4) } else { length });
    // Several frames in one: the first counts, behind its addresses and length.
    let aggregated = has_quality && data.get(quality)? & 0x80 != 0;
    let body = if aggregated { rest(body, 14) } else { body };
    body.starts_with(&SNAP).then(|| typed(body, 6, 8))
}

/// The flags of a header of radiotap, where they are there: behind its words of presence and the time.
fn radiotap_flags(data: &[u8]) -> Option<u8> {
    let first = le32(data, 4)?;
    let mut at = 4;
    while le32(data, at)? & 0x8000_0000 != 0 {
        at += 4;
    }
    at += 4;
    if first & 1 != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    (first & 2 != 0).then(|| data.get(at).copied())?
}

fn addresses(data: &[u8], at: usize, length: usize) -> Link {
    let mut link = Link::default();
    let found = rest(data, at);
    let length = found.len().min(length);
    link[..length].copy_from_slice(&found[..length]);
    link
}

fn rest(data: &[u8], behind: usize) -> &[u8] {
    data.get(behind..).unwrap_or_default()
}

fn be16(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..at + 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
}

fn le16(data: &[u8], at: usize) -> Option<u16> {
    be16(data, at).map(u16::swap_bytes)
}

fn be32(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..at + 4).map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn le32(data: &[u8], at: usize) -> Option<u32> {
    be32(data, at).map(u32::swap_bytes)
}
