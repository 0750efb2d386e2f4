"""The measures of the flat net: those of the net itself, then those of each instance whose module declares some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import product
from typing import TypeVar

from petri import net
from petri.diagnostics import Label
from petri.language.checking.measures.declared import ExpectationTemplate, MeasureTemplate, in_net
from petri.language.checking.nets.targets import Index, Target
from petri.language.flattening.instance import Instance
from petri.language.flattening.loops import turns
from petri.language.meaning.nodes import Constant, Node, build, evaluate, in_units
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import Body
from petri.language.problems import CheckError, Problems, Reported
from petri.measure.formula import limits_of
from petri.net import Expr, Span, Term
from petri.structs import Struct, field, replace

MOST_TERMS = 5_000_000  # figures of single places and transitions, and operations, in the formulas of all measures
MOST_OF_ARRAY = 10_000  # measures of an array
MOST_MEASURES = 100_000
Found = TypeVar("Found")
Elements = Mapping[str, Sequence[net.Place | net.Transition]]
"""The elements of the flat net by "place" and "transition"."""
Templates = Mapping[int, Sequence[MeasureTemplate]]


class MeasureBuilder(Struct):
    """Builds measures once the places and transitions of the net are known.

    templates: of each body, by its identity. measured: for transitions whose `let` a measure may use, their instance
    and iteration. refused: names of declarations with errors, of which no measure need say more. numbers: of the
    measures, by their template, instance and indices.
    """

    problems: Problems
    templates: Templates
    root: Instance
    elements: Elements
    measured: Mapping[int, Instance]
    refused: Set[str]
    probes: list[net.Probe] = field(default_factory=list)
    chances: list[net.Chance] = field(default_factory=list)
    numbers: dict[object, int] = field(default_factory=dict)
    by_symbol: dict[int, MeasureTemplate] = field(default_factory=dict)
    _terms: int = 0
    _leaves: dict[object, tuple[int, Term]] = field(default_factory=dict)  # by what the tree of the net has there
    _figures: dict[tuple[object, ...], Term] = field(default_factory=dict)
    _probe_numbers: dict[object, int] = field(default_factory=dict)
    _names: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_symbol.update({id(one.symbol): one for listed in self.templates.values() for one in listed})

    def measures(self) -> list[net.Measure]:
        """Return all measures; `problems` collects the errors."""
        wanted = list(self._all())
        self.numbers = {element.identity: number for number, element in enumerate(wanted)}
        found = []
        for element in wanted:
            template = element.template
            assert template is not None
            name = element.instance.prefix + template.declaration.name + element.suffix
            try:
                self.charge(template.figure.size, template.declaration.span)
                found.append(template.build(element, name))
            except CheckError as fault:
                self._fault(fault, element.instance)
                if fault.identifier == "measures-too-large":
                    break
        return found

    def expectation(self, template: ExpectationTemplate) -> net.Expectation | None:
        """Return an expectation of the net itself; None if it is not in the net, or wrong."""
        flat = Element(self, self.root)
        try:
            return template.build(flat) if in_net(flat, template.condition) else None
        except CheckError as fault:
            self._fault(fault, self.root)
            return None

    def _fault(self, fault: CheckError, instance: Instance) -> None:
        self.problems.fault(fault, instance=instance.prefix.rstrip("."))

    # ------------------------------------------------------------ all measures of the net

    def _all(self) -> Iterator[Element]:
        """Yield the measures that are in the net: those of an instance before those of the instances in it."""
        count = 0
        waiting = [self.root]
        while waiting:
            instance = waiting.pop()
            for template in self.templates.get(id(instance.body), ()):
                try:
                    for element in self.of(template, instance):
                        count += 1
                        if count > MOST_MEASURES:
                            raise CheckError("measures-too-many", template.declaration.span, limit=MOST_MEASURES)
                        yield element
                except CheckError as fault:
                    self._fault(fault, instance)
                    if fault.identifier == "measures-too-many":
                        return
            inner = [child for named in instance.children.values() for child in named.values()]
            waiting += reversed(inner)

    def of(self, template: MeasureTemplate, instance: Instance, given: Sequence[int | None] = ()) -> Iterator[Element]:
        """Yield the elements of a measure that an instance has in the net. given: indices, None for all."""
        if not template.loops:
            element = Element(self, instance, template)
            if in_net(element, template.condition):
                yield element
            return
        turn = instance.now()
        for suffix in turns(template.loops, turn, _allow, given):
            numbers = tuple(int(turn.locals[loop.local]) for loop in template.loops)
            element = Element(self, turn.now(), template, numbers, suffix)
            if in_net(element, template.condition):
                yield element

    # ------------------------------------------------------------ what is shared between them

    def charge(self, terms: int, span: Span) -> None:
        """Raise CheckError when the formulas of the measures, each written out, have become too large."""
        self._terms += terms
        if self._terms > MOST_TERMS:
            raise CheckError("measures-too-large", span, limit=MOST_TERMS)

    def leaf(self, key: object, span: Span, make: Callable[[], tuple[int, Term]]) -> Term:
        """Return a figure of places or transitions, with the number of them, made when it is first asked for."""
        if key not in self._leaves:
            self._leaves[key] = make()
        count, term = self._leaves[key]
        self.charge(count, span)
        return term

    def shared(self, op: str, elements: Sequence[int], make: Callable[[], Term]) -> Term:
        """Return a figure of these places or transitions, of which there is one for all formulas."""
        key = (op, *elements)
        if key not in self._figures:
            self._figures[key] = make()
        return self._figures[key]

    def probe(self, key: object, make: Callable[[], net.Probe]) -> int:
        """Return the number of a probe, which is created when first requested."""
        if key not in self._probe_numbers:
            probe = make()
            self._probe_numbers[key] = len(self.probes)
            self.probes.append(probe)
        return self._probe_numbers[key]

    def chance(self, key: object, make: Callable[[], net.Chance]) -> int:
        """Return the number of a probability, which is created when first requested."""
        if key not in self._probe_numbers:
            chance = make()
            for place in self.elements["place"]:
                if isinstance(place, net.Place) and place.stream is not None:
                    raise CheckError("probability-with-stream", chance.span or place.span, place=place.name)
            self._probe_numbers[key] = len(self.chances)
            self.chances.append(chance)
        return self._probe_numbers[key]

    def require_decidable(self, expectations: Sequence[net.Expectation]) -> None:
        """Trials that go on until an expectation is decided need one."""
        for number, chance in enumerate(self.chances):
            if chance.error is not None and chance.span is not None and not limits_of(expectations, number):
                self.problems.error("nothing-to-decide", chance.span)

    def index(self, kind: str) -> dict[str, int]:
        """Return the numbers of places or transitions by their full names."""
        if kind not in self._names:
            self._names[kind] = {element.name: index for index, element in enumerate(self.elements[kind])}
        return self._names[kind]


class Element(Struct):
    """A measure, or an element of an array of measures, in one instance: what the names in its formula mean.

    instance: its locals have the values of the indices. numbers: these. suffix: as they are shown, `[gold]`.
    """

    builder: MeasureBuilder
    instance: Instance
    template: MeasureTemplate | None = None
    numbers: tuple[int, ...] = ()
    suffix: str = ""

    @property
    def identity(self) -> object:
        return id(self.template), self.instance.prefix, self.numbers

    @property
    def number(self) -> int:
        """The number of this measure in the flat net."""
        return self.builder.numbers[self.identity]

    def value(self, node: Node) -> Constant:
        return evaluate(node, self.instance.locals)

    def expression(self, node: Node, transition: int | None = None) -> Expr:
        """Return an expression in a measure, which sees the firings of a transition."""
        self.instance.firing = None if transition is None else self.builder.measured.get(transition)
        return build(node, self.instance)

    def watched(self, node: Node) -> net.Watched:
        """Return a value of the marking."""
        running: dict[int, int] = {}  # the numbers of the variables that are firings in progress

        def counted(target: object) -> Sequence[Expr]:
            assert isinstance(target, Target)
            found = self.places(target) if target.is_place else self.transitions(target)
            self.charge(len(found), target.span)
            if target.is_place:
                return [Expr("tokens", "int", (), place, target.span) for place in found]
            transitions = self.builder.elements["transition"]
            if any(
                isinstance(one := transitions[number], net.Transition) and one.clock is not None for number in found
            ):
                raise CheckError("firings-of-clock", target.span, name=target.text)
            numbers = [running.setdefault(number, len(running)) for number in found]
            return [Expr("var", "int", (), number, target.span) for number in numbers]

        self.instance.counted = counted
        value = self.quantity(node, None)
        return net.Watched(value, tuple(running))

    def quantity(self, node: Node, transition: int | None) -> Expr:
        """Return what is measured: a value in the net's time unit, and not in ticks."""
        return in_units(self.expression(node, transition), node.power)

    def charge(self, terms: int, span: Span) -> None:
        self.builder.charge(terms, span)

    def leaf(
        self, owner: object, span: Span, make: Callable[[], tuple[int, Term]], *, of: Target | None = None
    ) -> Term:
        """of: it is a figure of this alone, and so the same wherever its indices are."""
        numbers: tuple[object, ...] = self.numbers
        if of is not None:
            ends = ((index.node, index.last) if index else () for _, given in of.steps for index in given)
            numbers = tuple([tuple([None if end is None else self.value(end) for end in one]) for one in ends])
        return self.builder.leaf((id(owner), self.instance.prefix, numbers), span, make)

    def shared(self, op: str, elements: Sequence[int], make: Callable[[], Term]) -> Term:
        """Return a figure of these places or transitions, of which there is one for all formulas."""
        return self.builder.shared(op, elements, make)

    def probe(self, owner: object, make: Callable[[], net.Probe]) -> int:
        return self.builder.probe((owner, self.instance.prefix, self.numbers), make)

    def chance(self, owner: object, make: Callable[[], net.Chance]) -> int:
        return self.builder.chance((owner, self.instance.prefix, self.numbers), make)

    # ------------------------------------------------------------ what a path means

    def places(self, target: Target) -> list[int]:
        """Raise CheckError when there is none."""
        symbol = target.symbol
        if len(target.steps) > 1 or not isinstance(symbol, PlaceSymbol):
            return self._each(target, lambda one: self._named(one, "place"))
        self.instance.present(symbol, target.span)
        own = symbol.number
        return self._each(
            target, lambda one: self._found(replace(one, conditions=()), list(self._own_places(one, own)))
        )

    def _each(self, target: Target, find: Callable[[Target], list[Found]]) -> list[Found]:
        """Return what `link[2..4].queue` names: of each value of a range, which all must be there."""
        parts = target.split(self.value)
        if parts is None:
            return find(target)
        found = [element for part in parts for element in self._each(part, find)]
        return self._found(target, found)

    def _own_places(self, target: Target, number: int) -> Iterator[int]:
        """Yield the numbers of a place or a port of the body itself."""
        instance = self.instance
        chosen = []
        for index, values in zip(target.steps[0][1], instance.shapes[number], strict=True):
            wanted = values if index is None else [int(self.value(index.node))]
            chosen.append([value - values.start for value in wanted if value in values])
        sizes = [len(values) for values in instance.shapes[number]]
        for positions in product(*chosen):
            at = 0
            for position, size in zip(positions, sizes, strict=True):
                at = at * size + position
            if at < len(instance.places[number]):
                yield instance.places[number][at]

    def transitions(self, target: Target) -> list[int]:
        """Raise CheckError when there is none."""
        return self._each(target, lambda one: self._named(one, "transition"))

    def _named(self, target: Target, kind: str) -> list[int]:
        """Return the numbers by full names; those of an instance stand one after the other in the flat net."""
        prefix = self.instance.prefix
        if target.single:
            parts = [name + _shown(indices, self.instance.locals) for name, indices in target.steps]
            found = self.builder.index(kind).get(prefix + ".".join(parts))
            return self._found(target, [] if found is None else [found])
        pattern = r"\.".join(re.escape(name) + _pattern(given, self.instance.locals) for name, given in target.steps)
        wanted, elements = re.compile(pattern), self.builder.elements[kind]
        numbers = self.instance.own_places if kind == "place" else self.instance.own_transitions
        return self._found(
            target, [number for number in numbers if wanted.fullmatch(elements[number].name, len(prefix))]
        )

    def measures(self, target: Target) -> list[Element]:
        """Return the elements of a measure, each in its own instance. Raises CheckError when there is none."""
        return self._each(target, self._measures)

    def _measures(self, target: Target) -> list[Element]:
        *outer, (_, given) = target.steps
        instances = [self.instance]
        for name, indices in outer:
            instances = [child for instance in instances for child in self._children(instance, name, indices)]
        template = self.builder.by_symbol[id(target.symbol)]
        numbers = [None if index is None else int(self.value(index.node)) for index in given]
        found = [element for instance in instances for element in self.builder.of(template, instance, numbers)]
        return self._found(target, found)

    def _children(self, instance: Instance, name: str, indices: Sequence[Index | None]) -> list[Instance]:
        known = instance.children.get(name, {})
        if None not in indices:
            found = known.get(_shown(indices, self.instance.locals))
            return [] if found is None else [found]
        wanted = re.compile(_pattern(indices, self.instance.locals))
        return [child for suffix, child in known.items() if wanted.fullmatch(suffix)]

    def _found(self, target: Target, found: list[Found]) -> list[Found]:
        if not found and any(name in self.builder.refused for name, _ in target.steps):
            raise Reported
        if not found and target.conditions:
            raise CheckError("switched-off", target.span, Label(target.conditions[0], "condition"), name=target.text)
        if not found:
            raise CheckError("no-such-element", target.span, text=target.text)
        return found


