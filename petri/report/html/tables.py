"""Tables and bars: measures with their verdicts, utilisation, and everything about places and transitions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich.text import Text

from petri.file_read import FileRead
from petri.measure.catalogue import PLACE_COLUMNS, FigureKind, transition_columns
from petri.measure.formula import Judged
from petri.net import Net
from petri.report.html.marks import interval_mark, spark
from petri.report.html.markup import Content, Markup, breakable, content, paragraphs, spoken, tag
from petri.report.telling.cells import Cells
from petri.report.telling.columns import Cell, Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.expected import expected, origin
from petri.report.telling.quantities import Units, number, parameter_text
from petri.report.telling.record import RunRecord, left_out_text, shown_figures
from petri.report.telling.source import first_sentence
from petri.result import MeasureResult
from petri.result.stored import Recording
from petri.result.tables import Row

TOP: Final = 12  # bars that are unfolded
MOST_ROWS: Final = 1_000


Columns = Sequence[tuple[str, str]]
"""The heading of each column and what it contains: the "name" of the row, a "figure", one at the "left", a "doc", a
"spark" or "".
"""

MEASURES: Final = (("measure", "name"), ("value ± 95 %", "figure"), ("", ""))
PARAMETERS: Final = (("parameter", "name"), ("value", "figure"), ("", "doc"))
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "places": ("tokens", "tokens over time"),
    "transitions": ("rates", "rate over time"),
}
"""Which course of `History` tables of places and of transitions show, with its heading."""
COLOURS: Final = {"green": "pass", "red": "fail", "yellow": "warn"}
RECORDINGS: Final = (("place", "name"), ("file", ""), ("rows read", "figure"), ("", ""))


def table(columns: Columns, rows: Iterable[Sequence[Content]], label: str, *, more: int = 0) -> Markup:
    """Return a table that scrolls if it is too wide. more: how many rows there are that it does not show."""
    return framed(columns, [row(columns, cells) for cells in rows], label, more=more)


def framed(columns: Columns, rows: Sequence[Markup], label: str, kind: str | None = None, more: int = 0) -> Markup:
    """Return a table of rows that `row` made."""
    if more > 0:
        rows = [*rows, tag("tr", tag("td", f"… and {more:,} more", colspan=len(columns)))]
    cells = [tag("th", text, scope="col", class_="figure" if what == "figure" else None) for text, what in columns]
    made = tag("table", tag("thead", tag("tr", cells)), tag("tbody", rows), class_=kind)
    return tag("div", made, class_="scroll", role="region", aria_label=label, tabindex=0)


def of_columns(
    columns: Sequence[Column], label: str, *, beside: Mapping[str, Sequence[Content]] | None = None, more: int = 0
) -> Markup:
    """Return the table that a terminal prints.

    beside: what a page has room for in the cells of a column as well, by its heading. more: as in `table`.
    """
    heads, group = [], ""
    for column in columns:
        first, _, second = column.heading.partition("\n")  # an empty first line goes on with that of the column before
        group = first or group
        kind = "left" if column.left else "" if column.kind == "prose" else column.kind
        heads.append((f"{group} {second}" if second else first, kind))
    cells: list[Sequence[Content]] = []
    for column in columns:
        texts = [name_tag(str(cell)) if column.kind == "name" else styled(cell) for cell in column.cells]
        drawn = (beside or {}).get(column.heading)
        cells.append(texts if drawn is None else list(zip(texts, drawn, strict=True)))
    stacks = len(columns) <= 3 and columns[-1].kind == "prose"  # a narrow screen shows remarks below each row
    rows = [row(heads, line, "last") for line in zip(*cells, strict=True)]
    return framed(heads, rows, label, "stacked" if stacks else None, more)


def styled(cell: Cell) -> Content:
    """Return a cell of a terminal: what is green there passes, what is red fails."""
    if isinstance(cell, str):
        return cell
    lines = [[_span(part) for part in line.divide(_ends(line))] for line in cell.split("\n")]
    return lines[0] if len(lines) == 1 else [tag("div", line) for line in lines]


def _ends(text: Text) -> list[int]:
    return sorted({end for span in text.spans for end in (span.start, span.end)})


def _span(text: Text) -> Content:
    style = " ".join([str(text.style), *(str(span.style) for span in text.spans)])
    if "not bold dim" in style or "dim not bold" in style:
        return tag("small", text.plain)
    kind = next((kind for colour, kind in COLOURS.items() if colour in style), None)
    return tag("span", text.plain, class_=kind) if kind else text.plain


def row(columns: Columns, cells: Sequence[Content], kind: str | None = None) -> Markup:
    made = [
        tag("th", cell, scope="row") if what == "name" else tag("td", cell, class_=what or None)
        for (_, what), cell in zip(columns, cells, strict=True)
    ]
    return tag("tr", made, class_=kind)


def parameters(entries: Iterable[tuple[str, str, str]]) -> Markup:
    """Parameters as (name, value, documentation)."""
    rows = [row(PARAMETERS, (name_tag(name), value, spoken(doc)), "last") for name, value, doc in entries]
    return framed(PARAMETERS, rows, "Parameters", "stacked")


def parameters_of(net: Net) -> Markup:
    units = Units.of(net)
    return parameters(
        (parameter.name, parameter_text(units, parameter, parameter.value), parameter.doc)
        for parameter in net.parameters
    )


def facts(texts: Sequence[Content]) -> Markup:
    """Return the line below the title of a page."""
    return tag("ul", [tag("li", text) for text in texts], class_="facts")


# ---------------------------------------------------------------- measures


def measures_table(units: Units, measures: Iterable[MeasureResult], verdicts: Iterable[Judged] = ()) -> Markup:
    rows = [one for measured in measures for one in _measure_rows(units, measured)]
    for judged in verdicts:
        expectation, found = judged
        dimension = shown_dimension(expectation.dimension)
        cells = (tag("code", "expect"), units.show(found.value, dimension), verdict(units, judged, "", dimension))
        rows.append(row(MEASURES, cells, "lead last"))
    return framed(MEASURES, rows, "Measures", "measures stacked")


def _measure_rows(units: Units, measured: MeasureResult) -> list[Markup]:
    (first, lead, kind), *others = shown_figures(measured)
    half_width = measured.interval.half_width
    remarks = [verdict(units, one, measured.name, kind, half_width) for one in measured.verdicts]
    if left_out := left_out_text(measured, units):
        remarks.append(tag("div", tag("small", left_out)))
    if measured.failure:
        said = tag("span", f"✗ could not be computed: {measured.failure}", class_="claim fail")
        remarks.insert(0, tag("div", said))
    remarks += [tag("div", spoken(remark), class_="claim fail") for remark in measured.remarks]
    doc = first_sentence(measured.measure.doc)
    field = tag("span", f" {first}", class_="soft") if first is not None else None
    title = (tag("code", measured.name), field, tag("div", spoken(doc), class_="doc") if doc else None)
    rows: list[Sequence[Content]] = [(title, units.show_interval(lead, kind), remarks)]
    rows += [(name and breakable(name), units.show_interval(one, dimension), None) for name, one, dimension in others]
    classes = ["lead", *["sub"] * (len(rows) - 1)]
    classes[-1] += " last"
    return [row(MEASURES, cells, kind) for cells, kind in zip(rows, classes, strict=True)]


def verdict(units: Units, judged: Judged, measure: str, dimension: str, half_width: float = math.nan) -> Markup:
    """Return an expectation with its verdict in words, and a chart of the figure and its bound."""
    expectation, found = judged
    wanted = expected(expectation, units, dimension)
    words = f"✓ {wanted}" if found.passed else f"✗ failed: expected {wanted}"
    source = origin(expectation.text, measure)
    doubt = tag("small", " (uncertain)") if found.certain is False else None
    written = tag("small", f" ({source})") if source else None
    claim = tag("span", words, doubt, written, class_=f"claim {'pass' if found.passed else 'fail'}")
    drawing = interval_mark(found.value, half_width, found.comparison, found.bound, found.tolerance)
    return tag("div", claim, drawing)


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
            least, greatest = f"{low:.1%}", f"{high:.1%}"
            if least != greatest:
                text += f" ({least} to {greatest})"
        else:
            text = Units().show_with_error(one.mean, one.half_width, "share")
    return tag(
        "li", name_of(row), tag("span", text, class_="figure"), tag("div", track, class_="track", aria_hidden="true")
    )


def _percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def name_of(row: Row) -> Markup:
    copies = tag("span", f" ×{row.copies}", class_="copies") if row.copies > 1 else None
    return tag("span", name_tag(row.name), copies)


def name_tag(name: str) -> Markup:
    return tag("span", breakable(name), class_="name")


# ---------------------------------------------------------------- places and transitions


def columns_of(net: Net, kind: str) -> Mapping[str, FigureKind]:
    """Return the figures that tables of "places" or "transitions" of a net show."""
    return PLACE_COLUMNS if kind == "places" else transition_columns(net)


def figures_table(record: RunRecord, kind: str, rows: Sequence[Row], *, docs: bool = False) -> Markup:
    """Return the rows of "places" or "transitions", if so with their documentation."""
    field, heading = KINDS[kind]
    kinds = columns_of(record.net, kind)
    over_time = None if (history := record.history()) is None else getattr(history, field)
    columns = [(kind.removesuffix("s"), "name"), *((one.heading, "figure") for one in kinds.values())]
    if over_time is not None:
        columns.append((heading, "spark"))
    shown_cells, elements = Cells(record.net), getattr(record.net, kind)
    made: list[list[Content]] = []
    for one in rows[:MOST_ROWS]:
        doc = first_sentence(elements[one.members[0]].doc) if docs else ""
        cells: list[Content] = [(name_of(one), tag("div", spoken(doc), class_="doc") if doc else None)]
        cells += [shown_cells.text(one, figure) for figure in kinds.values()]
        if over_time is not None:
            cells.append(spark(over_time[list(one.members)].mean(axis=0).tolist()))
        made.append(cells)
    return table(columns, made, kind.capitalize(), more=len(rows) - MOST_ROWS)


# ---------------------------------------------------------------- recordings


def recordings_table(recordings: Iterable[FileRead | Recording]) -> Markup:
    """Print how much was read of each file, and what in it is missing, or not as it was on the wire."""
    rows = []
    for read in recordings:
        told = [] if read.complete else [tag("div", "not read to its end")]
        told += [tag("div", spoken(remark.message)) for remark in read.remarks]
        rows.append((tag("code", read.place), tag("code", read.file), number(read.rows), told))
    return table(RECORDINGS, rows, "Recordings")


# ---------------------------------------------------------------- pairs


def pairs(entries: Sequence[tuple[str, Content]]) -> Markup:
    """Terms and their descriptions."""
    return tag("dl", [content(tag("dt", term), tag("dd", what)) for term, what in entries], class_="pairs")


def prose(doc: str) -> Markup:
    return paragraphs(doc, class_="prose")
