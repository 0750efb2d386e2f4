"""How soon `pnsim live` shows the first figures after a parameter is turned: `python -m benchmarks.live [NET:PARAM …]`.

For each net the parameter gets ten values that it had not before, and the median of the times until the page has the
figures of that value is printed, with the longest. The time is that of the server, without the browser's drawing.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping

import petri
from petri import library
from petri.live.desk import Desk
from petri.live.knobs import along
from petri.model import Model
from petri.run.plan import Plan

NETS = ("patterns/mm1:load", "patterns/mm1k:load", "shaping:fast", "ixp2400:line")
TURNS = 10
PATIENCE = 60.0


def main(names: list[str]) -> None:
    print(f"{'net':20} {'median':>8} {'longest':>8}")
    for name in names or NETS:
        net, _, parameter = name.partition(":")
        times = measured(net, parameter)
        print(f"{net:20} {1000 * statistics.median(times):5.0f} ms {1000 * max(times):5.0f} ms", flush=True)


def measured(net: str, parameter: str) -> list[float]:
    """The seconds from each turn of the parameter to the figures of its value."""

    def load(settings: Mapping[str, str]) -> tuple[Model, Plan]:
        model = petri.load(library.net(net) or net, **settings)
        return model, model.plan()[0]

    desk = Desk(load, net)
    desk.start()
    desk.watched(1)
    try:
        _figures(desk, {})
        knob = next(one for one in desk.wait(0, 0.0)[1]["knobs"] if not parameter or one["name"] == parameter)
        values = [value for value in along(knob, TURNS + 3) if value != knob["text"]][-TURNS:]
        return [_figures(desk, {knob["name"]: value}) for value in values]
    finally:
        desk.close()


def _figures(desk: Desk, settings: dict[str, str]) -> float:
    start, version = time.perf_counter(), 0
    if settings:
        desk.change(settings=settings)
    while time.perf_counter() - start < PATIENCE:
        version, found = desk.wait(version, 1.0)
        if found.get("settings") == settings:
            return time.perf_counter() - start
    raise TimeoutError(f"no figures for {settings}: {desk.wait(0, 0.0)[1].get('problem')}")


if __name__ == "__main__":
    main(sys.argv[1:])
