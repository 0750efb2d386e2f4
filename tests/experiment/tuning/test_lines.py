"""Buffers of production lines: which allocation is best, against exact solutions of all of them.

Stations work for exponential times with mean 1, the first always has work, and a finished job stays at its station
until there is room behind it (blocking after service).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import petri
from petri.engine.native import available
from petri.experiment import Experiment
from petri.experiment.tuning.definition import Tuning
from petri.experiment.tuning.procedure import run_tuning
from petri.model import Model

pytest.importorskip("optuna")
pytest.importorskip("scipy")
if not available():
    pytest.skip("too slow on the reference engine", allow_module_level=True)

PRICE = 40  # of what is made, where a place in a buffer costs 1


def text_of(stations: int, most: int) -> str:
    """Return a line, in which `space` i has the places for jobs between station i and the next, and in that."""
    lines = ["net line"]
    between = range(1, stations)
    lines += [f"param b{i} = 0 in 0..{most}" for i in between]
    lines += [f"place idle{i} = token" for i in range(1, stations + 1)]
    for i in between:
        lines += [f"place done{i}", f"place queue{i + 1}", f"place space{i} = (b{i} + 1) * token"]
    lines.append("transition work1: idle1 -> done1  takes exp(1)")
    for i in between:
        room = f", space{i - 1}" if i > 1 else ""
        lines.append(f"transition move{i}: done{i}, space{i} -> idle{i}, queue{i + 1}{room}")
        last = i + 1 == stations
        gives = f"idle{i + 1}, space{i}" if last else f"done{i + 1}"
        lines.append(f"transition work{i + 1}: queue{i + 1}, idle{i + 1} -> {gives}  takes exp(1)")
    lines.append(f"measure made = rate(work{stations})")
    lines.append(f"measure profit = {PRICE} * rate(work{stations}) - ({' + '.join(f'b{i}' for i in between)})")
    lines.append("run until 1000 warmup 50")
    return "\n".join(lines) + "\n"


@cache
def line(stations: int) -> Model:
    return petri.loads(text_of(stations, 20))


def made(*buffers: int) -> float:
    """Return the exact throughput."""
    values = {f"b{at}": buffer for at, buffer in enumerate(buffers, 1)}
    origin = line(len(buffers) + 1).origin
    assert origin is not None
    return float(origin.model(values).solve().exact("made").value)


@pytest.mark.parametrize(
    ("buffers", "rate"),
    [
        ((0,), 2 / 3), ((4,), 6 / 7),  # two stations: (b + 2) / (b + 3)
        ((0, 0), 22 / 39),  # Hunt, Sequential Arrays of Waiting Lines, Operations Research 4 (1956)
    ],
)  # fmt: skip
def test_lines_make_what_is_published(buffers: tuple[int, ...], rate: float) -> None:
    assert made(*buffers) == pytest.approx(rate, rel=1e-9)


def allocations(buffers: int, total: int) -> list[tuple[int, ...]]:
    return [one for one in itertools.product(range(total + 1), repeat=buffers) if sum(one) == total]


@pytest.mark.slow
@pytest.mark.parametrize("best", [(1, 1), (0, 1, 0), (1, 2, 1), (0, 1, 1, 0), (1, 2, 2, 1)])
def test_the_inner_buffers_of_the_best_allocations_are_larger(best: tuple[int, ...]) -> None:
    """The storage bowl: Hillier, So and Boling, Management Science 39 (1993), for lines with balanced work."""
    rates = {one: made(*one) for one in allocations(len(best), sum(best))}
    assert max(rates, key=rates.__getitem__) == best
    assert sorted(rates.values())[-2] < rates[best] - 1e-6


def profits(stations: int, most: int) -> Mapping[tuple[int, ...], float]:
    """Return the exact profit of all allocations; a line and its reverse make the same (Muth 1979)."""
    found: dict[tuple[int, ...], float] = {}
    for buffers in itertools.product(range(most + 1), repeat=stations - 1):
        reverse = found.get(buffers[::-1])
        found[buffers] = PRICE * made(*buffers) - sum(buffers) if reverse is None else reverse
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("stations", "most"), [(3, 15), (4, 6), (5, 4)])
def test_buffers_of_lines_with_most_seeds(tmp_path: Path, stations: int, most: int) -> None:
    """In 9 of 10 seeds an allocation whose profit is at most 1 % below the greatest, of 256, 343 and 625; over all
    seeds with a tenth of the replications of grids whose settings have as many as the best one. Seeds are fixed; if it
    were found in 98 % of seeds, other seeds would fail this once in 60 times.
    """
    path = tmp_path / "line.net"
    path.write_text(text_of(stations, most), encoding="utf-8")
    exact = profits(stations, most)
    over = {f"b{at}": f"0..{most}" for at in range(1, stations)}
    good, used, grids = 0, 0, 0
    for seed in range(1, 11):
        runs = Experiment(path, seed=seed)
        tuning = Tuning(runs=runs, over=over, greatest="profit", max_replications=64, solve=False)
        found = run_tuning(tuning, workers=2)
        assert found.best is not None
        buffers = tuple(int(found.best.values[name]) for name in over)
        good += exact[buffers] >= 0.99 * max(exact.values())
        used += found.replications
        grids += math.prod([most + 1] * (stations - 1)) * found.best.replications
    assert good >= 9
    assert used <= grids / 10