def _shown(indices: Sequence[Index | None], values: Sequence[Constant]) -> str:
    return "".join(f"[{index.shown(values)}]" for index in indices if index is not None)


def _pattern(indices: Sequence[Index | None], values: Sequence[Constant]) -> str:
    return "".join(r"\[-?\w+\]" if index is None else rf"\[{index.shown(values)}\]" for index in indices)


def _allow(more: int, span: Span) -> None:
    """Raise CheckError if an array has too many measures."""
    if more > MOST_OF_ARRAY:
        raise CheckError("too-many-measures", span, limit=MOST_OF_ARRAY)


def bodies_with_measures(body: Body, templates: Templates) -> set[int]:
    """Return the bodies, by identity, of which an instance has measures, itself or in an inner instance."""
    inside: dict[int, list[int]] = {}  # the bodies in which there are instances of a body
    waiting, seen = [body], {id(body)}
    while waiting:
        outer = waiting.pop()
        for instance in outer.instances:
            inside.setdefault(id(instance.body), []).append(id(outer))
            if id(instance.body) not in seen:
                seen.add(id(instance.body))
                waiting.append(instance.body)
    found: set[int] = set()
    reached = [number for number in seen if number in templates]
    while reached:
        number = reached.pop()
        if number not in found:
            found.add(number)
            reached += inside.get(number, ())
    return found
