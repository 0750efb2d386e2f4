"""A run until a condition: when it is looked at, so that both engines stop at the same firing (M5)."""

from __future__ import annotations

import math
from collections import Counter
from typing import Protocol

from petri.measure.formula import evaluate, judge
from petri.measure.observation import Observation
from petri.net import Expectation, Term

EVERY = 1000  # a condition that is not on a count is looked at after every so manieth part of the firings


class Watched(Protocol):
    """A replication between two firings: `Session` explains it."""

    @property
    def now(self) -> float: ...
    @property
    def firings(self) -> int: ...
    def observe(self) -> Observation: ...


class StopCondition:
    """The condition of a net's `run until count(send) >= 100`, looked at after certain numbers of firings.

    One on a sum of counts of firings and observations is looked at whenever it can have become true, as it is known how
    much a firing can add. Any other is looked at after each of the first `EVERY` firings, and then after every
    `EVERY`-th part of them.
    """

    def __init__(self, condition: Expectation) -> None:
        self.condition = condition
        self.gain = most_added(condition.formula)
        self.next = 0  # the number of firings after which to look again

    def holds(self, session: Watched) -> bool:
        """Return whether it is time to look, and the condition holds."""
        if session.firings < self.next:
            return False
        seen, condition = session.observe(), self.condition
        value = evaluate(condition.formula, seen)
        if judge(condition, value).passed:
            return True
        step = max(1, session.firings // EVERY)
        if self.gain and condition.comparison in (">", ">=", "==") and value < condition.bound:
            step = max(1, math.ceil((condition.bound - value) / self.gain))
        self.next = session.firings + step
        return False


def most_added(formula: Term) -> int | None:
    """Return the most that one firing adds to a sum of counts; None for other figures.

    A firing is of one transition, so that counts of different ones do not add up.
    """
    transitions: Counter[object] = Counter()
    samples = 0
    pending = [formula]
    while pending:
        term = pending.pop()
        if term.op == "add":
            pending.extend(term.args)
        elif term.op == "firings":
            transitions[term.value] += 1
        elif term.op == "sample" and isinstance(term.value, tuple) and term.value[1] == "count":
            samples += 1
        elif term.op != "const":
            return None
    return max(transitions.values(), default=0) + samples
