"""Values of tokens that may be exchanged, such as the numbers of equal machines.

Values of one *class* flow between slots of places and variables. An exchange of values must commute with everything
that reads a class: what is computed from exchanged values is what was computed before, or, where it flows into the
class, that value exchanged. All values that a class can have are tried, so it does not matter how a rule is written.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise, product
from typing import Any

from petri.engine.errors import ModelError
from petri.engine.expression import Context, evaluate
from petri.exact.branching import BranchingStream
from petri.exact.chain import Unsolvable
from petri.exact.exchange import Symmetries, ValueSymmetry
from petri.exact.timing import ENDLESS
from petri.net import Content, Expr, InhibitorArc, InputArc, Net, Place, Probe, Scalar, Transition, lasts, operations

MOST_VALUES = 64  # of a class
MOST_TRIED = 1024  # combinations of values for which an expression is computed
MOST_RELATED = 6  # values, if tokens or firings have several: all orders of those that look alike are tried
IN_STATES = frozenset(("tokens", "now", "end", "table", *ENDLESS))
"""What an expression has no known value of."""

Node = tuple[str, int, int]
"""A slot: ("slot", place, slot). A variable: ("var", transition, variable)."""
Values = Mapping[int, int]


def value_symmetries(net: Net, probes: Sequence[Probe], others: Symmetries) -> tuple[ValueSymmetry, ...]:
    """Return the exchanges of values that a net allows beside those of elements. probes: those they must keep."""
    elements = [element for one in others.of_elements for element in one.elements]
    places = {place for element in elements for place in element.places}
    transitions = {transition for element in elements for transition in element.transitions}
    found = []
    for slots, variables in _classes(net):
        of = _Class(net, probes, slots, variables)
        if places & set(of.slots_of) or transitions & of.lasting or (symmetry := of.symmetry()) is None:
            continue
        found.append(symmetry)
        places |= set(of.slots_of)
        transitions |= of.lasting
    return tuple(found)


def _classes(net: Net) -> Iterator[tuple[list[tuple[int, int]], set[tuple[int, int]]]]:
    """Slots and variables, as (transition, variable), between which values flow, or that are compared."""
    groups: dict[Node, set[Node]] = {}
    for nodes in chain(_slots(net), *(_flows(t, transition) for t, transition in enumerate(net.transitions))):
        together: set[Node] = set().union(*(groups.get(node, {node}) for node in nodes))
        groups.update(dict.fromkeys(together, together))
    for group in dict.fromkeys(map(frozenset, groups.values())):
        slots = sorted((node[1], node[2]) for node in group if node[0] == "slot")
        if slots and all(net.places[place].colour.slots[slot].kind == "int" for place, slot in slots):
            yield slots, {(node[1], node[2]) for node in group if node[0] == "var"}


def _slots(net: Net) -> Iterator[list[Node]]:
    for number, place in enumerate(net.places):
        yield from ([("slot", number, slot)] for slot, of in enumerate(place.colour.slots) if of.kind == "int")


def _flows(t: int, transition: Transition) -> Iterator[list[Node]]:
    """Yield what belongs together in a transition."""

    def of(expression: Expr | None) -> list[Node]:
        parts = operations([expression])
        return [("var", t, int(part.value or 0)) for part in parts if part.op == "var" and part.kind == "int"]

    for arc in _asking(transition):
        for slot, match in enumerate(arc.pattern):
            bound: list[Node] = [] if match.bind is None else [("var", t, match.bind)]
            yield [("slot", arc.place, slot), *bound, *of(match.equal)]
    for output in transition.outputs:
        for slot, value in enumerate(output.values):
            if value.kind == "int":
                yield [*(("slot", place, slot) for place in output.places), *of(value)]
    for draw in transition.draws:
        yield [("var", t, draw.variable), *of(draw.expression)]
    for part in operations(_reading(transition)):
        if part.op in ("eq", "ne"):
            yield [node for argument in part.args if argument.op == "var" for node in of(argument)]


def _asking(transition: Transition) -> tuple[InputArc | InhibitorArc, ...]:
    """Return the arcs that look at tokens."""
    return *transition.inputs, *transition.inhibitors


def _reading(transition: Transition) -> Iterator[Expr | None]:
    """Yield what decides a firing, but for its draws, patterns and the values it gives."""
    yield from (transition.guard, transition.time)
    yield from (arc.count for arc in transition.inputs)
    yield from (arc.threshold for arc in transition.inhibitors)
    for output in transition.outputs:
        yield from (output.index, output.count, output.condition)
    if transition.prefer is not None:
        yield from (transition.prefer.key, transition.prefer.then)
    if transition.clock is not None:
        yield from (transition.clock.time, transition.clock.speed)


class _Class:
    """A class of values, and what exchanges it allows."""

    def __init__(
        self, net: Net, probes: Sequence[Probe], slots: Sequence[tuple[int, int]], variables: set[tuple[int, int]]
    ) -> None:
        self.net, self.probes, self.slots = net, probes, slots
        self.slots_of: dict[int, set[int]] = defaultdict(set)
        for place, slot in slots:
            self.slots_of[place].add(slot)
        self.variables_of: dict[int, set[int]] = defaultdict(set)
        for transition, variable in variables:
            self.variables_of[transition].add(variable)
        self.giving = {t for t, _ in self._flowing()}
        asking = {t for t, one in enumerate(net.transitions) if any(arc.place in self.slots_of for arc in _asking(one))}
        self.concerned = sorted(self.giving | asking | set(self.variables_of))
        self.lasting = {t for t, one in enumerate(net.transitions) if t in self.giving and lasts(one)}
        self.values = self._values()
        self.known: dict[tuple[Any, ...], Any] = {}

    def symmetry(self) -> ValueSymmetry | None:
        if not 2 <= len(self.values) <= MOST_VALUES or not self._fit():
            return None
        block, ring = self._block(), list(self.values)
        if self._is_related() and len(block) > MOST_RELATED:
            block = []
        turned = dict(zip(ring, [*ring[1:], ring[0]], strict=True))
        rotates = len(block) < len(ring) and self._commutes(turned)
        if not rotates and len(block) < 2:
            return None
        values = ring if rotates else block
        swaps = [turned] if rotates else [{a: b, b: a} for a, b in pairwise(block)]
        names = dict.fromkeys(f"{self.net.places[place].name}(…)" for place, _ in self.slots)
        keeps_start = all(self._keeps_start(place, swap) for place in self.slots_of for swap in swaps)
        return ValueSymmetry(rotates, tuple(values), tuple(self.slots), tuple(names), keeps_start)

    def _block(self) -> list[int]:
        """Return the most values of which any two may be exchanged."""
        blocks: list[list[int]] = []
        for value in self.values:
            block = next((one for one in blocks if self._commutes({one[0]: value, value: one[0]})), None)
            if block is None:
                blocks.append(block := [])
            block.append(value)
        return max(blocks, key=len)

    # ------------------------------------------------------------ values

    def _values(self) -> tuple[int, ...]:
        """Return the initial values, and those given or drawn whatever the marking; the rules add no others."""
        found = {
            int(token[slot]) for place, slot in self.slots for held, token in self.net.places[place].initial if held
        }
        for transition, expression in self._flowing():
            if not _variables(expression, self.variables_of[transition]) and (law := _law(expression, {})) is not None:
                found |= {int(value) for value in law if not isinstance(value, str)}
            if len(found) > MOST_VALUES:
                break
        return tuple(sorted(found))

    def _flowing(self) -> Iterator[tuple[int, Expr]]:
        """Yield what flows into the class, by transition."""
        for t, transition in enumerate(self.net.transitions):
            for draw in transition.draws:
                if draw.variable in self.variables_of[t]:
                    yield t, draw.expression
            for arc in transition.outputs:
                for slot, value in enumerate(arc.values):
                    if any(slot in self.slots_of.get(place, ()) for place in arc.places):
                        yield t, value

    def _fit(self) -> bool:
        """Return whether each slot of the class can have each of its values."""
        kinds = [self.net.places[place].colour.slots[slot] for place, slot in self.slots]
        least, greatest = self.values[0], self.values[-1]
        return all(
            (kind.low is None or kind.low <= least) and (kind.high is None or greatest <= kind.high) for kind in kinds
        )

    def _is_related(self) -> bool:
        """Return whether a token, or a firing in progress, may have several values of the class."""
        if any(len(slots) > 1 for slots in self.slots_of.values()):
            return True
        for transition in self.lasting:
            values = {
                repr(_bare(value))
                for arc in self.net.transitions[transition].outputs
                for slot, value in enumerate(arc.values)
                if any(slot in self.slots_of.get(place, ()) for place in arc.places)
            }
            if len(values) > 1:
                return True
        return False

    def _keeps_start(self, number: int, swap: Values) -> bool:
        place: Place = self.net.places[number]
        tokens = [token for count, token in place.initial for _ in range(count)]
        swapped = [
            tuple(swap.get(int(x), x) if slot in self.slots_of[number] else x for slot, x in enumerate(token))
            for token in tokens
        ]
        return Tally(tokens) == Tally(swapped) if place.discipline == "bag" else tokens == swapped

    # ------------------------------------------------------------ what an exchange must keep

    def _commutes(self, swap: Values) -> bool:
        """Return whether an exchange of values maps the net to itself."""
        places = self.net.places
        if any(places[number].per for number in self.slots_of):
            return False
        of_places = (
            self._is_kept(expression, swap, self.slots_of[number])
            for number in self.slots_of
            for expression in (places[number].key, places[number].then, places[number].weight)
        )
        of_probes = (
            self._is_kept(probe.value, swap, self.slots_of[probe.place])
            for probe in self.probes
            if isinstance(probe, Content) and probe.place in self.slots_of
        )
        of_transitions = (self._keeps(t, self.net.transitions[t], swap) for t in self.concerned)
        return all(chain(of_places, of_probes, of_transitions))

    def _keeps(self, t: int, transition: Transition, swap: Values) -> bool:
        own = self.variables_of[t]
        if not all(self._is_kept(expression, swap, own) for expression in _reading(transition)):
            return False
        for draw in transition.draws:
            if not self._is_right(draw.expression, swap, own, draw.variable in own):
                return False
        for arc in _asking(transition):
            for slot, match in enumerate(arc.pattern):
                if not self._is_right(match.equal, swap, own, slot in self.slots_of.get(arc.place, ())):
                    return False
        return all(
            self._is_right(value, swap, own, slot in self.slots_of.get(place, ()))
            for arc in transition.outputs
            for place in arc.places
            for slot, value in enumerate(arc.values)
        )

    def _is_right(self, expression: Expr | None, swap: Values, own: set[int], flows: bool) -> bool:
        """flows: its value is one of the class."""
        if expression is None:
            return True
        return self._is_exchanged(expression, swap, own) if flows else self._is_kept(expression, swap, own)

    def _is_kept(self, expression: Expr | None, swap: Values, own: set[int]) -> bool:
        """Return whether exchanged values give what the values gave."""
        if expression is None or not (variables := _variables(expression, own)):
            return True
        if expression.op in ("eq", "ne") and all(_is_of(part, own) for part in expression.args):
            return True
        tried = self._tried(expression, swap, variables)
        if tried is not None:
            return all(before == after for before, after in tried)
        return expression.op != "var" and all(self._is_kept(part, swap, own) for part in expression.args)

    def _is_exchanged(self, expression: Expr, swap: Values, own: set[int]) -> bool:
        """Return whether exchanged values give the exchange of what the values gave, which is one of the class."""
        if _is_of(expression, own):
            return True
        if expression.op == "if":
            condition, *branches = expression.args
            return self._is_kept(condition, swap, own) and all(
                self._is_exchanged(branch, swap, own) for branch in branches
            )
        tried = self._tried(expression, swap, _variables(expression, own))
        if tried is None:
            return False
        members = set(self.values)
        return all(
            members.issuperset(before) and {swap.get(value, value): chance for value, chance in before.items()} == after
            for before, after in tried
        )

    def _tried(
        self, expression: Expr, swap: Values, variables: list[int]
    ) -> list[tuple[dict[Any, float], dict[Any, float]]] | None:
        """Return what the expression gives for all values, and for them exchanged;

        None if more than the values decide.
        """
        if len(self.values) ** len(variables) > MOST_TRIED:
            return None
        tried = []
        for values in product(self.values, repeat=len(variables)):
            before = self._law(expression, variables, values)
            after = self._law(expression, variables, tuple(swap.get(value, value) for value in values))
            if before is None or after is None:
                return None
            tried.append((before, after))
        return tried

    def _law(self, expression: Expr, variables: list[int], values: tuple[int, ...]) -> dict[Any, float] | None:
        key = id(expression), values
        if key not in self.known:
            self.known[key] = _law(expression, dict(zip(variables, values, strict=True)))
        found: dict[Any, float] | None = self.known[key]
        return found


def _is_of(expression: Expr, own: set[int]) -> bool:
    """Return whether it is a variable of the class."""
    return expression.op == "var" and int(expression.value or 0) in own


def _variables(expression: Expr, own: set[int]) -> list[int]:
    """Return those of the class in an expression."""
    return sorted({int(part.value or 0) for part in operations([expression]) if _is_of(part, own)})


def _law(expression: Expr, values: Mapping[int, Scalar]) -> dict[Any, float] | None:
    """Return the values of an expression with their probabilities, or its error;

    None if more than these variables decides.
    """
    parts = list(operations([expression]))
    if any(part.op in IN_STATES or (part.op == "var" and int(part.value or 0) not in values) for part in parts):
        return None
    variables = [values.get(number, 0) for number in range(max(values, default=-1) + 1)]
    stream = BranchingStream()
    law: dict[Any, float] = defaultdict(float)
    try:
        for chance, value in stream.outcomes(lambda: evaluate(expression, Context(variables, stream=stream))):
            law[value] += chance
    except ModelError as error:
        return {f"error {error.id}": 1.0}
    except Unsolvable:
        return None
    return dict(law)


def _bare(expression: Expr) -> tuple[Any, ...]:
    """Return an expression without where it is written."""
    return expression.op, expression.value, tuple(map(_bare, expression.args))
