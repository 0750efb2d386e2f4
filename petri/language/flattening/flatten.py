"""Elaboration: turns the checked bodies into a flat net, with the values of parameters, loops and arrays."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, product, repeat
from typing import TypeVar

from petri import net
from petri.language.checking.checker import Checker
from petri.language.checking.nets.clocks import servers_of_tokens
from petri.language.flattening.arcs import ArcBuilder, not_negative
from petri.language.flattening.clock import clocked
from petri.language.flattening.count import DEEPEST_INSTANCE, INSTANCE, MOST_ELEMENTS, ElementCounter
from petri.language.flattening.further import Further
from petri.language.flattening.initial import initial_marking
from petri.language.flattening.instance import Instance, in_net, position_of, set_parameter, shape
from petri.language.flattening.loops import begin_turn, rows, turns
from petri.language.flattening.measures import Elements, MeasureBuilder, bodies_with_measures
from petri.language.flattening.replies import Replies
from petri.language.flattening.speeds import with_moving_clocks
from petri.language.flattening.turns import with_turns
from petri.language.meaning.nodes import Node, build, evaluate
from petri.language.meaning.scope import PlaceSymbol
from petri.language.meaning.templates import (
    Body,
    ClockTemplate,
    InstanceTemplate,
    LoopTemplate,
    OutputTemplate,
    PlaceTemplate,
    PlaceUse,
    PortUse,
    TransitionTemplate,
)
from petri.language.meaning.traced import apply
from petri.language.meaning.types import Request, colour
from petri.language.problems import CheckError, Problems
from petri.net import MOST_TOKENS, PRIORITIES, Expr, Span
from petri.structs import fields, replace

T = TypeVar("T")
MOST_TURNS = 5_000_000  # of all loops together
MOST_WEIGHT = 1e290  # so that the weights of all transitions have a sum
_IMMEDIATE = net.Transition("").time
_PLACE_FIELDS = fields(net.Place)[1:]  # all but the name


class Flattener:
    """Collects the places and transitions of the flat net."""

    def __init__(self, checker: Checker, tables: Sequence[net.Table]) -> None:
        self.checker = checker
        self.problems: Problems = checker.problems
        self.tables = tables
        self.net_places: list[net.Place] = []
        self.numbers: list[int] = []  # theirs
        self.colours: dict[net.Colour, net.Colour] = {}  # of which places share equal ones
        self._valued = 0  # tokens with values that the places start with
        self.net_transitions: list[net.Transition] = []
        self.like: list[int] = []  # for each transition the number of the first that has the same expressions
        self._firsts: dict[int, int | None] = {}  # of the templates, by their identities; None if expressions differ
        self.instances = 0
        self.turns = 0
        self.measured: dict[int, Instance] = {}  # of transitions whose `let` measures may use: instance and iteration
        self.refused: set[str] = set()  # names of declarations that are wrong in an instance
        self.deprived: set[int] = set()  # places that would get tokens from what is not in the net
        self._with_measures = bodies_with_measures(checker.body, checker.measures)
        self.root = Instance(checker.body, "")
        self.replies = Replies()
        self.arcs = ArcBuilder(self.problems, self.net_places)

    def run(self, name: str) -> net.Net:
        """Return the flat net; `problems` collects the errors."""
        self._refuse_too_large()
        self._elaborate(self.checker.body, self.root, 0)
        self.net_transitions = self.replies.connected(self.net_transitions)
        return self._net(name)

    def _refuse_too_large(self) -> None:
        """Refuse before the elements are made, which would take much time and memory."""
        try:
            ElementCounter().count(self.checker.body, Instance(self.checker.body, ""))
        except CheckError as fault:
            self.problems.fault(fault)
            raise TooLarge from None

    def _net(self, name: str) -> net.Net:
        checker = self.checker
        elements: Elements = {"place": self.net_places, "transition": self.net_transitions}
        builder = MeasureBuilder(self.problems, checker.measures, self.root, elements, self.measured, self.refused)
        measures = builder.measures()
        expectations = [
            e for expectation in checker.expectations if (e := builder.expectation(expectation)) is not None
        ]
        stop = None if checker.stop is None else builder.expectation(checker.stop)
        builder.require_decidable((*expectations, *(e for measure in measures for e in measure.expectations)))
        declared = checker.gatherer.net
        second = checker.units.second
        flat = net.Net(
            declared.name if declared is not None else name,
            tuple(self.net_places),
            tuple(self.net_transitions),
            tuple(measures),
            tuple(expectations),
            (*builder.probes, *self._outlets()),
            tuple(builder.chances),
            tuple(self.tables),
            tuple(checker.parameters),
            replace(checker.run_defaults, stop=stop),
            checker.units.time_unit,
            None if second is None else float(second),
            declared.doc if declared is not None else "",
            units=tuple(checker.units_of_time()),
        )
        return clocked(flat, checker.units.resolution, self.problems, self.like)

    def _outlets(self) -> Iterator[net.Watched]:
        """Yield the numbers of tokens in the ports out: so engines notice at the end of an instant that some leave."""
        for index, place in enumerate(self.net_places):
            if place.port == "out":
                yield net.Watched(net.Expr("tokens", "int", value=index))

    # ------------------------------------------------------------ bodies

    def _elaborate(self, body: Body, instance: Instance, depth: int) -> None:
        places, transitions = len(self.net_places), len(self.net_transitions)
        self._contents(body, instance, depth)
        instance.own_places = range(places, len(self.net_places))
        instance.own_transitions = range(transitions, len(self.net_transitions))

    def _contents(self, body: Body, instance: Instance, depth: int) -> None:
        if not self._guarded(instance, body.scope.names, self._constants, body, instance):
            return
        places = self._of(body, body.places)
        if not all([self._guarded(instance, body.scope.names, self._place, p, instance) for p in places]):  # noqa: C419
            return
        for transition in self._of(body, body.transitions):
            self._guarded(instance, (transition.name,), self._transitions, transition, instance)
        for inner in body.instances:
            self._guarded(instance, (inner.name,), self._instances, inner, instance, depth)

    def _of(self, body: Body, templates: list[T]) -> Iterator[T]:
        """Yield the templates of a body. Those of the net itself are needed once, and go."""
        if body is not self.root.body or self.checker.keeps_read:
            yield from templates
            return
        self.checker.transitions.clear()
        templates.reverse()
        while templates:
            template = templates.pop()
            yield template
            self._firsts.pop(id(template), None)

    def _guarded(self, instance: Instance, names: Iterable[str], work: Callable[..., None], *arguments: object) -> bool:
        """Return whether the work on these declarations succeeded; otherwise the error has been reported."""
        try:
            work(*arguments)
        except CheckError as fault:
            if fault.identifier == "net-too-large":
                self.problems.fault(fault)
                raise TooLarge from None
            self.problems.fault(fault, instance=instance.prefix.rstrip("."))
            self.refused.update(names)
            return False
        return True

    @staticmethod
    def _constants(body: Body, instance: Instance) -> None:
        for local, node in body.constants:
            instance.locals[local] = evaluate(node, instance.locals)

    def _room(self, wanted: int, span: Span) -> None:
        """Raise CheckError if this many more elements exceed the limit."""
        there = len(self.net_places) + len(self.net_transitions) + self.instances
        if there + wanted > MOST_ELEMENTS:
            raise CheckError("net-too-large", span, wanted=there + wanted, limit=MOST_ELEMENTS)

    def _turns(self, loops: Sequence[LoopTemplate], instance: Instance) -> Iterator[str]:
        return turns(loops, instance, self._allow)

    def _allow(self, more: int, span: Span) -> None:
        """Raise CheckError if the turns of a loop exceed a limit."""
        self._room(more, span)
        self.turns += more
        if self.turns > MOST_TURNS:
            raise CheckError("loops-too-long", span, limit=MOST_TURNS)

    # ------------------------------------------------------------ places

    def _place(self, template: PlaceTemplate, instance: Instance) -> None:
        symbol = template.symbol
        if not in_net(template.condition, instance):
            instance.absent[symbol.number] = None if template.condition is None else template.condition.span
            return
        ranges = shape(symbol, instance.locals)
        count = math.prod(map(len, ranges))
        self._room(count, template.span)
        suffixes = _suffixes(ranges, [index.kind.labels for index in symbol.indices])
        start = len(self.net_places)
        instance.shapes[symbol.number] = ranges
        instance.places[symbol.number] = range(start, start + count)
        name, step = instance.prefix + symbol.name, template.step
        for alike in self._alike(template, ranges, instance):
            place = self._one_place(template, instance)
            if place.colour.slots:
                self._valued += place.held * alike
                if self._valued > MOST_TOKENS:
                    raise CheckError("too-many-valued", template.span, name=symbol.name, limit=MOST_TOKENS)
            shared = [getattr(place, field) for field in _PLACE_FIELDS]
            self.net_places += [net.Place(name + suffix + step, *shared) for suffix in islice(suffixes, alike)]
        self.numbers += range(len(self.numbers), len(self.net_places))
        if isinstance(symbol.type, Request):
            places = range(start, start + count)
            number = self.replies.places(symbol.type, places, waiting=template.site is not None)
            if template.site is not None:
                instance.locals[template.site] = number

    def _alike(self, template: PlaceTemplate, ranges: Sequence[range], instance: Instance) -> Iterator[int]:
        """Yield how many elements are alike, in order: all, or one at a time where named indices are set."""
        if not any(local is not None for local in template.indices):
            yield math.prod(map(len, ranges))
            return
        for values in product(*ranges):
            for local, value in zip(template.indices, values, strict=True):
                if local is not None:
                    instance.locals[local] = value
            yield 1

    def _one_place(self, template: PlaceTemplate, instance: Instance) -> net.Place:
        symbol = template.symbol
        kind = colour(symbol.type, instance)
        kind = self.colours.setdefault(kind, kind)
        capacity: net.Scalar | None = None
        if template.capacity is not None:
            exact = evaluate(template.capacity, instance.locals)
            capacity = apply(float if template.capacity.kind == "real" else int, exact)
            if capacity < 0:
                raise CheckError("capacity-negative", template.capacity.span, value=capacity)
        key, then = (None if node is None else build(node, instance) for node in template.key or (None, None))
        place = net.Place(
            symbol.name,
            kind,
            _discipline(template),
            key,
            then,
            template.per,
            capacity,
            None if template.weight is None else build(template.weight, instance),
            template.measured_in,
            initial_marking(template, kind, instance, self._turns),
            template.stream,
            template.doc,
            template.span,
            template.port,
        )
        held = most_held(place)
        if capacity is not None and template.weight is None and held > capacity:
            what = "line-over-capacity" if place.per else "initial-over-capacity"
            raise CheckError(what, template.span, name=symbol.name, held=held, capacity=capacity)
        return place

    # ------------------------------------------------------------ transitions

    def _transitions(self, template: TransitionTemplate, instance: Instance) -> None:
        before = len(self.net_transitions)
        if template.loops:
            self._array(template, instance)
        else:
            self._one_transition(template, instance, "")
        if len(self.net_transitions) == before:
            self._left_out(_given(template.outputs), instance)

    def _array(self, template: TransitionTemplate, instance: Instance) -> None:
        first: net.Transition | None = None
        further: Further | None = None
        for outer, values in rows(template.loops, instance, self._allow):
            for done, value in enumerate(values):
                if further is not None:
                    self._add(template, further.transitions(instance.prefix + template.name + outer, values[done:]))
                    break
                suffix = outer + begin_turn(template.loops[-1], value, instance)
                made = self._one_transition(template, instance, suffix)
                if first is None and made is not None:
                    first = made
                    further = self._further(made, template, instance)

    def _further(self, first: net.Transition, template: TransitionTemplate, instance: Instance) -> Further | None:
        """Return what makes the others of its array from the first one, if they are alike."""
        return Further.of(first, template, instance, self.numbers) if self._are_alike(template) else None

    def _one_transition(self, template: TransitionTemplate, instance: Instance, suffix: str) -> net.Transition | None:
        """Return the transition of this turn of the loops; None if it is not in the net."""
        if not in_net(template.condition, instance):
            return None
        self._room(1, template.span)
        if template.seen:
            self.measured[len(self.net_transitions)] = instance.now()
        made = self._transition(template, instance, instance.prefix + template.name + suffix + template.step)
        self._add(template, [made])
        return made

    def _add(self, template: TransitionTemplate, transitions: Iterable[net.Transition]) -> None:
        """Add transitions of one declaration to the net."""
        start = len(self.net_transitions)
        self.net_transitions += transitions
        added = range(start, len(self.net_transitions))
        if id(template) not in self._firsts:
            self._firsts[id(template)] = start if template.alike else None
        first = self._firsts[id(template)]
        self.like += added if first is None else repeat(first, len(added))

    def _are_alike(self, template: TransitionTemplate) -> bool:
        """Say of a declaration that has a transition in the net whether all turns of its loops are alike."""
        return self._firsts[id(template)] is not None

    def _left_out(self, given: Iterable[PlaceSymbol], instance: Instance) -> None:
        """Note the places to which something that is not in the net would give tokens."""
        for symbol in given:
            self.deprived.update(instance.places[symbol.number])

    def _transition(self, t: TransitionTemplate, instance: Instance, name: str) -> net.Transition:
        guard = None
        if t.guard is not None:
            guard = build(t.guard, instance)
            if guard.op == "const" and guard.value:
                guard = None
        arcs = self.arcs
        inputs = tuple([arcs.input(arc, instance) for arc in t.inputs])
        sets = self._sets(t, instance)
        for template, arc in zip(t.sets, sets, strict=True):
            if template.least is not None:
                guard = _with_least(guard, arc, not_negative(template.least, instance, "count-negative"), inputs)
        if t.clock is not None:
            self._check_clocked(t, inputs)
            if t.clock.moving is not None:
                moving = not_negative(t.clock.moving, instance, "speed-negative")
                guard = with_moving_clocks(guard, moving, self._least_values(inputs))
        made = net.Transition(
            name,
            t.variables,
            inputs,
            tuple([arcs.inhibitor(arc, instance) for arc in t.inhibitors]),
            tuple([instance.place(use) for use in t.resets]),
            guard,
            tuple([net.Draw(variable, build(node, instance)) for variable, node in t.draws]),
            _IMMEDIATE if t.time is None else self._time(t.time, instance),
            self._outputs(t, instance),
            net.DECISION if t.decides else 0 if t.priority is None else self._priority(t.priority, instance),
            net.ONE if t.weight is None else self._weight(t.weight, instance),
            _preference(t, instance),
            None if t.clock is None else self._clock(t.clock, instance),
            t.doc,
            t.span,
            sets,
            tuple(_lets(t, instance)) if t.lets else (),
        )
        return with_turns(made, self.net_places) if t.step else made

    def _sets(self, t: TransitionTemplate, instance: Instance) -> tuple[net.SetArc, ...]:
        """Return the set arcs, each of a place that no other empties."""
        if not t.sets:
            return ()
        sets = tuple([self.arcs.set(arc, instance, len(t.variables)) for arc in t.sets])
        emptied = {instance.place(use) for use in t.resets}
        for arc in sets:
            if arc.place in emptied:
                raise CheckError("all-twice", arc.span, name=self.net_places[arc.place].name)
            emptied.add(arc.place)
        return sets

    def _check_clocked(self, t: TransitionTemplate, inputs: Sequence[net.InputArc]) -> None:
        """Check that a token has no clock where it may be hidden by another of its key, and shown again."""
        for arc, written in zip(inputs, t.inputs, strict=True):
            if self.net_places[arc.place].per:
                raise CheckError("clock-on-per", written.span, name=self.net_places[arc.place].name)

    def _least_values(self, inputs: Iterable[net.InputArc]) -> dict[int, net.Scalar | None]:
        """Return the least value of each variable that arcs bind."""
        slots = [
            (match, slot)
            for arc in inputs
            for match, slot in zip(arc.pattern, self.net_places[arc.place].colour.slots, strict=False)
        ]
        return {match.bind: slot.low for match, slot in slots if match.bind is not None}

    def _outputs(self, t: TransitionTemplate, instance: Instance) -> tuple[net.OutputArc, ...]:
        built: list[net.OutputArc] = []
        returned = set()  # sets to whose places an arc gives back
        for template in t.outputs:
            of_set = None if template.each in returned else template.each
            taken = None if of_set is None else instance.place(t.sets[of_set].place)
            arc = self.arcs.output(template, instance, len(t.variables), taken)
            if arc is None:
                self._left_out(_given([template]), instance)
                continue
            built.append(arc)
            if arc.places == (taken,):
                returned.add(of_set)
            if isinstance(template.place, Request):
                self.replies.add(arc, template.place)
        return tuple(built)

    @staticmethod
    def _time(node: Node, instance: Instance) -> Expr:
        time = not_negative(node, instance, "time-negative")
        return _IMMEDIATE if time.op == "const" and time.value == 0 else time

    @staticmethod
    def _clock(clock: ClockTemplate, instance: Instance) -> net.Clock:
        assert clock.time is not None
        servers = 1 if clock.servers is None else apply(int, evaluate(clock.servers, instance.locals))
        if clock.servers is not None and servers < 1:
            raise CheckError("servers-not-positive", clock.servers.span, value=servers)
        if clock.servers is not None and servers > 1 and clock.valued is not None:
            raise servers_of_tokens(clock.servers, clock.valued)
        return net.Clock(
            not_negative(clock.time, instance, "time-negative"),
            clock.memory,
            None if clock.unlimited else servers,
            None if clock.speed is None else not_negative(clock.speed, instance, "speed-negative"),
        )

    @staticmethod
    def _priority(node: Node, instance: Instance) -> int:
        value: int = apply(int, evaluate(node, instance.locals))
        if not -PRIORITIES < value < PRIORITIES:
            raise CheckError("priority-range", node.span, value=value)
        return value

    @staticmethod
    def _weight(node: Node, instance: Instance) -> Expr:
        weight = build(node, instance)
        if weight.value is not None and weight.op == "const":
            if weight.value <= 0:
                raise CheckError("weight-not-positive", node.span, value=weight.value)
            if weight.value > MOST_WEIGHT:
                raise CheckError("weight-too-great", node.span, value=weight.value, most=MOST_WEIGHT)
        return weight

    # ------------------------------------------------------------ instances

    def _instances(self, t: InstanceTemplate, outer: Instance, depth: int) -> None:
        for suffix in self._turns(t.loops, outer):
            if in_net(t.condition, outer):
                self._instance(t, outer, suffix, depth)
            else:
                given = [uses for port, uses in t.ports if port.direction != "in"]
                self._left_out([use.symbol for uses in given for use in uses.each], outer)

    def _instance(self, t: InstanceTemplate, outer: Instance, suffix: str, depth: int) -> None:
        if depth >= DEEPEST_INSTANCE:
            raise CheckError("instance-too-deep", t.span, module=t.body.name, limit=DEEPEST_INSTANCE)
        self._room(1, t.span)
        self.instances += INSTANCE
        instance = Instance(t.body, f"{outer.prefix}{t.name}{suffix}.")
        for parameter in t.parameters:
            set_parameter(t.body, parameter, outer, instance)
        for port, use in t.ports:
            self._connect(port, use, outer, instance)
        self._elaborate(t.body, instance, depth + 1)
        if id(t.body) in self._with_measures:
            outer.children.setdefault(t.name, {})[suffix] = instance

    def _connect(self, port: PlaceSymbol, use: PortUse, outer: Instance, instance: Instance) -> None:
        """Map the port to the places outside."""
        places, given = self._part(use, outer)
        if not port.indices and not places:
            raise CheckError("place-missing", use.span, name=use.symbol.name)
        wanted = instance.shapes[port.number] = shape(port, instance.locals)
        for mine, theirs in zip(wanted, given, strict=True):
            if len(mine) != len(theirs):
                raise CheckError("port-size", use.span, name=port.name, wanted=len(mine), given=len(theirs))
        instance.places[port.number] = places
        for first in places if use.listed else places[:1]:
            own, colour_given = colour(port.type, instance), self.net_places[first].colour
            if own.slots != colour_given.slots:  # whatever the names of the types
                left, right = _bounds_text(own), _bounds_text(colour_given)
                raise CheckError("port-range", use.span, name=port.name, wanted=left, given=right)

    @staticmethod
    def _part(use: PortUse, outer: Instance) -> tuple[Sequence[int], tuple[range, ...]]:
        """Return the places that a port gets, and the values of their indices."""
        if use.listed:
            several = tuple([outer.place(PlaceUse(one.symbol, one.indices, one.span)) for one in use.listed])
            return several, (range(len(several)),)
        places = outer.part(use.symbol, use.indices, use.span)
        free = outer.shapes[use.symbol.number][len(use.indices) :]
        if use.part is None:
            return places, free
        first, last = (int(evaluate(node, outer.locals)) for node in use.part)
        values, size = free[0], len(places) // max(len(free[0]), 1)
        for end in (first, last):
            if first <= last:
                position_of(use.symbol, end, values, use.span)
        start, stop = first - values.start, max(last, first - 1) - values.start + 1
        return places[start * size : stop * size], (range(first, max(last, first - 1) + 1), *free[1:])


def _with_least(guard: Expr | None, arc: net.SetArc, least: Expr, inputs: Iterable[net.InputArc]) -> Expr | None:
    """Return the guard, and that a place has the least number of a set, besides what input arcs take from it (E11)."""
    if least.op == "const" and not least.value:
        return guard
    for taking in inputs:
        if arc.place in taking.takes_from:
            more = taking.count or Expr("const", "int", (), 1, arc.span)
            least = Expr("add", "int", (least, more), None, arc.span)
    there = Expr("tokens", "int", (), arc.place, arc.span)
    enough = Expr("ge", "bool", (there, least), None, arc.span)
    return enough if guard is None else Expr("and", "bool", (enough, guard), None, arc.span)


def _lets(t: TransitionTemplate, instance: Instance) -> Iterator[net.Let]:
    """Yield the values that the transition names; not those that nothing uses and that cannot be computed."""
    for shown, node in t.lets:
        with suppress(CheckError):
            yield net.Let(shown.name, build(node, instance), shown.labels, shown.dimension)


class TooLarge(Exception):
    """The net has too many elements; the error has been reported."""


def _suffixes(ranges: Sequence[range], labels: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """`[0][0]`, `[0][1]` …; of a single place "". labels: the names of an index's values."""
    shown = ([f"[{value}]" for value in names or values] for names, values in zip(labels, ranges, strict=True))
    return map("".join, product(*shown))


