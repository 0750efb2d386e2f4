"""What short runs cost, of which much is interpreted: `python -m benchmarks.short [NET …]`.

Each net of the library, and one of 640 transitions of four kinds, is compiled anew and run for 10⁴, 10⁵, 10⁶ firings.
Shown are wall-clock time and processor time of the process, in milliseconds, the medians of some turns, and after how
many firings machine code ran first. Not counted is what comes before the first firing.

`--engine FILE --patience N` measures another build of the native engine, so that two builds can be run in turns; N is
the number of firings before it makes code, as older ones take no other rule. `taskset -c 0` leaves one core.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FIRINGS = (10_000, 100_000, 1_000_000)
FIRST_PIECE, LONGEST_PIECE = 500, 0.05  # as `petri.run.replications` divides a run


class Took(NamedTuple):
    """One run: seconds by the clock and of processors, and firings when code ran first (infinite if it never did)."""

    wall: float
    processor: float
    coded: float


def four_kinds(machines: int = 160) -> str:
    """Return a net in which each machine has four transitions; a job goes on to machines far away."""
    last = machines - 1
    return f"""net four_kinds
place queue[0..{last}] : 0..999 fifo = 2 * (7)
place free[0..{last}] = token
place busy[0..{last}] : 0..999
place tool[0..{last}] = token
transition start[i in 0..{last}]: queue[i](x), free[i] -> busy[i](x)  takes exp(1.0)
transition done[i in 0..{last}]: busy[i](x) -> queue[(i * 7 + 3) mod {machines}]((x * 7 + 3) mod 1000), free[i]
  when x < 500  takes exp(1.0)
transition again[i in 0..{last}]: busy[i](x) -> queue[(i * 3 + 1) mod {machines}]((x * 3 + 1) mod 1000), free[i]
  when x >= 500  takes exp(2.0)
transition lend[i in 0..{last}]: tool[i], free[(i * 11 + 5) mod {machines}]
  -> free[(i * 11 + 5) mod {machines}], tool[(i * 13 + 1) mod {machines}]  takes exp(4.0)
run until 100
"""


def use(library: Path) -> None:
    """Take this build of the native engine instead of the installed one."""
    found = importlib.util.spec_from_file_location("petri._native", library)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    sys.modules["petri._native"] = module


def measure(name: str, firings: int) -> Took:
    """Measure a run of a net that has no code yet."""
    import petri
    from petri.run.session import begin
    from petri.structs import replace

    model = petri.loads(four_kinds()) if name == "four_kinds" else petri.load(name)
    session = begin(replace(model.net), "native", 1, 0)
    left, piece, coded = firings, FIRST_PIECE, math.inf
    wall, processor = time.perf_counter(), time.process_time()
    while left > 0:
        clock, before = time.perf_counter(), session.firings
        if session.advance(math.inf, min(left, piece)) != "budget":
            break
        left -= session.firings - before
        if math.isinf(coded) and session.ran_code:  # type: ignore[attr-defined]
            coded = before
        piece *= 2 if time.perf_counter() - clock < LONGEST_PIECE else 1
    return Took(time.perf_counter() - wall, time.process_time() - processor, coded)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.short", description=__doc__)
    parser.add_argument("nets", nargs="*", default=["four_kinds", *map(str, sorted((ROOT / "nets").rglob("*.net")))])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--engine", type=Path)
    parser.add_argument("--patience", type=int)
    options = parser.parse_args()
    if options.engine is not None:
        use(options.engine)
    from petri.engine import native

    native.PATIENCE = options.patience
    for name in options.nets:
        cells = []
        for firings in FIRINGS:
            runs = [measure(name, firings) for _ in range(options.turns)]
            wall, processor, coded = (statistics.median(column) for column in zip(*runs, strict=True))
            cells.append(f"{1e3 * wall:8.1f} {1e3 * processor:8.1f} {coded:8.0f}")
        print(f"{Path(name).stem:28}" + " |".join(cells), flush=True)


if __name__ == "__main__":
    main()
