"""How fast the accelerators of the library run: `python -m benchmarks.accelerators [NAME …]`.

Each is run from its recording to its end, many times what its net has. Shown are the processor time of a firing, which
includes reading the recording, the median and the least of some runs; firings and cycles of each run. Machine code is
there before. Two nets more have the same structure with clocks, as latency nets of others have it: tokens stay in
their queues until a transition fires.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import petri
from benchmarks.asked import show
from petri import library
from petri.engine import native
from petri.net import Net
from petri.run.session import begin
from petri.traffic import with_streams

TURNS = 5
RECORDINGS = Path(library.nets()) / "accelerators"

JPEG = """
unit cycle = 1 / (75 MHz)
time cycle
place tasks : int fifo = stream()
place turn : 0..5 fifo = 0
place buffer = 4 * token
place decoded[0..2] : 0..5 fifo
place transformed[0..2] : 0..5 fifo
place ready : 0..3 fifo
fn component(i: int): int = if i < 4 then 0 else i - 3
transition next: tasks(0) -> nothing
transition decode: tasks(n), turn(i), buffer -> decoded[component(i)](i), turn((i + 1) mod 6)
  after (3 * n + 6) * 1 cycle  when n > 0
transition transform[c in 0..2]: decoded[c](i) -> buffer, transformed[c](i)  after 66 cycle
transition gather: transformed[0](p), transformed[0](q), transformed[0](r), transformed[0](s), transformed[1](a),
  transformed[2](b) -> ready(0), ready(1), ready(2), ready(3)  after 1 cycle
transition write: ready(q) -> nothing  after 65 cycle
"""
PIPELINE = """
unit cycle = 1 / (250 MHz)
time cycle
place packets : { n_words: 1..64, is_control: 0..1, is_data: 0..1, is_drop: 0..1 } fifo = stream()
place queue[0..7] : 1..64 fifo
place turn : 0..3 fifo = 0
place order : 0..3 fifo
place deparser[0..3] : 1..64 fifo
place deparsed[0..3] : 1..64 fifo
transition filter: packets(p) -> if p.is_data == 1 then queue[0](p.n_words)  after (p.n_words + 2) * 1 cycle
transition stage[s in 0..6]: queue[s](n) -> queue[s + 1](n)  after n * 1 cycle
transition deal: queue[7](n), turn(k) -> deparser[k](n), turn((k + 1) mod 4), order(k)  after 1 cycle
transition deparse[k in 0..3]: deparser[k](n) -> deparsed[k](n)  after 6 cycle
transition arbitrate[k in 0..3]: deparsed[k](n), order(k) -> nothing  after (n + 2) * 1 cycle
"""

# The recording of each stream, and how many times it is read; parameters; texts of nets that the library lacks.
STREAMS: dict[str, tuple[dict[str, str], int]] = {
    "jpeg": ({"blocks": "images"}, 20),
    "vta": ({"program": "program"}, 5000),
    "rmt": ({"packets": "packets"}, 1000),
    "serializer": ({"tasks": "tasks", "fields": "fields", "units": "units"}, 1000),
    "jpeg_clocks": ({"tasks": "images"}, 20),
    "rmt_clocks": ({"packets": "packets"}, 1000),
}
PARAMETERS = {"gact": {"tiles": 20_000}, "pcie": {"transactions": 3_000}}
TEXTS = {"jpeg_clocks": JPEG, "rmt_clocks": PIPELINE}


def accelerator(name: str, folder: Path, times: int | None = None) -> Net:
    """Return a net with recordings in the folder, which have what the library has that many times."""
    text = TEXTS.get(name)
    model = petri.load(f"accelerators/{name}", **PARAMETERS.get(name, {})) if text is None else petri.loads(text)
    streams, usual = STREAMS.get(name, ({}, 0))
    files = {}
    for place, recording in streams.items():
        files[place] = folder / f"{recording}.csv"
        head, _, rows = (RECORDINGS / files[place].name).read_text("utf-8").partition("\n")
        files[place].write_text(head + "\n" + rows * (times or usual), "utf-8")
    return with_streams(model.net, files)


def measured(name: str) -> str:
    native.PATIENCE = 5000
    with tempfile.TemporaryDirectory() as folder:
        net, times = accelerator(name, Path(folder)), []
        for _ in range(TURNS + 1):
            session = begin(net, "native", 1, 0)
            start = process_time()
            session.advance(math.inf, native.MOST_FIRINGS)
            times.append((process_time() - start) / session.firings * 1e9)
    middle = statistics.median(times[1:])
    found = f"{middle:.0f} ns a firing, at best {min(times[1:]):.0f}: {1e3 / middle:.1f} million firings/s"
    return f"{name}: {found}; {session.firings:,} firings, {net.tick.time(session.now):,.0f} cycles"


MEASURED: dict[str, Callable[[], str]] = {
    name: partial(measured, name)
    for name in ("jpeg", "gact", "rmt", "pcie", "vta", "serializer", "jpeg_clocks", "rmt_clocks")
}


def main(words: list[str] | None = None) -> None:
    show(MEASURED, __doc__, words)


if __name__ == "__main__":
    main()