def _given(outputs: Iterable[OutputTemplate]) -> list[PlaceSymbol]:
    """Return the places of output arcs; those of replies are not known yet."""
    return [arc.place.symbol for arc in outputs if isinstance(arc.place, PlaceUse)]


def _bounds_text(kind: net.Colour) -> str:
    """Return the ranges of a colour's slots; otherwise equal types can differ in them."""
    parts = []
    for slot in kind.slots:
        text = f"{slot.low}..{slot.high}" if slot.low is not None else slot.dimension or slot.kind
        parts.append(f"{slot.name}: {text}" if slot.name else text)
    return ", ".join(parts)


def _preference(template: TransitionTemplate, instance: Instance) -> net.Preference | None:
    if template.prefer is None:
        return None
    key, then, most = template.prefer
    return net.Preference(build(key, instance), most, None if then is None else build(then, instance))


def most_held(place: net.Place) -> int:
    """Return the initial tokens for which a capacity is: of the key that has most, where there are keys (E6)."""
    if not place.per or place.capacity is None:
        return place.held
    of_key: Counter[net.Token] = Counter()
    for count, token in place.initial:
        of_key[tuple([token[slot] for slot in place.per])] += count
    return max(of_key.values(), default=0)


def _discipline(template: PlaceTemplate) -> net.Discipline:
    """Return the discipline's name in the flat net. Rows of a file keep their order."""
    if template.stream is not None or template.port == "out":
        return "fifo"
    word = template.symbol.discipline
    return "key" if word == "by" else word  # type: ignore[return-value]
