"""Declared measures, the figures they record, and their expectations.

As everything in a module, its measures are checked once. Each instance has them, with the values of its parameters and
of the indices of arrays, when the net becomes flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from petri.catalogue.operations import FUNCTIONS
from petri.catalogue.units import PLAIN, dimension_name
from petri.language.checking.declarations.runs import is_condition
from petri.language.checking.expressions.names import names_in, nodes_in
from petri.language.checking.expressions.quantities import quantity_of
from petri.language.checking.expressions.ranges import read_condition, read_loops
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.measures.figure_templates import (
    DEEPEST_MEASURE,
    FigureTemplate,
    Unit,
    is_percentile,
    operation,
)
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS, FigureReader
from petri.language.checking.nets.targets import Flat, Loops, names_measure
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Constant, Node, as_float, constant, evaluate
from petri.language.meaning.scope import MeasureSymbol
from petri.language.meaning.templates import Body, LoopTemplate
from petri.language.meaning.types import REAL, Scalar, quantity
from petri.language.problems import CheckError, needed
from petri.language.syntax import tree
from petri.net import Expectation, Measure, Span, in_unit
from petri.structs import Struct, field, replace


def shown_dimension(figure: FigureTemplate, flat: Flat) -> str:
    """Return how a figure is shown: by the name of its dimension, perhaps in a unit, or as a "share"."""
    if figure.share and figure.dimension == PLAIN:
        return "share"
    dimension = dimension_name(figure.dimension)
    unit = None if figure.unit is None else figure.unit(flat)
    return dimension if unit is None else in_unit(dimension, *unit)


class ExpectationTemplate(Struct):
    """`text` is without the name of the measure that it is about."""

    declaration: tree.Expect
    figure: FigureTemplate
    text: str
    bound: Node
    within: Node
    absolute: bool
    condition: Node | None = None

    def build(self, flat: Flat, name: str = "") -> Expectation:
        """Return the expectation of the flat net. name: of the measure that it is about, or ""."""
        d = self.declaration
        formula, dimension = self.figure.build(flat), shown_dimension(self.figure, flat)
        bound, within = (as_float(flat.value(node), node.span) for node in (self.bound, self.within))
        text = f"{name} {self.text}".strip()
        return Expectation(text, formula, d.comparison, bound, within, self.absolute, d.span, dimension)


class MeasureTemplate(Struct):
    """A measure, or all elements of an array of measures."""

    symbol: MeasureSymbol
    loops: tuple[LoopTemplate, ...]
    condition: Node | None
    figure: FigureTemplate
    record: tuple[str, ...]
    window: Node | None
    expectations: list[ExpectationTemplate] = field(default_factory=list)

    @property
    def declaration(self) -> tree.Measure:
        return self.symbol.declaration

    def build(self, flat: Flat, name: str) -> Measure:
        """Return a measure of the flat net. name: its full name, `engine[0].delay[gold]`."""
        d, figure = self.declaration, self.figure
        probe = figure.probe
        if probe is not None:
            scalar = next((name for name in self.record if probe.has(name)), None)
            if scalar is not None:
                figure = figure.field(scalar)
        return Measure(
            name,
            figure.build(flat),
            shown_dimension(figure, flat),
            None if probe is None else probe.number(flat),
            self.record,
            None if self.window is None else _length(flat.value(self.window), self.window),
            tuple(
                expectation.build(flat, name)
                for expectation in self.expectations
                if in_net(flat, expectation.condition)
            ),
            d.doc,
            d.span,
        )


def in_net(flat: Flat, condition: Node | None) -> bool:
    """Return whether a condition holds for an element of an array, in its instance."""
    return condition is None or bool(flat.value(condition))


def _length(given: Constant, node: Node) -> float:
    length = as_float(given, node.span)
    if length <= 0:
        raise CheckError("window-not-positive", node.span)
    return length


Bodies = Sequence[tuple[Body, Sequence[tree.Declaration]]]


class MeasureChecker:
    """Reads the measures of a net and its modules; formulas may use one another in any order."""

    def __init__(self, checker: CheckState, bodies: Bodies) -> None:
        self.checker = checker
        self.problems = checker.problems
        self.bodies = bodies
        self.homes = {
            id(symbol): body
            for body, _ in bodies
            for symbol in body.scope.names.values()
            if isinstance(symbol, MeasureSymbol)
        }
        self.figures: dict[int, FigureTemplate | None] = {}  # by the identity of their symbols
        self.busy: set[int] = set()
        self.loops: dict[tuple[int, int], tuple[Loops, tuple[LoopTemplate, ...]]] = {}  # by their body and declaration
        self.templates: dict[int, list[MeasureTemplate]] = {}  # by the identity of their bodies
        self.standalone: list[ExpectationTemplate] = []
        self.body = checker.body  # in which declarations are read
        self.reader = self._reader({})

    def _reader(self, loops: Loops) -> FigureReader:
        return FigureReader(self.checker, self.body.scope, self.figure, loops)

    def figure(self, symbol: MeasureSymbol, span: Span) -> FigureTemplate | None:
        """Return the formula of a measure, read once."""
        key = id(symbol)
        if key in self.busy:
            raise CheckError("circular-definition", span, name=symbol.name)
        if key not in self.figures:
            self.busy.add(key)
            outer, self.body = self.body, self.homes[key]
            self.figures[key] = None
            try:
                self.figures[key] = self._read(symbol.declaration)
            except CheckError as fault:
                self.problems.fault(fault)
            except RecursionError:  # each uses one that is declared further below
                self.problems.error("measure-too-deep", span, limit=DEEPEST_MEASURE)
            finally:
                self.busy.discard(key)
                self.body = outer
        return self.figures[key]

    def _read(self, d: tree.Measure) -> FigureTemplate | None:
        figure = self._reader(self._loops(d)[0]).read(d.formula)
        return None if figure is None else replace(figure, unit=self.problems.attempt(self._unit, d, figure))

    def _loops(self, d: tree.Measure) -> tuple[Loops, tuple[LoopTemplate, ...]]:
        """Return the indices of an array of measures.

        Two imports of a file with names of their own share its declarations.
        """
        key = (id(self.body), id(d))
        if key not in self.loops:
            self.loops[key] = read_loops(self.checker, self.body.scope, d.loops)
        return self.loops[key]

    def _unit(self, d: tree.Measure, figure: FigureTemplate) -> Unit | None:
        """Return the unit to show a measure in, and its size: its own, or that of the measure whose figure it is."""
        name, span = d.unit, d.unit_span
        if name is None or span is None:
            return figure.unit
        value = quantity_of(self.checker, self.body.scope, tree.Number(Fraction(1), "in", name, span))
        assert isinstance(value.type, Scalar)
        if value.type.dimension != figure.dimension:
            unit, found = (dimension_name(one) or "a number" for one in (value.type.dimension, figure.dimension))
            raise CheckError("unit-of-other-dimension", span, unit=name, kind=unit, name=d.name, found=found)

        def sized(flat: Flat) -> tuple[str, float] | None:
            size = as_float(flat.value(value.node), span)
            return (name, size) if size > 0 else None

        return sized

    def check(self) -> None:
        for body, declarations in self.bodies:
            self.body = body
            latest: tree.Measure | None = None
            file = ""
            for d in declarations:
                latest = latest if d.span.file == file else None
                file = d.span.file
                if isinstance(d, tree.Measure):
                    latest = d
                    self.problems.attempt(self._measure, d)
                elif not isinstance(d, tree.Expect):
                    latest = None
                elif body is self.checker.body:
                    self.problems.attempt(self._expect, d, latest)
        self.body = self.checker.body

    def _measure(self, d: tree.Measure) -> None:
        symbol = self.body.scope.names.get(d.name)
        loops, templates = self._loops(d)
        condition = read_condition(Reader(self.checker, self.body.scope, "a measure", loops=loops), d.condition)
        if not isinstance(symbol, MeasureSymbol) or symbol.declaration is not d:
            self._reader(loops).read(d.formula)
            return
        figure = needed(self.figure(symbol, d.name_span))
        record, window = self._record(d, figure)
        template = MeasureTemplate(symbol, templates, condition, figure, record, window)
        self.templates.setdefault(id(self.body), []).append(template)

    # ------------------------------------------------------------ record

    def _record(self, d: tree.Measure, figure: FigureTemplate) -> tuple[tuple[str, ...], Node | None]:
        window = None

        def recorded(e: tree.Expr) -> str:
            nonlocal window
            name = self._recorded(e)
            if name == "series":
                window = self.problems.attempt(self._window, e)
            else:
                self._require_recordable(e, name, d, figure)
            return name

        names = list(dict.fromkeys(self.problems.attempt_each(recorded, d.record)))
        if figure.probe is not None and not any(figure.probe.has(name) for name in names):
            names.insert(0, figure.probe.first)
        return tuple(names), window

    def _recorded(self, e: tree.Expr) -> str:
        """Return the name of a figure to record: `mean`, `p99.9`, `series`."""
        if isinstance(e, tree.Name):
            return e.name
        if isinstance(e, tree.Call) and isinstance(e.function, tree.Name) and e.function.name == "series":
            return "series"
        text = self.problems.text(e.span)
        if is_percentile(text):
            return text
        raise CheckError("not-recordable", e.span, text=text)

    def _window(self, e: tree.Expr) -> Node | None:
        if not isinstance(e, tree.Call) or len(e.arguments) != 1:
            raise CheckError("measure-usage", e.span, name="series", usage="series(length)")
        reader = Reader(self.checker, self.body.scope, "a window's length")
        node = reader.read_fixed(e.arguments[0], self.checker.units.time_type)
        if node is not None and not node.flags:
            _length(evaluate(node, ()), node)
        return node

    def _require_recordable(self, e: tree.Expr, name: str, d: tree.Measure, figure: FigureTemplate) -> None:
        if figure.probe is None:
            raise CheckError("record-needs-sample", e.span, name=d.name, field=name)
        if not figure.probe.has(name) and name not in figure.probe.distributions:
            raise self.reader.unknown_field(e.span, d.name, figure.probe, name)

    # ------------------------------------------------------------ expect

    def _expect(self, d: tree.Expect, latest: tree.Measure | None) -> None:
        """Check an expectation; one about an array of measures is about each element, and may use its indices."""
        of = latest if d.formula is None else None
        loops = {} if of is None else self._loops(of)[0]
        self.reader = self._reader(loops)
        condition = read_condition(Reader(self.checker, self.body.scope, "a measure", loops=loops), d.condition)
        if d.formula is None:
            if latest is None and not self.checker.sources.broken:
                self.problems.error("expect-of-nothing", d.span)
            template = next((one for one in self.templates.get(id(self.body), ()) if one.declaration is of), None)
            figure = self._first(needed(template))
        else:
            template, figure = None, self.reader.figure(d.formula)
        expectation = self._expectation(d, figure, self._written(d))
        expectation.condition = condition
        (self.standalone if template is None else template.expectations).append(expectation)

    def stop(self, run: tree.Run | None) -> ExpectationTemplate | None:
        """Return the condition of `run until count(send) >= 100`."""
        e = None if run is None else run.until
        if e is None or not is_condition(e):
            return None
        if not isinstance(e, tree.Binary) or e.operator not in ("<", "<=", ">", ">=", "=="):
            raise CheckError("stop-condition", e.span)
        self.reader = self._reader({})
        comparison: Any = e.operator
        d = tree.Expect(e.left, comparison, e.right, None, None, e.span)
        figure = self.reader.figure(e.left)
        if figure.quantile:
            raise CheckError("quantile-in-formula", e.left.span)
        return self._expectation(d, figure, self.problems.whole_text(e.span))

    @staticmethod
    def _first(template: MeasureTemplate) -> FigureTemplate:
        """Return the figure that an expectation directly after a measure applies to: the first one shown."""
        probe = template.figure.probe
        if probe is None:
            return template.figure
        return template.figure.field(next(name for name in template.record if probe.has(name)))

    def _written(self, d: tree.Expect) -> str:
        """Return the expectation without its condition."""
        last = (d.within or d.bound).span
        span = replace(d.span, end_line=last.end_line, end_column=last.end_column)
        return self.problems.whole_text(span).removeprefix("expect").strip()

    def _expectation(self, d: tree.Expect, figure: FigureTemplate, text: str) -> ExpectationTemplate:
        """Return the expectation whose figure is compared with a constant, or with another figure.

        Raises CheckError.
        """
        percent = isinstance(d.within, tree.Number) and d.within.unit is None and d.within.text.endswith("%")
        if self._measures(d.bound):
            absolute = not (percent and d.comparison == "==")
            figure, bound = self._of_two(d, figure, absolute)
        else:
            absolute = d.within is not None and not percent
            bound = self._number(d.bound, figure, "an expected value")
        if d.within is None:
            return ExpectationTemplate(d, figure, text, bound, _NONE, absolute)
        if d.comparison != "==":
            raise CheckError("within-without-equality", d.within.span, comparison=d.comparison)
        within = self._number(d.within, figure if absolute else None, "a tolerance")
        return ExpectationTemplate(d, figure, text, bound, within, absolute)

    def _measures(self, e: tree.Expr) -> bool:
        """Return whether an expected value is a figure of the run, and not a constant."""
        for part in nodes_in(e):
            if isinstance(part, tree.Call) and isinstance(part.function, tree.Name):
                name = part.function.name
                if name in MEASURE_FUNCTIONS and name not in FUNCTIONS:
                    return True
            elif isinstance(part, (tree.Index, tree.Field)) and names_measure(self.body.scope, part):
                return True
        found = self.body.scope.find
        return any(name == "elapsed" or isinstance(found(name), MeasureSymbol) for name in names_in(e))

    def _of_two(self, d: tree.Expect, figure: FigureTemplate, absolute: bool) -> tuple[FigureTemplate, Node]:
        """Read `a > b` as `a - b > 0`, and `a == b within 5%` is `a / b == 1 within 5%`."""
        other = self.reader.figure(d.bound)
        self.reader.require_alike(figure, other, (d.formula or d).span, d.bound.span, d.span)
        if not absolute:
            return operation("div", PLAIN, False, d.span, figure, other), _ONE
        both = operation("sub", figure.dimension, False, d.span, figure, other)
        return replace(both, unit=figure.unit or other.unit), _NONE

    def _number(self, e: tree.Expr, figure: FigureTemplate | None, where: str) -> Node:
        """Return a constant of the dimension of a figure. Raises CheckError."""
        reader = Reader(self.checker, self.body.scope, where, loops=self.reader.loops)
        node = needed(reader.read_scalar(e, REAL if figure is None else quantity(figure.dimension)))
        if not node.flags:
            as_float(evaluate(node, ()), e.span)
        return node


_NONE, _ONE = constant(Fraction(0), "real"), constant(Fraction(1), "real")


def check_measures(
    checker: CheckState, bodies: Bodies, run: tree.Run | None
) -> tuple[dict[int, list[MeasureTemplate]], list[ExpectationTemplate], ExpectationTemplate | None]:
    """Return the measures of each body by its identity, the expectations that do not belong to a measure, and the
    condition at which a run ends.
    """
    measures = MeasureChecker(checker, bodies)
    measures.check()
    return measures.templates, measures.standalone, measures.problems.attempt(measures.stop, run)
