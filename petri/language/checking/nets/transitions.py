"""Transitions: arcs, variables, draws, times and guards, checked into templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from petri import net
from petri.catalogue.operations import COMPARISONS
from petri.catalogue.units import dimension_name
from petri.diagnostics import Label
from petri.language.checking.expressions.keys import one_or_two, parts_of
from petri.language.checking.expressions.lets import Lets
from petri.language.checking.expressions.names import indices_of, names_in
from petri.language.checking.expressions.places import as_loops, place_use, require_element
from petri.language.checking.expressions.ranges import read_condition, read_loops, shadows
from petri.language.checking.expressions.reader import Reader, slots_of, stored
from petri.language.checking.nets.clocks import ClockReader
from petri.language.checking.nets.outputs import OutputReader, several_patterns
from petri.language.checking.nets.patterns import ArcReading, Part, PatternReader, in_binding_order, in_join_order
from petri.language.checking.nets.sets import SetReader
from petri.language.checking.nets.terms import require_no_call, split_term
from petri.language.checking.state import CheckState, Value
from petri.language.meaning.nodes import CHANCE, Node, of_firing, operation, to_slot
from petri.language.meaning.scope import ConstantSymbol, PlaceSymbol
from petri.language.meaning.templates import Body, InputTemplate, PlaceUse, TransitionTemplate, Wanted
from petri.language.meaning.types import (
    BOOL,
    INT,
    REAL,
    UNKNOWN,
    Black,
    ListOf,
    Record,
    Scalar,
    Type,
    Unknown,
    layout,
    path_within,
    plainly,
)
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import MOST_ARCS, Span

T = TypeVar("T")


class TransitionReader:
    """Reads one transition. `variables` are the names that its expressions may use, `flat` those of the flat net."""

    def __init__(self, checker: CheckState, body: Body, declaration: tree.Transition) -> None:
        self.checker = checker
        self.problems = checker.problems
        self.body = body
        self.declaration = declaration
        self.variables: dict[str, tuple[Type, tuple[Node, ...]]] = {}
        self.flat: list[net.Variable] = []
        self.conditions: list[Node] = []
        self.numbered = [arc for arc in declaration.inputs if arc.mode == "all"]  # and those with a number of tokens
        self.loops, self.loop_templates = read_loops(checker, body.scope, declaration.loops)
        self.reader = Reader(checker, body.scope, "an arc", frozenset(), self.variables, self.loops, binds=True)
        self.draw_names = {draw.name for draw in declaration.draws}
        self.reader.awaited = self.awaited = {draw.name: draw.name_span for draw in declaration.draws}
        self.patterns = PatternReader(self.reader)
        self.reader.sets = self.sets = SetReader(self.patterns, partial(_new_variable, self.flat))
        self.lets = Lets(declaration.lets, self.reader)
        self.reader.lets = self.lets
        arguments = [argument for arc in declaration.inputs for argument in split_term(arc.term)[2]]
        mentioned = {name for argument in arguments for name in names_in(argument)}
        self._bindable = {name for name in mentioned if self.patterns.binds(name)}

    def read(self) -> TransitionTemplate:
        d = self.declaration
        inputs, inhibitors, resets = self._inputs()
        guard = self._guard(d.guard)
        self._check_decision()
        prefer = None if d.prefer is None else self.problems.attempt(self._prefer, d.prefer)
        clock = ClockReader(self.reader, d).read(inputs)
        self.sets.closed = False
        draws = tuple(self._draws(d.draws))
        time = self._time(d.time)
        outputs = OutputReader(self.reader.allowing("an output", "tokens", "now", "end"), self.sets).read(d.outputs)
        named = self._lets()
        lets = {name: (value.type, tuple(map(of_firing, value.nodes))) for name, value in named.items()}
        template = TransitionTemplate(
            d.name,
            self.loop_templates,
            read_condition(self.reader, d.condition, self.variables),
            tuple(self.flat),
            inputs,
            inhibitors,
            resets,
            self.sets.found,
            guard,
            draws,
            time,
            clock,
            tuple(outputs),
            None if d.priority is None else self.reader.of_all_bindings("a priority").read_fixed(d.priority, INT),
            None if d.weight is None else self.reader.of_all_bindings("a weight", "tokens").read_scalar(d.weight, REAL),
            prefer,
            {**lets, **self.variables},
            d.doc,
            d.span,
            lets=tuple(_shown(named, self.variables)),
            decides=d.decide is not None,
        )
        # These know one another, and the garbage collector comes too late for a large net: what they hold goes now.
        self.reader.lets = self.reader.sets = self.lets.reader.lets = None
        return template

    def _check_decision(self) -> None:
        """Refuse what a transition that waits for a decision cannot have."""
        d = self.declaration
        for identifier, clause in (("decide-with-after", d.clock), ("decide-with-priority", d.priority)):
            if d.decide is not None and clause is not None:
                self.problems.error(identifier, d.decide.span, Label(clause.span, "with-decide"))

    def _prefer(self, prefer: tree.Preference) -> tuple[Node, Node | None, bool]:
        """Keys of the variables that arcs bind, and whether the greatest is preferred. Raises CheckError."""
        found = []
        for value in self.reader.allowing("a preference", "tokens", "now").values(*parts_of(prefer.key)):
            if not isinstance(value.type, Scalar):
                raise CheckError("prefer-not-number", value.span, kind=plainly(value.type))
            found.append((value.type, value.node))
        return *one_or_two(found, prefer.key.span), prefer.word == "most"

    # ------------------------------------------------------------ input arcs

    def _inputs(self) -> tuple[tuple[InputTemplate, ...], tuple[InputTemplate, ...], tuple[PlaceUse, ...]]:
        if len(self.declaration.inputs) > MOST_ARCS:
            span, name = self.declaration.name_span, self.declaration.name
            self.problems.error("too-many-arcs", span, name=name, arcs=len(self.declaration.inputs), limit=MOST_ARCS)
            return (), (), ()

        def each(work: Callable[[tree.Arc], T], *modes: str) -> list[T]:
            return self.problems.attempt_each(work, [arc for arc in self.declaration.inputs if arc.mode in modes])

        readings = [reading for reading in each(self._reading, "take", "read") if reading is not None]
        if self.declaration.clock is None and not any(map(_takes_some, self.declaration.inputs)):
            empties = next((arc.mode for arc in self.declaration.inputs if arc.mode in ("all", "reset")), None)
            self.problems.error("no-input", self.declaration.name_span, name=self.declaration.name, empties=empties)
        ordered, stuck = (in_binding_order if self.declaration.clock is None else in_join_order)(readings)
        if stuck:
            self._cycle(stuck)
        inputs = tuple(self._bind(reading) for reading in ordered + stuck)
        self.problems.attempt_each(self._set, [arc for arc in self.declaration.inputs if arc in self.numbered])
        return inputs, tuple(each(self._inhibitor, "no")), tuple(each(self._reset, "reset"))

    def _cycle(self, stuck: list[ArcReading]) -> None:
        """Report, as no order binds every variable before its use, the names that depend on each other."""
        own = set().union(*(reading.binds() for reading in stuck))
        names = sorted(own & {name for reading in stuck for name in reading.needs()})
        labels = [Label(reading.arc.span, "waits-too") for reading in stuck[1:]]
        self.problems.error("binding-cycle", stuck[0].arc.span, *labels, names=names)

    def _place(self, e: tree.Expr, mode: str) -> PlaceUse:
        """Return the place of an input arc, whose index is a constant."""
        if isinstance(e, tree.Index) and not self._bindable.isdisjoint(self.lets.expanded(names_in(indices_of(e)))):
            loops = as_loops(self.reader, e, self._bindable)
            raise CheckError("index-not-constant", e.span, where="an input", loops=loops)
        use = place_use(self.reader, e)
        symbol = use.symbol
        if mode != "reset":
            symbol.taken = True
        if symbol.direction == "out" and (mode != "no" or symbol.outside):
            self.problems.error("port-direction", e.span, name=symbol.name, direction="out", action=_ACTIONS[mode])
        require_element(use, e.span)
        return use

    def _reading(self, arc: tree.Arc) -> ArcReading | None:
        """Return what an arc finds; None if it takes a number of tokens that are not found one by one."""
        count, place, arguments = split_term(arc.term)
        if isinstance(arc.term, tree.Binary) and arc.term.operator in (">=", "<", ">", "<=", "==", "!="):
            raise self._comparison(arc.term)
        if isinstance(arc.term, tree.Binary) and isinstance(arc.term.right, tree.Number) and count is not None:
            raise CheckError("count-after-place", arc.span, text=self.problems.text(arc.span))
        try:
            require_no_call(self.reader, place, arguments, arc.term)
            use = self._place(place, arc.mode)
        except CheckError:
            self._declare_unknown(arguments)
            raise
        pattern = self._pattern(use, arguments, arc.span)
        kind = use.symbol.type
        if arc.any and isinstance(kind, Black):
            self.problems.error("any-on-black", arc.span, name=use.symbol.name)
        if isinstance(arc.term, tree.Range) or (count is not None and not isinstance(kind, (Black, Unknown))):
            self._number(arc)
            return None
        return ArcReading(arc, use, list(self.patterns.parts(pattern, kind)), count, len(layout(kind)), self.lets)

    def _comparison(self, e: tree.Binary) -> CheckError:
        """Return the error of a comparison written as an arc: of a place's tokens, or of what another arc binds."""
        text, compared = self.problems.text(e.span), split_term(e.left)[1]
        named = isinstance(compared, tree.Name) and isinstance(self.body.scope.find(compared.name), PlaceSymbol)
        more = {"place": self.problems.text(compared.span)} if named else {"guard": text}
        return CheckError("threshold-without-no", e.span, text=text, **more)

    def _declare_unknown(self, patterns: Sequence[tree.Expr]) -> None:
        """Names of patterns whose place is unknown, so that their uses are not reported as well."""
        for name in (name for pattern in patterns for name in names_in(pattern)):
            if name != "_" and self.patterns.binds(name):
                self.variables.setdefault(name, (UNKNOWN, ()))

    def _pattern(self, use: PlaceUse, arguments: Sequence[tree.Expr], span: Span) -> tree.Expr | None:
        """Return the one pattern of an arc; None on a black place, and if every token matches."""
        kind = use.symbol.type
        if isinstance(kind, Black) and arguments:
            self.problems.error("pattern-on-black", span, name=use.symbol.name, type="int")
        elif not isinstance(kind, Unknown) and len(arguments) > 1:
            self.problems.fault(several_patterns(self.problems, use, arguments, span))
        elif arguments and _is_condition(arguments[0]) and kind != BOOL:
            text = self.problems.text(arguments[0].span)
            fresh = (name for name in names_in(arguments[0]) if self.patterns.binds(name))
            place, variable = self.problems.text(use.span), next(fresh, "x")
            self.problems.error("pattern-condition", arguments[0].span, text=text, place=place, variable=variable)
        elif not isinstance(kind, Unknown):
            return arguments[0] if arguments else None
        self._declare_unknown(arguments)
        return None

    def _bind(self, reading: ArcReading) -> InputTemplate:
        """Return the arc with its variables bound and its equalities read; earlier arcs have bound theirs."""
        before = set(self.variables)
        pattern: list[Wanted] = [None] * reading.width
        for part in reading.parts:
            if part.name is not None:
                self._bind_name(part, pattern, before)
        for part in reading.parts:
            if part.name is None:
                self._equal(part, pattern, before)
        count = self.reader.allowing("a number of tokens", "tokens")
        number = count.read_scalar(reading.count, INT) if reading.count is not None else None
        arc = reading.arc
        template = InputTemplate(reading.place, tuple(pattern), number, arc.mode == "read", arc.span)
        template.any, template.in_turn = arc.any, arc.in_turn
        return template

    def _bind_name(self, part: Part, pattern: list[Wanted], before: set[str]) -> None:
        assert part.name is not None
        name = part.name
        if name in self.draw_names:
            draw = next(draw for draw in self.declaration.draws if draw.name == name)
            self.problems.error("drawn-in-pattern", part.span, Label(draw.name_span, "drawn-here"), name=name)
            return
        if name in self.variables:
            kind, nodes = self.variables[name]
            self._require(part, Value(kind, nodes, part.span), pattern, hidden=name not in before)
            return
        self.variables[name] = (part.type, self._new_variables(name, part, pattern))

    def _new_variables(self, name: str, part: Part, pattern: list[Wanted]) -> tuple[Node, ...]:
        first = len(self.flat)
        for offset, (path, kind) in enumerate(layout(part.type)):
            number = _new_variable(self.flat, path_within(name, path), kind)
            pattern[part.start + offset] = number
        return slots_of(part.type, part.span, first)

    def _equal(self, part: Part, pattern: list[Wanted], before: set[str]) -> None:
        mentioned = self.lets.expanded(names_in(part.value))
        for draw in self.declaration.draws:
            if draw.name in mentioned:
                self.problems.error("drawn-in-pattern", part.span, Label(draw.name_span, "drawn-here"), name=draw.name)
                return
        value = self.reader.allowing("a pattern", "tokens").read(part.value, part.type)
        hidden = bool(mentioned & (set(self.variables) - before))
        self._require(part, value, pattern, hidden)

    def _require(self, part: Part, value: Value, pattern: list[Wanted], hidden: bool) -> None:
        """Check that the slots equal the value.

        If that uses variables of the same arc (`hidden`), the guard checks it.
        """
        nodes = self.reader.fit(value, part.type)
        if nodes is None:
            return
        if not hidden:
            for offset, node in enumerate(nodes):
                pattern[part.start + offset] = to_slot(node)
            return
        text = self.problems.text(part.span)
        own = self._new_variables(f"{text}'", part, pattern)
        for left, right in zip(own, nodes, strict=True):
            self.conditions.append(operation("eq", "bool", (left, right), part.span))

    def _inhibitor(self, arc: tree.Arc) -> InputTemplate:
        term: tree.Expr = arc.term
        threshold = None
        if isinstance(term, tree.Binary) and term.operator in (">=", ">", "<", "<=", "==", "!="):
            if term.operator != ">=":
                raise CheckError("threshold-comparison", arc.span, operator=term.operator)
            threshold, term = term.right, term.left
        count, place, arguments = split_term(term)
        if count is not None:
            raise CheckError("count-with-no", arc.span, count=self.problems.text(count.span))
        use = self._place(place, "no")
        expression = self._pattern(use, arguments, arc.span)
        pattern: list[Wanted] = [None] * len(layout(use.symbol.type))
        for part in self.patterns.parts(expression, use.symbol.type):
            if part.name is not None and part.name not in self.variables:
                self.problems.error("unbound-in-no", part.span, name=part.name)
            else:
                self._equal(part, pattern, set(self.variables))
        reader = self.reader.allowing("a threshold", "tokens")
        number = reader.read_scalar(threshold, INT) if threshold is not None else None
        return InputTemplate(use, tuple(pattern), number, False, arc.span)

    def _number(self, arc: tree.Arc) -> None:
        """Note an arc that takes the first tokens of a place. Raises CheckError."""
        words = ["read"] * (arc.mode == "read") + ["any"] * arc.any
        if words:
            raise CheckError("number-with-word", arc.span, word=words[0])
        if "." in self.declaration.name:
            raise CheckError("set-in-thread", arc.span, word="*")
        self.numbered.append(arc)

    def _set(self, arc: tree.Arc) -> None:
        count, place, arguments = split_term(arc.term)
        if isinstance(arc.term, tree.Range) and count is None:
            raise CheckError("range-of-what", arc.span, text=self.problems.text(arc.term.high.span))
        use = self._place(place, "all")
        pattern = self._pattern(use, arguments, arc.span)
        low = arc.term.low if isinstance(arc.term, tree.Range) else count if arc.mode == "take" else None
        reader = self.reader.allowing("a number of tokens", "tokens")
        least, most = (None if e is None else reader.read_scalar(e, INT) for e in (low, count))
        self.sets.read(arc, use, pattern, most, least)

    def _reset(self, arc: tree.Arc) -> PlaceUse:
        count, place, arguments = split_term(arc.term)
        if count is not None or arguments:
            self.problems.error("reset-takes-all", arc.span, text=self.problems.text(arc.span))
        return self._place(place, "reset")

    # ------------------------------------------------------------ clauses

    def _guard(self, e: tree.Expr | None) -> Node | None:
        conditions = list(self.conditions)
        if e is not None:
            written = self.reader.allowing("a guard", "tokens", "now").read_scalar(e, BOOL)
            if written is not None:
                conditions.append(written)
        if not conditions:
            return None
        guard = conditions[0]
        try:
            for condition in conditions[1:]:
                guard = operation("and", "bool", (guard, condition), condition.span)
        except CheckError as fault:
            self.problems.fault(fault)
        return guard

    def _lets(self) -> dict[str, Value]:
        """Return the values of all `let` clauses, used or not."""
        for let in self.declaration.lets:
            taken = self.patterns.constant(let.name)
            draw = next((draw for draw in self.declaration.draws if draw.name == let.name), None)
            if taken is not None:
                shadows(self.checker, let.name, let.name_span, taken.span)
            elif draw is not None:
                label = Label(draw.name_span, "drawn-here")
                self.problems.error("name-twice", let.name_span, label, name=let.name, kind="a draw")
        return self.lets.finish()

    def _draws(self, draws: Sequence[tree.Draw]) -> list[tuple[int, Node]]:
        found = []
        for draw in draws:
            reader = self.reader.allowing("a draw", "draw", "now", "tokens")
            value = reader.read(draw.distribution)
            self.awaited.pop(draw.name, None)
            taken: ConstantSymbol | None = self.patterns.constant(draw.name)
            if taken is not None:
                shadows(self.checker, draw.name, draw.name_span, taken.span)
            elif draw.name in self.variables and draw.name in self.draw_names:
                self.problems.error("drawn-twice", draw.name_span, name=draw.name)
                continue
            if isinstance(value.type, Scalar):
                number = _new_variable(self.flat, draw.name, value.type)
                node = stored(number, value.type, draw.name_span, CHANCE)
                self.variables[draw.name] = (value.type, (node,))
                found.append((number, to_slot(value.node)))
                continue
            if isinstance(value.type, (Record, ListOf)):
                self.problems.error("draw-of-record", draw.distribution.span)
            self.variables[draw.name] = (UNKNOWN, ())
        return found

    def _time(self, e: tree.Expr | None) -> Node | None:
        if e is None:
            return None
        reader = self.reader.allowing("a firing time", "draw", "now", "tokens")
        time = reader.read_scalar(e, self.checker.units.time_type)
        if time is not None and time.op == "normal":
            self.checker.problems.warning("time-may-be-negative", e.span)
        return time


