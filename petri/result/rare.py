"""What a figure might be that did not vary in a replication: the same in every run, or how far it may be from that.

What never happened counts as if it had happened `EVENTS` times in as many independent looks as the replication is worth
(`petri.measure.unvaried`). Formulas are computed with these bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, Final

from petri.analysis.constancy import Constancy, constancy_of, tokens_read
from petri.analysis.heavy import heavy_tails_of
from petri.exact.failing import MayFail, range_of
from petri.measure import reorder
from petri.measure.bounded import Bounded
from petri.measure.catalogue import TERMS, TRANSITION_COLUMNS, FigureKind
from petri.measure.figures import Figure
from petri.measure.formula import evaluate
from petri.measure.histogram import bucket, quantile_share
from petri.measure.intervals import incomplete_beta
from petri.measure.tails import is_heavy
from petri.measure.unvaried import EVENTS, Ranged, independent_looks
from petri.net import Counter, Event, Expr, Net, Order, Passage, Sample, Term, Transition, Watched
from petri.run.ensemble import Replication
from petri.run.plan import Plan
from petri.structs import Struct, replace

_ROUNDING: Final = 1e-9

Range = tuple[float, float]
ALL: Final[Range] = -math.inf, math.inf


class Rare:
    """The figures of one replication that did not vary in it."""

    def __init__(self, net: Net, plan: Plan, ran: Replication) -> None:
        self.net = net
        self.seen = ran.window
        self.ran = ran
        self.constancy = constancy_of(net)
        self.tails = heavy_tails_of(net)
        self.fixed_length = math.isfinite(plan.until)
        self.short = self.fixed_length and not math.isnan(ran.died)  # its batches say nothing of how it lives on

    @cached_property
    def looks(self) -> float:
        """As many independent looks at the net as the replication is worth."""
        seen, places = self.seen, self.constancy.emptied
        looks = 1.0 if self.short else independent_looks(seen, self.ran.batches, places)
        return max(min(looks, seen.elapsed / (self._unseen or math.inf) or math.inf), 1.0)

    @property
    def _unseen(self) -> float:
        """The longest time that a transition takes of those that took none: what never happened may last as long."""
        seen, usual = self.seen, self.constancy.usual_times
        begun = (any(counts) for counts in zip(seen.firings, seen.set, seen.in_progress, strict=True))
        longest = max((time for time, seen in zip(usual, begun, strict=True) if not seen), default=0.0)
        return float(self.net.tick.time(longest))

    def of_kind(self, kind: FigureKind, index: int) -> Ranged:
        """A figure of a place or transition."""
        value = kind.of(self.seen, index)
        nodes = self.tails.transitions if kind.name == "in_progress" else self.tails.places
        heavy = kind.name in ("mean", "sojourn", "in_progress") and index in nodes
        bounds = partial(self._bounds_of_node, kind, index)
        return self._ranged(value, bounds, partial(_hits_of_node, self, kind, index), heavy)

    def of_term(self, term: Term) -> Ranged:
        """A formula."""
        value, bounds = evaluate(term, self.seen), partial(self._bounds, term)
        return self._ranged(value, bounds, partial(_hits_of, self, term), self._is_heavy(term), self._beyond(term))

    def _beyond(self, term: Term) -> float:
        """The least number of values on the shorter side of a quantile in a formula; infinite without any."""
        if term.op in ("sample", "passage") and isinstance(term.value, tuple):
            share = quantile_share(term.value[1])
            count = float(self.seen.probes[term.value[0]]["count"])
            return math.inf if share in (None, 0.0, 1.0) else count * min(share, 1.0 - share)
        return min(map(self._beyond, term.args), default=math.inf)

    def _is_heavy(self, term: Term) -> bool:
        """Whether the variance of a formula is infinite, or that of a sample in it seems to be."""
        if self.tails.of_term(term):
            return True
        if term.op in ("sample", "passage") and isinstance(term.value, tuple):
            return term.value[1] in ("mean", "std") and is_heavy(self.seen.probes[term.value[0]])
        return any(map(self._is_heavy, term.args))

    def _ranged(
        self,
        value: float,
        bounds: Callable[[], Bounded],
        hits: Callable[[], Hits],
        heavy: bool,
        beyond: float = math.inf,
    ) -> Ranged:
        if not self.ran.drew:
            return Ranged(value, value, value, math.inf)
        found = bounds()
        low = found.low if found.low < value - _ROUNDING * abs(value) else value  # a nan is no bound
        high = found.high if found.high > value + _ROUNDING * abs(value) else value
        low, high = (-math.inf if math.isnan(found.low) else low), (math.inf if math.isnan(found.high) else high)
        return Ranged(value, low, high, self.looks, *hits(), heavy, beyond)

    def _bounds_of_node(self, kind: FigureKind, index: int) -> Bounded:
        leaves = _Leaves(self)
        found = leaves.of_node(kind, index)
        return _without_bounds(found) if leaves.noisy else found

    def _bounds(self, term: Term) -> Bounded:
        leaves = _Leaves(self)
        found = leaves.of(term)
        is_range = found.high - found.low > _ROUNDING * abs(found.value)
        if is_range or not leaves.noisy or self.constancy.is_constant(term):
            return found
        return _without_bounds(found)


def _without_bounds(found: Bounded) -> Bounded:
    return Bounded(found.value, -math.inf, math.inf)


def ranges(net: Net, plan: Plan, ran: Replication, kept: Iterable[Figure]) -> dict[str, Ranged]:
    """Of a replication, by figure, what each might be if it does not vary, as far as anything is known."""
    rare = Rare(net, plan, ran)
    found = {}
    for one in kept:
        if one.statistic == "mean" and one.tally is None and one.of is not None:
            ranged = rare.of_term(one.of) if isinstance(one.of, Term) else rare.of_kind(*one.of)
            numbers = (ranged.low, ranged.high, ranged.hits, ranged.beyond)
            if ranged.heavy or any(map(math.isfinite, numbers)):
                found[one.name] = ranged
    return found


Hits = tuple[float, bool]
"""As `Ranged` has them."""

NO_EVENTS: Final[Hits] = math.nan, False


def _hits_of(rare: Rare, term: Term) -> Hits:
    """Of a formula."""
    op, args = term.op, term.args
    if op == "sub" and args[0] == Term("const", value=1.0):
        hits, rest = _hits_of(rare, args[1])
        return hits, not rest
    if op in ("mul", "div") and args[1].op == "const":
        return _hits_of(rare, args[0])[0], False
    if op != "div":
        return _hits_of_node(rare, TERMS[op], int(term.value)) if op in TERMS else NO_EVENTS  # type: ignore[arg-type]
    above, below = args
    if above.op == "watched" and below.op == "elapsed":
        probe = rare.net.probes[above.value[0]]  # type: ignore[index]
        is_share = isinstance(probe, Watched) and probe.value.kind == "bool"
        return _hits_of_share(rare, evaluate(term, rare.seen)) if is_share else NO_EVENTS
    count, of = evaluate(above, rare.seen), evaluate(below, rare.seen)
    if not _is_count(rare.net, above) or not (below.op == "elapsed" or _is_count(rare.net, below)):
        return NO_EVENTS
    chances = max(_chances(rare, above), count)
    rest = below.op != "elapsed" and count > 0.5 * of
    return (of - count if rest else count) / max(1.0, chances / rare.looks), rest


def _hits_of_node(rare: Rare, kind: FigureKind, index: int) -> Hits:
    name, seen = kind.name or kind.word, rare.seen
    if name in ("occupied", "active"):
        return _hits_of_share(rare, kind.of(seen, index))
    if name not in ("firings", "rate"):
        return NO_EVENTS
    chances = max(_chances(rare, Term("firings", value=index)), float(seen.firings[index]))
    return float(seen.firings[index]) / max(1.0, chances / rare.looks), False


def _hits_of_share(rare: Rare, value: float) -> Hits:
    return min(value, 1.0 - value) * rare.looks, value > 0.5


def _is_count(net: Net, term: Term) -> bool:
    """Whether a term is a number of firings."""
    if term.op == "counter":
        probe = net.probes[int(term.value)]  # type: ignore[arg-type]
        return isinstance(probe, Counter) and probe.quantity is None
    return all(_is_count(net, one) for one in term.args) if term.op == "add" else term.op == "firings"


def _chances(rare: Rare, count: Term) -> float:
    """How many tokens came that the transitions of a count might have taken."""
    if count.op == "add":
        return sum(_chances(rare, one) for one in count.args)
    probe = rare.net.probes[int(count.value)] if count.op == "counter" else None  # type: ignore[arg-type]
    t = probe.transition if isinstance(probe, Counter) else int(count.value)  # type: ignore[arg-type]
    taken = {place for arc in rare.net.transitions[t].inputs for place in arc.takes_from}
    return max((float(rare.seen.arrivals[place]) for place in taken), default=0.0)


class _Leaves(Struct):
    """Computes a formula with bounds. noisy: whether it contains a figure that may be random, without any."""

    rare: Rare
    noisy: bool = False

    def of(self, term: Term) -> Bounded:
        op, args = term.op, term.args
        if op in _ARITHMETIC:
            return _ARITHMETIC[op](*map(self.of, args))
        value = evaluate(term, self.rare.seen)
        if op in ("const", "elapsed"):
            return Bounded.of(value)
        if op in TERMS:
            return self.of_node(TERMS[op], int(term.value), value)  # type: ignore[arg-type]
        if op == "counter":
            return self._counter(self.rare.net.probes[int(term.value)], value)  # type: ignore[arg-type]
        if isinstance(term.value, tuple) and op != "series":
            return self._probe(self.rare.net.probes[term.value[0]], term.value[0], term.value[1], value)
        return self._unknown(value)

    def _unknown(self, value: float) -> Bounded:
        self.noisy = True
        return Bounded.of(value)

    @property
    def share(self) -> float:
        """The share of time that a state may have in which the net never was; above 1 where nothing is known."""
        return EVENTS / self.rare.looks

    def times(self, chances: float) -> float:
        """How often something may happen that never did, with this number of chances that it had."""
        return EVENTS * max(1.0, chances / self.rare.looks)

    # ------------------------------------------------------------ places and transitions

    def of_node(self, kind: FigureKind, index: int, value: float | None = None) -> Bounded:
        value = kind.of(self.rare.seen, index) if value is None else value
        is_place = kind is not TRANSITION_COLUMNS.get(kind.name)
        random = self.rare.constancy.random[0 if not is_place else 1]
        if index not in random and self.rare.fixed_length:
            return Bounded.of(value)
        name = kind.name or kind.word
        found = self._of_place(name, index, value) if is_place else self._of_transition(name, index, value)
        return self._unknown(value) if found is None else found

    def _of_place(self, name: str, index: int, value: float) -> Bounded | None:
        seen = self.rare.seen
        if name == "mean":
            most = float(seen.maximum[index])
            return self._level(value, *self.rare.constancy.tokens(index), value in (0.0, most), max(1.0, most))
        if name == "occupied":
            return self._level(value, 0.0, min(self.rare.constancy.tokens(index)[1], 1.0), value in (0.0, 1.0))
        if name in ("utilisation", "busy"):
            tokens = self._of_place("mean", index, (1.0 - value) * float(seen.initial[index]))
            return None if tokens is None or not seen.initial[index] else 1.0 - tokens / float(seen.initial[index])
        if name in ("arrivals", "arrival_rate") and not seen.arrivals[index]:
            return Bounded(0.0, 0.0, self._arrivals(index)) / (1.0 if name == "arrivals" else seen.elapsed)
        if name == "sojourn" and not value:
            return Bounded(0.0, 0.0, 0.0 if index in self.rare.constancy.emptied_at_once else math.inf)
        return None

    def _of_transition(self, name: str, index: int, value: float) -> Bounded | None:
        seen = self.rare.seen
        if name == "in_progress":
            least, most = self.rare.constancy.in_progress(index)
            return self._level(value, least, most, value in (0.0, most))
        if name == "active":
            least, most = self.rare.constancy.in_progress(index)
            return self._level(value, min(least, 1.0), min(most, 1.0), value in (0.0, 1.0))
        if name in ("firings", "rate") and not value:
            return Bounded(0.0, 0.0, self._firings(index)) / (1.0 if name == "firings" else seen.elapsed)
        if name in ("clocks_set", "clocks_dropped") and not value:
            is_unclocked = self.rare.net.transitions[index].clock is None
            chances = self._firings(index) if name == "clocks_set" else float(seen.set[index])
            return Bounded.of(0.0) if is_unclocked else Bounded(0.0, 0.0, self.times(chances))
        return None

    def _level(self, value: float, least: float, most: float, always: bool, more: float = 1.0) -> Bounded | None:
        """The time average of a number from `least` to `most`. always: it was always `value`.

        more: by how much it is greater at other times, if nothing says how great it can be.
        """
        if least == most:
            return Bounded.of(value)
        if not always:
            return None
        return Bounded(value, value - self.share * (value - least), value + self.share * min(most - value, more))

    def _firings(self, t: int) -> float:
        """How often a transition may fire that never did."""
        return self.times(_chances(self.rare, Term("firings", value=t)))

    def _arrivals(self, place: int) -> float:
        """How many tokens may arrive in a place into which none came."""
        givers = [
            t for t, one in enumerate(self.rare.net.transitions) if any(place in arc.places for arc in one.outputs)
        ]
        return sum(max(self._firings(t), self.times(float(self.rare.seen.firings[t]))) for t in givers)

    # ------------------------------------------------------------ probes

    def _counter(self, probe: Any, value: float) -> Bounded:
        firings = float(self.rare.seen.firings[probe.transition])
        if self._alike([probe]):
            return Bounded.of(value)
        more = self._firings(probe.transition) if not firings else self.times(firings)
        if probe.quantity is None:
            return Bounded(0.0, 0.0, more) if not value else self._unknown(value)
        least, most = _range_of_sample(self.rare.net.transitions[probe.transition], probe.quantity)
        if not firings:
            return Bounded(0.0, more * min(least, 0.0), more * max(most, 0.0))
        down, up = ((value - firings * end) * sign for end, sign in ((least, 1.0), (most, -1.0)))
        if least == most or (down and up):
            return self._unknown(value)  # it is as random as the number of firings, or the quantity varied
        spread = more * (most - least)
        return Bounded(value, value if not down else value - spread, value if not up else value + spread)

    def _probe(self, probe: Any, index: int, field: str, value: float) -> Bounded:
        snapshot = self.rare.seen.probes[index]
        if isinstance(probe, Watched):
            return self._watched(probe, snapshot, field, value)
        if isinstance(probe, Sample):
            parts = (probe, *probe.others)
            if self._alike(parts):
                return Bounded.of(value)
            return self._sample(parts, snapshot, field, value)
        if isinstance(probe, Passage) and self._same_events(probe.start, probe.end):
            return Bounded.of(value)
        if isinstance(probe, Order):
            return Bounded.of(value) if self._same_events(probe.event) else self._order(snapshot, field, value)
        return self._unknown(value)

    def _same(self, transitions: Sequence[int]) -> bool:
        """Whether what these transitions do is the same in every run."""
        return self.rare.fixed_length and not self.rare.constancy.random[0].intersection(transitions)

    def _alike(self, parts: Iterable[Counter | Sample]) -> bool:
        """Whether these count or sample the same in every run."""
        return self.rare.fixed_length and all(map(self.rare.constancy.is_alike, parts))

    def _same_events(self, *events: Event) -> bool:
        every = [one for event in events for one in event.every]
        transitions = [one.transition for one in every if one.transition is not None]
        places = [one.place for one in every if one.place is not None]
        return self._same(transitions) and not self.rare.constancy.random[1].intersection(places)

    def _watched(self, probe: Watched, snapshot: Any, field: str, value: float) -> Bounded:
        if field != "integral":
            return self._unknown(value)
        least, most = _range_of_marking(self.rare.constancy, probe)
        same = self._same(probe.firings) and not self.rare.constancy.random[1] & tokens_read([probe.value])
        length, always = self.rare.seen.elapsed, float(snapshot["min"])
        if least == most or same:
            return Bounded.of(value)
        if always != snapshot["max"]:
            return self._unknown(value)
        down, up = (self.share * distance for distance in (always - least, most - always))
        return Bounded(value, length * (always - down), length * (always + up))

    def _sample(self, parts: Sequence[Sample], snapshot: Any, field: str, value: float) -> Bounded:
        """Figures of a sample of which all values were equal."""
        count = float(snapshot["count"])
        if field == "count" and not count:
            return Bounded(0.0, 0.0, sum(self.times(self._chances_of(one)) for one in parts))
        share = quantile_share(field)
        if share is not None and count and self._is_certain(snapshot, share, value):
            return Bounded.of(value)
        if not count or snapshot["min"] != snapshot["max"]:
            return self._unknown(value)
        always, other = float(snapshot["min"]), EVENTS / min(count, self.rare.looks)
        at = (None if one.transition is None else self.rare.net.transitions[one.transition] for one in parts)
        ranges = [_range_of_sample(where, one.value) for where, one in zip(at, parts, strict=True)]
        least, most = min(low for low, _ in ranges), max(high for _, high in ranges)
        if least == most:
            return Bounded.of(value)
        if field == "std":
            return Bounded(0.0, 0.0, math.sqrt(other) * (most - least))
        if field != "mean":
            return Bounded(value, least, most)
        return Bounded(value, always - other * (always - least), always + other * (most - always))

    def _chances_of(self, sample: Sample) -> float:
        """How many values there might have been."""
        seen, at = self.rare.seen, sample.transition
        return float(seen.arrivals[sample.place] if at is None else seen.firings[at])

    def _is_certain(self, snapshot: Any, share: float, value: float) -> bool:
        """Whether a quantile is one of few values, so frequent that it is the true one: of the share of smaller values
        and of that of greater ones, the upper ends of Clopper and Pearson's intervals are below it, and 1 minus it."""
        count, its = float(snapshot["count"]), bucket(value)
        looks = min(count, self.rare.looks)
        pairs = [*zip(snapshot["buckets"].tolist(), snapshot["counts"].tolist(), strict=True)]
        sides = ((sum(n for of, n in pairs if of < its), share), (sum(n for of, n in pairs if of > its), 1.0 - share))

        def fewer(seen: float, most: float) -> bool:
            """Whether a share is surely less than `most`: otherwise one would hardly see so few."""
            hits = seen / count * looks
            return hits < looks and incomplete_beta(looks - hits, hits + 1.0, 1.0 - most, most) < 0.025

        return all(fewer(float(seen), most) for seen, most in sides)

    def _order(self, snapshot: Any, field: str, value: float) -> Bounded:
        packets = float(snapshot["packets"])
        other = EVENTS / min(max(packets, 1.0), self.rare.looks)
        if field.endswith("_share") and value in (0.0, 1.0):
            return Bounded(value, max(value - other, 0.0), min(value + other, 1.0))
        if field in reorder.COUNTERS and not value:
            return Bounded(0.0, 0.0, self.times(packets))
        return Bounded(value, -math.inf, math.inf)


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
    """The least and the greatest value that a measure of the marking can have while time passes."""
    count = len(probe.firings)

    def variable(index: int) -> Range:
        return constancy.in_progress(probe.firings[index]) if index < count else constancy.tokens(index - count)

    def instead(part: Expr) -> Expr | None:
        return Expr("var", part.kind, value=count + int(part.value or 0)) if part.op == "tokens" else None

    return _range(_replaced(probe.value, instead), variable)


def _range_of_sample(transition: Transition | None, value: Expr) -> Range:
    """The least and the greatest value of an expression at a firing, or of an arriving token."""
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
    """The expression with some of its parts replaced."""
    return instead(e) or replace(e, args=tuple(_replaced(part, instead) for part in e.args))
