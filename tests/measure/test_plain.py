"""Figures on lists are those on arrays of numpy, bit for bit: a run is shown without numpy, and stored with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import petri
from petri.engine.interface import Limits
from petri.measure import arrays, plain
from petri.measure.catalogue import PLACE_WORDS, TRANSITION_COLUMNS
from petri.measure.estimate import LEVEL
from petri.measure.single_run import batch_interval
from petri.measure.trend import PARTS, courses, moving
from petri.net import Expectation, Measure, Net, Term
from petri.result import Result
from petri.result.tables import table
from petri.structs import as_dict, replace
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net
from tests.sampling import one_in

ARRAYS = """net arrays
place seat[0..3] = token
transition hop[i in 0..3]: seat[i] -> seat[(i + 1) mod 4] takes exp(i + 1.0)
measure share = mean(seat[0]) / mean(seat[1])  expect > 0.0
measure both = max(seat[0]) * 2.0 - min(rate(hop[0]), rate(hop[1]))
run until 1000.0
"""
NETS = ["patterns/mm1", "patterns/mmcc", "patterns/round_robin", "patterns/timeout", "patterns/epidemic"]


def bits(value: Any) -> Any:
    """Numbers as texts that differ where a bit does."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [bits(one) for one in value]
    return float(value).hex() if isinstance(value, (int, float)) else repr(value)


def both(compute: Callable[[], Any]) -> tuple[Any, Any]:
    with_numpy = bits(compute())
    with arrays.on_lists():
        return bits(compute()), with_numpy


def values(count: int, figures: int) -> list[list[float]]:
    """Figures of all kinds: constant, unknown, seldom anything else than 0, correlated, and as small as they can be."""
    chance = numpy.random.default_rng(count + figures)
    found = chance.standard_normal((count, figures)) * 10.0 ** chance.uniform(-3.0, 3.0, (count, figures))
    kinds: list[Any] = [0.5, math.nan, chance.poisson(0.02, count), found[:, 0].cumsum(), 1e-310 * found[:, 0]]
    for column, kind in zip(range(1, figures), kinds, strict=False):
        found[:, column] = kind
    rows: list[list[float]] = found.tolist()
    return rows


@pytest.mark.parametrize("figures", [1, 2, 7])
@pytest.mark.parametrize("count", [2, 9, 40, 128, 199, 255])
def test_intervals_of_batches(count: int, figures: int) -> None:
    given = values(count, figures)

    def compute() -> list[Any]:
        found = batch_interval(arrays.np.array(given), LEVEL)
        return [found.below, found.above, found.longer, found.n]

    assert len(set(map(str, both(compute)))) == 1


@pytest.mark.parametrize("figures", [1, 5])
def test_trends(figures: int) -> None:
    given = [values(PARTS, figures) for _ in range(9)]

    def compute() -> list[Any]:
        found = [courses(arrays.np.array(one)) for one in given]
        return [found, moving(found, figures, rising=True), moving(found, figures, rising=False)]

    with_lists, with_numpy = both(compute)
    assert with_lists == with_numpy


@pytest.mark.parametrize("count", [1, 7, 8, 64, 127, 128, 129, 300])
def test_sums_are_added_up_in_the_order_of_numpy(count: int) -> None:
    one, several = values(count, 1), values(count, 6)
    for given in (one, several, [row[0] for row in one]):
        assert bits(plain.array(given).sum(axis=0)) == bits(numpy.array(given).sum(axis=0))
        assert bits(plain.array(given).std(axis=0)) == bits(numpy.array(given).std(axis=0))


def figures_of(result: Result) -> list[Any]:
    tables = [as_dict(table) for table in (result.places, result.transitions)]
    found = [
        [name, one.value, one.half_width, one.longer if one.longer is not None else "none", one.n]
        for table in tables
        for name, one in table.items()
        if name != "names" and one is not None
    ]
    measured = [[one.name, *map(str, as_dict(one.interval).values()), str(one.verdicts)] for one in result.measures]
    return [*found, *measured, str(result.drifts)]


@pytest.mark.parametrize("replications", [1, 9])
@pytest.mark.parametrize("until", [0.1, 8.0, 30.0, 3_000.0])
@pytest.mark.parametrize("name", one_in(5, NETS))
def test_figures_of_nets(name: str, until: float, replications: int) -> None:
    model = petri.load(name)

    def compute() -> list[Any]:
        return figures_of(model.run(until=until, replications=replications, warmup=0.0))

    with_lists, with_numpy = both(compute)
    assert with_lists == with_numpy


@pytest.mark.parametrize("until", [0.5, 5.0, pytest.param(4_000.0, marks=pytest.mark.slow)])
def test_rows_of_arrays(until: float) -> None:
    model = petri.loads(ARRAYS)

    def compute() -> list[Any]:
        result = model.run(until=until)
        rows = [*table(result, "places"), *table(result, "transitions")]
        return [*figures_of(result), *map(str, rows)]

    with_lists, with_numpy = both(compute)
    assert with_lists == with_numpy


def measured_net(seed: int) -> Net:
    """A random net with formulas of all figures of its places and transitions."""
    chance = Random(str(seed))
    net = replace(chosen_net(chance), probes=())

    def figure() -> Term:
        places = chance.number(0, 1)
        word = chance.one([*(PLACE_WORDS if places else TRANSITION_COLUMNS)])
        return Term(word, (), chance.number(0, len(net.places if places else net.transitions) - 1))

    def formula(depth: int) -> Term:
        if not depth:
            return chance.one([figure(), figure(), Term("elapsed"), Term("const", (), 0.5), Term("const", (), 0.0)])
        op = chance.one(["add", "sub", "mul", "div", "min2", "max2", "neg"])
        return Term(op, tuple(formula(depth - 1) for _ in range(1 if op == "neg" else 2)))

    measures = tuple(Measure(f"m{number}", formula(number % 3)) for number in range(6))
    return replace(net, measures=measures, expectations=(Expectation("expect", formula(1), ">=", 0.0),))


FEW = Limits(
    tokens=60
)  # of a net whose tokens multiply, the bindings of a state may take longer to find than all other nets


@pytest.mark.parametrize("seed", one_in(30, range(150)))
def test_figures_of_random_nets(seed: int) -> None:
    model = petri.Model(measured_net(seed))
    replications = 1 + 3 * (seed % 4 == 1)

    def compute() -> list[Any]:
        result = model.run(until=10.0 ** (seed % 5), replications=replications, max_firings=4_000, limits=FEW)
        if result.failure is not None:
            return [result.failure.id]
        brief = [str(row) for kind in ("places", "transitions") for row in table(result, kind, brief=True)]
        return [*figures_of(result), *brief, str(result.verdicts)]

    with_lists, with_numpy = both(compute)
    assert with_lists == with_numpy
