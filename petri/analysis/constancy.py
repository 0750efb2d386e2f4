"""What the structure of a net says of its figures: which of them are the same in every run, and how far others can go.

Chance enters a net where something is drawn, and where the order of firings at one instant, or the choice of a token,
matters. From there it reaches whatever looks at what it changes; the rest of the net behaves alike in every run.
All answers are on the safe side: what is said to be the same is, and a range may be too wide.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from petri.analysis.structure import effect, invariants, taken
from petri.catalogue.operations import OPERATIONS
from petri.engine.dependence import dependence
from petri.latest import kept_for_latest
from petri.net import Counter, Expr, Net, Sample, Term, Transition, is_draw, lasts, operations, times_of

MOST_TRANSITIONS = 1_000  # of a net in which it is found out whose order matters
MOST_IN_INVARIANTS = 150  # places, and transitions, of a net whose invariants are computed

OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


class Constancy:
    """The answers for one net, each found when it is asked for first."""

    def __init__(self, net: Net) -> None:
        self.net = net

    # ------------------------------------------------------------ chance

    @cached_property
    def random(self) -> tuple[frozenset[int], frozenset[int]]:
        """The transitions and the places on which chance may have an effect."""
        net = self.net
        if len(net.transitions) > MOST_TRANSITIONS:
            return frozenset(range(len(net.transitions))), frozenset(range(len(net.places)))
        sources = [
            t for t in range(len(net.transitions)) if self._draws(t) or self._chooses(t) or self._order_matters(t)
        ]
        return self.reached(sources, self._mixed)

    def reached(self, transitions: Iterable[int], places: Iterable[int] = ()) -> tuple[frozenset[int], frozenset[int]]:
        """Return the transitions and places on which these may have an effect, themselves included."""
        found, changed = set(transitions), set(places)
        pending = [*found, *(t for place in changed for t in self._lookers[place])]
        while pending:
            t = pending.pop()
            found.add(t)
            for place in self._changes[t] - changed:
                changed.add(place)
                pending += [other for other in self._lookers[place] if other not in found]
        return frozenset(found), frozenset(changed)

    def _draws(self, t: int) -> bool:
        return any(map(is_draw, operations(expressions(self.net.transitions[t]))))

    def _chooses(self, t: int) -> bool:
        """Return whether an arc may see several coloured tokens, one of which is chosen (I4)."""
        for arc in self.net.transitions[t].inputs:
            place = self.net.places[arc.place]
            several = place.discipline == "bag" or arc.any or bool(place.per)
            if place.colour.slots and several and self._most.get(arc.place, math.inf) > 1:
                return True
        return False

    def _order_matters(self, t: int) -> bool:
        """Return whether another transition of its priority may disable it at that instant, or let one do so (I3)."""
        if self.is_persistent(t):
            return False
        priority = self.net.transitions[t].priority
        rivals = {t} | {other for place in self._taken[t] for other in self._takers[place]}
        others = (u for u, one in enumerate(self.net.transitions) if u != t and one.priority == priority)
        return any(rivals & self._at_once(u) for u in others)

    def is_persistent(self, t: int) -> bool:
        """Return whether nothing that other transitions do can disable it, or change what it does."""
        return not any(
            other != t
            for place in self._looks_at[t]
            for other in (self._takers[place] if place in self._taken[t] else self._changers[place])
        )

    def _at_once(self, u: int) -> set[int]:
        """Return the transitions on which a firing may have an effect at its own instant."""
        if u not in self._known_at_once:
            found, pending = set[int](), [u]
            while pending:
                t = pending.pop()
                changed = self._changes[t] if not lasts(self.net.transitions[t]) else self._taken[t] | self._fills[t]
                more = {other for place in changed for other in self._lookers[place]} - found
                found |= more
                pending += more
            self._known_at_once[u] = found
        return self._known_at_once[u]

    @cached_property
    def _known_at_once(self) -> dict[int, set[int]]:
        return {}

    @cached_property
    def _mixed(self) -> list[int]:
        """Coloured places into which transitions of one priority put tokens, whose order is that of their firings."""
        givers: dict[tuple[int, int], set[int]] = defaultdict(set)
        for t, transition in enumerate(self.net.transitions):
            for arc in transition.outputs:
                for place in arc.places:
                    givers[place, transition.priority].add(t)
        return [place for (place, _), of in givers.items() if len(of) > 1 and self.net.places[place].colour.slots]

    # ------------------------------------------------------------ who changes and looks at what

    @cached_property
    def _taken(self) -> list[set[int]]:
        return [{p for arc in t.inputs for p in arc.takes_from} | {*t.emptied} for t in self.net.transitions]

    @cached_property
    def _changes(self) -> list[set[int]]:
        return [
            taken | {place for arc in t.outputs for place in arc.places}
            for taken, t in zip(self._taken, self.net.transitions, strict=True)
        ]

    @cached_property
    def _fills(self) -> list[set[int]]:
        """Places with a capacity in which a firing keeps room from its start (E6)."""
        places = self.net.places
        return [
            {place for arc in t.outputs for place in arc.places if places[place].capacity is not None}
            for t in self.net.transitions
        ]

    @cached_property
    def _looks_at(self) -> list[set[int]]:
        found = []
        for transition in self.net.transitions:
            read = tokens_read(expressions(transition))
            found.append({*dependence(self.net, transition).places, *read, *(arc.place for arc in transition.sets)})
        return found

    @cached_property
    def _lookers(self) -> dict[int, set[int]]:
        return _inverted(self._looks_at)

    def changers(self, place: int) -> set[int]:
        """Return the transitions that change the tokens of a place."""
        return self._changers[place]

    @cached_property
    def emptied(self) -> list[int]:
        """The places that something takes tokens from."""
        return sorted(self._takers)

    @cached_property
    def _takers(self) -> dict[int, set[int]]:
        return _inverted(self._taken)

    @cached_property
    def _changers(self) -> dict[int, set[int]]:
        return _inverted(self._changes)

    # ------------------------------------------------------------ ranges

    @cached_property
    def emptied_at_once(self) -> frozenset[int]:
        """The places that hold no token while time passes: some transition can always take one of theirs."""
        alone: dict[int, list[Transition]] = defaultdict(list)
        together = set[int]()
        for t, transition in enumerate(self.net.transitions):
            if self._takes_any(transition):
                lacking = [arc.place for arc in transition.inputs if not self._stands(arc.place)]
                if len(lacking) == 1 and lacking[0] in self._taken[t]:
                    alone[lacking[0]].append(transition)
                if self._owns(t, lacking) and transition.guard is None:
                    together |= set(lacking)
        return frozenset(together | {place for place, takers in alone.items() if _one_holds([t.guard for t in takers])})

    def _takes_any(self, transition: Transition) -> bool:
        """Return whether it needs nothing but a token of each of its places, whatever its values; guards aside."""
        arcs = transition.inputs
        bound = [match.bind for arc in arcs for match in arc.pattern if match.bind is not None]
        plain = all(match.equal is None for arc in arcs for match in arc.pattern) and len({*bound}) == len(bound)
        one = all(arc.count is None or (arc.count.op == "const" and arc.count.value == 1) for arc in arcs)
        room = all(self.net.places[place].capacity is None for out in transition.outputs for place in out.places)
        each = len({arc.place for arc in arcs}) == len(arcs)
        return plain and one and room and each and not transition.inhibitors and transition.clock is None

    def _owns(self, t: int, places: list[int]) -> bool:
        """Return whether only this transition changes some places, and gives back as many tokens as it takes."""
        whole = effect(self.net.transitions[t])
        own = all(self._changers[place] == {t} and whole.get(place) == 0 for place in places)
        return own and bool(places) and len({self.net.places[place].held for place in places}) == 1

    def _stands(self, place: int) -> bool:
        """Return whether its tokens are as many as at the start whenever time passes, one at least."""
        return self.net.places[place].held > 0 and all(
            self._gives_back_at_once(t, place) for t in self._changers[place]
        )

    @cached_property
    def _owned(self) -> dict[int, float]:
        """The most tokens of places, with those that firings hold, for which invariants say so."""
        net, most = self.net, dict[int, float]()
        if max(len(net.places), len(net.transitions)) <= MOST_IN_INVARIANTS:
            for invariant in invariants(net) or ():
                for index, weight in invariant.weights.items():
                    most[index] = min(most.get(index, math.inf), invariant.total // weight)
        return most

    @cached_property
    def _most(self) -> dict[int, float]:
        """The most tokens of places for which invariants or capacities say so."""
        most = dict(self._owned)
        for index, place in enumerate(self.net.places):
            if place.capacity is not None and place.weight is None and not place.per:
                most[index] = min(most.get(index, math.inf), max(float(place.capacity), place.held))
        return most

    def tokens(self, place: int) -> tuple[float, float]:
        """Return the least and the greatest number of tokens of a place while time passes."""
        if place in self.emptied_at_once:
            return 0.0, 0.0
        if self._stands(place) or not self._changers[place]:
            return float(self.net.places[place].held), float(self.net.places[place].held)
        return 0.0, self._most.get(place, math.inf)

    def _gives_back_at_once(self, t: int, place: int) -> bool:
        """Return whether a firing leaves as many tokens in a place as it finds, and takes no time."""
        transition = self.net.transitions[t]
        later = any(arc.delay is not None and place in arc.places for arc in transition.outputs)
        return not lasts(self.net.transitions[t]) and not later and effect(transition).get(place) == 0

    def in_progress(self, t: int) -> tuple[float, float]:
        """Return the least and the greatest number of firings in progress, or of clocks that run, while time passes."""
        transition = self.net.transitions[t]
        if transition.clock is None and not lasts(self.net.transitions[t]):
            return 0.0, 0.0
        least, most = 0.0, math.inf
        lets_go = transition.clock is not None or any(arc.delay is not None for arc in transition.outputs)
        for place, count in taken(transition).items():
            if count and not lets_go:
                of_place = self._owned.get(place, math.inf) // count
                most = min(most, of_place)
                if self._keeps(place, t) and place in self.emptied_at_once:
                    least = of_place
        return least, most

    @cached_property
    def usual_times(self) -> list[float]:
        """About how long each transition takes, or its clock, in ticks: the mean of a constant distribution, or so."""
        return [max(_size(time, self.net) for time in times_of(t)) for t in self.net.transitions]

    def _keeps(self, place: int, t: int) -> bool:
        """Return whether the tokens of a place are always in it or held by firings of one transition."""
        return self._changers[place] == {t} and effect(self.net.transitions[t]).get(place) == 0

    def is_constant(self, term: Term) -> bool:
        """Return whether a formula is a weighted sum of tokens and of firings in progress that no firing changes."""
        places: dict[int, float] = {}
        firings: dict[int, float] = {}
        return _weigh(term, 1.0, places, firings) and self.is_conserved(places, firings)

    def is_source(self, t: int) -> bool:
        """Return whether a transition goes on for ever, whatever others do: it shares none of its inputs with them."""
        transition, whole = self.net.transitions[t], effect(self.net.transitions[t])
        places = {arc.place for arc in transition.inputs}
        own = all(
            self._changers[place] == {t} and whole.get(place) == 0 and self.net.places[place].held for place in places
        )
        waits = lasts(transition) or transition.clock is not None
        return own and waits and transition.guard is None and not transition.inhibitors and not self._fills[t]

    @cached_property
    def open_lines(self) -> dict[int, int]:
        """The places behind a source in which a random, unbounded number of tokens may wait, and that transition."""
        found: dict[int, int] = {}
        for t in filter(self.is_source, range(len(self.net.transitions))):
            _, reached = self.reached((), self._changes[t] - self._taken[t])
            lines = [p for p in sorted(reached & self.random[1]) if p in self._takers and math.isinf(self.tokens(p)[1])]
            found = {**dict.fromkeys(lines, t), **found}
        return found

    def is_alike(self, seen: Counter | Sample) -> bool:
        """Return whether chance reaches neither what is counted or sampled, nor the tokens that make up the value."""
        transitions, places = self.random
        values = (seen.quantity,) if isinstance(seen, Counter) else (seen.value, seen.condition)
        read = tokens_read(value for value in values if value is not None)
        place = seen.place if isinstance(seen, Sample) else None
        return seen.transition not in transitions and place not in places and not read & places

    def is_conserved(self, places: dict[int, float], firings: dict[int, float]) -> bool:
        """Return whether a weighted sum of tokens and of firings in progress never changes."""
        for t, transition in enumerate(self.net.transitions):
            start, whole = taken(transition), effect(transition)
            touched = places.keys() & self._changes[t]
            if t not in firings and not touched:
                continue
            if any(arc.delay is not None for arc in transition.outputs) or (
                transition.clock is not None and t in firings
            ):
                return False
            starts = [start.get(place, 0) for place in touched]
            changes = [whole.get(place, 0) for place in touched]
            if None in starts or None in changes:
                return False
            weights = [places[place] for place in touched]
            begun = firings.get(t, 0.0) - sum(w * n for w, n in zip(weights, starts, strict=True) if n is not None)
            over = sum(w * n for w, n in zip(weights, changes, strict=True) if n is not None)
            if over or (lasts(self.net.transitions[t]) and begun):
                return False
        return True


def tokens_read(values: Iterable[Expr | None]) -> set[int]:
    """Return the places whose tokens these expressions count."""
    return {int(part.value or 0) for part in operations(values) if part.op == "tokens"}


def _weigh(term: Term, weight: float, places: dict[int, float], firings: dict[int, float]) -> bool:
    """Add what a sum consists of to these; False where it is something else."""
    if term.op == "const":
        return True
    if term.op in ("mean", "in_progress"):
        into, index = (places if term.op == "mean" else firings), int(term.value)  # type: ignore[arg-type]
        into[index] = into.get(index, 0.0) + weight
        return True
    if term.op in ("add", "sub", "neg"):
        last = 1.0 if term.op == "add" else -1.0
        *first, other = term.args
        return all(_weigh(one, weight, places, firings) for one in first) and _weigh(
            other, last * weight, places, firings
        )
    scale = [float(one.value) for one in term.args if one.op == "const"]  # type: ignore[arg-type]
    rest = [one for one in term.args if one.op != "const"]
    if term.op == "mul" and len(scale) == len(rest) == 1:
        return _weigh(rest[0], weight * scale[0], places, firings)
    if term.op == "div" and len(scale) == len(rest) == 1 and term.args[0] is rest[0] and scale[0]:
        return _weigh(rest[0], weight / scale[0], places, firings)
    return False


@kept_for_latest
def constancy_of(net: Net) -> Constancy:
    """Return the answers for a net, which the replications of a run share."""
    return Constancy(net)


def _inverted(sets: list[set[int]]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for index, members in enumerate(sets):
        for member in members:
            found[member].add(index)
    return found


def _size(e: Expr, net: Net) -> float:
    """Return the usual size of a value, as far as constants tell; 0 where they do not."""
    if e.op == "const":
        return abs(float(e.value or 0))
    if e.op in ("table", "empirical"):
        return max(map(abs, net.tables[int(e.value or 0)].values))
    parts = [_size(part, net) for part in e.args]
    if is_draw(e):
        return max(OPERATIONS[e.op].alike(parts), default=0.0)
    if e.op == "mul":
        return parts[0] * parts[1]
    if e.op == "div":
        return parts[0] / parts[1] if parts[1] else 0.0
    if e.op in ("ticks", "units"):
        return parts[0] * float(e.value or 0) if e.op == "ticks" else parts[0] / float(e.value or 1)
    return sum(parts) if e.op in ("add", "sub") else max(parts, default=0.0)


def expressions(transition: Transition) -> Iterator[Expr | None]:
    """Yield what a transition evaluates, besides what decides whether it is enabled."""
    yield from (transition.time, transition.weight, *(draw.expression for draw in transition.draws))
    if transition.prefer is not None:
        yield from (transition.prefer.key, transition.prefer.then)
    if transition.clock is not None:
        yield from (transition.clock.time, transition.clock.speed)
    for arc in transition.outputs:
        yield from (arc.index, arc.count, arc.condition, arc.delay, *arc.values)
    for of_set in transition.sets:
        yield from (of_set.most, of_set.condition, *(total.value for total in of_set.totals))


def _one_holds(guards: list[Expr | None]) -> bool:
    """Return whether one of some guards always holds: there is none, or two are each other's opposite."""
    if any(guard is None for guard in guards):
        return True
    return any(_opposite(a, b) for a in guards for b in guards if a is not None and b is not None)


def _opposite(a: Expr, b: Expr) -> bool:
    if b.op == "not":
        return _alike(b.args[0], a)
    return OPPOSITE.get(a.op) == b.op and all(map(_alike, a.args, b.args))


def _alike(a: Expr, b: Expr) -> bool:
    """Return whether two expressions are equal, wherever they are written."""
    return (
        (a.op, a.kind, a.value) == (b.op, b.kind, b.value)
        and len(a.args) == len(b.args)
        and all(map(_alike, a.args, b.args))
    )
