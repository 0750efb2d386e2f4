"""The summary page of a validation, which links to the pages of its experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from petri.experiment.results.outcome import Outcome
from petri.report.dimensions import shown_dimension
from petri.report.html import tables
from petri.report.html.marks import interval_mark
from petri.report.html.markup import Content, Markup, tag
from petri.report.html.page import Page
from petri.report.quantities import Units
from petri.validation.suite import FigureCheck, Validation
from petri.validation.wording import basis, by_origin, counted_figures, counted_statements, doubt, percent, short

FIGURE_MARKS: Final = {"within": ("✓ within", "pass"), "outside": ("✗ outside", "fail"),
                       "noisy": ("? too noisy to judge", "warn")}  # fmt: skip
STATEMENT_MARKS: Final = {"holds": ("✓ holds", "pass"), "fails": ("✗ fails", "fail"),
                          "undecided": ("? undecided at this length", "warn")}  # fmt: skip


def summary_page(validations: Sequence[Validation]) -> str:
    """The page, as HTML; it links to `NAME/EXPERIMENT.html`."""
    page = Page("Validation", "Published figures and ours")
    for one in validations:
        title = one.name.replace("_", " ")
        said = [tag("p", line) for line in counted_figures(one).split("\n")]
        shown = [
            tables.table(headings(stated), [figure_row(one.name, check) for check in checks], f"{title}: {stated}")
            for stated, checks in by_origin(one.figures)
        ]
        page.section(one.name, title, *said, *shown, pages(one))
        if one.statements:
            rows = [
                tag("tr", tag("td", mark(STATEMENT_MARKS[judged.verdict])), tag("td", judged.statement.says),
                    tag("td", judged.values), tag("td", judged.statement.source, class_="doc"))
                for judged in one.statements
            ]  # fmt: skip
            columns = [("", False), ("statement", False), ("ours", False), ("source", False)]
            table = tables.table(columns, rows, "Statements")
            page.section(f"{one.name}-statements", f"{title}: in words", tag("p", counted_statements(one)), table)
    return page.html()


def headings(stated: str) -> list[tuple[str, bool]]:
    """Of a table of figures; `stated` heads the values that ours are compared with."""
    return [("figure", False), ("at", False), ("measure", False), (stated, True), ("ours ± 95 %", True),
            ("difference", True), ("tolerance", True), ("", False), ("basis", False)]  # fmt: skip


def figure_row(folder: str, check: FigureCheck) -> Markup:
    units = Units.named(check.seconds, check.time_unit)
    dimension = shown_dimension(check.dimension)
    ours = check.ours
    drawing = interval_mark(ours.mean, ours.half_width, "==", check.checked.value, check.checked.verdict.tolerance)
    cells = (
        tag("th", tag("a", check.title, href=f"{folder}/{check.experiment}.html"), scope="row"),
        tag("td", check.point.label),
        tag("td", tag("code", short(check.measure))),
        tag("td", units.show(check.checked.value, dimension), class_="figure"),
        tag("td", units.show_with_error(ours.mean, ours.half_width, dimension), class_="figure"),
        tag("td", percent(check.difference, "+"), class_="figure"),
        tag("td", f"± {tolerance(check, units, dimension)}", class_="figure"),
        tag("td", mark(FIGURE_MARKS[check.verdict]), doubt(check.certain), drawing),
        tag("td", basis(check, units)),
    )
    return tag("tr", cells)


def tolerance(check: FigureCheck, units: Units, dimension: str) -> str:
    """The tolerance as stated: a share of the figure, or a distance from it."""
    within = check.checked.expected.within
    return percent(within.bound) if within.relative else units.show(check.checked.verdict.tolerance, dimension)


def mark(shown: tuple[str, str]) -> Markup:
    said, kind = shown
    return tag("span", said, class_=f"claim {kind}")


def in_full(folder: str, name: str, outcome: Outcome) -> Content:
    """A link to the page of the first run, for an experiment with one point."""
    if len(outcome.points) != 1:
        return ""
    return (", ", tag("a", "its first run in full", href=f"{folder}/{name}_run.html"))


def pages(one: Validation) -> Markup:
    links = [
        tag("li", tag("a", outcome.title or name, href=f"{one.name}/{name}.html"), in_full(one.name, name, outcome))
        for name, outcome in one.outcomes.items()
    ]
    return tag("ul", links)
