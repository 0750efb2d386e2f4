"""Formulas of measures: figures of places and transitions, and arithmetic on them."""

from __future__ import annotations

import re
from collections.abc import Callable

from petri import net
from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS
from petri.catalogue.units import FREQ, PLAIN, TIME, Dimension
from petri.language.checking.expressions.each import of_each
from petri.language.checking.expressions.functions import power_of_e
from petri.language.checking.expressions.reader import Reader, other_count
from petri.language.checking.expressions.user_functions import prepare_call
from petri.language.checking.measures.chances import USAGES, ChanceReader
from petri.language.checking.measures.events import check_keys, event_of, firing_reader
from petri.language.checking.measures.figure_templates import (
    FIGURES_ELSEWHERE,
    SERIES_FIELDS,
    FigureTemplate,
    ProbeTemplate,
    extent,
    is_percentile,
    operation,
    total,
)
from petri.language.checking.measures.markings import COUNTS, marking_reader, reads_marking
from petri.language.checking.measures.settings import read_settings
from petri.language.checking.nets.targets import (
    Flat,
    Loops,
    Target,
    find_measure,
    find_target,
    leads_to_measure,
    names_measure,
    split_path,
)
from petri.language.checking.nets.token_values import token_value
from petri.language.checking.state import CheckState, Value
from petri.language.meaning.nodes import Constant, Node, as_float, evaluate, to_slot
from petri.language.meaning.scope import (
    INNER,
    ConstantSymbol,
    FnSymbol,
    InstanceSymbol,
    MeasureSymbol,
    Scope,
    SpaceSymbol,
    Symbol,
    kind_of,
)
from petri.language.meaning.types import BOOL, INT, REAL, Scalar, plainly, quantity
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.measure.catalogue import PLACE_WORDS, TRANSITION_WORDS, FigureKind
from petri.measure.reorder import MOST_MODULO
from petri.net import Span, Term
from petri.structs import replace

Measures = Callable[[MeasureSymbol, Span], FigureTemplate | None]


