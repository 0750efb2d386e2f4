"""Declared measures, the figures they record, and their expectations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from petri.diagnostics import Label
from petri.language.checking.elements import ALONE, Element, elements
from petri.language.checking.expressions import Reader
from petri.language.checking.figures import (
    DEEPEST_MEASURE,
    MEASURE_FUNCTIONS,
    FigureReader,
    FigureTemplate,
    is_percentile,
    operation,
)
from petri.language.checking.functions import FUNCTIONS
from petri.language.checking.names import names_in
from petri.language.checking.quantities import quantity_of
from petri.language.checking.ranges import read_condition
from petri.language.checking.runs import is_condition
from petri.language.checking.state import CheckState, Value
from petri.language.checking.targets import Flat
from petri.language.meaning.nodes import as_float, evaluate
from petri.language.meaning.scope import MeasureSymbol
from petri.language.meaning.types import REAL, Scalar, Unknown, quantity
from petri.language.meaning.units import PLAIN, dimension_name
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Expectation, Measure, Span, in_unit
from petri.structs import Struct, field, replace


def shown_dimension(figure: FigureTemplate) -> str:
    """How a figure is shown: by the name of its dimension, perhaps in a unit, or as a "share"."""
    if figure.share and figure.dimension == PLAIN:
        return "share"
    dimension = dimension_name(figure.dimension)
    return dimension if figure.unit is None else in_unit(dimension, *figure.unit)


class ExpectationTemplate(Struct):
    declaration: tree.Expect
    figure: FigureTemplate
    text: str
    bound: float
    within: float
    absolute: bool

    def build(self, flat: Flat) -> Expectation:
        d = self.declaration
        formula, dimension = self.figure.build(flat), shown_dimension(self.figure)
        return Expectation(self.text, formula, d.comparison, self.bound, self.within, self.absolute, d.span, dimension)


class MeasureTemplate(Struct):
    """A measure, or an element of an array of measures; `name` is its full name, `delay[gold]`."""

    declaration: tree.Measure
    name: str
    figure: FigureTemplate
    record: tuple[str, ...]
    window: float | None
    expectations: list[ExpectationTemplate] = field(default_factory=list)

    def build(self, flat: Flat) -> Measure:
        """The measure of a flat net."""
        d, figure = self.declaration, self.figure
        probe = figure.probe
        if probe is not None:
            scalar = next((name for name in self.record if probe.has(name)), None)
            if scalar is not None:
                figure = figure.field(scalar)
        return Measure(
            self.name,
            figure.build(flat),
            shown_dimension(figure),
            None if probe is None else probe.index(flat),
            self.record,
            self.window,
            tuple(expectation.build(flat) for expectation in self.expectations),
            d.doc,
            d.span,
        )


class MeasureChecker:
    """Reads the measures of a net; formulas may use one another in any order."""

    def __init__(self, checker: CheckState) -> None:
        self.checker = checker
        self.problems = checker.problems
        self.figures: dict[str, FigureTemplate | None] = {}  # by the full names
        self.busy: set[str] = set()
        self.reader = FigureReader(checker, self.figure)
        self.arrays: dict[str, dict[tuple[int, ...], Element]] = {}
        self.templates: dict[str, MeasureTemplate] = {}
        self.standalone: list[ExpectationTemplate] = []
        self.unused_templates: dict[str, MeasureTemplate] = {}
        self.unused = False  # what is being read is not in the net, so it may use what is not

    def figure(self, symbol: MeasureSymbol, span: Span, numbers: tuple[int, ...] = ()) -> FigureTemplate | None:
        """The formula of a measure, or of the element of an array with these values of its indices, read once."""
        element = self._elements(symbol.declaration).get(numbers)
        if element is None:
            shown = self.problems.text(span)
            if self._elements(symbol.declaration):
                self.problems.error("no-such-element", span, text=shown)
            return None
        condition, name = symbol.declaration.condition, symbol.name + element.suffix
        missing = not self._in_net(condition, element)
        if missing and condition is not None and not self.unused:
            self.problems.error("switched-off", span, Label(condition.span, "condition"), name=name)
            return None
        if name in self.busy:
            self.problems.error("circular-definition", span, name=name)
            return None
        if name not in self.figures:
            self.busy.add(name)
            outer, self.unused = self.unused, missing
            self.figures[name] = None
            try:
                self.figures[name] = self._read(symbol.declaration, name, element)
            except CheckError as fault:
                self.problems.fault(fault)
            except RecursionError:  # each uses one that is declared further below
                self.problems.error("measure-too-deep", span, limit=DEEPEST_MEASURE)
            finally:
                self.busy.discard(name)
                self.unused = outer
        return self.figures[name]

    def _read(self, d: tree.Measure, name: str, element: Element) -> FigureTemplate | None:
        figure = FigureReader(self.checker, self.figure, element.names).read(d.formula)
        return None if figure is None else replace(figure, name=name, unit=self._unit(d, figure))

    def _unit(self, d: tree.Measure, figure: FigureTemplate) -> tuple[str, float] | None:
        """The unit to show a measure in, and its size: its own, or that of the measure whose figure it is."""
        if d.unit is None or d.unit_span is None:
            return figure.unit
        value = quantity_of(self.checker, self.checker.scope, tree.Number(Fraction(1), "in", d.unit, d.unit_span))
        if not isinstance(value.type, Scalar):
            return None
        if value.type.dimension != figure.dimension:
            unit, found = (dimension_name(one) or "a number" for one in (value.type.dimension, figure.dimension))
            self.problems.error(
                "unit-of-other-dimension", d.unit_span, unit=d.unit, kind=unit, name=d.name, found=found
            )
            return None
        size = as_float(evaluate(value.node, ()), d.unit_span)
        return (d.unit, size) if size > 0 else None

    def _elements(self, d: tree.Measure) -> dict[tuple[int, ...], Element]:
        """The elements of an array of measures by the values of their indices; the measure alone if it is no array."""
        if d.name not in self.arrays:
            self.arrays[d.name] = {}
            try:
                found = elements(self.checker, d.loops)
                self.arrays[d.name] = {element.numbers: element for element in found}
            except CheckError as fault:
                self.problems.fault(fault)
        return self.arrays[d.name]

    def _in_net(self, condition: tree.Expr | None, element: Element = ALONE) -> bool:
        reader = Reader(self.checker, self.checker.scope, "a measure", loops=element.names)
        node = read_condition(reader, condition)
        try:
            return node is None or bool(evaluate(node, ()))
        except CheckError as fault:
            self.problems.fault(fault)
            return True

    def check(self) -> None:
        latest: tree.Measure | None = None
        for file in self.checker.files:
            for d in file.declarations:
                if isinstance(d, tree.Measure):
                    latest = d
                    for element in self._elements(d).values():
                        self.unused = not self._in_net(d.condition, element)
                        self._measure(d, element)
                elif isinstance(d, tree.Expect):
                    measured = latest if d.formula is None else None
                    of = [ALONE] if measured is None else self._elements(measured).values()
                    for element in of:
                        of_unused = measured is not None and not self._in_net(measured.condition, element)
                        self.unused = of_unused or not self._in_net(d.condition, element)
                        self._expect(d, latest, element)
                else:
                    latest = None

    def _measure(self, d: tree.Measure, element: Element) -> None:
        symbol = self.checker.scope.names.get(d.name)
        if not isinstance(symbol, MeasureSymbol) or symbol.declaration is not d:
            self.reader.read(d.formula)
            return
        figure = self.figure(symbol, d.name_span, element.numbers)
        if figure is None:
            return
        record, window = self._record(d, figure)
        templates, name = self.unused_templates if self.unused else self.templates, d.name + element.suffix
        templates[name] = MeasureTemplate(d, name, figure, record, window)

    # ------------------------------------------------------------ record

    def _record(self, d: tree.Measure, figure: FigureTemplate) -> tuple[tuple[str, ...], float | None]:
        names: list[str] = []
        window = None
        for e in d.record:
            name = self._recorded(e)
            if name == "series":
                window = self._window(e)
            if name is None or not self._can_record(e, name, d, figure):
                continue
            if name not in names:
                names.append(name)
        if figure.probe is not None and not any(figure.probe.has(name) for name in names):
            names.insert(0, figure.probe.first)
        return tuple(names), window

    def _recorded(self, e: tree.Expr) -> str | None:
        """The name of a figure to record: `mean`, `p99.9`, `series`."""
        if isinstance(e, tree.Name):
            return e.name
        if isinstance(e, tree.Call) and isinstance(e.function, tree.Name) and e.function.name == "series":
            return "series"
        text = self.problems.text(e.span)
        if is_percentile(text):
            return text
        self.problems.error("not-recordable", e.span, text=text)
        return None

    def _window(self, e: tree.Expr) -> float | None:
        if not isinstance(e, tree.Call) or len(e.arguments) != 1:
            self.problems.error("measure-usage", e.span, name="series", usage="series(length)")
            return None
        reader = Reader(self.checker, self.checker.scope, "a window's length")
        node = reader.read_fixed(e.arguments[0], self.checker.units.time_type)
        if node is None:
            return None
        length = as_float(evaluate(node, ()), e.span)
        if length <= 0:
            self.problems.error("window-not-positive", e.arguments[0].span)
            return None
        return length

    def _can_record(self, e: tree.Expr, name: str, d: tree.Measure, figure: FigureTemplate) -> bool:
        if name == "series":
            return True
        if figure.probe is None:
            self.problems.error("record-needs-sample", e.span, name=d.name, field=name)
            return False
        if figure.probe.has(name):
            return True
        if figure.probe.kind == "order":
            from petri.measure.reorder import DISTRIBUTIONS

            known = name in DISTRIBUTIONS
        else:
            known = name == "histogram"
        if not known:
            self.reader.unknown_field(e.span, d.name, figure.probe, name)
        return known

    # ------------------------------------------------------------ expect

    def _expect(self, d: tree.Expect, latest: tree.Measure | None, element: Element) -> None:
        """An expectation; one about an array of measures is about each element, and may use its indices."""
        self.reader = FigureReader(self.checker, self.figure, element.names)
        if d.formula is None:
            if latest is None and self.checker.broken:
                return
            if latest is None:
                self.problems.error("expect-of-nothing", d.span)
                return
            name = latest.name + element.suffix
            template = self.templates.get(name) or self.unused_templates.get(name)
            if template is None or template.declaration is not latest:
                return
            figure: FigureTemplate | None = self._first(template)
            text = f"{name} {self._written(d)}"
        else:
            template = None
            try:
                figure = self.reader.read(d.formula)
            except CheckError as fault:
                self.problems.fault(fault)
                figure = None
            text = self._written(d)
        if figure is None:
            return
        expectation = self._expectation(d, figure, text)
        if expectation is not None and not self.unused:
            (self.standalone if template is None else template.expectations).append(expectation)

    def stop(self, run: tree.Run | None) -> ExpectationTemplate | None:
        """The condition of `run until count(send) >= 100`."""
        e = None if run is None else run.until
        if e is None or not is_condition(e):
            return None
        if not isinstance(e, tree.Binary) or e.operator not in ("<", "<=", ">", ">=", "=="):
            self.problems.error("stop-condition", e.span)
            return None
        self.reader, self.unused = FigureReader(self.checker, self.figure), False
        try:
            figure = self.reader.read(e.left)
        except CheckError as fault:
            self.problems.fault(fault)
            return None
        comparison: Any = e.operator
        d = tree.Expect(e.left, comparison, e.right, None, None, e.span)
        return None if figure is None else self._expectation(d, figure, self.problems.whole_text(e.span))

    @staticmethod
    def _first(template: MeasureTemplate) -> FigureTemplate:
        """The figure that an expectation directly after a measure applies to: the first one shown."""
        probe = template.figure.probe
        if probe is None:
            return template.figure
        return template.figure.field(next(name for name in template.record if probe.has(name)))

    def _written(self, d: tree.Expect) -> str:
        """The expectation without its condition."""
        last = (d.within or d.bound).span
        span = replace(d.span, end_line=last.end_line, end_column=last.end_column)
        return self.problems.whole_text(span).removeprefix("expect").strip()

    def _expectation(self, d: tree.Expect, figure: FigureTemplate, text: str) -> ExpectationTemplate | None:
        if self._measures(d.bound):
            return self._of_two(d, figure, text)
        bound = self._number(d.bound, figure, "an expected value")
        if bound is None:
            return None
        within, absolute = 0.0, False
        if d.within is not None:
            if d.comparison != "==":
                self.problems.error("within-without-equality", d.within.span, comparison=d.comparison)
                return None
            absolute = not (isinstance(d.within, tree.Number) and d.within.unit is None and d.within.text.endswith("%"))
            tolerance = self._number(d.within, figure if absolute else None, "a tolerance")
            if tolerance is None:
                return None
            within = tolerance
        return ExpectationTemplate(d, figure, text, bound, within, absolute)

    def _measures(self, e: tree.Expr) -> bool:
        """Whether an expected value is a figure of the run, and not a constant."""
        if isinstance(e, tree.Call):
            name = e.function.name if isinstance(e.function, tree.Name) else ""
            return (name in MEASURE_FUNCTIONS and name not in FUNCTIONS) or any(map(self._measures, e.arguments))
        if isinstance(e, tree.Binary):
            return self._measures(e.left) or self._measures(e.right)
        if isinstance(e, (tree.Index, tree.Field)):
            return self._measures(e.base)
        if isinstance(e, (tree.Unary, tree.Paren)):
            return self._measures(e.operand if isinstance(e, tree.Unary) else e.inner)
        names = list(names_in(e))
        return any(name == "elapsed" or isinstance(self.checker.scope.find(name), MeasureSymbol) for name in names)

    def _of_two(self, d: tree.Expect, figure: FigureTemplate, text: str) -> ExpectationTemplate | None:
        """`a > b` is `a - b > 0`, and `a == b within 5%` is `a / b == 1 within 5%`."""
        other = self.reader.read(d.bound)
        if other is None:
            return None
        if figure.dimension != other.dimension and not figure.zero and not other.zero:
            left, right = (quantity(one.dimension) for one in (figure, other))
            spans = (d.formula.span if d.formula is not None else d.span, d.bound.span)
            self.reader.reader.unequal(Value(left, (), spans[0]), Value(right, (), spans[1]), d.span)
            return None
        percent = isinstance(d.within, tree.Number) and d.within.unit is None and d.within.text.endswith("%")
        relative = d.comparison == "==" and percent
        op, dimension = ("div", PLAIN) if relative else ("sub", figure.dimension)
        try:
            both = operation(op, dimension, False, d.span, figure, other)
        except CheckError as fault:
            self.problems.fault(fault)
            return None
        within = self._number(d.within, None if relative else both, "a tolerance") if d.within is not None else 0.0
        if within is None:
            return None
        if d.within is not None and d.comparison != "==":
            self.problems.error("within-without-equality", d.within.span, comparison=d.comparison)
            return None
        if not relative:
            both = replace(both, unit=figure.unit or other.unit)
        return ExpectationTemplate(d, both, text, 1.0 if relative else 0.0, within, not relative)

    def _number(self, e: tree.Expr, figure: FigureTemplate | None, where: str) -> float | None:
        """A constant of the dimension of a figure."""
        reader = Reader(self.checker, self.checker.scope, where, loops=self.reader.loops)
        wanted: Scalar = REAL if figure is None else quantity(figure.dimension)
        value: Value = reader.read(e)
        if isinstance(value.type, Unknown):
            return None
        nodes = reader.fit(value, wanted)
        if nodes is None:
            return None
        try:
            return as_float(evaluate(nodes[0], ()), e.span)
        except CheckError as fault:
            self.problems.fault(fault)
            return None


def check_measures(
    checker: CheckState, run: tree.Run | None
) -> tuple[list[MeasureTemplate], list[ExpectationTemplate], ExpectationTemplate | None]:
    """All measures, the expectations that do not belong to a measure, and the condition at which a run ends."""
    measures = MeasureChecker(checker)
    measures.check()
    return list(measures.templates.values()), measures.standalone, measures.stop(run)
