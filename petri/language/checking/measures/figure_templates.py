"""Figures of measures before the net is flat: their dimension and size, and how each instance builds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from petri.catalogue.units import PLAIN, TIME, Dimension
from petri.language.checking.nets.targets import Flat, Target
from petri.language.meaning.nodes import LARGEST
from petri.language.problems import CheckError
from petri.measure.reorder import DISTRIBUTIONS, FIELDS
from petri.net import Span, Term
from petri.structs import Struct, replace

Build = Callable[[Flat], Term]
Unit = Callable[[Flat], "tuple[str, float] | None"]
DEEPEST_MEASURE = 120  # operations within operations: what the codec, which is recursive, can write


class ProbeTemplate(Struct):
    """An observation with many figures: a sample, a passage, or an order. `number` is that of its probe."""

    kind: str
    number: Callable[[Flat], int]
    dimension: Dimension

    def figure(self, field: str) -> FigureTemplate:
        def term(flat: Flat) -> Term:
            return Term(self.kind, (), (self.number(flat), field))

        if self.kind == "order":
            return FigureTemplate(TIME if field.endswith("late_time") else PLAIN, field.endswith("_share"), term)
        return FigureTemplate(PLAIN if field == "count" else self.dimension, False, term)

    def has(self, field: str) -> bool:
        """Return whether there is a scalar figure of this name."""
        return field in self.fields() or (self.kind != "order" and is_percentile(field))

    @property
    def distributions(self) -> tuple[str, ...]:
        """What else can be recorded of it."""
        if self.kind == "order":
            return DISTRIBUTIONS
        return ("histogram",)

    def fields(self) -> tuple[str, ...]:
        """Return its figures, and of percentiles two examples."""
        if self.kind == "order":
            return tuple(FIELDS)
        return (*SAMPLE_FIELDS, "p50", "p99")

    @property
    def first(self) -> str:
        return "reordered_share" if self.kind == "order" else "mean"


SERIES_FIELDS = ("mean", "min", "max")
# Names of figures in other tools.
FIGURES_ELSEWHERE = {
    "median": "p50", "avg": "mean", "average": "mean", "stdev": "std", "stddev": "std", "sd": "std", "sigma": "std",
    "maximum": "max", "minimum": "min", "n": "count", "total": "sum", "p0": "min", "p100": "max",
}  # fmt: skip
SAMPLE_FIELDS = ("count", "sum", "mean", "std", "min", "max")


def is_percentile(field: str) -> bool:
    """`p50`, `p99`, `p99.9`; the digits after a `p` also read as p999 = 99.9."""
    digits = field[1:].replace(".", "", 1)
    return field[:1] == "p" and digits.isdigit() and not field.endswith(".") and 0 < float(field[1:]) < 100


class FigureTemplate(Struct):
    """A formula: its dimension, whether it is a share of 1, and its form in a flat net."""

    dimension: Dimension
    share: bool
    build: Build
    probe: ProbeTemplate | None = None
    zero: bool = False
    unit: Unit | None = None  # to show it in, and its size
    quantile: bool = False  # of all replications, so that no formula of one has it
    size: int = 1  # operations, those of the measures that it uses included
    depth: int = 0

    def field(self, name: str) -> FigureTemplate:
        """Another figure of its probe, shown in the same unit if it is of the same dimension."""
        assert self.probe is not None
        figure = self.probe.figure(name)
        return replace(figure, unit=self.unit) if figure.dimension == self.dimension else figure

    def at(self, target: Target) -> FigureTemplate:
        """Return the figure of a measure for the formula of another one, which names it so; one element is meant."""

        def there(flat: Flat) -> Flat:
            return flat.measures(target)[0]

        build, unit, probe = self.build, self.unit, self.probe
        return replace(
            self,
            build=lambda flat: build(there(flat)),
            unit=None if unit is None else lambda flat: unit(there(flat)),
            probe=None if probe is None else replace(probe, number=lambda flat: probe.number(there(flat))),
        )


def operation(op: str, dimension: Dimension, share: bool, span: Span, *figures: FigureTemplate) -> FigureTemplate:
    """Return an operation on figures; raises CheckError when the formula has become too large."""
    size, depth = extent(span, *figures)

    def build(flat: Flat) -> Term:
        return Term(op, tuple(figure.build(flat) for figure in figures))

    return FigureTemplate(dimension, share, build, size=size, depth=depth)


def extent(span: Span, *figures: FigureTemplate) -> tuple[int, int]:
    """Return the operations in a formula of these figures, and how deep they are nested; raises CheckError if it is too
    large.

    A measure is written out wherever it is used, so each line of a net can double the formula of the line before.
    """
    if any(figure.quantile for figure in figures):
        raise CheckError("quantile-in-formula", span)
    size = 1 + sum(figure.size for figure in figures)
    depth = 1 + max(figure.depth for figure in figures)
    if size > LARGEST:
        raise CheckError("measure-too-large", span, limit=LARGEST)
    if depth > DEEPEST_MEASURE:
        raise CheckError("measure-too-deep", span, limit=DEEPEST_MEASURE)
    return size, depth


def total(terms: Sequence[Term], op: str = "add") -> Term:
    """Return the sum of many terms, as a balanced tree."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return Term(op, (total(terms[:half], op), total(terms[half:], op)))
