"""Runs of random nets, gone over again by the trace alone: nothing fires that may not, nothing gets lost.

The auditor does not know bindings: it counts the tokens of each place, which the trace's variables let it do, and holds
every firing against guards, thresholds without patterns, capacities, priorities of time, and place invariants.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from petri.analysis.structure import invariants
from petri.engine.expression import Context, arrival, evaluate
from petri.engine.firings import TracedFiring
from petri.engine.interface import Limits
from petri.engine.native import available
from petri.net import Expr, Net, Place, Token
from petri.run.session import begin
from tests.engine.nets import nets

NAMES = ["reference", "native"] if available() else ["reference"]
LIMITS = Limits(firings_at_an_instant=60, tokens=60)
# Beyond this time a short firing ends when it starts, and the trace does not tell it from one that takes no time.
FAR = 2.0**40
FEW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=12)


class Auditor:
    """The number of tokens in each place, kept by the trace."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.size = [place.held for place in net.places]
        self.coming: list[tuple[float, int, dict[int, int]]] = []  # end, serial, tokens by place
        self.now = 0.0
        self.invariants = invariants(net) or []

    def context(self, firing: TracedFiring, end: float) -> Context:
        size = list(self.size)
        return Context(firing.variables, lambda p: size[p], firing.start, end, None, self.net.tables)

    def number(self, expression: Expr | None, context: Context) -> int:
        return 1 if expression is None else int(evaluate(expression, context))

    def add(self, places: dict[int, int]) -> None:
        for place, count in places.items():
            self.size[place] += count

    def end_until(self, now: float) -> None:
        """Deposit what ends up to `now`."""
        self.coming.sort(key=lambda item: item[:2])
        while self.coming and self.coming[0][0] <= now:
            self.add(self.coming.pop(0)[2])

    def fire(self, serial: int, firing: TracedFiring) -> None:
        transition = self.net.transitions[firing.transition]
        assert firing.start >= self.now
        assert firing.end >= firing.start
        self.now = firing.start
        self.end_until(self.now)
        context = self.context(firing, firing.start)  # what decides about enabling does not know the end yet
        taken = self.taken(firing, context)
        assert transition.guard is None or evaluate(transition.guard, context)
        for inhibitor in transition.inhibitors:
            if all(match.equal is None for match in inhibitor.pattern):
                assert self.size[inhibitor.place] < self.number(inhibitor.threshold, context)
        given_tokens = self.given(firing, self.context(firing, firing.end))
        self.add({place: -count for place, count in taken.items()})
        for place in transition.resets:
            self.size[place] = 0
        for end, tokens in given_tokens:
            if end == firing.start:
                self.add(tokens)
            else:
                self.coming.append((end, serial, tokens))
        self.check()

    def taken(self, firing: TracedFiring, context: Context) -> dict[int, int]:
        """Return what the arcs take, all of it there together with what they read."""
        taken: dict[int, int] = {}
        found: dict[int, int] = {}
        for arc in self.net.transitions[firing.transition].inputs:
            count = self.number(arc.count, context)
            found[arc.place] = found.get(arc.place, 0) + count
            if not arc.keep:
                taken[arc.place] = taken.get(arc.place, 0) + count
        for place, count in found.items():
            assert count <= self.size[place]
        return taken

    def given(self, firing: TracedFiring, context: Context) -> list[tuple[float, dict[int, int]]]:
        """Return what each arc gives, and when it arrives (I11)."""
        given: list[tuple[float, dict[int, int]]] = []
        for arc in self.net.transitions[firing.transition].outputs:
            if arc.condition is None or evaluate(arc.condition, context):
                place = arc.places[0 if arc.index is None else int(evaluate(arc.index, context))]
                count = self.number(arc.count, context)
                end = firing.end if arc.delay is None or count == 0 else arrival(arc.delay, context)
                given.append((end, {place: count}))
        return given

    def check(self) -> None:
        """Capacities and invariants, tokens that firings will deposit included."""
        held = list(self.size)
        for _, _, tokens in self.coming:
            for place, count in tokens.items():
                held[place] += count
        for index, kept in enumerate(self.net.places):
            initial = kept.held
            by_number = kept.capacity is not None and kept.weight is None and not kept.per
            assert not by_number or held[index] <= max(kept.capacity or 0, initial)
        for invariant in self.invariants:
            assert sum(weight * held[p] for p, weight in invariant.weights.items()) == invariant.total


def assert_no_line_is_too_full(place: Place, tokens: Sequence[Token]) -> None:
    """Keep to one capacity for each line; the trace does not tell lines apart (S7, E6)."""
    if not place.per or place.capacity is None:
        return
    held = Counter(line_of(place, token) for token in tokens)
    initial = Counter[Token]()
    for count, token in place.initial:
        initial[line_of(place, token)] += count
    assert all(number <= max(place.capacity, initial[line]) for line, number in held.items())


def line_of(place: Place, token: Token) -> Token:
    return tuple([token[slot] for slot in place.per])


def assert_every_firing_was_enabled_and_invariants_hold(net: Net, seed: int, engine: str) -> None:
    """Leave out sets: the auditor counts tokens, and does not know which are in a set (E11)."""
    assume(not any(transition.sets for transition in net.transitions))
    session = begin(net, engine, seed, 0, limits=LIMITS, trace=True)
    reason = "budget"
    while reason == "budget" and session.firings < 60:
        reason = session.advance(math.inf, 1)
        for place, tokens in zip(net.places, session.marking(), strict=True):
            assert_no_line_is_too_full(place, tokens)
    trace = list(session.trace())
    assume(all(firing.end < FAR for firing in trace))
    auditor = Auditor(net)
    for serial, firing in enumerate(trace):
        auditor.fire(serial, firing)
    if reason != "error":
        auditor.end_until(session.now)
        assert auditor.size == [len(tokens) for tokens in session.marking()]
    event(f"{len(auditor.invariants)} invariants")


RUNS = given(nets(), st.integers(0, 5), st.sampled_from(NAMES))
test_every_firing_was_enabled_and_invariants_hold = FEW(RUNS(assert_every_firing_was_enabled_and_invariants_hold))
test_so_it_is_in_many_nets = pytest.mark.slow(
    settings(FEW, max_examples=60)(RUNS(assert_every_firing_was_enabled_and_invariants_hold))
)