def _takes_some(arc: tree.Arc) -> bool:
    """Return whether an arc takes a token; one that takes any number of them may take none."""
    low = arc.term.low if isinstance(arc.term, tree.Range) else None
    return arc.mode == "take" and not (isinstance(low, tree.Number) and low.value == 0)


def _is_condition(e: tree.Expr) -> bool:
    return isinstance(e, tree.Binary) and e.operator in (*COMPARISONS, "and", "or")


def _shown(lets: Mapping[str, Value], variables: Mapping[str, object]) -> Iterator[tuple[net.Variable, Node]]:
    """Yield the scalars of the values that people see: not of names that were given something else."""
    for name, value in lets.items():
        if name not in variables and name.isidentifier():
            for (path, kind), node in zip(layout(value.type), value.nodes, strict=False):
                yield _variable(path_within(name, path), kind), to_slot(node)


def _new_variable(flat: list[net.Variable], name: str, kind: Scalar) -> int:
    flat.append(_variable(name, kind))
    return len(flat) - 1


def _variable(name: str, kind: Scalar) -> net.Variable:
    return net.Variable(name, kind.slot_kind, kind.labels, dimension_name(kind.dimension))


_ACTIONS = {"take": "taken from", "read": "read", "reset": "emptied", "no": "counted in", "all": "taken from"}
