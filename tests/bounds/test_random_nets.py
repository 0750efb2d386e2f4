"""Random nets, whose figures lie within their bounds.

A bound is of the long run, and a run is short: it begins with its initial tokens and ends with others. So figures may
be beyond by what that many tokens, and the chance of a run, make. The slack below is for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from petri.analysis.constancy import constancy_of
from petri.bounds import bounds_of
from petri.net import Expr, Net, Transition, lasts
from petri.run.session import begin
from petri.structs import replace
from tests.engine.joins import joining_net
from tests.engine.mutated import Random
from tests.engine.nets import chosen_net

FINE = 1_000.0  # ticks that one of the drawn nets is divided into, so that rounding changes no mean
UNTIL = 2_000.0 * FINE  # of nets whose times were a few ticks
Make = Callable[[Random], Net]
LONGEST = UNTIL / 100.0  # time in a net that is compared: a bound is of the long run
PIECE, MOST_FIRINGS, MOST_TOKENS = 100, 20_000, 60


def fine(net: Net) -> Net:
    """Return the net with longer times."""

    def longer(time: Expr) -> Expr:
        return Expr("mul", "real", (time, Expr("const", "real", value=FINE)))

    def slower(transition: Transition) -> Transition:
        clock = transition.clock
        outputs = tuple(
            arc if arc.delay is None else replace(arc, delay=longer(arc.delay)) for arc in transition.outputs
        )
        if clock is None:
            return replace(
                transition, time=longer(transition.time) if lasts(transition) else transition.time, outputs=outputs
            )
        return replace(transition, clock=replace(clock, time=_longer_clock(clock.time)), outputs=outputs)

    return replace(net, transitions=tuple(map(slower, net.transitions)))


def _longer_clock(time: Expr) -> Expr:
    """Return a longer time that is exponential if it was (C4)."""
    factor = Expr("const", "real", value=FINE)
    if time.op == "exp":
        return replace(time, args=(Expr("mul", "real", (time.args[0], factor)),))
    return Expr("mul", "real", (time, factor))


def seen(net: Net, seed: int) -> tuple[float, list[int], list[float]] | None:
    """Return the length of a run, the firings of transitions and the mean tokens of places; None if it grows."""
    session = begin(net, "native", seed, 0)
    while (reason := session.advance(UNTIL, PIECE)) == "budget":
        observed = session.observe()
        if session.firings > MOST_FIRINGS or observed.maximum.max(initial=0) > MOST_TOKENS:
            return None
    if reason == "error":
        return None
    session.rest(UNTIL)
    observed = session.observe()
    return observed.elapsed, list(observed.firings), list(observed.integral / observed.elapsed)


def assert_within(net: Net, seed: int) -> bool:
    """Return whether there was something to compare."""
    figures = None if max(constancy_of(net).usual_times, default=0.0) > LONGEST else seen(net, seed)
    if figures is None:
        return False
    elapsed, firings, tokens = figures
    bounds = bounds_of(net)
    held = sum(place.held for place in net.places)
    for bound, fired in zip(bounds.transitions, firings, strict=True):
        most = bound.high * elapsed
        assert fired <= most + 5.0 * math.sqrt(most) + 3 * held + 20, bound
    for bound, average in zip(bounds.places, tokens, strict=True):
        assert average >= 0.8 * bound.low - 0.1, bound
    return True


@pytest.mark.parametrize(("make", "number", "least"), [(joining_net, 6, 4), (chosen_net, 40, 8)])
def test_figures_of_random_nets_are_within_their_bounds(make: Make, number: int, least: int) -> None:
    compared = [assert_within(fine(make(Random(seed))), seed) for seed in range(number)]
    assert sum(compared) >= least


def test_a_net_that_defeats_the_solver_at_first() -> None:
    bounds = bounds_of(fine(chosen_net(Random(2749))))
    assert not any(math.isnan(bound.high) for bound in bounds.transitions)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1_500, 3_000, 500))
@pytest.mark.parametrize(("make", "number"), [(joining_net, 60), (chosen_net, 500)])
def test_figures_of_many_random_nets_are_within_their_bounds(make: Make, number: int, start: int) -> None:
    compared = [assert_within(fine(make(Random(seed))), seed) for seed in range(start, start + number)]
    assert sum(compared) > 30
