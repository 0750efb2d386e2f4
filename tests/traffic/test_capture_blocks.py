"""Blocks of pcapng: every packet is read, and what may hide packets is an error or counted."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import petri
from petri.diagnostics import LanguageError
from petri.engine.firings import Firings
from petri.engine.native import available
from petri.experiment import Experiment, sweep
from petri.file_read import FileRead
from petri.report.html import run_report, sweep_report
from petri.result import Result
from tests.cli.calling import CommandResult, caller
from tests.traffic.files import Section, Sent, conversation, ethernet, ip, net, pcap, ports

pytestmark = pytest.mark.skipif(not available(), reason="captures are read by the native part")

IP = ethernet(ip("10.0.0.1", "10.0.0.2", ports(1, 2, 17)))
SECOND = 10**9


def run(folder: Path, data: bytes, **options: Any) -> Result:
    path = folder / "packets.pcapng"
    path.write_bytes(data)
    return petri.loads(net()).with_streams({"packets": path}).run(**options)


def read(folder: Path, data: bytes, **options: Any) -> FileRead:
    (found,) = run(folder, data, **options).files
    return found


def counts(folder: Path, data: bytes) -> Mapping[str, int]:
    return read(folder, data).counts


def times(folder: Path, data: bytes) -> list[float]:
    """Of the packets, since the first [ns]."""
    path = folder / "packets.pcapng"
    path.write_bytes(data)
    text = "time ns place p : { time: Time } = stream() transition t: p(x) -> nothing run until dead"
    found: list[float] = []
    model = petri.loads(text).with_streams({"p": path})

    def take(_: int, firings: Firings) -> None:
        found.extend(model.net.tick.time(float(one.variables[0])) for one in firings)

    model.run(threads=1, trace=take)
    return found


@pytest.mark.parametrize("big", [False, True])
def test_old_packet_blocks_are_packets(tmp_path: Path, big: bool) -> None:
    """As every other packet of 200, in both byte orders."""
    one, packets = Section(big), conversation(200)
    data = [
        one.old_packet(packet.nanoseconds, packet.data) if n % 2 else one.packet(packet.nanoseconds, packet.data)
        for n, packet in enumerate(packets)
    ]
    result = run(tmp_path, b"".join([one.header(), one.interface(), *data]))
    assert result.measure("sent").value == 200
    assert result.measure("bytes").value == sum(len(packet.data) for packet in packets)
    assert times(tmp_path, b"".join([one.header(), one.interface(), *data])) == [
        packet.nanoseconds - packets[0].nanoseconds for packet in packets
    ]


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize(
    ("resolution", "offset", "ticks"),
    [
        (None, None, 10**6), (6, None, 10**6), (9, 0, SECOND), (3, 7, 1000), (0, -7, 1),
        (0x80, 0, 1), (0x80 | 10, 3600, 1024), (0x80 | 40, -(2**33), 2**40), (12, 0, 10**12),
    ],
)  # fmt: skip
def test_each_interface_has_its_clock(
    tmp_path: Path, big: bool, resolution: int | None, offset: int | None, ticks: int
) -> None:
    """Three packets at whole seconds: the second of an interface in ns, the others of one with this clock."""
    one = Section(big)
    start = 1000
    data = one.header() + one.interface(resolution=resolution, offset=offset) + one.interface(resolution=9)
    data += one.packet(start * ticks, IP)
    data += one.packet((start + (offset or 0) + 1) * SECOND, IP, interface=1) if start + (offset or 0) >= 0 else b""
    data += one.old_packet((start + 2) * ticks, IP)
    expected = [0.0, 1e9, 2e9] if start + (offset or 0) >= 0 else [0.0, 2e9]
    assert times(tmp_path, data) == expected


def test_sections_have_their_own_order_interfaces_and_clocks(tmp_path: Path) -> None:
    data = b""
    for number, (big, resolution, ticks) in enumerate([(False, 9, SECOND), (True, 6, 10**6), (False, 0x80 | 4, 16)]):
        one = Section(big)
        data += one.header() + one.interface(resolution=resolution)
        data += one.packet((100 + 2 * number) * ticks, IP) + one.old_packet((101 + 2 * number) * ticks, IP)
    assert times(tmp_path, data) == [n * 1e9 for n in range(6)]
    assert not read(tmp_path, data).remarks
    with pytest.raises(LanguageError, match="interface 1, which is not described"):
        read(tmp_path, one.header() + one.interface() + one.interface() + one.header() + one.packet(0, IP, interface=1))


def test_blocks_that_bear_no_packets_are_passed_over(tmp_path: Path) -> None:
    one = Section()
    secrets = one.pack("II", 0x544C534B, 8) + b"a secret"
    addresses = one.pack("HH", 0, 0)
    other = [one.block(0x0BAD, b"1234custom"), one.block(0x40000BAD, b"1234custom"), one.block(10, secrets)]
    other += [one.block(4, addresses), one.block(9, b"journal "), one.statistics(0)]
    data = one.header() + one.interface() + one.packet(0, IP) + b"".join(other) + one.packet(1, IP)
    found = read(tmp_path, data)
    assert (found.rows, found.complete, found.counts) == (2, True, {})


FAULTS = {
    "a simple packet has no time": (Section().block(3, Section().pack("I", len(IP)) + IP), "capture-timeless"),
    "of an interface that is not there": (Section().old_packet(5, IP, interface=3), "capture-damaged"),
    "shorter than its packet": (Section().block(2, Section().pack("HHIIII", 0, 0, 0, 0, 99, 99)), "capture-damaged"),
    "shorter than its head": (Section().block(2, b"1234"), "capture-damaged"),
    "its lengths differ": (Section().block(12, bytes(96))[:-4] + Section().pack("I", 12), "capture-damaged"),
    "cut": (Section().old_packet(5, IP)[:-7], "capture-truncated"),
    "cut in its first word": (b"\2\0", "capture-truncated"),
    "a clock with one byte too many": (
        Section().block(1, Section().pack("HHI", 1, 0, 0) + Section().option(9, b"\6\6")), "capture-damaged",
    ),
    "an option beyond its block hides the clock behind it": (
        Section().block(1, Section().pack("HHIHH", 1, 0, 0, 2, 500) + Section().option(9, b"\t")), "capture-damaged",
    ),
    "an option beyond a packet's block": (
        Section().block(6, Section().pack("IIIIIHH", 0, 0, 0, 0, 0, 4, 8) + b"1234"), "capture-damaged",
    ),
    "dropped packets in four bytes": (
        Section().block(5, Section().pack("III", 0, 0, 0) + Section().option(5, b"\7\0\0\0")), "capture-damaged",
    ),
    "a length that is not a multiple of four": (
        Section().pack("II", 6, 33) + bytes(21) + Section().pack("I", 33), "capture-damaged",
    ),
    "a section of another version": (
        Section().block(0x0A0D0D0A, Section().pack("IHHq", 0x1A2B3C4D, 2, 0, -1)) + Section().packet(5, IP),
        "capture-unknown",
    ),
    "a link of which nothing is known": (
        Section().interface(link=147) + Section().packet(5, IP, interface=1), "capture-link",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_not_understood_stops_the_run(tmp_path: Path, name: str) -> None:
    """Behind one good packet: that one counts, and the run says why it stopped."""
    data, identifier = FAULTS[name]
    one = Section()
    whole = one.header() + one.interface() + one.packet(0, IP) + data
    result = run(tmp_path, whole)
    assert result.failure is not None
    assert result.failure.id == identifier
    assert result.files[0].rows == 1


@pytest.mark.parametrize("version", [(2, 3), (99, 4)])
def test_pcap_files_of_another_version_are_refused(tmp_path: Path, version: tuple[int, int]) -> None:
    """Those of 2.3 may have the two lengths of a packet exchanged."""
    data = pcap([Sent(0, len(IP), IP)])
    other = data[:4] + struct.pack("<HH", *version) + data[8:]
    with pytest.raises(LanguageError, match=r"version {}\.{} of pcap".format(*version)):
        read(tmp_path, other)


def test_what_may_hide_packets_is_a_warning(tmp_path: Path) -> None:
    one = Section()
    start = one.header() + one.interface()
    unknown = start + one.packet(0, IP) + one.block(12, b"abcd") + one.block(12, b"abcd") + one.block(8, b"")
    found = read(tmp_path, unknown)
    assert (found.counts, found.unknown) == ({"unknown-blocks": 3}, (8, 12))
    (remark,) = found.remarks
    assert remark.severity == "warning"
    assert remark.notes == ("unknown types: 0x00000008 and 0x0000000C",)
    swapped = Section(big=True)
    assert read(
        tmp_path, swapped.header() + swapped.interface() + swapped.packet(0, IP) + swapped.block(12, b"")
    ).unknown == (12,)
    packets = one.interface() + one.packet(0, IP)
    assert counts(tmp_path, one.header(len(packets)) + packets) == {}
    assert counts(tmp_path, one.header(len(packets) + 96) + packets) == {"missing-bytes": 96}
    assert counts(tmp_path, one.header(len(packets) + 96) + packets + one.header() + packets) == {"missing-bytes": 96}


def test_packets_that_the_capture_lost_are_a_warning(tmp_path: Path) -> None:
    for one in (Section(), Section(big=True)):
        start = one.header() + one.interface() + one.interface()
        beside = one.packet(0, IP, dropped=3) + one.old_packet(1, IP, dropped=4)
        assert counts(tmp_path, start + beside) == {"dropped": 7}
        unknown = start + one.old_packet(0, IP)
        assert counts(tmp_path, unknown) == {}
        # Statistics count from the beginning; they count what the packets say once more.
        statistics = one.statistics(5) + one.statistics(6) + one.statistics(10, interface=1)
        assert counts(tmp_path, start + beside + statistics) == {"dropped": 16}
        assert counts(tmp_path, (start + beside + statistics) * 1 + start + beside) == {"dropped": 23}


def test_packets_that_are_not_as_on_the_wire_are_counted(tmp_path: Path) -> None:
    first = ip("10.0.0.1", "10.0.0.2", b"x" * 8, offset=0x2000)
    contents = [
        (IP, len(IP)),
        (IP[:60], 1500),  # cut behind its ports
        (IP[:34], 1500),  # cut before its ports
        (IP, 10),
        (b"", 0),
        (ethernet(first), 60),
        (ethernet(ip("10.0.0.1", "10.0.0.2", b"x" * 8, offset=5)), 60),
        (ethernet(b"\0\1", 0x0806), 60),
    ]
    packets = [Sent(n, size, data) for n, (data, size) in enumerate(contents)]
    expected = {
        "cut": 5, "longer": 1, "empty": 1, "not-internet": 2, "fragments": 2, "no-ports": 1,
    }  # fmt: skip
    found = read(tmp_path, pcap(packets, nano=True))
    assert (found.rows, found.counts) == (8, expected)
    assert {remark.severity for remark in found.remarks} == {"note"}


def test_packets_of_several_interfaces_are_counted(tmp_path: Path) -> None:
    one = Section()
    start = one.header() + one.interface() + one.interface() + one.packet(0, IP)
    assert counts(tmp_path, start) == {}
    assert counts(tmp_path, start + one.packet(1, IP, interface=1)) == {"interfaces": 2}


def test_a_frame_check_sequence_does_not_hide_the_link(tmp_path: Path) -> None:
    """libpcap writes its length into the upper bits of the link type."""
    data = bytearray(pcap([Sent(0, len(IP), IP)]))
    data[23] = 0x24
    assert read(tmp_path, bytes(data)).rows == 1


def lossy(folder: Path) -> Path:
    one = Section()
    data = (
        one.header()
        + one.interface()
        + one.block(12, b"")
        + one.packet(0, IP, size=1500)
        + one.packet(9, IP)
        + one.packet(99, IP)
    )
    path = folder / "lossy.pcapng"
    path.write_bytes(data)
    (folder / "recorded.net").write_text(net())
    return path


MISSING = "skipped 1 block of unknown type; packets in them are missing"
CUT = "1 packet only in part"


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_run_says_what_is_missing(tmp_path: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = lossy(tmp_path)
    stream = f"packets={path}"

    def called(*options: str) -> CommandResult:
        return caller(capsys)("run", str(tmp_path / "recorded.net"), "--stream", stream, "--engine", engine, *options)

    shown = called()
    assert shown.status == 0
    told = " ".join(shown.out.split())
    assert "Recordings" in told
    assert MISSING in told
    assert CUT in told
    assert MISSING in shown.err
    assert CUT not in shown.err
    (recording,) = json.loads(called("--json", "--quiet").out)["recordings"]
    assert (recording["place"], recording["rows"], recording["complete"]) == ("packets", 3, True)
    assert [(one["id"], one["severity"], one["count"]) for one in recording["remarks"]] == [
        ("capture-unknown-blocks", "warning", 1),
        ("capture-cut", "note", 1),
    ]
    assert "not read to its end" in called("--until", "0.001 us").out


def test_pages_say_what_is_missing(tmp_path: Path) -> None:
    path = lossy(tmp_path)
    page = run_report(petri.load(tmp_path / "recorded.net").with_streams({"packets": path}).run())
    assert "Packets of a recording are missing" in page
    assert MISSING in page
    assert CUT in page


def test_sweeps_keep_what_is_missing(tmp_path: Path) -> None:
    """Also when there was nothing left to run."""
    path = lossy(tmp_path)
    experiment = Experiment(net=tmp_path / "recorded.net", recordings={"packets": str(path)}, replications=2)
    for _ in range(2):
        outcome = sweep(experiment, tmp_path / "kept.db", workers=1)
        (read,) = outcome.files
        assert (read.rows, read.counts) == (3, {"unknown-blocks": 1, "cut": 1})
        assert MISSING in sweep_report(outcome)
        assert outcome.to_dict()["recordings"][0]["remarks"][0]["id"] == "capture-unknown-blocks"
