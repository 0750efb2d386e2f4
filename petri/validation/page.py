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
from petri.validation.statements import short
from petri.validation.suite import FigureCheck, Validation
from petri.validation.wording import (
    basis,
    by_origin,
    counted_figures,
    counted_statements,
    doubt,
    ours,
    percent,
    unsettled_figures,
)

STATEMENTS: Final = (("", ""), ("statement", ""), ("ours", ""), ("source", "doc"))

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
        moving = [tag("p", line, class_="note") for line in [unsettled_figures(one)] if line]
        shown = [
            tables.table(columns(stated), [figure_row(one.name, check) for check in checks], f"{title}: {stated}")
            for stated, checks in by_origin(one.figures)
        ]
        page.section(one.name, title, *said, *shown, *moving, pages(one))
        if one.statements:
            rows = [
                (mark(STATEMENT_MARKS[judged.verdict]), judged.statement.says, judged.values, judged.statement.source)
                for judged in one.statements
            ]
            table = tables.table(STATEMENTS, rows, "Statements")
            page.section(f"{one.name}-statements", f"{title}: in words", tag("p", counted_statements(one)), table)
    return page.html()


def columns(stated: str) -> tables.Columns:
    """Of a table of figures; `stated` heads the values that ours are compared with."""
    return (("figure", "name"), ("at", ""), ("measure", ""), (stated, "figure"), ("ours ± 95 %", "figure"),
            ("difference", "figure"), ("tolerance", "figure"), ("", ""), ("basis", ""))  # fmt: skip


def figure_row(folder: str, check: FigureCheck) -> list[Content]:
    dimension = shown_dimension(check.dimension)
    interval, stated = check.ours, check.checked
    drawing = interval_mark(interval.mean, interval.half_width, "==", stated.value, stated.verdict.tolerance)
    return [
        tag("a", check.title, href=f"{folder}/{check.experiment}.html"),
        check.point.label,
        tag("code", short(check.measure)),
        check.units.show(stated.value, dimension),
        ours(check, dimension),
        percent(check.difference, "+"),
        f"± {tolerance(check, dimension)}",
        (mark(FIGURE_MARKS[check.verdict]), doubt(check.certain), drawing),
        basis(check),
    ]


def tolerance(check: FigureCheck, dimension: str) -> str:
    """The tolerance as stated: a share of the figure, or a distance from it."""
    within = check.checked.expected.within
    return percent(within.bound) if within.relative else check.units.show(check.checked.verdict.tolerance, dimension)


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
