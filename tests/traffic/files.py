"""Recordings for tests, made by code: text, and captures as libpcap and pcapng lay them out."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from petri.engine.marking import Marking
from petri.net import Net, Token
from petri.traffic import Recordings

NET = """
net recorded
time us
type Packet = {{ time: Time, size: Bytes, flow: {flow} }}
place packets : Packet = stream()
place idle  = token
place queue : Packet fifo
place line  = token
transition arrive: packets(p), idle -> idle, queue(p)   takes max(p.time - now, 0 us)
transition send:   queue(p), line -> line               takes exp(p.size / 1 Gbps)
measure sent  = count(send)
measure bytes = count(send, p.size)
measure flows = p.flow at send   record max
measure last  = p.time at arrive record max
run until dead
"""


def net(flow: str = "int") -> str:
    return NET.format(flow=flow)


@dataclass(frozen=True)
class Sent:
    """A packet: when [ns since 1970], how long on the wire, and what there is of it."""

    nanoseconds: int
    size: int
    data: bytes


def ethernet(content: bytes, kind: int = 0x0800, vlan: int | None = None) -> bytes:
    tag = b"" if vlan is None else struct.pack("!HH", 0x8100, vlan)
    return b"\2" * 6 + b"\4" * 6 + tag + struct.pack("!H", kind) + content


def ports(source: int, target: int, protocol: int) -> bytes:
    rest = struct.pack("!HH", 8, 0) if protocol == 17 else struct.pack("!IIHHHH", 1, 2, 0x5000, 100, 0, 0)
    return struct.pack("!HH", source, target) + rest


def ip(source: str, target: str, content: bytes, protocol: int = 17, offset: int = 0) -> bytes:
    """Return an IPv4 or IPv6 packet. `offset` makes it a later fragment (IPv4)."""
    if ip_address(source).version == 6:
        head = struct.pack("!IHBB", 6 << 28, len(content), protocol, 64)
    else:
        length = 20 + len(content)
        head = struct.pack("!BBHHHBBH", 0x45, 0, length, 7, offset, 64, protocol, 0)
    return head + ip_address(source).packed + ip_address(target).packed + content


def pcap(packets: Sequence[Sent], *, nano: bool = False, big: bool = False, link: int = 1) -> bytes:
    order = ">" if big else "<"
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    out = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for packet in packets:
        seconds, rest = divmod(packet.nanoseconds, 10**9)
        tick = rest if nano else rest // 1000
        out += struct.pack(f"{order}IIII", seconds, tick, len(packet.data), packet.size) + packet.data
    return out


def block(kind: int, content: bytes, order: str = "<") -> bytes:
    content += b"\0" * (-len(content) % 4)
    length = struct.pack(f"{order}I", len(content) + 12)
    return struct.pack(f"{order}I", kind) + length + content + length


def pcapng(
    packets: Sequence[Sent], *, resolution: int = 9, big: bool = False, link: int = 1, simple: bool = False
) -> bytes:
    """Resolution: of the time stamps, as pcapng writes it (9: ns; 0x80 + n: halvings of a second)."""
    order = ">" if big else "<"
    out = block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    options = struct.pack(f"{order}HHB3xHH", 9, 1, resolution, 0, 0)
    out += block(1, struct.pack(f"{order}HHI", link, 0, 65535) + options, order)
    out += block(0x0BAD, b"unknown blocks are skipped", order)
    per_second = 2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution
    for packet in packets:
        if simple:
            out += block(3, struct.pack(f"{order}I", packet.size) + packet.data, order)
            continue
        tick = packet.nanoseconds * per_second // 10**9
        head = struct.pack(f"{order}IIIII", 0, tick >> 32, tick & 0xFFFFFFFF, len(packet.data), packet.size)
        out += block(6, head + packet.data + b"\0" * (-len(packet.data) % 4), order)
    return out


@dataclass(frozen=True)
class Section:
    """Blocks of a pcapng section in one byte order, for captures of any kind."""

    big: bool = False

    @property
    def order(self) -> str:
        return ">" if self.big else "<"

    def pack(self, form: str, *values: int) -> bytes:
        return struct.pack(self.order + form, *values)

    def block(self, kind: int, content: bytes) -> bytes:
        return block(kind, content, self.order)

    def option(self, code: int, value: bytes) -> bytes:
        return self.pack("HH", code, len(value)) + value + b"\0" * (-len(value) % 4)

    def header(self, length: int = -1) -> bytes:
        return self.block(0x0A0D0D0A, self.pack("IHHq", 0x1A2B3C4D, 1, 0, length))

    def interface(self, *, resolution: int | None = 9, offset: int | None = None, link: int = 1) -> bytes:
        options = b"" if resolution is None else self.option(9, bytes([resolution]))
        options += b"" if offset is None else self.option(14, self.pack("q", offset))
        return self.block(1, self.pack("HHI", link, 0, 65535) + options + self.option(0, b""))

    def packet(self, tick: int, data: bytes, size: int | None = None, interface: int = 0, dropped: int = 0) -> bytes:
        """Return an Enhanced Packet Block."""
        size = len(data) if size is None else size
        head = self.pack("IIIII", interface, tick >> 32, tick & 0xFFFFFFFF, len(data), size)
        options = self.option(4, self.pack("Q", dropped)) + self.option(0, b"") if dropped else b""
        return self.block(6, head + data + b"\0" * (-len(data) % 4) + options)

    def old_packet(self, tick: int, data: bytes, interface: int = 0, dropped: int = 0xFFFF) -> bytes:
        """Return a Packet Block, which is obsolete. 0xFFFF: it is not known how many were dropped."""
        head = self.pack("HHIIII", interface, dropped, tick >> 32, tick & 0xFFFFFFFF, len(data), len(data))
        return self.block(2, head + data + b"\0" * (-len(data) % 4) + self.option(1, b"a comment"))

    def statistics(self, dropped: int, interface: int = 0) -> bytes:
        options = self.option(5, self.pack("Q", dropped)) + self.option(0, b"")
        return self.block(5, self.pack("III", interface, 0, 0) + options)


def conversation(count: int = 200, start: int = 1_700_000_000_000_000_123) -> list[Sent]:
    """Packets of five flows, some microseconds apart, cut to 64 bytes in the file."""
    kinds = [
        ethernet(ip("10.0.0.1", "10.0.0.2", ports(1000, 80, 6), 6)),
        ethernet(ip("10.0.0.2", "10.0.0.1", ports(80, 1000, 6), 6)),
        ethernet(ip("fd00::1", "fd00::2", ports(53, 53, 17)), 0x86DD),
        ethernet(ip("10.0.0.1", "10.0.0.2", ports(1000, 80, 17))),
        ethernet(b"\0\1" + b"\0" * 26, 0x0806),
    ]
    sizes = (1514, 64, 1280, 576, 42)
    packets, now = [], start
    for n in range(count):
        kind = (n * n + n // 3) % 5
        packets.append(Sent(now, sizes[kind], kinds[kind][:64]))
        now += 137 * (n % 11)
    return packets


def table(packets: Sequence[Sent], path: Path) -> Path:
    """Return the same as CSV, with times since the first packet in nanoseconds."""
    first = packets[0].nanoseconds
    known: dict[bytes, int] = {}
    lines = ["time [ns],flow,size"]
    for packet in packets:
        flow = known.setdefault(packet.data, len(known))
        lines.append(f"{packet.nanoseconds - first},{flow},{packet.size}")
    path.write_text("\n".join(lines) + "\n")
    return path


def tokens_read(recordings: Recordings, flat: Net) -> list[Token]:
    """Return all tokens of the net's only place, which is a recording, with times in the net's unit."""
    tokens = list(itertools.chain.from_iterable(iter(lambda: recordings.tokens(0), [])))
    return list(Marking.of(flat, [tokens])[0])
