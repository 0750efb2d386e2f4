"""How large or small a figure can be in the long run, and what limits it."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from petri.bounds.domains import is_fed
from petri.bounds.formula import Quotient, quotient
from petri.bounds.programme import Because, Optimum, plus
from petri.bounds.system import System
from petri.engine.dependence import dependence
from petri.net import Net, Term
from petri.structs import Frozen, replace

LEAST_SHARE = 0.02  # of a bound that a limit must allow to be named
MOST_NAMED = 4
MOST_IN_SOURCE = 8  # transitions that bring what comes to a net


class Limit(Frozen):
    """What limits a figure. name: of a place or transition. share: how much of the bound it allows.

    kind: `arrivals` of a transition that goes on for ever, `busy` for tokens that are in use all the time (`count` of
    them), `capacity` of a place, `servers` of a transition.
    """

    kind: Literal["arrivals", "busy", "capacity", "servers"]
    name: str
    count: float
    share: float


class Bound(Frozen):
    """A figure is at least `low` and at most `high` in the long run; nan where that cannot be said. limits: of each.

    dimension: as of a measure.
    """

    name: str
    dimension: str
    low: float
    high: float
    below: tuple[Limit, ...] = ()
    above: tuple[Limit, ...] = ()


class Bounds:
    """The bounds of a net's figures, each computed when it is asked for. They are in the net's units."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self._system = System(net)

    @cached_property
    def measures(self) -> list[Bound]:
        """Bound the measures that are quotients of averages."""
        formulas = [
            (measure, quotient(measure.formula, self._system))
            for measure in self.net.measures
            if measure.window is None
        ]
        found = ((one, formula) for one, formula in formulas if formula is not None and not formula.totals)
        return [self._bound(one.name, one.dimension, formula) for one, formula in found]

    @cached_property
    def transitions(self) -> list[Bound]:
        """Bound how often each transition fires in a time unit."""
        return [self._bound(one.name, "events", self._figure("rate", t)) for t, one in enumerate(self.net.transitions)]

    @cached_property
    def places(self) -> list[Bound]:
        """Bound how many tokens each place holds on average."""
        return [self._bound(one.name, "", self._figure("mean", p)) for p, one in enumerate(self.net.places)]

    def _figure(self, op: str, number: int) -> Quotient:
        found = quotient(Term(op, value=number), self._system)
        assert found is not None
        return found

    def _bound(self, name: str, dimension: str, of: Quotient) -> Bound:
        programme = self._system.programme
        most = programme.greatest(of.above, of.below)
        least = programme.greatest(plus((-1.0, of.above)), of.below)
        return Bound(name, dimension, 0.0 - least.value, most.value + 0.0, self._limits(least), self._limits(most))

    def _limits(self, optimum: Optimum) -> tuple[Limit, ...]:
        """Return what allows most of a bound."""
        total = float(sum(part for _, part in optimum.parts))
        named = [
            (because, float(part) / total)
            for because, part in optimum.parts
            if part > LEAST_SHARE * total and not self._is_idle(because, optimum)
        ]
        limits: dict[tuple[str, str], Limit] = {}
        for limit in (self._limit(because, share) for because, share in named[:MOST_NAMED]):
            before = limits.get((limit.kind, limit.name))
            limits[limit.kind, limit.name] = (
                limit if before is None else replace(before, share=before.share + limit.share)
            )
        return tuple(limits.values())

    def _is_idle(self, because: Because, optimum: Optimum) -> bool:
        """Return whether tokens of which a row is wait in their place, so that they are not what limits."""
        kind, number = because
        resource = kind not in ("clock", "servers", "capacity") and self._source(number) is None
        return resource and self._system.tokens[number] in optimum.positive

    def _limit(self, because: Because, share: float) -> Limit:
        kind, number = because
        if kind in ("clock", "servers"):
            transition = self.net.transitions[number]
            if not transition.inputs:
                return Limit("arrivals", transition.name, 1.0, share)
            return Limit("servers", transition.name, float((transition.clock and transition.clock.servers) or 1), share)
        place = self.net.places[number]
        if kind == "capacity":
            return Limit("capacity", place.name, self._system.known.tokens(number)[1], share)
        if (source := self._source(number)) is not None:
            return Limit("arrivals", self.net.transitions[source].name, 1.0, share)
        changers = self._system.known.changers(number)
        if place.colour.slots and len(changers) == 1:  # the place of its own state, such as a counter
            return Limit("busy", self.net.transitions[min(changers)].name, 1.0, share)
        return Limit("busy", place.name, float(place.held), share)

    def _source(self, place: int) -> int | None:
        """Return the transition that feeds the net, if the place is in a small part that needs nothing of the rest."""
        transitions = self.net.transitions
        part, needed, pending = set[int](), {place}, [place]
        while pending:
            for t in self._system.known.changers(pending.pop()) - part:
                part.add(t)
                more = dependence(self.net, transitions[t]).places - needed
                needed |= more
                pending += more
            if len(part) > MOST_IN_SOURCE:
                return None
        if any(is_fed(self.net.places[one]) for one in needed):
            return None
        givers = (t for t in sorted(part) for arc in transitions[t].outputs if not needed.issuperset(arc.places))
        return next(givers, None)


def bounds_of(net: Net) -> Bounds:
    """Return the bounds of a net. Raises NeedsExtra without scipy."""
    return Bounds(net)
