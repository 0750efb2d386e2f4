"""The intervals of simulations cover the exact figures of random nets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

import pytest

from petri.diagnostics import LanguageError
from petri.engine.native import available
from petri.exact.solution import Solution
from petri.model import Model
from petri.net import Clock, Expr, Net, Transition
from petri.structs import replace
from petri.ticks import Tick
from tests.exact.nets import ZERO, initial_outputs, real, solvable_net

FINE = 2**20  # ticks in a time unit: times are rounded to them, and must not be short of them
NETS = 250
REPLICATIONS = 10
UNTIL = 500.0  # time units, in each of which a transition fires a few times
AGAIN = 20.0  # mean time between new beginnings
MOST_STATES = 300
MOST_FIRINGS = 150.0  # of one transition per time unit: one such net took ten times as long as all others together
MOST_DRAWS = 3  # of a transition, each with some outcomes: one state has all of their combinations as successors
RARE = 0.02  # per time unit; averages over fewer events are not normal enough for an interval of so high a level
FALSE_ALARMS = 1e-3  # the chance that a test of all figures fails though all is well


def finer(net: Net) -> Net:
    """Return the same net with shorter ticks."""
    return replace(net, transitions=tuple(map(_finer, net.transitions)), tick=Tick(1, FINE))


def beginning_again(net: Net) -> Net:
    """Return the same net, which never dies: after random times, all places have their initial tokens again."""
    clock = Clock(Expr("exp", "real", (real(AGAIN),)))
    again = Transition("again", resets=tuple(range(len(net.places))), outputs=initial_outputs(net), clock=clock)
    return replace(net, transitions=(*net.transitions, again))


def _finer(one: Transition) -> Transition:
    scale = real(float(FINE))
    if one.clock is not None:
        mean = Expr("mul", "real", (scale, one.clock.time.args[0]))
        return replace(one, clock=replace(one.clock, time=replace(one.clock.time, args=(mean,))))
    return one if one.time == ZERO else replace(one, time=Expr("mul", "real", (scale, one.time)))


def solved(seed: int) -> tuple[Model, Solution] | None:
    """Return a net with its exact figures, if it has a small chain."""
    net = solvable_net(seed)
    if any(len(one.draws) > MOST_DRAWS for one in net.transitions):
        return None
    model = Model(finer(beginning_again(net)))
    try:
        solution = model.solve(states=MOST_STATES)
    except LanguageError:
        return None
    # A net that is trapped in the end, where reserved room keeps it from beginning again, may take longer than a run.
    begins = any(one.name == "again.rate" and one.value > 0.0 for one in solution.transitions)
    if any(one.name.endswith(".rate") and one.value > MOST_FIRINGS for one in solution.transitions):
        return None
    return (model, solution) if begins and len(solution.classes) == 1 and not solution.classes[0].dead else None


def deviations(model: Model, solution: Solution, seed: int, engine: str) -> Iterator[tuple[str, float]]:
    """Return how far the simulation is off for each figure, in standard errors."""
    from scipy import stats  # half a second, which a collection of tests need not take

    result = model.run(until=UNTIL, warmup=UNTIL / 10.0, replications=REPLICATIONS, seed=seed, engine=engine)
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
        if math.isnan(value) or math.isnan(interval.half_width) or _is_rare(name, value):
            continue
        off = abs(interval.mean - value) - exact[name].error - 1e-5 * abs(value)  # ticks are not short without end
        if interval.half_width:
            yield name, max(off, 0.0) / (interval.half_width / quantile)
        else:  # what would make it vary may be rare
            yield name, math.inf if off > RARE * abs(value) else 0.0


def _is_rare(name: str, value: float) -> bool:
    return 0.0 < value < RARE or (name.endswith(".occupied") and 1.0 - RARE < value < 1.0)


@pytest.mark.slow
def test_intervals_cover_the_exact_figures() -> None:
    """Of 250 nets, with Bonferroni's correction for all figures together."""
    from scipy import stats

    engine = "native" if available() else "reference"
    found: list[tuple[int, str, float]] = []
    nets = 0
    for seed in count():
        if nets == NETS:
            break
        if (one := solved(seed)) is not None:
            nets += 1
            found += [(seed, name, off) for name, off in deviations(*one, seed + 1, engine)]
    assert len(found) > 10 * NETS
    limit = float(stats.t.ppf(1.0 - FALSE_ALARMS / len(found) / 2.0, REPLICATIONS - 1))
    assert not [one for one in found if one[2] > limit]
