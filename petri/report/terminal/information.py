"""The parts of a net as tables: parameters, places, transitions, measures, each with its documentation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from petri.analysis.speed import Speed, speeds
from petri.net import Expr, Measure, Net, Parameter, Place, Scalar, Transition, constant_weight
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.expected import said
from petri.report.telling.expressions import ExpressionText, priority_text
from petri.report.telling.quantities import Units, counted, exact, exact_quantity, parameter_text
from petri.report.terminal.tables import print_prose, print_table
from petri.result.tables import row_name
from petri.ticks import HORIZON, Given

_FIGURES = ("Parameters",)  # tables whose cells are values, which no line breaks


def print_information(
    net: Net, console: Console, *, sources: Mapping[str, str] | None = None, every: bool = False
) -> None:
    """Print the tables; with `every`, each element of an array has its own row."""
    teller = _Teller(net, sources or {})
    title = Text(net.name, style="bold")
    if net.doc:
        title.append(f": {' '.join(net.doc.split())}", style="not bold")
    print_prose(console, title)
    print_prose(console, Text(teller.run_line(), style="dim"))
    for heading, columns, rows in _sections(net, teller):
        if rows:
            console.print()
            print_table(console, _columns(heading, columns, rows if every else _folded(rows)))


def information(net: Net, sources: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the same for JSON: the texts of the tables, a dictionary for each row; no rows are merged."""
    teller = _Teller(net, sources or {})
    found: dict[str, Any] = {"name": net.name, "doc": " ".join(net.doc.split()), "run": teller.run_line()}
    for heading, columns, rows in _sections(net, teller):
        names = ("name", *(column.replace(" ", "_") for column in columns), "doc")
        found[heading.lower()] = [dict(zip(names, row, strict=True)) for row in rows]
    return found


def _sections(net: Net, teller: _Teller) -> tuple[tuple[str, tuple[str, str], list[InformationRow]], ...]:
    return (
        ("Parameters", ("value", "range"), [teller.parameter(p) for p in net.parameters]),
        ("Places", ("holds", "at first"), [teller.place(p) for p in net.places]),
        ("Transitions", ("takes", "when"), [teller.transition(number) for number in range(len(net.transitions))]),
        ("Measures", ("records", "expected"), [teller.measure(m) for m in net.measures]),
    )


InformationRow = tuple[str, str, str, str]  # name, two cells, documentation


def _folded(rows: Iterable[InformationRow]) -> list[InformationRow]:
    """Merge the elements of an array whose rows are equal into one row."""
    groups: dict[InformationRow, list[InformationRow]] = {}
    for row in rows:
        groups.setdefault((row_name(row[0]), *row[1:]), []).append(row)
    return [(f"{key[0]} ×{len(rows)}", *key[1:]) if len(rows) > 1 else rows[0] for key, rows in groups.items()]


def _columns(heading: str, titles: Sequence[str], rows: Sequence[InformationRow]) -> list[Column]:
    names, first, second, docs = (list(cells) for cells in zip(*rows, strict=True))
    figures = heading in _FIGURES
    return [
        Column(heading, names, "name"),
        Column(titles[0], first, "figure" if figures else "prose", left=True),
        Column(titles[1], second, "figure" if figures else "prose", left=True),
        Column("", docs, "prose", style="dim"),
    ]


class _Teller:
    """The rows of one net."""

    def __init__(self, net: Net, sources: Mapping[str, str]) -> None:
        self.net = net
        self.units = Units.of(net)
        self.text = ExpressionText(net, sources)
        self.speeds = speeds(net) or [Speed("compiled", "one")] * len(net.transitions)

    def run_line(self) -> str:
        run = self.net.run_defaults
        parts = [f"time in {self.net.time_unit}" if self.net.time_unit else "time without a unit", self.tick()]
        parts.append(f"{counted(len(self.net.places), 'place')}, {counted(len(self.net.transitions), 'transition')}")
        if run.until is not None:
            endless = run.stop.text if run.stop else "no transition can fire"
            until = endless if math.isinf(run.until) else self.time(run.until)
            parts.append(f"runs until {until}")
        if run.warmup:
            parts.append(f"warm-up {self.time(run.warmup)}")
        if run.replications > 1:
            parts.append(f"{run.replications} replications")
        if run.precision:
            parts.append(f"precision {100 * run.precision:.10g}%")
        return ", ".join(parts)

    def tick(self) -> str:
        """`ticks of 5.26 ps up to 13.2 h` (S1)."""
        tick = self.net.tick
        step, horizon = (Units(self.net.seconds).show(tick.time(ticks), "Time") for ticks in (1.0, float(HORIZON)))
        return f"ticks of {step} up to {horizon}"

    def quantity(self, value: Scalar, dimension: str) -> str:
        return exact_quantity(self.units, value, dimension) if value else exact(value)

    def time(self, value: float) -> str:
        return self.units.show(value, "Time") if isinstance(value, Given) else self.quantity(value, "Time")

    def parameter(self, parameter: Parameter) -> InformationRow:
        shown = parameter_text(self.units, parameter, parameter.value)
        low, high = (
            "" if bound is None else parameter_text(self.units, parameter, bound)
            for bound in (parameter.low, parameter.high)
        )
        return parameter.name, shown, f"{low}..{high}" if low or high else "", _line(parameter.doc)

    def place(self, place: Place) -> InformationRow:
        discipline = {"bag": "", "fifo": "fifo", "lifo": "lifo", "key": "by key"}[place.discipline] + self.text.per(
            place
        )
        holds = " ".join(
            part
            for part in (place.port and f"port {place.port}", place.colour.name, discipline, self.text.capacity(place))
            if part
        )
        tokens = place.held
        begins = str(tokens) if tokens else ""
        if place.stream is not None:
            begins = f"rows of {place.stream.name}" if place.stream.name else "rows of a file"
        return place.name, holds, begins, _line(place.doc)

    def transition(self, number: int) -> InformationRow:
        transition = self.net.transitions[number]
        time = transition.time
        immediate = time.op == "const" and not time.value
        takes = "" if immediate else self.expression(transition, time, "Time")
        if transition.clock is not None:
            takes = "  ".join(self.text.clock(transition, transition.clock))
        parts = []
        if transition.guard is not None:
            parts.append(self.expression(transition, transition.guard, ""))
        if transition.priority:
            parts.append(priority_text(transition.priority))
        if constant_weight(transition) != 1.0:
            parts.append(f"weight {self.text.as_written(transition.weight, transition.variables)}")
        if transition.prefer is not None:
            parts.append(self.text.preference(transition, transition.prefer))
        speed = self.speeds[number]
        if speed.looks:
            parts.append(f"(looks through {speed.looks.replace('`', '')})")
        return transition.name, takes, ", ".join(parts), _line(transition.doc)

    def expression(self, transition: Transition, expression: Expr, dimension: str) -> str:
        return self.text.as_written(expression, transition.variables, dimension)

    def measure(self, measure: Measure) -> InformationRow:
        records = [*measure.record]
        if measure.window is not None:
            records.append(f"series({self.quantity(measure.window, 'Time')})")
        dimension = shown_dimension(measure.dimension, next(iter(measure.record), None))
        expected = "; ".join(said(e, self.units, dimension, measure.name) for e in measure.expectations)
        return measure.name, ", ".join(records), expected, _line(measure.doc)


def _line(doc: str) -> str:
    return " ".join(doc.split())
