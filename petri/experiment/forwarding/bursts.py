"""Back-to-back frames (RFC 2544, section 26.4): how long the greatest load goes through before the first loss."""

from __future__ import annotations

from typing import Final

from petri.experiment.design.preparation import Point
from petri.experiment.design.warmup import reach
from petri.experiment.forwarding.outcome import Bursts
from petri.experiment.threshold.condition import Condition
from petri.measure.formula import evaluate
from petri.measure.observation import Observation
from petri.net import Net, Term
from petri.run.plan import Plan
from petri.run.session import begin_planned
from petri.run.stop import StopSign
from petri.structs import replace

WINDOWS: Final = 100  # in which a run is looked at; then the one with the first loss, until it is one tick long


def measure_bursts(
    point: Point, condition: Condition, loss: str, replications: int, stop: StopSign | None = None
) -> Bursts:
    """Run from an empty start, without a warm-up, until the condition fails over all that has happened so far.

    loss: the measure of lost frames.
    """
    net, plan = point.net, replace(point.plan, warmup=0.0)
    counts = _counts(next((measure.formula for measure in net.measures if measure.name == loss), None))
    times, frames, complete = [], [], True
    for index in range(replications):
        failed = _first_loss(net, plan, index, condition, stop)
        complete = complete and failed is not None
        end = net.tick.ticks(plan.until) if failed is None else failed
        times.append(net.tick.time(end))
        if counts is not None:
            lost, offered = _until(net, plan, index, end, counts, stop)
            frames.append(offered - lost)
    return Bursts(tuple(times), complete, tuple(frames))


def _first_loss(net: Net, plan: Plan, index: int, condition: Condition, stop: StopSign | None) -> float | None:
    """Return the instant [ticks] at whose end the condition fails first; None if it holds to the end."""
    low, high = 0.0, net.tick.ticks(plan.until)
    while high - low > 1.0:  # the same run once more, with a closer look
        session = begin_planned(net, plan, index, stop)
        length = max((high - low) // WINDOWS, 1.0)
        now, goes_on = low, reach(session, low, stop)
        while goes_on and now < high and not _fails(condition, session.observe()):
            low, now = now, min(now + length, high)
            goes_on = reach(session, now, stop)
        if not _fails(condition, session.observe()):
            return None
        high = now
    return high


def _fails(condition: Condition, seen: Observation) -> bool:
    """Return whether a comparison is wrong; one without data is not wrong yet."""
    values = [(comparison, comparison.figure.value(seen)) for comparison in condition.comparisons]
    return any(value == value and not one.holds(value) for one, value in values)


def _counts(loss: Term | None) -> tuple[Term, ...] | None:
    """Return the frames lost and the frames offered, of a loss that is the ratio of two counts; None of any other."""
    return loss.args if loss is not None and loss.op == "div" and all(map(_is_count, loss.args)) else None


def _is_count(term: Term) -> bool:
    return all(map(_is_count, term.args)) if term.op == "add" else term.op in ("firings", "arrivals")


def _until(
    net: Net, plan: Plan, index: int, end: float, counts: tuple[Term, ...], stop: StopSign | None
) -> list[float]:
    """Return the counts at the end of an instant. A frame whose firing lasts has come when it ends."""
    session = begin_planned(net, plan, index, stop)
    reach(session, end, stop)
    seen, firings = session.observe(), session.under_way()
    ended = seen.firings - [firings[number] for number in range(len(net.transitions))]
    return [evaluate(count, replace(seen, firings=ended)) for count in counts]