class FigureReader:
    """Reads formulas. `measure` gives the figure of another measure by its symbol.

    scope: of the body in which the formula is declared; loops: the indices of an array of measures.
    """

    def __init__(self, checker: CheckState, scope: Scope, measure: Measures, loops: Loops | None = None) -> None:
        self.checker = checker
        self.scope = scope
        self.problems = checker.problems
        self.measure = measure
        self.loops: Loops = loops if loops is not None else {}
        self.reader = Reader(checker, scope, "a measure", loops=self.loops)

    def read(self, e: tree.Expr) -> FigureTemplate | None:
        """Return the figure of a formula; reports an error and returns None if it is not one."""
        return self.problems.attempt(self.figure, e)

    def figures(self, *expressions: tree.Expr) -> list[FigureTemplate]:
        """Return the figures of several formulas, each with its own errors; raises Reported if one is none."""
        return list(map(needed, [self.read(e) for e in expressions]))

    def figure(self, e: tree.Expr) -> FigureTemplate:
        """Return the figure of a formula. Raises CheckError if it is not one."""
        match e:
            case tree.Paren():
                return self.figure(e.inner)
            case tree.At():
                return self._sample(e)
            case tree.Splitting():
                return self._split(e)
            case tree.Binary() if e.operator in _ARITHMETIC:
                return self._arithmetic(e)
            case tree.Unary() if e.operator == "-":
                inner = self.figure(e.operand)
                return operation("neg", inner.dimension, False, e.span, inner)
            case tree.Name():
                return self._name(e)
            case tree.Call(function=tree.Name()):
                return self._call(e)
            case tree.Number():
                return self._constant(e)
            case tree.Index(base=tree.Name(name=name)) if isinstance(self._symbol(name), ConstantSymbol):
                return self._constant(e)
            case tree.Index() | tree.Field() if names_measure(self.scope, e):
                return self._measured(e)
        raise CheckError("not-a-measure", e.span, text=self.problems.text(e.span))

    def _symbol(self, name: str) -> Symbol | None:
        return self.loops.get(name) or self.scope.find(name)

    def _measured(self, e: tree.Expr) -> FigureTemplate:
        """Return a measure, `delay[gold]`, `engine[0].load`, or a figure of it."""
        figure, target = self._declared(e)
        if not target.single:
            raise CheckError("measures-of-all", e.span, text=self.problems.text(e.span))
        return figure.at(target)

    def _declared(self, e: tree.Expr) -> tuple[FigureTemplate, Target]:
        """Return a figure of a measure, as that measure sees it, and what names the measure."""
        target, fields = find_measure(self.checker, self.scope, e, self.loops)
        assert isinstance(target.symbol, MeasureSymbol)
        figure = needed(self.measure(target.symbol, e.span))
        if fields[:1] == ["series"] and len(fields) > 1:
            figure = self._of_series(e, target.symbol, figure, ".".join(fields[1:]))
        elif fields:
            figure = self._of_probe(e, target.symbol, figure, ".".join(fields))
        return figure, target

    def _of_probe(self, e: tree.Expr, symbol: MeasureSymbol, figure: FigureTemplate, field: str) -> FigureTemplate:
        if figure.probe is None:
            raise CheckError("measure-without-fields", e.span, name=symbol.name)
        if not figure.probe.has(field):
            raise self.unknown_field(e.span, symbol.name, figure.probe, field)
        return figure.field(field)

    def _of_series(self, e: tree.Expr, symbol: MeasureSymbol, figure: FigureTemplate, field: str) -> FigureTemplate:
        """`passed.series.max`: a figure of the windows that a measure records."""
        calls = (item.function for item in symbol.declaration.record if isinstance(item, tree.Call))
        if not any(isinstance(function, tree.Name) and function.name == "series" for function in calls):
            raise CheckError("series-not-recorded", e.span, name=symbol.name)
        if field not in SERIES_FIELDS and not is_percentile(field):
            known = [*SERIES_FIELDS, "p50", "p99"]
            suggestion = self.problems.meant(field, known)
            name = f"{symbol.name}.series"
            raise CheckError("no-such-figure", e.span, name=name, field=field, suggestion=suggestion, known=known)

        def term(flat: Flat) -> Term:
            return Term("series", (), (flat.number, field))

        return FigureTemplate(figure.dimension, figure.share, term, unit=figure.unit)

    def _of_all(self, e: tree.Call, name: str) -> FigureTemplate:
        """`max(engine[*].load)`: the sum, mean, least or greatest of the elements of arrays of measures."""
        figure, target = self._declared(e.arguments[0])

        def build(flat: Flat) -> Term:
            elements = flat.measures(target)
            flat.charge(figure.size * len(elements), e.span)
            terms = [figure.build(element) for element in elements]
            combined = total(terms, _OF_ALL[name])
            return combined if name != "mean" else Term("div", (combined, Term("const", (), float(len(terms)))))

        def unit(flat: Flat) -> tuple[str, float] | None:
            assert figure.unit is not None
            units = {figure.unit(element) for element in flat.measures(target)}
            return units.pop() if len(units) == 1 else None  # a unit of a module can have a size in each instance

        share = figure.share and name != "sum"
        own = None if figure.unit is None else unit
        size, depth = extent(e.span, figure)
        return FigureTemplate(figure.dimension, share, build, unit=own, size=size, depth=depth)

    def _constant(self, e: tree.Expr) -> FigureTemplate:
        (value,) = self.reader.values(e)
        self.reader.require_number(value, "measure")
        assert isinstance(value.type, Scalar)
        node = value.node
        if not node.flags:
            as_float(evaluate(node, ()), e.span)  # so that a fault is reported whether or not the measure is in the net
        return FigureTemplate(value.type.dimension, False, lambda flat: _number(flat, node, e.span), zero=value.zero)

    def _name(self, e: tree.Name) -> FigureTemplate:
        if e.name == "elapsed":
            return FigureTemplate(self.checker.units.normal(TIME), False, lambda flat: Term("elapsed"))
        symbol = self._symbol(e.name)
        if isinstance(symbol, (MeasureSymbol, InstanceSymbol)):
            return self._measured(e)
        if isinstance(symbol, ConstantSymbol) or (symbol is None and e.name == "e"):
            return self._constant(e)
        if symbol is not None:
            raise CheckError("bare-in-measure", e.span, name=e.name, kind=kind_of(symbol))
        raise self.checker.unknown("unknown-name", e.span, e.name, self.scope.named(MeasureSymbol, ConstantSymbol))

    def unknown_field(self, span: Span, name: str, probe: ProbeTemplate, field: str) -> CheckError:
        known = probe.fields()
        meant = FIGURES_ELSEWHERE.get(field.lower())
        return CheckError(
            "no-such-figure",
            span,
            name=name,
            field=field,
            suggestion=meant if meant in known else self.problems.meant(field, known),
            known=known if len(known) < 12 else None,
        )

    # ------------------------------------------------------------ arithmetic

    def _arithmetic(self, e: tree.Binary) -> FigureTemplate:
        left, right = self.figures(e.left, e.right)
        if e.operator == "*":
            return operation("mul", left.dimension * right.dimension, False, e.span, left, right)
        if e.operator == "/":
            return operation("div", left.dimension / right.dimension, False, e.span, left, right)
        op = "add" if e.operator == "+" else "sub"
        return self._alike(op, left, right, e.left.span, e.right.span, e.span)

    def require_alike(self, left: FigureTemplate, right: FigureTemplate, a: Span, b: Span, span: Span) -> None:
        """Raise CheckError if the figures, written at `a` and `b`, are of different dimensions."""
        if left.dimension != right.dimension and not left.zero and not right.zero:
            sides = Value(quantity(left.dimension), (), a), Value(quantity(right.dimension), (), b)
            raise self.reader.unequal(*sides, span)

    def _alike(
        self, op: str, left: FigureTemplate, right: FigureTemplate, a: Span, b: Span, span: Span
    ) -> FigureTemplate:
        """Return an operation on two figures of one dimension."""
        self.require_alike(left, right, a, b, span)
        dimension = right.dimension if left.zero else left.dimension
        return operation(op, dimension, left.share or right.share, span, left, right)

    # ------------------------------------------------------------ functions

    def _call(self, e: tree.Call) -> FigureTemplate:
        assert isinstance(e.function, tree.Name)
        name = e.function.name
        if name in _OF_ALL and len(e.arguments) == 1 and leads_to_measure(self.scope, e.arguments[0]):
            return self._of_all(e, name)
        if name in ("mean", "max") and len(e.arguments) == 2 and self._is_place(e.arguments[0]):
            return self._content(e, name)
        of_marking = self._of_marking(e, name)
        if of_marking is not None:
            return of_marking
        if of_each(e, name):
            return self._constant(e)
        if name in ("min", "max") and len(e.arguments) > 1:
            return self._least_or_greatest(e, name + "2")
        if name in ("rate", "count"):
            return self._events(e, name)
        if name in PLACE_WORDS or name in TRANSITION_WORDS:
            return self._figure(e, name)
        readers = {"time": self._passage, "gap": self._gap, "reorder": self._order, "quantile": self._quantile}
        if name in readers:
            return readers[name](e)
        if name == "probability":
            return ChanceReader(self.checker, self.scope, self.loops).read(e, None)
        if name in FUNCTIONS:
            return self._constant(e)
        function = self.scope.find(name)
        if isinstance(function, FnSymbol):
            return self._function(e, function)
        if name in DISTRIBUTIONS:
            power = power_of_e(self.checker.problems, e, "a measure")
            raise CheckError("draw-not-allowed", e.span, word=name, where="a measure", power=power)
        if name == "sum":
            raise CheckError("measure-usage", e.span, name=name, usage=MEASURE_FUNCTIONS[name], whole="mean(queue[*])")
        instead = _OTHER_MEASURES.get(name.lower())
        if instead is None and re.fullmatch(r"p\d+", name):
            instead = f"`now - x.born at send record {name}`, for a percentile over firings"
        raise CheckError(
            "unknown-measure-function",
            e.function.span,
            name=name,
            suggestion=None if instead else self.problems.meant(name, MEASURE_FUNCTIONS),
            instead=instead,
            known=list(MEASURE_FUNCTIONS),
        )

    def _quantile(self, e: tree.Call) -> FigureTemplate:
        """`quantile(time_until(tokens(up) == 0), 95%)`: of the values of a formula in all replications."""
        if len(e.arguments) != 2:
            raise CheckError("measure-usage", e.span, name="quantile", usage=MEASURE_FUNCTIONS["quantile"])
        inner = needed(self.read(e.arguments[0]))
        if inner.quantile:
            raise CheckError("quantile-in-formula", e.arguments[0].span)
        node = needed(self.reader.read_fixed(e.arguments[1], REAL))

        def share(value: Constant) -> float:
            found = as_float(value, node.span)
            if not 0.0 < found < 1.0:
                raise CheckError("quantile-share", node.span, value=f"{found:.10g}")
            return found

        if not node.flags:
            share(evaluate(node, ()))

        def build(flat: Flat) -> Term:
            return Term("quantile", (inner.build(flat),), share(flat.value(node)))

        return replace(inner, build=build, probe=None, quantile=True)

    def _function(self, e: tree.Call, symbol: FnSymbol) -> FigureTemplate:
        """Return a function of figures."""
        prepare_call(self.checker, e, symbol)
        figures = self.figures(*e.arguments)
        for argument, figure, kind in zip(e.arguments, figures, symbol.parameters, strict=True):
            wanted = kind.dimension if isinstance(kind, Scalar) and kind.kind in ("int", "real") else None
            if wanted is None or not (figure.zero or figure.dimension == wanted):
                text, found = self.problems.text(argument.span), plainly(quantity(figure.dimension))
                raise CheckError("type-mismatch", argument.span, text=text, found=found, wanted=plainly(kind))
        if not symbol.nodes or not isinstance(symbol.type, Scalar):
            raise Reported
        return replace(self._of_node(symbol.nodes[0], figures, e), dimension=symbol.type.dimension)

    def _of_node(self, node: Node, figures: list[FigureTemplate], e: tree.Call) -> FigureTemplate:
        """Return the value of a function as a figure; its dimension is known from the function."""
        if node.op == "argument":
            assert isinstance(node.value, int)
            return figures[node.value]
        if node.fixed:
            return FigureTemplate(PLAIN, False, lambda flat: _number(flat, node, node.span))
        parts = [self._of_node(arg, figures, e) for arg in node.args]
        if node.op == "real":
            return parts[0]
        if node.op not in _OF_FIGURES:
            assert isinstance(e.function, tree.Name)
            raise CheckError("function-of-figures", e.span, name=e.function.name)
        return operation(_OF_FIGURES[node.op], PLAIN, False, e.span, *(part for part in parts if part is not None))

    def _least_or_greatest(self, e: tree.Call, op: str) -> FigureTemplate:
        result, *others = self.figures(*e.arguments)
        for argument, figure in zip(e.arguments[1:], others, strict=True):
            result = self._alike(op, result, figure, e.arguments[0].span, argument.span, e.span)
        return result

    def _is_place(self, e: tree.Expr) -> bool:
        """Return whether a path begins like that of a place or transition, and not like a formula."""
        path = split_path(e)
        symbol = None if path is None else self._symbol(path[0][0])
        return isinstance(symbol, (*INNER, SpaceSymbol)) and not leads_to_measure(self.scope, e)

    def _target(self, e: tree.Call, wanted: str, most: int = 1) -> Target:
        assert isinstance(e.function, tree.Name)
        if not 1 <= len(e.arguments) <= most:
            raise other_count(e, 1, _usages(e.function.name))
        of_all = e.function.name in _OF_ALL
        return find_target(self.checker, self.scope, e.arguments[0], wanted, self.loops, measures=of_all)

    def _events(self, e: tree.Call, name: str) -> FigureTemplate:
        """`rate(t)`, `count(t)`, and for a quantity `rate(t, p.size)`."""
        target = self._target(e, "a transition", most=2)
        dimension = PLAIN
        node = None
        if len(e.arguments) == 2:
            value = self._of_firing(target, e.arguments[1])
            assert isinstance(value.type, Scalar)
            node, dimension = to_slot(value.node), value.type.dimension

        def made(flat: Flat) -> tuple[int, Term]:
            transitions = flat.transitions(target)
            if node is None:
                return len(transitions), flat.shared("firings", transitions, lambda: _fired(transitions))
            terms = [Term("counter", (), _counter(flat, target, node, index)) for index in transitions]
            return len(terms), total(terms)

        def count(flat: Flat) -> Term:
            return flat.leaf(target, e.span, lambda: made(flat), of=target if node is None else None)

        if name == "count":
            return FigureTemplate(dimension, False, count)
        per_time = self.checker.units.normal(dimension * FREQ)
        return FigureTemplate(per_time, False, lambda flat: Term("div", (count(flat), Term("elapsed"))))

    def _of_firing(self, target: Target, e: tree.Expr) -> Value:
        """Return a number computed from the variables of a transition's firing."""
        return self._number(firing_reader(self.checker, self.scope, target, self.loops), e)

    def _number(self, reader: Reader, e: tree.Expr) -> Value:
        (value,) = reader.values(e)
        if not isinstance(value.type, Scalar) or value.type.kind == "enum":
            text = self.problems.text(e.span)
            raise CheckError("not-a-number", e.span, text=text, kind=plainly(value.type), operator="measure")
        return value

    def _content(self, e: tree.Call, name: str) -> FigureTemplate:
        """`mean(place, size)`, `max(place, size)`: of the sum of an expression over the tokens of a place."""
        target = self._target(e, "a place", most=2)
        kind = target.symbol.type  # type: ignore[union-attr]
        what = "the amount of a token"
        found = token_value(self.checker, self.scope, target.text, kind, e.arguments[1], what, self.loops)
        if found[0].kind == "enum":
            raise CheckError("key-not-number", e.arguments[1].span, kind=plainly(found[0]), what=what)
        node = to_slot(found[1])
        # What is written alike is the same probe; indices have other values in each element of an array of measures.
        same: object = id(target) if self.loops else self.problems.whole_text(e.arguments[1].span)

        def part(flat: Flat, place: int, field: str) -> Term:
            probe = flat.probe((same, place), lambda: net.Content(place, flat.quantity(node, None)))
            return Term("content", (), (probe, field))

        def made(flat: Flat) -> tuple[int, Term]:
            places = flat.places(target)
            if name == "max":
                return len(places), total([part(flat, place, "max") for place in places], "max2")
            integral = total([part(flat, place, "integral") for place in places])
            return len(places), Term("div", (integral, Term("elapsed")))

        return FigureTemplate(found[0].dimension, False, lambda flat: flat.leaf(target, e.span, lambda: made(flat)))

    def _of_marking(self, e: tree.Call, name: str) -> FigureTemplate | None:
        """Return a figure of an expression of the marking, if that is what is written."""
        if name in OF_CONDITIONS and not isinstance(self.scope.find(name), FnSymbol):
            return self._of_condition(e, name)
        if name in ("mean", "max", "min") and len(e.arguments) == 1 and reads_marking(e.arguments[0], self.scope):
            return self._of_value(e, name)
        if name in COUNTS:
            raise CheckError("count-in-measure", e.span, text=self.problems.text(e.span))
        return None

    def _of_condition(self, e: tree.Call, name: str) -> FigureTemplate:
        """`share(tokens(up) >= 2)`, `time_until(tokens(q) == 8)`: of a condition on the marking (M6)."""
        if len(e.arguments) != 1:
            raise other_count(e, 1, _usages(name))
        node = needed(marking_reader(self.checker, self.scope, self.loops).read_scalar(e.arguments[0], BOOL))
        if name == "share":
            return self._watched(e, node, "integral", PLAIN, share=True)
        return self._watched(e, node, "first", self.checker.units.normal(TIME))

    def _of_value(self, e: tree.Call, name: str) -> FigureTemplate:
        """`mean(min(tokens(q), 3))`, and the least or greatest: of a number that depends on the marking (M6)."""
        (value,) = marking_reader(self.checker, self.scope, self.loops).values(e.arguments[0])
        if not isinstance(value.type, Scalar) or value.type.kind not in ("int", "real"):
            text = self.problems.text(value.span)
            instead = f"share({text})" if value.type == BOOL and name == "mean" else None
            raise CheckError("marking-not-number", value.span, text=text, kind=plainly(value.type), instead=instead)
        return self._watched(e, value.node, "integral" if name == "mean" else name, value.type.dimension)

    def _watched(
        self, e: tree.Call, node: Node, field: str, dimension: Dimension, share: bool = False
    ) -> FigureTemplate:
        # What is written alike is the same probe; indices have other values in each element of an array of measures.
        same: object = id(e) if self.loops else self.problems.whole_text(e.arguments[0].span)

        def made(flat: Flat) -> tuple[int, Term]:
            probe = flat.probe(("watched", same), lambda: flat.watched(node))
            term = Term("watched", (), (probe, field))
            return 1, Term("div", (term, Term("elapsed"))) if field == "integral" else term

        return FigureTemplate(dimension, share, lambda flat: flat.leaf(e, e.span, lambda: made(flat)))

    def _figure(self, e: tree.Call, name: str) -> FigureTemplate:
        owners = (("a place", PLACE_WORDS), ("a transition", TRANSITION_WORDS))
        target = self._target(e, " or ".join(owner for owner, words in owners if name in words))
        kind = (PLACE_WORDS if target.is_place else TRANSITION_WORDS)[name]
        dimension = self.checker.units.normal(TIME) if kind.dimension == "Time" else PLAIN

        op, share = (kind.word if target.is_place else kind.name), kind.dimension == "share"

        def made(flat: Flat) -> tuple[int, Term]:
            indices = flat.places(target) if target.is_place else flat.transitions(target)
            return len(indices), flat.shared(op, indices, lambda: _combined(kind, op, indices))

        def figure(flat: Flat) -> Term:
            return flat.leaf(target, e.span, lambda: made(flat), of=target)

        return FigureTemplate(dimension, share, figure)

    def _sample(self, e: tree.At) -> FigureTemplate:
        """Return the values at all events, firings of a transition or arrivals in a place, where a condition holds."""
        event = event_of(self.checker, self.scope, e.event, (), self.loops)
        target, reader = event.target, event.reader
        if target.is_place:
            reader = reader.allowing("a measure", "now", "tokens")
        written = self.problems.attempt(self._number, reader, e.value)
        condition = None if e.condition is None else needed(reader.read_scalar(e.condition, BOOL))
        value = needed(written)
        assert isinstance(value.type, Scalar)
        node, dimension = to_slot(value.node), value.type.dimension

        def sample(flat: Flat, transition: int | None = None, place: int | None = None) -> net.Sample:
            counts = None if condition is None else flat.expression(condition, transition)
            return net.Sample(transition, flat.quantity(node, transition), counts, place=place)

        def make(flat: Flat) -> net.Probe:
            if target.is_place:
                samples = [sample(flat, place=place) for place in flat.places(target)]
            else:
                samples = [sample(flat, transition) for transition in flat.transitions(target)]
            return replace(samples[0], others=tuple(samples[1:]))

        return _probed("sample", make, dimension)

    def _split(self, e: tree.Splitting) -> FigureTemplate:
        """`probability(…) splitting on tokens(q)`, `share(…) splitting on tokens(q)`."""
        call = e.value
        while isinstance(call, tree.Paren):
            call = call.inner
        function = call.function if isinstance(call, tree.Call) else None
        name = function.name if isinstance(function, tree.Name) else ""
        if not isinstance(call, tree.Call) or name not in USAGES or isinstance(self.scope.find(name), FnSymbol):
            raise CheckError("splitting-of-other", e.value.span, text=self.problems.text(e.value.span))
        return ChanceReader(self.checker, self.scope, self.loops).read(call, e.importance)

    def _gap(self, e: tree.Call) -> FigureTemplate:
        """`gap(event, by key)`: the time between successive events of one key, which is a passage from it to itself."""
        event = e.arguments[0] if e.arguments else None
        by = e.arguments[1] if len(e.arguments) == 2 else None
        keyed = by is None or (isinstance(by, tree.By) and by.end_keys is None)
        if event is None or isinstance(event, (tree.Passage, tree.By)) or not keyed or len(e.arguments) > 2:
            raise CheckError("measure-usage", e.span, name="gap", usage=MEASURE_FUNCTIONS["gap"])
        passage = tree.Passage(event, event, event.span)
        return self._passage(replace(e, arguments=(passage, *e.arguments[1:])))

    def _passage(self, e: tree.Call) -> FigureTemplate:
        usage = MEASURE_FUNCTIONS["time"]
        passage = e.arguments[0] if e.arguments else None
        by = e.arguments[1] if len(e.arguments) == 2 else None
        if not isinstance(passage, tree.Passage) or not (by is None or isinstance(by, tree.By)) or len(e.arguments) > 2:
            raise CheckError("measure-usage", e.span, name="time", usage=usage)
        keys = by.keys if by is not None else ()
        ends = by.end_keys if by is not None and by.end_keys is not None else keys
        events = [
            self.problems.attempt(event_of, self.checker, self.scope, event, names, self.loops)
            for event, names in ((passage.start, keys), (passage.end, ends))
        ]
        start, end = map(needed, events)
        check_keys(start, end, e.span)

        def make(flat: Flat) -> net.Probe:
            return net.Passage(start.build(flat), end.build(flat))

        return _probed("passage", make, self.checker.units.normal(TIME))

    def _order(self, e: tree.Call) -> FigureTemplate:
        keys = [argument for argument in e.arguments if isinstance(argument, tree.By)]
        orders = [argument for argument in e.arguments if isinstance(argument, tree.Ordered)]
        settings = [argument for argument in e.arguments if isinstance(argument, tree.Weighted)]
        others = [a for a in e.arguments if not isinstance(a, (tree.By, tree.Ordered, tree.Weighted))]
        if len(others) != 1 or len(orders) != 1 or len(keys) > 1 or (keys and keys[0].end_keys is not None):
            raise CheckError("measure-usage", e.span, name="reorder", usage=MEASURE_FUNCTIONS["reorder"])
        event = event_of(self.checker, self.scope, others[0], keys[0].keys if keys else (), self.loops)
        if not event.target.single:
            raise CheckError("star-in-probe", event.target.span, text=event.target.text)
        written = event.reader.read_scalar(orders[0].value, INT)
        given = self._settings(settings)
        sequence = needed(written)

        def make(flat: Flat) -> net.Probe:
            built = event.build(flat)
            values = {_SETTINGS[name][0]: _setting(name, node, flat.value(node)) for name, node in given.items()}
            return net.Order(built, flat.expression(sequence, built.transition), **values)

        return _probed("order", make, PLAIN)

    def _settings(self, settings: list[tree.Weighted]) -> dict[str, Node]:
        """DT and BT of RFC 5236 and the modulus of the numbers, given as `displacement: 8, buffer: 16, modulo: 65536`.

        Raises CheckError where one is wrong.
        """

        def read(name: str, e: tree.Expr) -> Node:
            node = needed(self.reader.read_fixed(e, INT))
            if not node.flags:
                _setting(name, node, evaluate(node, ()))
            return node

        return read_settings(self.problems, settings, _SETTINGS, "reorder-setting", read)


