"""How soon `pnsim live` shows the first figures after a parameter is turned: `python -m benchmarks.live [NET:PARAM …]`.

For each net the parameter gets ten values that it had not before, and the median of the times until the page has the
figures of that value is printed, with the longest. The time is that of the server, without the browser's drawing.
The last column is the median of the processor time of all threads until then, which depends less on what else the
machine does.
Without arguments: each net of the library that has a number as a parameter, of which the first is turned.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from benchmarks.asked import command
from petri import library
from petri.live.desk import Desk
from petri.live.knobs import along
from petri.live.source import Source
from petri.model import LoadedFrom

TURNS = 10
PATIENCE = 60.0


def main(words: list[str] | None = None) -> None:
    parser = command(__doc__)
    parser.add_argument("name", nargs="*", metavar="NET:PARAM")
    names = parser.parse_args(words).name
    print(f"{'net':32} {'parameter':12} {'median':>8} {'longest':>8} {'processor':>10}")
    for name in names or library.net_names():
        net, _, parameter = name.partition(":")
        found = measured(net, parameter)
        if found is not None:
            turned, times = found
            seconds, busy = zip(*times, strict=True)
            median, longest, processor = statistics.median(seconds), max(seconds), statistics.median(busy)
            shown = f"{1000 * median:5.0f} ms {1000 * longest:5.0f} ms {1000 * processor:7.0f} ms"
            print(f"{net:32} {turned:12} {shown}", flush=True)


def measured(net: str, parameter: str) -> tuple[str, list[tuple[float, float]]] | None:
    """Return the parameter, and the seconds from each turn of it to its figures, on the clock and of processors.

    parameter: "" for the first that is a number; None if there is none. A value that the net cannot have is left out.
    """
    desk = _Timed(Source(net, LoadedFrom(library.net(net) or net, "", {}), {}))
    desk.start()
    desk.watched(1)
    try:
        _figures(desk, {})
        numbers = (one for one in desk.wait(0, 0.0)[1]["knobs"] if one["kind"] == "range")
        knob = next((one for one in numbers if parameter in ("", one["name"])), None)
        if knob is None:
            return None
        values = [value for value in along(knob, TURNS + 3) if value != knob["text"]][-TURNS:]
        times = [_figures(desk, {knob["name"]: value}) for value in values]
        return knob["name"], [one for one in times if one is not None]
    finally:
        desk.close()


class _Timed(Desk):
    """Notes when each answer was ready: whoever waits for it may have to wait for a processor as well."""

    ready = (0.0, 0.0)

    def _written_answer(self) -> dict[str, Any]:
        found = super()._written_answer()
        if found.get("point") != self._answer.get("point"):
            self.ready = time.perf_counter(), time.process_time()
        return found


def _figures(desk: _Timed, settings: dict[str, str]) -> tuple[float, float] | None:
    """Seconds until they are there, on the clock and of processors; None if the net cannot have these values."""
    start, busy, version = time.perf_counter(), time.process_time(), 0
    if settings:
        desk.change(
            settings=settings, parameter=next(iter(settings)), measure=next(iter(desk.wait(0, 0.0)[1]["names"]), "")
        )
    while time.perf_counter() - start < PATIENCE:
        version, found = desk.wait(version, 1.0)
        if found.get("settings") == settings:
            return desk.ready[0] - start, desk.ready[1] - busy
        if found.get("problem"):
            return None
    raise TimeoutError(f"no figures for {settings}")


if __name__ == "__main__":
    main()
