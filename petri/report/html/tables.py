"""Tables and bars: measures with their verdicts, utilisation, and everything about places and transitions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from petri.measure.catalogue import PLACE_COLUMNS, TRANSITION_COLUMNS, FigureKind
from petri.measure.intervals import Interval
from petri.report.cells import Cells
from petri.report.dimensions import shown_dimension
from petri.report.expected import bound_text, comparison_of, origin
from petri.report.html.marks import interval_mark, spark
from petri.report.html.markup import Content, Markup, breakable, content, paragraphs, spoken, tag
from petri.report.html.record import RunRecord, interval, real
from petri.report.quantities import Units, number
from petri.report.summary import first_sentence
from petri.result.tables import Row

TOP: Final = 12  # bars that are unfolded
MOST_ROWS: Final = 1_000


Columns = Sequence[tuple[str, str]]
"""The heading of each column and what it contains: the "name" of the row, a "figure", a "doc", a "spark" or ""."""

MEASURES: Final = (("measure", "name"), ("value ± 95 %", "figure"), ("", ""))
PARAMETERS: Final = (("parameter", "name"), ("value", "figure"), ("", "doc"))
RECORDINGS: Final = (("place", "name"), ("file", ""), ("rows read", "figure"), ("", ""))


def table(columns: Columns, rows: Iterable[Sequence[Content]], label: str, *, more: int = 0) -> Markup:
    """A table that scrolls if it is too wide. more: how many rows there are that it does not show."""
    made = [row(columns, cells) for cells in rows]
    if more > 0:
        made.append(tag("tr", tag("td", f"… and {more:,} more", colspan=len(columns))))
    return framed(columns, made, label)


def framed(columns: Columns, rows: Sequence[Markup], label: str, kind: str | None = None) -> Markup:
    """A table of rows that `row` made."""
    cells = [tag("th", text, scope="col", class_="figure" if what == "figure" else None) for text, what in columns]
    made = tag("table", tag("thead", tag("tr", cells)), tag("tbody", rows), class_=kind)
    return tag("div", made, class_="scroll", role="region", aria_label=label, tabindex=0)


def row(columns: Columns, cells: Sequence[Content], kind: str | None = None) -> Markup:
    made = [
        tag("th", cell, scope="row") if what == "name" else tag("td", cell, class_=what or None)
        for (_, what), cell in zip(columns, cells, strict=True)
    ]
    return tag("tr", made, class_=kind)


def parameters(entries: Iterable[tuple[str, str, str]]) -> Markup:
    """Parameters as (name, value, documentation)."""
    return table(PARAMETERS, [(tag("code", name), value, spoken(doc)) for name, value, doc in entries], "Parameters")


def facts(texts: Sequence[Content]) -> Markup:
    """The line below the title of a page."""
    return tag("ul", [tag("li", text) for text in texts], class_="facts")


# ---------------------------------------------------------------- measures


def measures_table(record: RunRecord) -> Markup:
    rows = [one for measure in record.data["measures"] for one in _measure_rows(record, measure)]
    for expectation in record.data["expectations"]:
        value, dimension = real(expectation["value"]), shown_dimension(str(expectation.get("dimension", "")))
        said = verdict(record.units, expectation, "", Interval(value, math.nan, 0.95, 1), dimension)
        cells = (tag("code", "expect"), record.units.show(value, dimension), said)
        rows.append(row(MEASURES, cells, "lead last"))
    return framed(MEASURES, rows, "Measures", "measures")


def _measure_rows(record: RunRecord, measure: Mapping[str, Any]) -> list[Markup]:
    name, dimension = str(measure["name"]), str(measure["dimension"])
    recorded = [(str(field), interval(one)) for field, one in measure["record"].items()]
    first, lead = recorded[0] if recorded else (None, interval(measure))
    kind = shown_dimension(dimension, first)
    remarks = [verdict(record.units, one, name, interval(measure), kind) for one in measure["expectations"]]
    if failure := measure.get("failure"):
        remarks.insert(0, tag("div", tag("span", f"✗ could not be computed: {failure}", class_="claim fail")))
    doc = first_sentence(str(measure["doc"]))
    field = tag("span", f" {first}", class_="soft") if first is not None else None
    title = (tag("code", name), field, tag("div", spoken(doc), class_="doc") if doc else None)
    rows: list[Sequence[Content]] = [(title, record.units.show_interval(lead, kind), remarks)]
    for field_name, one in recorded[1:]:
        rows.append((field_name, record.units.show_interval(one, shown_dimension(dimension, field_name)), None))
    classes = ["lead", *["sub"] * (len(rows) - 1)]
    classes[-1] += " last"
    return [row(MEASURES, cells, kind) for cells, kind in zip(rows, classes, strict=True)]


def verdict(units: Units, expectation: Mapping[str, Any], measure: str, estimate: Interval, dimension: str) -> Markup:
    """An expectation with its verdict in words, and a chart of the figure and its bound."""
    passed, bound, tolerance = bool(expectation["passed"]), real(expectation["bound"]), float(expectation["tolerance"])
    text = str(expectation["text"])
    comparison = comparison_of(text)
    # What a result of an earlier version does not say: whether its tolerance was a share of the bound.
    within, absolute = float(expectation.get("within", tolerance)), bool(expectation.get("absolute", True))
    wanted = bound_text(comparison, bound, within, absolute, units, dimension)
    words = f"✓ {wanted}" if passed else f"✗ failed: expected {wanted}"
    source = origin(text, measure)
    doubt = tag("small", " (uncertain)") if expectation["certain"] is False else None
    drawing = interval_mark(real(expectation["value"]), estimate.half_width, comparison, bound, tolerance)
    written = tag("small", f" ({source})") if source else None
    return tag("div", tag("span", words, doubt, written, class_=f"claim {'pass' if passed else 'fail'}"), drawing)


# ---------------------------------------------------------------- bars


def bars(rows: Sequence[Row], figure: str, label: str) -> Markup:
    """Shares as bars, the greatest first; for an array the average, with a line from its least to its greatest."""
    ordered = sorted(rows, key=lambda row: -row.figures[figure].mean)
    made = [_bar(one, figure) for one in ordered]
    shown_first = tag("ul", made[:TOP], class_="bars", aria_label=label)
    if len(made) <= TOP:
        return shown_first
    rest = tag("ul", made[TOP:MOST_ROWS], class_="bars", aria_label=f"{label}, the rest")
    return content(shown_first, tag("details", tag("summary", f"show all {len(made)}"), rest))


def _bar(row: Row, figure: str) -> Markup:
    one = row.figures[figure]
    text = f"{one.mean:.1%}"
    low, high = row.spread.get(figure, (one.low, one.high))
    track: list[Content] = [tag("span", class_="bar", style=f"width:{_percent(one.mean)}")]
    if math.isfinite(low) and math.isfinite(high) and high > low:
        place = f"left:{_percent(low)};width:{_percent(min(high, 1.0) - max(low, 0.0))}"
        track.append(tag("span", class_="spread", style=place))
        if figure in row.spread:
            text += f" ({low:.0%} to {high:.0%})"
        else:
            text = Units().show_with_error(one.mean, one.half_width, "share")
    return tag(
        "li", name_of(row), tag("span", text, class_="figure"), tag("div", track, class_="track", aria_hidden="true")
    )


def _percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def name_of(row: Row) -> Markup:
    copies = tag("span", f" ×{row.copies}", class_="copies") if row.copies > 1 else None
    return tag("span", tag("span", breakable(row.name), class_="name"), copies)


# ---------------------------------------------------------------- places and transitions


def places_table(record: RunRecord, rows: Sequence[Row], docs: Mapping[int, str]) -> Markup:
    tokens = None if record.history is None else record.history.tokens
    return _figures_table(record, "Places", rows, PLACE_COLUMNS.values(), tokens, "tokens over time", docs)


def transitions_table(record: RunRecord, rows: Sequence[Row], docs: Mapping[int, str]) -> Markup:
    rates = None if record.history is None else record.history.rates
    return _figures_table(record, "Transitions", rows, TRANSITION_COLUMNS.values(), rates, "rate over time", docs)


def _figures_table(
    record: RunRecord,
    label: str,
    rows: Sequence[Row],
    kinds: Collection[FigureKind],
    over_time: np.ndarray[Any, np.dtype[np.float64]] | None,
    heading: str,
    docs: Mapping[int, str],
) -> Markup:
    columns = [(label.lower().removesuffix("s"), "name"), *((kind.heading, "figure") for kind in kinds)]
    if over_time is not None:
        columns.append((heading, "spark"))
    shown_cells = Cells(record.units, record.net)
    made: list[list[Content]] = []
    for one in rows[:MOST_ROWS]:
        doc = first_sentence(docs.get(one.members[0], ""))
        cells: list[Content] = [(name_of(one), tag("div", spoken(doc), class_="doc") if doc else None)]
        cells += [shown_cells.text(one, kind) for kind in kinds]
        if over_time is not None:
            cells.append(spark(over_time[list(one.members)].mean(axis=0).tolist()))
        made.append(cells)
    return table(columns, made, label, more=len(rows) - MOST_ROWS)


# ---------------------------------------------------------------- recordings


def recordings_table(recordings: Sequence[Mapping[str, Any]]) -> Markup:
    """How much was read of each file, and what in it is missing, or not as it was on the wire."""
    rows = []
    for read in recordings:
        told = [] if read["complete"] else [tag("div", "not read to its end")]
        told += [tag("div", spoken(str(one["message"]))) for one in read["remarks"]]
        place, file = (tag("code", str(read[name])) for name in ("place", "file"))
        rows.append((place, file, number(float(read["rows"])), told))
    return table(RECORDINGS, rows, "Recordings")


# ---------------------------------------------------------------- pairs


def pairs(entries: Sequence[tuple[str, Content]]) -> Markup:
    """Terms and their descriptions."""
    return tag("dl", [content(tag("dt", term), tag("dd", what)) for term, what in entries], class_="pairs")


def prose(doc: str) -> Markup:
    return paragraphs(doc, class_="prose")