def _probed(kind: str, make: Callable[[Flat], net.Probe], dimension: Dimension) -> FigureTemplate:
    probe = ProbeTemplate(kind, lambda flat: flat.probe(make, lambda: make(flat)), dimension)
    figure = probe.figure(probe.first)
    figure.probe = probe
    return figure


def _setting(name: str, node: Node, given: Constant) -> int:
    value = int(given)
    _, least, most = _SETTINGS[name]
    if not least <= value <= most:
        raise CheckError("reorder-threshold", node.span, name=name, value=value, least=least, limit=most)
    return value


def _number(flat: Flat, node: Node, span: Span | None) -> Term:
    return Term("const", (), as_float(flat.value(node), span))


def _fired(transitions: list[int]) -> Term:
    return total([Term("firings", (), index) for index in transitions])


def _counter(flat: Flat, target: Target, node: Node, transition: int) -> int:
    key = (id(target), transition)
    return flat.probe(key, lambda: net.Counter(transition, flat.quantity(node, transition)))


def _combined(kind: FigureKind, op: str, indices: list[int]) -> Term:
    """Return a figure of one element, or of all: numbers are added, shares averaged, and maxima give the greatest.

    A time is that of all tokens of the array: their integral over their arrivals.
    """
    terms = [Term(op, (), index) for index in indices]
    if len(terms) == 1:
        return terms[0]
    if kind.statistic == "greatest":
        return total(terms, "max2")
    if kind.dimension == "share":
        return Term("div", (total(terms), Term("const", (), float(len(terms)))))
    if kind.dimension == "Time":
        tokens = total([Term("mean", (), index) for index in indices])
        arrivals = total([Term("arrivals", (), index) for index in indices])
        return Term("div", (Term("mul", (tokens, Term("elapsed"))), arrivals))
    return total(terms)


