"""The programs written by hand simulate what pnsim simulates: every figure of every place and transition agrees.

Each side runs eight times with its own chance; the means may differ by seven standard errors. For about 14 degrees of
freedom that happens by chance once in 150,000 figures; the largest net has 200.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import petri
from benchmarks.contenders import COMPILER, HERE, NETS, Handwritten
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.run.session import begin

RUNS = 8
STANDARD_ERRORS = 7.0
LIMITS = Limits(tokens=1 << 40)
PLACE = ("mean", "occupied", "maximum", "arrivals")
TRANSITION = ("firings", "in_progress", "active")

pytestmark = [
    pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"{COMPILER} is not installed"),
    pytest.mark.skipif(not available(), reason="takes too long on the reference engine"),
]

Figures = dict[tuple[str, str], float]


def by_hand(program: Handwritten, firings: int, seed: int) -> tuple[float, Figures]:
    """Model time reached, and figures by name; counts per time."""
    answer = program.figures(firings, seed)
    elapsed = answer["elapsed"]
    figures = {
        (name, field): value / elapsed if field in ("arrivals", "firings") else value
        for name, fields in answer["figures"].items()
        if isinstance(fields, dict)
        for field, value in fields.items()
    }
    return elapsed, figures


def by_pnsim(net: Path, parameters: Mapping[str, int], until: float, seed: int) -> Figures:
    model = petri.load(net, **parameters)
    result = model.run(until=until, warmup=0.0, seed=seed, replications=1, limits=LIMITS)
    window = result.replications[0].window
    time = window.elapsed
    places = np.array([window.integral / time, window.nonempty / time, window.maximum, window.arrivals / time])
    transitions = np.array([window.firings / time, window.in_progress / time, window.active / time])
    figures: Figures = {}
    for index, place in enumerate(model.net.places):
        figures |= {(place.name, field): float(value) for field, value in zip(PLACE, places[:, index], strict=True)}
    for index, transition in enumerate(model.net.transitions):
        values = zip(TRANSITION, transitions[:, index], strict=True)
        figures |= {(transition.name, field): float(value) for field, value in values}
    return figures


def differences(program: Handwritten, net: Path, firings: int, parameters: Mapping[str, int]) -> list[str]:
    """Return what does not agree, in words."""
    pairs = []
    for seed in range(1, RUNS + 1):
        elapsed, theirs = by_hand(program, firings, seed)
        pairs.append((theirs, by_pnsim(net, parameters, elapsed, seed)))
    left_out = {name for name, _ in pairs[0][0].keys() ^ pairs[0][1].keys()}
    told = [f"only one side has {name}" for name in sorted(left_out)]
    for key in pairs[0][0].keys() & pairs[0][1].keys():
        a, b = (np.array([pair[side][key] for pair in pairs]) for side in (0, 1))
        error = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / RUNS)
        if abs(a.mean() - b.mean()) > STANDARD_ERRORS * error + 1e-6 * (1.0 + abs(a.mean())):
            told.append(f"{key}: {a.mean():.6g} by hand, {b.mean():.6g} by pnsim, standard error {error:.2g}")
    return told


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ring", "ring_shortcut", "pipeline", "pipeline_shortcut", "join"])
def test_small_nets(name: str) -> None:
    net = NETS / f"{name.removesuffix('_shortcut')}.net"
    assert differences(Handwritten(name, name), net, 50_000, {}) == []


@pytest.mark.slow
def test_base_model() -> None:
    net = HERE.parent / "nets" / "ixp2400.net"
    assert differences(Handwritten("B4", "ixp2400"), net, 100_000, {"packets": 10**9}) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameter", "size"),
    [
        ("philosophers", "seats", 10),
        ("matching", "machines", 20),
        ("jackson", "stations", 5),
        ("crossbar", "ports", 3),
        ("individuals", "people", 30),
        ("least_served", "jobs", 20),
        ("assembly", "open", 10),
    ],
)
def test_nets_that_come_in_sizes(name: str, parameter: str, size: int) -> None:
    program = Handwritten(name, name, size=size)
    assert differences(program, NETS / f"{name}.net", 20_000, {parameter: size}) == []


@pytest.mark.slow
def test_the_least_served_come_first_on_both_sides() -> None:
    """Who comes first shows in no figure of a place, but in how far the sizes of those who wait lie apart."""
    variances: tuple[list[float], list[float]] = ([], [])
    net = petri.load(NETS / "least_served.net", jobs=200).net
    for seed in range(1, RUNS + 1):
        program = Handwritten("B19", "least_served", size=200)
        variances[0].append(program.figures(5_000, seed)["figures"]["variance"])
        session = begin(net, "native", seed, 0)
        session.advance(math.inf, 5_000)
        variances[1].append(float(np.var([token[0] for token in session.marking()[0]])))
    error = math.sqrt(sum(np.var(values, ddof=1) for values in variances) / RUNS)
    assert abs(np.mean(variances[0]) - np.mean(variances[1])) < STANDARD_ERRORS * error
    assert np.mean(variances[0]) < 5.0  # in order of arrival it would be 25, that of the sum of 25 shares


@pytest.mark.slow
def test_chain() -> None:
    program = Handwritten("B5", "ixp2400", defines=("HOPS=10",))
    assert differences(program, NETS / "chain.net", 300_000, {"packets": 10**9}) == []


@pytest.mark.slow
def test_ring_has_product_form() -> None:
    """16 stations and 64 tokens: 16 · 64 / 79 services per time. Within five standard errors of a Poisson count."""
    answer = Handwritten("ring", "ring", statistics=False).figures(4_000_000, 1)
    assert answer["firings"] / answer["elapsed"] == pytest.approx(16 * 64 / 79, rel=5 / math.sqrt(4_000_000))
