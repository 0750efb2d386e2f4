"""pcap and pcapng: made by code, read by the native part; whatever the bytes, nothing worse than a message."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from petri import language
from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.net import Token
from petri.traffic import Recordings, with_streams
from tests.traffic.files import Sent, block, conversation, ethernet, ip, pcap, pcapng, ports, tokens_read
from tests.traffic.links import LINKS

pytestmark = pytest.mark.skipif(not available(), reason="captures are read by the native part")

ALL = "{ time: Time, size: Bytes, captured: int, flow: int, protocol: int, number: int }"


def read(data: bytes, folder: Path, fields: str = ALL, rows: int | None = None, clock: str = "time ns") -> list[Token]:
    path = folder / "packets.pcap"
    path.write_bytes(data)
    flat = language.loads(f"{clock} place p : {fields} = stream() transition t: p(_) -> nothing")
    return tokens_read(Recordings(with_streams(flat, {"p": path}), rows), flat)


def expected(packets: list[Sent], resolution: int = 1) -> list[Token]:
    flows: dict[bytes, int] = {}
    out: list[Token] = []
    first = packets[0].nanoseconds // resolution * resolution
    for number, packet in enumerate(packets, 1):
        flow = flows.setdefault(packet.data, len(flows))
        protocol = {0x06: -1, 0xDD: 17}.get(packet.data[13], packet.data[23])
        when = float(packet.nanoseconds // resolution * resolution - first)
        out.append((when, float(packet.size), len(packet.data), flow, protocol, number))
    return out


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_every_packet_of_every_format(tmp_path: Path, big: bool, rows: int) -> None:
    packets = conversation()
    micro = expected(packets, 1000)
    assert read(pcap(packets, nano=True, big=big), tmp_path, rows=rows) == expected(packets)
    assert read(pcap(packets, big=big), tmp_path, rows=rows) == micro
    assert read(pcapng(packets, big=big), tmp_path, rows=rows) == expected(packets)
    assert read(pcapng(packets, resolution=6, big=big), tmp_path, rows=rows) == micro


def test_what_gzip_has_packed_is_read(tmp_path: Path) -> None:
    packets = conversation()
    assert read(gzip.compress(pcap(packets, nano=True)), tmp_path, rows=7) == expected(packets)
    with pytest.raises(LanguageError) as error:
        read(gzip.compress(pcap(packets))[:-200], tmp_path)
    assert error.value.diagnostics[0].id in ("capture-unreadable", "capture-truncated")


def test_flows_that_share_all_but_the_front_of_an_address(tmp_path: Path) -> None:
    frames = [ethernet(ip(f"10.0.{n}.1", "10.9.9.9", ports(53, 53, 17))) for n in (0, 1, 0, 2, 1, 0)]
    packets = [Sent(1000 * n, 60, frame) for n, frame in enumerate(frames)]
    assert [row[3] for row in read(pcap(packets), tmp_path)] == [0, 1, 0, 2, 1, 0]


def test_time_stamps_in_powers_of_two(tmp_path: Path) -> None:
    packets = [Sent(10**18 + n * 500_000_000, 60, b"") for n in range(3)]
    times = [row[0] for row in read(pcapng(packets, resolution=0x80 | 10), tmp_path)]
    assert times == [0.0, 5e8, 1e9]


def test_units_are_those_of_the_net(tmp_path: Path) -> None:
    packets = [Sent(5_000_000_000, 60, b""), Sent(5_000_000_250, 61, b"")]
    fields = "{ time: Time, size: Bytes }"
    assert read(pcap(packets, nano=True), tmp_path, fields, clock="time us") == [(0.0, 60.0), (0.25, 61.0)]
    assert read(pcap(packets, nano=True), tmp_path, fields, clock="") == [(0.0, 60.0), (2.5e-7, 61.0)]


def test_flows_are_of_addresses_protocol_and_ports(tmp_path: Path) -> None:
    udp, tcp = ports(1, 2, 17), ports(1, 2, 6)
    first = ip("10.0.0.1", "10.0.0.2", udp)
    contents = [
        ethernet(first),
        ethernet(first, vlan=7),  # the same flow on a virtual network
        ethernet(ip("10.0.0.1", "10.0.0.2", tcp, 6)),
        ethernet(ip("10.0.0.2", "10.0.0.1", ports(2, 1, 17))),  # the way back
        ethernet(ip("10.0.0.1", "10.0.0.2", udp + b"more")),
        ethernet(ip("10.0.0.1", "10.0.0.2", b"rest of it", offset=100)),  # a fragment has no ports
        ethernet(ip("fd00::1", "fd00::2", udp), 0x86DD),
        ethernet(b"\0\1", 0x0806),
        ethernet(b"\0\2", 0x0806),
    ]
    packets = [Sent(n, len(content), content) for n, content in enumerate(contents)]
    assert [row[3] for row in read(pcap(packets, nano=True), tmp_path)] == [0, 0, 1, 2, 0, 3, 4, 5, 5]
    bounded = read(pcap(packets, nano=True), tmp_path, "{ flow: 10..12 }")
    assert [row[0] for row in bounded] == [10, 10, 11, 12, 10, 10, 11, 12, 12]


@pytest.mark.parametrize("link", [101, 12, 228, 0, 113, 276])
def test_flows_on_other_links(tmp_path: Path, link: int) -> None:
    head = {0: b"\2\0\0\0", 113: b"\0" * 14 + b"\x08\x00", 276: b"\x08\x00" + b"\0" * 18}.get(link, b"")
    contents = [head + ip("10.0.0.1", f"10.0.0.{n % 2}", ports(1, 2, 17)) for n in range(4)]
    packets = [Sent(n, 100, content) for n, content in enumerate(contents)]
    assert [row[3] for row in read(pcap(packets, nano=True, link=link), tmp_path)] == [0, 1, 0, 1]


@pytest.mark.parametrize("link", LINKS)
def test_flows_behind_the_headers_of_links(tmp_path: Path, link: int) -> None:
    """Wireless LAN, PPP and MPLS: the protocol, and a flow for each port; of others by their link."""
    packets = [Sent(1000 * number, len(frame), frame) for number, (frame, _) in enumerate(LINKS[link])]
    found = [row[3:5] for row in read(pcap(packets, nano=True, link=link), tmp_path)]
    numbers: dict[int, int | float] = {}
    for (flow, protocol), (frame, port) in zip(found, LINKS[link], strict=True):
        if port is None:
            assert protocol == -1, frame.hex()
            assert flow not in numbers.values(), frame.hex()
            continue
        assert protocol == (17 if b"\x0a\0\0\1" in frame else 6), frame.hex()
        assert numbers.setdefault(port, flow) == flow, frame.hex()
    assert len({*numbers.values()}) == len(numbers)


def fault(data: bytes, folder: Path, fields: str = ALL) -> tuple[str, str]:
    with pytest.raises(LanguageError) as error:
        read(data, folder, fields)
    (diagnostic,) = error.value.diagnostics
    return diagnostic.id, diagnostic.message


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    packets = conversation(5)
    whole = pcap(packets, nano=True)
    for cut in (1, 63, 70, 81):
        assert fault(whole[:-cut], tmp_path)[0] == "capture-truncated"
    assert fault(whole[:-1], tmp_path)[1].endswith("ends within packet 5")
    assert fault(pcapng(packets)[:-3], tmp_path)[0] == "capture-truncated"
    assert fault(whole[:10], tmp_path)[0] == "capture-truncated"
    assert fault(pcap(packets, link=147), tmp_path)[0] == "capture-link"
    assert len(read(pcap(packets, link=147), tmp_path, "{ time: Time, size: Bytes }")) == 5
    assert fault(pcapng(packets, simple=True), tmp_path)[0] == "capture-timeless"
    assert fault(pcap([]), tmp_path)[0] == "stream-empty"
    back = [packets[0], Sent(packets[0].nanoseconds - 5000, 60, b"")]
    assert fault(pcap(back), tmp_path) == (
        "stream-time-back",
        f"`{tmp_path / 'packets.pcap'}`, packet 2: the time decreases by 5000 ns",
    )
    assert fault(whole, tmp_path, "{ tyme: Time }")[0] == "stream-unknown-column"
    huge = pcap([Sent(0, 60, b"")])[:-16] + b"\0" * 8 + b"\xff\xff\xff\x7f" * 2 + b"a" * 1000
    assert fault(huge, tmp_path)[0] in ("capture-truncated", "capture-damaged")
    absurd = pcapng([Sent(0, 60, b"")], resolution=100)
    assert fault(absurd, tmp_path)[0] == "capture-damaged"
    unknown = pcapng([]) + block(6, b"\7" + b"\0" * 19)
    assert fault(unknown, tmp_path)[0] == "capture-damaged"


def test_whatever_the_bytes_are(tmp_path: Path) -> None:
    """Captures with a few bytes changed, cut, or doubled: packets, or a message."""
    chance = random.Random(5)
    packets = conversation(6)
    wholes = [pcap(packets), pcap(packets, nano=True, big=True), pcapng(packets), pcapng(packets, big=True)]
    told = set()
    for turn in range(160):
        data = bytearray(wholes[turn % 4])
        for _ in range(chance.choice((1, 1, 2, 8))):
            data[chance.randrange(4, len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        if chance.random() < 0.3:
            del data[chance.randrange(8, len(data)) :]
        try:
            read(bytes(data), tmp_path)
        except LanguageError as error:
            told.add(error.diagnostics[0].id)
    assert {"capture-truncated", "capture-damaged", "stream-time-back"} <= told
    assert all(name.startswith(("capture-", "stream-")) for name in told)