OF_CONDITIONS = ("share", "time_until")
_OF_ALL = {"sum": "add", "mean": "add", "min": "min2", "max": "max2"}
_SETTINGS = {  # of `reorder`, with their bounds
    "modulo": ("modulo", 4, MOST_MODULO),
    "displacement": ("displacement_threshold", 1, 1024),
    "buffer": ("buffer_threshold", 1, 1024),
}
_ARITHMETIC = ("+", "-", "*", "/")
_OF_FIGURES = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "neg": "neg", "min": "min2", "max": "max2",
}  # fmt: skip
# Measures that people expect under another name.
_OTHER_MEASURES = {
    "throughput": "`rate(transition)`",
    "rows": "`arrivals(place)`, which counts the rows that have come",
    "utilization": "`busy(place)` for a resource, `active(transition)` for the share of time with a firing",
    "utilisation": "`busy(place)` for a resource, `active(transition)` for the share of time with a firing",
    "average": "`mean(place)`",
    "avg": "`mean(place)`",
    "length": "`mean(place)`",
    "tokens": "`mean(place)`",
    **dict.fromkeys(
        ("delay", "wait", "waiting", "latency", "response"),
        "`sojourn(place)`, or `now - x.born at transition` if tokens carry their time of birth",
    ),
}
MEASURE_FUNCTIONS = {
    **{word: f"{word}(place)" for word in PLACE_WORDS},
    **{word: f"{word}(transition)" for word in TRANSITION_WORDS},
    "mean": "mean(place), mean(place, value), mean(transition), mean(tokens(place) - 1) or mean(measure[*])",
    "max": "max(place), max(place, value), max(tokens(place) - 1) or max(measure[*])",
    "share": "share(tokens(place) > 0)",
    "time_until": "time_until(tokens(place) > 0)",
    "quantile": "quantile(time_until(tokens(place) > 0), 95%)",
    "probability": USAGES["probability"],
    "count": "count(transition) or count(transition, quantity)",
    "rate": "rate(transition) or rate(transition, quantity)",
    "sum": "sum(measure[*])",
    "time": "time(start -> end, by key)",
    "gap": "gap(event, by key)",
    "reorder": "reorder(event, by flow, order number)",  # and perhaps `modulo: 65536, displacement: 8, buffer: 16`
}


def _usages(name: str) -> str:
    """Return how a measure is written, each way in backquotes but for the outer ones, which the message has."""
    return MEASURE_FUNCTIONS[name].replace("), ", ")`, `").replace(" or ", "` or `")
