"""A run until a condition: when it is looked at, so that both engines stop at the same firing (M5)."""

from __future__ import annotations

import math

from petri.engine.interface import Session
from petri.measure.formula import evaluate, judge
from petri.net import Expectation, Term

EVERY = 1000  # a condition that is not on a count is looked at after every so manieth part of the firings


class StopCondition:
    """The condition of a net's `run until count(send) >= 100`, looked at after certain numbers of firings.

    One on a count of firings or observations is looked at whenever it can have become true, since a firing adds at most
    1. Any other is looked at after each of the first `EVERY` firings, and then after every `EVERY`-th part of them.
    """

    def __init__(self, condition: Expectation) -> None:
        self.condition = condition
        self.counted = _counts(condition.formula)
        self.next = 0  # the number of firings after which to look again

    def firings_left(self, session: Session) -> int:
        """How many firings there may be before it is to be looked at."""
        return max(self.next - session.firings, 1)

    def holds(self, session: Session) -> bool:
        """Whether it is time to look, and the condition holds."""
        if session.firings < self.next:
            return False
        seen, condition = session.observe(), self.condition
        value = evaluate(condition.formula, seen)
        if judge(condition, value).passed:
            return True
        step = max(1, session.firings // EVERY)
        if self.counted and condition.comparison in (">", ">=", "==") and value < condition.bound:
            step = max(1, math.ceil(condition.bound - value))
        self.next = session.firings + step
        return False


def _counts(formula: Term) -> bool:
    """Whether a firing adds at most 1 to a figure."""
    if formula.op == "sample":
        return isinstance(formula.value, tuple) and formula.value[1] == "count"
    return formula.op == "firings"
