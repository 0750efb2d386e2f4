"""What a figure might be that did not vary in a replication: the same in every run, or how far it may be from that.

What never happened counts as if it had happened `EVENTS` times in as many independent looks as the replication is worth
(`petri.measure.unvaried`). Formulas are computed with these bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property, partial, reduce
from typing import Any, Final

import numpy as np

from petri.analysis.constancy import Constancy, constancy_of, tokens_read
from petri.analysis.heavy import heavy_tails_of
from petri.exact.failing import MayFail, range_of
from petri.measure import reorder
from petri.measure.arrays import Floats
from petri.measure.bounded import Bounded, lesser
from petri.measure.catalogue import TERMS, TRANSITION_COLUMNS, FigureKind
from petri.measure.figures import Figure
from petri.measure.formula import values
from petri.measure.histogram import bucket, quantile_share
from petri.measure.intervals import incomplete_beta
from petri.measure.observation import Snapshot
from petri.measure.tails import FEWEST, is_heavy
from petri.measure.unvaried import EVENTS, Ranges, independent_looks
from petri.net import Counter, Event, Expr, Net, Order, Passage, Sample, Term, Transition, Watched
from petri.run.ensemble import Ensemble
from petri.run.plan import Plan
from petri.structs import Struct, replace

_ROUNDING: Final = 1e-9

Range = tuple[float, float]
ALL: Final[Range] = -math.inf, math.inf


class Rare:
    """The figures that did not vary, of each of n replications: whatever differs between them is an array [n]."""

    def __init__(self, net: Net, plan: Plan, ran: Ensemble) -> None:
        self.net = net
        self.ran = ran
        self.windows = ran.windows
        self.seen: Any = ran.windows.across
        self.constancy = constancy_of(net)
        self.tails = heavy_tails_of(net)
        self.fixed_length = math.isfinite(plan.until)

    @cached_property
    def looks(self) -> Floats:
        """Count the independent looks at the net that each replication is worth."""
        looks = independent_looks(self.windows, self.ran.batches, self.ran.batch_ends, self.constancy.emptied)
        if self.fixed_length:  # the batches of one that died say nothing of how it lives on
            looks = np.where(np.isnan(self.ran.numbers["died"]), looks, 1.0)
        unseen, elapsed = self._unseen, self.windows.elapsed
        most = np.divide(elapsed, unseen, out=np.full(elapsed.shape, math.inf), where=(unseen > 0.0) & (elapsed > 0.0))
        return np.asarray(np.maximum(np.minimum(looks, most), 1.0))

    @property
    def _unseen(self) -> Floats:
        """The longest time that a transition takes of those that took none: what never happened may last as long."""
        seen = self.seen
        begun = (seen.firings != 0) | (seen.set != 0) | (seen.in_progress != 0.0)
        usual = np.array(self.constancy.usual_times)[:, None]
        longest: Floats = self.net.tick.time(np.where(begun, 0.0, usual).max(axis=0, initial=0.0))
        return longest

    def value(self, term: Term) -> Floats:
        """Return a formula in each replication."""
        return values(term, self.windows)

    def of_kind(self, kind: FigureKind, index: int) -> Ranges:
        """Return what a figure of a place or transition might be."""
        value = np.asarray(kind.of(self.seen, index), dtype=np.float64)
        nodes = self.tails.transitions if kind.name == "in_progress" else self.tails.places
        heavy = kind.name in ("mean", "sojourn", "in_progress") and index in nodes
        bounds = partial(self._bounds_of_node, kind, index)
        return self._ranged(value, bounds, partial(_hits_of_node, self, kind, index), heavy)

    def of_term(self, term: Term) -> Ranges:
        """Return what a formula might be."""
        value, bounds = self.value(term), partial(self._bounds, term)
        return self._ranged(value, bounds, partial(_hits_of, self, term), self._is_heavy(term), self._beyond(term))

    def _beyond(self, term: Term) -> Any:
        """Return the least number of values on the shorter side of a quantile in a formula; infinite without any."""
        if term.op in ("sample", "passage") and isinstance(term.value, tuple):
            share = quantile_share(term.value[1])
            count = self._probe(term, "count")
            return math.inf if share is None or share in (0.0, 1.0) else count * min(share, 1.0 - share)
        return reduce(np.minimum, map(self._beyond, term.args), math.inf)

    def _is_heavy(self, term: Term) -> Any:
        """Return whether the variance of a formula is infinite, or that of a sample in it seems to be."""
        if self.tails.of_term(term):
            return True
        if term.op in ("sample", "passage") and isinstance(term.value, tuple):
            if term.value[1] not in ("mean", "std"):
                return False
            enough = self._probe(term, "count") >= FEWEST
            return np.array([of and is_heavy(self.windows.probe(term.value[0], n)) for n, of in enumerate(enough)])
        return reduce(np.logical_or, map(self._is_heavy, term.args), False)

    def _probe(self, term: Term, name: str) -> Floats:
        """Return a number of the probe of a formula."""
        assert isinstance(term.value, tuple)
        return np.asarray(self.seen.probes[term.value[0]][name], dtype=np.float64)

    def _ranged(
        self, value: Floats, bounds: Callable[[], Bounded], hits: Callable[[], Hits], heavy: Any, beyond: Any = math.inf
    ) -> Ranges:
        drew, count = self.ran.numbers["drew"], len(self.windows)
        exact = Ranges.on(count, value, value, value, math.inf, math.nan, False, False, math.inf)
        if not drew.any():
            return exact
        with np.errstate(all="ignore"):
            found, (happened, rest), slack = bounds(), hits(), _ROUNDING * np.abs(value)
            low = np.where(found.low < value - slack, found.low, value)
            high = np.where(found.high > value + slack, found.high, value)
        low, high = np.where(np.isnan(found.low), -math.inf, low), np.where(np.isnan(found.high), math.inf, high)
        ranged = Ranges.on(count, value, low, high, self.looks, happened, rest, heavy, beyond)
        return ranged if drew.all() else exact.unless(drew, ranged)

    def _bounds_of_node(self, kind: FigureKind, index: int) -> Bounded:
        leaves = _Leaves(self)
        found = leaves.of_node(kind, index)
        return Bounded.where(leaves.noisy, _without_bounds(found), found)

    def _bounds(self, term: Term) -> Bounded:
        leaves = _Leaves(self)
        found = leaves.of(term)
        if self.constancy.is_constant(term):
            return found
        is_range = found.high - found.low > _ROUNDING * np.abs(found.value)
        return Bounded.where(is_range | ~np.asarray(leaves.noisy), found, _without_bounds(found))


def _without_bounds(found: Bounded) -> Bounded:
    return Bounded(found.value, -math.inf, math.inf)


def ranges(net: Net, plan: Plan, ran: Ensemble, kept: Iterable[Figure]) -> dict[str, Ranges]:
    """Return, by figure, what each of some replications might be if it does not vary."""
    rare, found = Rare(net, plan, ran), dict[str, Ranges]()
    for one in kept:
        if one.statistic == "mean" and one.tally is None and one.of is not None:
            with suppress(Exception):  # of a figure that cannot be computed, which its value tells
                found[one.name] = rare.of_term(one.of) if isinstance(one.of, Term) else rare.of_kind(*one.of)
    return found


Hits = tuple[Any, Any]
"""The fields `hits` and `rest` of `Ranges`."""

NO_EVENTS: Final[Hits] = math.nan, False


def _hits_of(rare: Rare, term: Term) -> Hits:
    """Return the hits of a formula."""
    op, args = term.op, term.args
    if op == "sub" and args[0] == Term("const", value=1.0):
        hits, rest = _hits_of(rare, args[1])
        return hits, np.logical_not(rest)
    if op in ("mul", "div") and args[1].op == "const":
        return _hits_of(rare, args[0])[0], False
    if op != "div":
        return _hits_of_node(rare, TERMS[op], int(term.value)) if op in TERMS else NO_EVENTS  # type: ignore[arg-type]
    above, below = args
    if above.op == "watched" and below.op == "elapsed":
        probe = rare.net.probes[above.value[0]]  # type: ignore[index]
        is_share = isinstance(probe, Watched) and probe.value.kind == "bool"
        return _hits_of_share(rare, rare.value(term)) if is_share else NO_EVENTS
    if not _is_count(rare.net, above) or not (below.op == "elapsed" or _is_count(rare.net, below)):
        return NO_EVENTS
    count, of = rare.value(above), rare.value(below)
    chances = np.maximum(_chances(rare, above), count)
    rest = (below.op != "elapsed") & (count > 0.5 * of)
    return np.where(rest, of - count, count) / np.maximum(1.0, chances / rare.looks), rest


def _hits_of_node(rare: Rare, kind: FigureKind, index: int) -> Hits:
    name, seen = kind.name or kind.word, rare.seen
    if name in ("occupied", "active"):
        return _hits_of_share(rare, kind.of(seen, index))
    if name not in ("firings", "rate"):
        return NO_EVENTS
    firings = seen.firings[index] * 1.0
    chances = np.maximum(_chances(rare, Term("firings", value=index)), firings)
    return firings / np.maximum(1.0, chances / rare.looks), False


def _hits_of_share(rare: Rare, value: Any) -> Hits:
    return lesser(value, 1.0 - value) * rare.looks, value > 0.5


def _is_count(net: Net, term: Term) -> bool:
    """Return whether a term is a number of firings."""
    if term.op == "counter":
        probe = net.probes[int(term.value)]  # type: ignore[arg-type]
        return isinstance(probe, Counter) and probe.quantity is None
    return all(_is_count(net, one) for one in term.args) if term.op == "add" else term.op == "firings"


def _chances(rare: Rare, count: Term) -> Any:
    """Return how many tokens came that the transitions of a count might have taken."""
    if count.op == "add":
        return sum(_chances(rare, one) for one in count.args)
    probe = rare.net.probes[int(count.value)] if count.op == "counter" else None  # type: ignore[arg-type]
    t = probe.transition if isinstance(probe, Counter) else int(count.value)  # type: ignore[arg-type]
    taken = {place for arc in rare.net.transitions[t].inputs for place in arc.takes_from}
    return reduce(np.maximum, (rare.seen.arrivals[place] * 1.0 for place in taken), np.zeros(len(rare.windows)))


class _Leaves(Struct):
    """Computes a formula with bounds. noisy: whether it contains a figure that may be random, without any [n]."""

    rare: Rare
    noisy: Any = False

    def of(self, term: Term) -> Bounded:
        op, args = term.op, term.args
        if op in _ARITHMETIC:
            return _ARITHMETIC[op](*map(self.of, args))
        value = self.rare.value(term)
        if op in ("const", "elapsed"):
            return Bounded.of(value)
        if op in TERMS:
            return self.of_node(TERMS[op], int(term.value))  # type: ignore[arg-type]
        if op == "counter":
            return self._counter(self.rare.net.probes[int(term.value)], value)  # type: ignore[arg-type]
        if isinstance(term.value, tuple) and op != "series":
            return self._probe(self.rare.net.probes[term.value[0]], term.value[0], term.value[1], value)
        return self._unknown(value)

    def _unknown(self, value: Floats, where: Any = True) -> Bounded:
        self.noisy = self.noisy | np.asarray(where)
        return Bounded.of(value)

    def _where(self, known: Any, found: Bounded, value: Floats) -> Bounded:
        """Return the bounds that were found where a condition holds; elsewhere nothing is known."""
        return Bounded.where(known, found, self._unknown(value, np.logical_not(known)))

    @property
    def share(self) -> Floats:
        """The share of time that a state may have in which the net never was; above 1 where nothing is known."""
        return EVENTS / self.rare.looks

    def times(self, chances: Any) -> Floats:
        """Return how often something may happen that never did, with this number of chances that it had."""
        return np.asarray(EVENTS * np.maximum(1.0, chances / self.rare.looks))

    # ------------------------------------------------------------ places and transitions

    def of_node(self, kind: FigureKind, index: int) -> Bounded:
        value = np.asarray(kind.of(self.rare.seen, index), dtype=np.float64)
        is_place = kind is not TRANSITION_COLUMNS.get(kind.name)
        random = self.rare.constancy.random[0 if not is_place else 1]
        if index not in random and self.rare.fixed_length:
            return Bounded.of(value)
        name = kind.name or kind.word
        found = self._of_place(name, index, value) if is_place else self._of_transition(name, index, value)
        return self._unknown(value) if found is None else found

    def _of_place(self, name: str, index: int, value: Floats) -> Bounded | None:
        seen = self.rare.seen
        if name == "mean":
            most = seen.maximum[index] * 1.0
            always = (value == 0.0) | (value == most)
            return self._level(value, *self.rare.constancy.tokens(index), always, np.maximum(1.0, most))
        if name == "occupied":
            always = (value == 0.0) | (value == 1.0)
            return self._level(value, 0.0, min(self.rare.constancy.tokens(index)[1], 1.0), always)
        if name in ("utilisation", "busy"):
            held = float(self.rare.net.places[index].held)
            tokens = self._of_place("mean", index, (1.0 - value) * held) if held else None
            return None if tokens is None else 1.0 - tokens / held
        if name in ("arrivals", "arrival_rate"):
            found = Bounded(0.0, 0.0, self._arrivals(index)) / (1.0 if name == "arrivals" else seen.elapsed)
            return self._where(seen.arrivals[index] == 0, found, value)
        if name == "sojourn":
            found = Bounded(0.0, 0.0, 0.0 if index in self.rare.constancy.emptied_at_once else math.inf)
            return self._where(value == 0.0, found, value)
        return None

    def _of_transition(self, name: str, index: int, value: Floats) -> Bounded | None:
        seen = self.rare.seen
        if name == "in_progress":
            least, most = self.rare.constancy.in_progress(index)
            return self._level(value, least, most, (value == 0.0) | (value == most))
        if name == "active":
            least, most = self.rare.constancy.in_progress(index)
            return self._level(value, min(least, 1.0), min(most, 1.0), (value == 0.0) | (value == 1.0))
        if name in ("firings", "rate"):
            found = Bounded(0.0, 0.0, self._firings(index)) / (1.0 if name == "firings" else seen.elapsed)
            return self._where(value == 0.0, found, value)
        if name in ("clocks_set", "clocks_dropped"):
            is_unclocked = self.rare.net.transitions[index].clock is None
            chances = self._firings(index) if name == "clocks_set" else seen.set[index] * 1.0
            found = Bounded.of(0.0) if is_unclocked else Bounded(0.0, 0.0, self.times(chances))
            return self._where(value == 0.0, found, value)
        return None

    def _level(self, value: Floats, least: float, most: float, always: Any, more: Any = 1.0) -> Bounded:
        """Return the time average of a number from `least` to `most`. always: it was always `value`.

        more: by how much it is greater at other times, if nothing says how great it can be.
        """
        if least == most:
            return Bounded.of(value)
        low, high = value - self.share * (value - least), value + self.share * lesser(most - value, more)
        return self._where(always, Bounded(value, low, high), value)

    def _firings(self, t: int) -> Floats:
        """Return how often a transition may fire that never did."""
        return self.times(_chances(self.rare, Term("firings", value=t)))

    def _arrivals(self, place: int) -> Any:
        """Return how many tokens may arrive in a place into which none came."""
        givers = [
            t for t, one in enumerate(self.rare.net.transitions) if any(place in arc.places for arc in one.outputs)
        ]
        return sum(np.maximum(self._firings(t), self.times(self.rare.seen.firings[t] * 1.0)) for t in givers)

    # ------------------------------------------------------------ probes

    def _counter(self, probe: Any, value: Floats) -> Bounded:
        firings = self.rare.seen.firings[probe.transition] * 1.0
        if self._alike([probe]):
            return Bounded.of(value)
        more = np.where(firings == 0.0, self._firings(probe.transition), self.times(firings))
        if probe.quantity is None:
            return self._where(value == 0.0, Bounded(0.0, 0.0, more), value)
        least, most = _range_of_sample(self.rare.net.transitions[probe.transition], probe.quantity)
        never = Bounded(0.0, more * min(least, 0.0), more * max(most, 0.0))
        down, up = (value - firings * end != 0.0 for end in (least, most))
        spread = more * (most - least)
        found = Bounded(value, np.where(down, value - spread, value), np.where(up, value + spread, value))
        # Otherwise it is as random as the number of firings, or the quantity varied.
        known = (firings == 0.0) | ((least != most) & ~(down & up))
        return self._where(known, Bounded.where(firings == 0.0, never, found), value)

    def _probe(self, probe: Any, index: int, field: str, value: Floats) -> Bounded:
        snapshot = self.rare.seen.probes[index]
        if isinstance(probe, Watched):
            return self._watched(probe, snapshot, field, value)
        if isinstance(probe, Sample):
            parts = (probe, *probe.others)
            if self._alike(parts):
                return Bounded.of(value)
            return self._sample(parts, index, field, value)
        if isinstance(probe, Passage) and self._same_events(probe.start, probe.end):
            return Bounded.of(value)
        if isinstance(probe, Order):
            return Bounded.of(value) if self._same_events(probe.event) else self._order(snapshot, field, value)
        return self._unknown(value)

    def _same(self, transitions: Sequence[int]) -> bool:
        """Return whether what these transitions do is the same in every run."""
        return self.rare.fixed_length and not self.rare.constancy.random[0].intersection(transitions)

    def _alike(self, parts: Iterable[Counter | Sample]) -> bool:
        """Return whether these count or sample the same in every run."""
        return self.rare.fixed_length and all(map(self.rare.constancy.is_alike, parts))

    def _same_events(self, *events: Event) -> bool:
        every = [one for event in events for one in event.every]
        transitions = [one.transition for one in every if one.transition is not None]
        places = [one.place for one in every if one.place is not None]
        return self._same(transitions) and not self.rare.constancy.random[1].intersection(places)

    def _watched(self, probe: Watched, snapshot: Any, field: str, value: Floats) -> Bounded:
        if field != "integral":
            return self._unknown(value)
        least, most = _range_of_marking(self.rare.constancy, probe)
        same = self._same(probe.firings) and not self.rare.constancy.random[1] & tokens_read([probe.value])
        length, always = self.rare.seen.elapsed, snapshot["min"] * 1.0
        if least == most or same:
            return Bounded.of(value)
        down, up = (self.share * distance for distance in (always - least, most - always))
        found = Bounded(value, length * (always - down), length * (always + up))
        return self._where(always == snapshot["max"], found, value)

    def _sample(self, parts: Sequence[Sample], index: int, field: str, value: Floats) -> Bounded:
        """Figures of a sample of which all values were equal."""
        snapshot, share = self.rare.seen.probes[index], quantile_share(field)
        count, always = snapshot["count"] * 1.0, snapshot["min"] * 1.0
        equal = self._of_equal(parts, field, value, always, EVENTS / np.minimum(count, self.rare.looks))
        known = (count > 0.0) & (always == snapshot["max"])
        if field == "count":
            never: Any = sum(self.times(self._chances_of(part)) for part in parts)
            known, equal = known | (count == 0.0), Bounded.where(count == 0.0, Bounded(0.0, 0.0, never), equal)
        if share is not None:
            certain = np.zeros(len(value), dtype=bool)
            for row in np.flatnonzero(count > 0.0).tolist():
                seen, looks = self.rare.windows.probe(index, row), float(self.rare.looks[row])
                certain[row] = _is_certain(seen, looks, share, float(value[row]))
            known, equal = known | certain, Bounded.where(certain, Bounded.of(value), equal)
        return self._where(known, equal, value)

    def _of_equal(self, parts: Sequence[Sample], field: str, value: Floats, always: Any, other: Any) -> Bounded:
        """Return where there are values, and all are `always`. other: the share that other values may have."""
        at = (None if part.transition is None else self.rare.net.transitions[part.transition] for part in parts)
        ranges = [_range_of_sample(where, one.value) for where, one in zip(at, parts, strict=True)]
        least, most = min(low for low, _ in ranges), max(high for _, high in ranges)
        if least == most:
            return Bounded.of(value)
        if field == "std":
            return Bounded(0.0, 0.0, np.sqrt(other) * (most - least))
        if field != "mean":
            return Bounded(value, least, most)
        return Bounded(value, always - other * (always - least), always + other * (most - always))

    def _chances_of(self, sample: Sample) -> Any:
        """Return how many values there might have been."""
        seen, at = self.rare.seen, sample.transition
        return (seen.arrivals[sample.place] if at is None else seen.firings[at]) * 1.0

    def _order(self, snapshot: Any, field: str, value: Floats) -> Bounded:
        packets, nothing = snapshot["packets"] * 1.0, _without_bounds(Bounded.of(value))
        other = EVENTS / np.minimum(np.maximum(packets, 1.0), self.rare.looks)
        if field.endswith("_share"):
            found = Bounded(value, np.maximum(value - other, 0.0), np.minimum(value + other, 1.0))
            return Bounded.where((value == 0.0) | (value == 1.0), found, nothing)
        if field in reorder.COUNTERS:
            return Bounded.where(value == 0.0, Bounded(0.0, 0.0, self.times(packets)), nothing)
        return nothing


def _is_certain(snapshot: Snapshot, looks: float, share: float, value: float) -> bool:
    """Return whether a quantile is one of few values, so frequent that it is the true one: of the share of smaller
    values and of that of greater ones, the upper ends of Clopper and Pearson's intervals are below it, and 1 minus
    it.
    """
    count, its = float(snapshot["count"]), bucket(value)
    looks = min(count, looks)
    pairs = [*zip(snapshot["buckets"].tolist(), snapshot["counts"].tolist(), strict=True)]
    sides = ((sum(n for of, n in pairs if of < its), share), (sum(n for of, n in pairs if of > its), 1.0 - share))

    def fewer(seen: float, most: float) -> bool:
        """Return whether a share is surely less than `most`: otherwise one would hardly see so few."""
        hits = seen / count * looks
        return hits < looks and incomplete_beta(looks - hits, hits + 1.0, 1.0 - most, most) < 0.025

    return all(fewer(float(seen), most) for seen, most in sides)


_ARITHMETIC: Final[dict[str, Callable[..., Bounded]]] = {
    "neg": lambda x: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "min2": lambda x, y: x.least(y),
    "max2": lambda x, y: x.greatest(y),
}


def _range_of_marking(constancy: Constancy, probe: Watched) -> Range:
    """Return the least and the greatest value that a measure of the marking can have while time passes."""
    count = len(probe.firings)

    def variable(index: int) -> Range:
        return constancy.in_progress(probe.firings[index]) if index < count else constancy.tokens(index - count)

    def instead(part: Expr) -> Expr | None:
        return Expr("var", part.kind, value=count + int(part.value or 0)) if part.op == "tokens" else None

    return _range(_replaced(probe.value, instead), variable)


def _range_of_sample(transition: Transition | None, value: Expr) -> Range:
    """Return the least and the greatest value of an expression at a firing, or of an arriving token."""
    known: dict[int, Range] = {}
    if transition is None:
        return _range(value, lambda _: ALL)
    for draw in transition.draws:
        known[draw.variable] = _range(draw.expression, lambda index: known.get(index, ALL))

    def instead(part: Expr) -> Expr | None:
        lasts = part.op == "sub" and [one.op for one in part.args] == ["end", "now"]
        return transition.time if lasts else None

    return _range(_replaced(value, instead), lambda index: known.get(index, ALL))


def _range(value: Expr, variable: Callable[[int], Range]) -> Range:
    try:
        return range_of(value, variable)
    except MayFail:
        return ALL


def _replaced(e: Expr, instead: Callable[[Expr], Expr | None]) -> Expr:
    """Return the expression with some of its parts replaced."""
    return instead(e) or replace(e, args=tuple(_replaced(part, instead) for part in e.args))
