"""Frames of links other than Ethernet, made by code, and what tshark 4.0 says of each: whose packet it is."""

from __future__ import annotations

import struct

from .files import ethernet, ip, ports

IPV4, IPV6, ARP, MPLS, PPPOE = 0x0800, 0x86DD, 0x0806, 0x8847, 0x8864
STATIONS = b"\2" * 6 + b"\4" * 6 + b"\6" * 6


def four(source: int) -> bytes:
    """Return a UDP packet from this port."""
    return ip("10.0.0.1", "10.0.0.2", ports(source, 80, 17) + b"xyz", 17)


def six(source: int) -> bytes:
    """Return a TCP packet from this port."""
    return ip("fe80::1", "fe80::2", ports(source, 443, 6) + b"xyz", 6)


def labelled(content: bytes, *labels: int) -> bytes:
    """Behind labels of MPLS."""
    marks = [label << 12 | (number == len(labels)) << 8 | 64 for number, label in enumerate(labels, 1)]
    return struct.pack(f"!{len(marks)}I", *marks) + content


def session(content: bytes) -> bytes:
    """PPP over Ethernet."""
    return struct.pack("!BBHH", 0x11, 0, 7, len(content)) + content


def snap(kind: int, content: bytes) -> bytes:
    return b"\xaa\xaa\x03\0\0\0" + struct.pack("!H", kind) + content


def wireless(
    body: bytes, control: int = 0x08, flags: int = 0, quality: int | None = None, more: bytes = b"", fragment: int = 0
) -> bytes:
    """Return a frame of IEEE 802.11."""
    head = bytes([control | (0x80 if quality is not None else 0), flags]) + b"\0\0" + STATIONS
    head += struct.pack("<H", fragment) + (b"\x08" * 6 if flags & 3 == 3 else b"")
    return head + (b"" if quality is None else struct.pack("<H", quality)) + more + body


def radiotap(frame: bytes, fields: bytes = b"", *present: int) -> bytes:
    words = struct.pack(f"<{len(present) or 1}I", *(present or (0,)))
    return struct.pack("<BBH", 0, 0, 4 + len(words) + len(fields)) + words + fields + frame


NONE = None
"""Without Internet addresses."""

LINKS: dict[int, list[tuple[bytes, int | None]]] = {
    1: [
        (ethernet(labelled(four(1), 16), MPLS), 1),
        (ethernet(labelled(six(2), 16, 17, 18), MPLS), 2),
        (ethernet(labelled(four(3), 16, 17), 0x8848), 3),
        (ethernet(labelled(b"\0\0\0\0" + ethernet(four(4)), 99), MPLS), 4),
        (ethernet(labelled(four(1), 5), MPLS, vlan=5), 1),
        (ethernet(session(b"\0\x21" + four(5)), PPPOE), 5),
        (ethernet(session(b"\0\x57" + six(6)), PPPOE, vlan=9), 6),
        (ethernet(session(b"\xc0\x21\1\1\0\4"), PPPOE), NONE),
        (ethernet(labelled(b"", 16), MPLS), NONE),
        (ethernet(labelled(b"", 16)[:3], MPLS), NONE),
        (ethernet(labelled(b"\x45", 16), MPLS), NONE),
    ],
    9: [  # PPP
        (b"\0\x21" + four(1), 1),
        (b"\xff\x03\0\x21" + four(2), 2),
        (b"\x21" + four(1), 1),
        (b"\xff\x03\x57" + six(3), 3),
        (b"\xff\x03\x02\x81" + labelled(four(4), 5), 4),
        (b"\xff\x03\xc0\x21\1\1\0\4", NONE),
        (b"\0", NONE),
    ],
    50: [(b"\xff\x03\0\x21" + four(1), 1), (b"\x0f\0\x08\0" + four(2), 2)],  # in HDLC, or Cisco's
    51: [(session(b"\0\x21" + four(1)), 1), (session(b"\0\x57" + six(2)), 2)],
    104: [
        (b"\x0f\0\x08\0" + four(1), 1),
        (b"\x8f\0\x86\xdd" + six(2), 2),
        (b"\x0f\0\x88\x47" + labelled(four(1), 1, 2), 1),
        (b"\x8f\0\x80\x35" + b"\0" * 16, NONE),
    ],
    166: [(b"\0\x03\0\x21" + four(1), 1), (b"\1\x03\0\x57" + six(2), 2)],
    204: [(b"\0\xff\x03\0\x21" + four(1), 1), (b"\1\0\x57" + six(2), 2)],
    219: [(labelled(four(1), 7), 1), (labelled(six(2), 7, 8), 2)],
    105: [
        (wireless(snap(IPV4, four(1))), 1),
        (wireless(snap(IPV6, six(2)), flags=1), 2),
        (wireless(snap(IPV4, four(1)), quality=0), 1),
        (wireless(snap(IPV4, four(3)), flags=3), 3),
        (wireless(snap(IPV4, four(4)), flags=3, quality=5), 4),
        (wireless(snap(IPV4, four(5)), flags=0x80, quality=0, more=b"\0" * 4), 5),
        (wireless(STATIONS[:12] + struct.pack("!H", 39) + snap(IPV4, four(6)), quality=0x80), 6),
        (wireless(snap(IPV4, four(7)), flags=0x40), NONE),  # encrypted
        (wireless(b"", control=0x48), NONE),
        (wireless(b"\0" * 20, control=0x80), NONE),  # a beacon
        (wireless(b"data" * 9, fragment=1), NONE),
        (wireless(snap(ARP, b"\0" * 28)), NONE),
        (b"\xd4\0\0\0" + STATIONS[:6], NONE),
    ],
    127: [
        (radiotap(wireless(snap(IPV4, four(1)))), 1),
        (radiotap(wireless(snap(IPV4, four(2)), quality=0, more=b"\0\0"), b"\x20\0", 2), 2),
        (radiotap(wireless(snap(IPV6, six(3)), quality=0, more=b"\0\0"), b"\0" * 8 + b"\x20\0", 3), 3),
        (radiotap(wireless(snap(IPV4, four(4)), quality=0), b"\0" * 10, 3), 4),
        (
            radiotap(
                wireless(snap(IPV4, four(1)), quality=0, more=b"\0\0"), b"\0" * 12 + b"\x20\0\0\0", 0x80000003, 0x20
            ),
            1,
        ),
        (radiotap(b""), NONE),
        (b"\0\0\xff\xff", NONE),
        (b"\0", NONE),
    ],
    119: [(struct.pack("<II", 0x44, 144) + b"\0" * 136 + wireless(snap(IPV4, four(1))), 1)],
    163: [(struct.pack("!II", 0x80211001, 64) + b"\0" * 56 + wireless(snap(IPV4, four(1))), 1)],
    192: [
        (struct.pack("<BBHI", 0, 0, 8, 105) + wireless(snap(IPV4, four(1))), 1),
        (struct.pack("<BBHI", 0, 0, 8, 1) + ethernet(six(2), IPV6), 2),
    ],
}
"""By the number of the link: frames, each with the source port of its packet, which tells flows apart."""
