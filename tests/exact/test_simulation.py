"""The intervals of simulations cover the exact figures of random nets."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from scipy import stats

from petri.diagnostics import LanguageError
from petri.model import Model
from petri.net import Expr, Net, Transition
from petri.structs import replace
from petri.ticks import Tick
from tests.exact.nets import ZERO, real, solvable_net

FINE = 2**20  # ticks in a time unit: times are rounded to them, and must not be short of them
NETS = 150
REPLICATIONS = 10
UNTIL = 1000.0  # time units, in each of which a transition fires a few times
MOST_STATES = 2_000
FALSE_ALARMS = 1e-3  # the chance that a test of all figures fails though all is well


def finer(net: Net) -> Net:
    """The same net with shorter ticks."""
    return replace(net, transitions=tuple(map(_finer, net.transitions)), tick=Tick(1, FINE))


def _finer(one: Transition) -> Transition:
    scale = real(float(FINE))
    if one.clock is not None:
        mean = Expr("mul", "real", (scale, one.clock.time.args[0]))
        return replace(one, clock=replace(one.clock, time=replace(one.clock.time, args=(mean,))))
    return one if one.time == ZERO else replace(one, time=Expr("mul", "real", (scale, one.time)))


def deviations(seed: int, engine: str) -> Iterator[tuple[str, float]]:
    """Of each figure of a net that has a chain and never dies: how far the simulation is off, in standard errors."""
    model = Model(finer(solvable_net(seed)))
    try:
        solution = model.solve(states=MOST_STATES)
    except LanguageError:
        return
    if len(solution.classes) != 1 or solution.classes[0].dead:
        return
    result = model.run(until=UNTIL, warmup=UNTIL / 10.0, replications=REPLICATIONS, seed=seed + 1, engine=engine)
    exact = {one.name: one for one in (*solution.places, *solution.transitions)}
    quantile = float(stats.t.ppf(0.975, REPLICATIONS - 1))
    columns = [
        (f"{name}.{field}", estimate.interval(index))
        for figures, fields in ((result.places, ("mean", "occupied")), (result.transitions, ("rate", "in_progress")))
        for field in fields
        for estimate in (getattr(figures, field),)
        for index, name in enumerate(figures.names)
    ]
    for name, interval in columns:
        value = exact[name].value
        if math.isnan(value) or math.isnan(interval.half_width):
            continue
        off = abs(interval.mean - value) - exact[name].error - 1e-5 * abs(value)  # ticks are not short without end
        yield (
            name,
            max(off, 0.0) / (interval.half_width / quantile)
            if interval.half_width
            else (0.0 if off <= 0 else math.inf),
        )


@pytest.mark.slow
def test_intervals_cover_the_exact_figures() -> None:
    """With Bonferroni's correction for all figures of all nets together. The reference engine has all clocks."""
    found = [(seed, name, off) for seed in range(NETS) for name, off in deviations(seed, "reference")]
    assert len(found) > 100
    limit = float(stats.t.ppf(1.0 - FALSE_ALARMS / len(found) / 2.0, REPLICATIONS - 1))
    assert not [one for one in found if one[2] > limit]
