"""What a row of a recording costs: `python -m benchmarks.recordings [TURNS]`.

Each file drives a net that takes one row at each firing. Shown is the processor time of all threads for a row, the
median of some turns: of reading alone, and of the whole run in machine code, with what opens the file and feeds the
engine. Beside them is the time in which polars, where it is installed, reads the same file alone.
"""

from __future__ import annotations

import argparse
import gzip
import math
import random
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.ensembles import took
from petri import language
from petri._native import assume_free_core
from petri.net import Net
from petri.run.session import begin
from petri.traffic import Recordings, with_streams

ROWS = 1_000_000
FOUR = "{ time: Time, size: Bytes, flow: 0..15, class: Class }"
PACKETS = "{ time: Time, size: Bytes, flow: 0..15, protocol: int }"
NET = "time us type Class = gold | silver place rows : {fields} = stream() transition take: rows(_) -> nothing"


def lines(rows: int) -> Iterator[tuple[int, float, int, str]]:
    """Yield a size, a time, a flow and a class for each row."""
    chance = random.Random(1)
    for row in range(rows):
        yield chance.randrange(64, 1515), 1.25 * row, chance.randrange(16), chance.choice(("gold", "silver"))


def four_columns(rows: int) -> str:
    text = "".join(f"{time:.2f},{size},{flow},{kind}\n" for size, time, flow, kind in lines(rows))
    return f"time [us],size,flow,class\n{text}"


def capture(rows: int) -> bytes:
    """Return a pcap with one UDP packet of 64 bytes a microsecond, in sixteen flows."""
    found = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for row, (size, _, flow, _) in enumerate(lines(rows)):
        ports = struct.pack("!HHHH", 1000 + flow, 80, 30, 0) + bytes(22)
        address = struct.pack("!BBHHHBBH4B4B", 0x45, 0, 50, 7, 0, 64, 17, 0, 10, 0, 0, 1, 10, 0, 0, 2)
        frame = bytes(12) + b"\x08\x00" + address + ports
        found.append(struct.pack("<IIII", 1_700_000_000 + row // 10**6, row % 10**6, len(frame), size) + frame)
    return b"".join(found)


def parquet(rows: int, path: Path) -> bool:
    """Write the four columns to a Parquet file. Return whether pyarrow is installed."""
    try:
        import pyarrow
        from pyarrow.parquet import write_table
    except ImportError:
        return False
    size, time, flow, kind = zip(*lines(rows), strict=True)
    write_table(pyarrow.table({"time [us]": time, "size": size, "flow": flow, "class": kind}), path)
    return True


def files(folder: Path, rows: int) -> Iterator[tuple[str, str, Path]]:
    """Yield title, fields and path of each recording."""
    one = folder / "one.csv"
    one.write_text("value\n" + "".join(f"{size}\n" for size, *_ in lines(rows)))
    yield "one int", "int", one
    four = folder / "four.csv"
    four.write_text(four_columns(rows))
    yield "four columns", FOUR, four
    packed = folder / "four.csv.gz"
    packed.write_bytes(gzip.compress(four.read_bytes(), 6))
    yield "four columns, gzip", FOUR, packed
    if parquet(rows, folder / "four.parquet"):
        yield "four columns, Parquet", FOUR, folder / "four.parquet"
    (folder / "packets.pcap").write_bytes(capture(rows))
    yield "a capture", PACKETS, folder / "packets.pcap"


def read(net: Net, rows: int) -> None:
    recordings = Recordings(net)
    while recordings.words(0):
        pass
    assert recordings.read()[0].rows == rows


def run(net: Net, rows: int) -> None:
    session = begin(net, "native", 1, 0)
    assert session.advance(math.inf, 2 * rows) == "dead"
    assert session.firings == rows


def floor(path: Path) -> Callable[[], object] | None:
    """Return how polars reads a file; None where it cannot, or is not installed."""
    try:
        import polars
    except ImportError:
        return None
    if path.suffix == ".pcap":
        return None
    return lambda: (polars.read_parquet if path.suffix == ".parquet" else polars.read_csv)(path)


def nanoseconds(work: Callable[[], object], rows: int, turns: int) -> float:
    """Return the median of the processor time for a row."""
    return took(work, turns)[1] / rows * 1e9


def row(title: str, net: Net, path: Path, rows: int, turns: int) -> str:
    alone = nanoseconds(lambda: read(net, rows), rows, turns)
    whole = nanoseconds(lambda: run(net, rows), rows, turns)
    other = floor(path)
    beside = "" if other is None else f"{nanoseconds(other, rows, turns):.0f}"
    return f"{title:24}{path.stat().st_size / rows:10.1f}{alone:10.0f}{whole:10.0f}{beside:>10}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recordings", description=__doc__)
    parser.add_argument("turns", type=int, nargs="?", default=5, help="of which the medians are shown")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"of each file (default {ROWS:,})")
    options = parser.parse_args()
    assume_free_core(True)
    print(f"{'':24}{'bytes':>10}{'read [ns]':>10}{'run [ns]':>10}{'polars':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for title, fields, path in files(Path(folder), options.rows):
            net = with_streams(language.loads(NET.replace("{fields}", fields)), {"rows": path})
            print(row(title, net, path, options.rows, options.turns), flush=True)


if __name__ == "__main__":
    main()
