"""Back-to-back frames (RFC 2544, section 26.4): how long the greatest load goes through before the first loss."""

from __future__ import annotations

from typing import Final

from petri.experiment.design.preparation import Point
from petri.experiment.design.warmup import reach
from petri.experiment.forwarding.outcome import Bursts
from petri.experiment.threshold.condition import Condition
from petri.measure.observation import Observation
from petri.run.plan import Plan
from petri.run.session import begin_planned
from petri.run.stop import StopSign
from petri.structs import replace

WINDOWS: Final = 100  # of a run, and again of the window with the first loss: resolves a ten-thousandth of the run


def measure_bursts(point: Point, condition: Condition, replications: int, stop: StopSign | None = None) -> Bursts:
    """From an empty start, without a warm-up, until the condition fails over all that has happened so far."""
    plan = replace(point.plan, warmup=0.0)
    times, complete = [], True
    for index in range(replications):
        low, high = _window(point, plan, index, condition, 0.0, plan.until, stop)
        if high is None:
            complete = False
        else:  # the same run once more, with a closer look
            low, _ = _window(point, plan, index, condition, low, high, stop)
        times.append(low)
    return Bursts(tuple(times), complete)


def _window(
    point: Point, plan: Plan, index: int, condition: Condition, low: float, high: float, stop: StopSign | None
) -> tuple[float, float | None]:
    """The last time at which the condition holds, and the first at which it fails; None if it holds to the end."""
    session = begin_planned(point.net, plan, index, stop)
    before = low
    for number in range(1, WINDOWS + 1):
        now = low + (high - low) * number / WINDOWS
        ended = not reach(session, point.net.tick.ticks(now), stop)
        if _fails(condition, session.observe()):
            return before, now
        if ended:
            break
        before = now
    return before, None


def _fails(condition: Condition, seen: Observation) -> bool:
    """Whether a comparison is wrong; one without data is not wrong yet."""
    values = [(one, one.figure.value(seen)) for one in condition.comparisons]
    return any(value == value and not one.holds(value) for one, value in values)
