"""The summary page of a validation, which links to the pages of its experiments."""

from __future__ import annotations

from collections.abc import Sequence

from petri.experiment.summary import Outcome
from petri.report.html import tables
from petri.report.html.marks import interval_mark
from petri.report.html.markup import Content, Markup, tag
from petri.report.html.page import Page
from petri.report.html.record import shown_dimension
from petri.report.quantities import Units
from petri.validation.statements import percent, short
from petri.validation.suite import FigureCheck, Validation

HEADINGS = [("figure", False), ("at", False), ("measure", False), ("paper", True), ("ours ± 95 %", True),
            ("difference", True), ("tolerance", True), ("", False)]  # fmt: skip


def summary_page(validations: Sequence[Validation]) -> str:
    """The page, as HTML; it links to `NAME/EXPERIMENT.html`."""
    page = Page("Validation", "Published figures and ours")
    for one in validations:
        title = one.name.replace("_", " ")
        figures = [figure_row(one.name, check) for check in one.figures]
        said = f"{one.found} of {len(one.figures)} stated figures are within their tolerances."
        page.section(one.name, title, tag("p", said), tables.table(HEADINGS, figures, title), pages(one))
        if one.statements:
            rows = [
                tag("tr", tag("td", verdict(judged.holds, "true", "false")), tag("td", judged.statement.says),
                    tag("td", judged.values), tag("td", judged.statement.source, class_="doc"))
                for judged in one.statements
            ]  # fmt: skip
            headings = [("", False), ("statement", False), ("ours", False), ("source", False)]
            said = f"{one.holding} of {len(one.statements)} statements hold."
            table = tables.table(headings, rows, "Statements")
            page.section(f"{one.name}-statements", f"{title}: in words", tag("p", said), table)
    return page.html()


def figure_row(folder: str, check: FigureCheck) -> Markup:
    units = Units(check.seconds) if check.seconds is not None else Units()
    dimension = shown_dimension(check.dimension)
    ours, verdict_ = check.ours, check.checked.verdict
    drawing = interval_mark(ours.mean, ours.half_width, "==", check.checked.value, verdict_.tolerance)
    cells = (
        tag("th", tag("a", check.title, href=f"{folder}/{check.experiment}.html"), scope="row"),
        tag("td", check.point.label),
        tag("td", tag("code", short(check.measure))),
        tag("td", units.show(check.checked.value, dimension), class_="figure"),
        tag("td", units.show_with_error(ours.mean, ours.half_width, dimension), class_="figure"),
        tag("td", percent(check.difference, "+"), class_="figure"),
        tag("td", f"± {tolerance(check, units, dimension)}", class_="figure"),
        tag("td", verdict(check.passed, "within", "outside"), drawing),
    )
    return tag("tr", cells)


def tolerance(check: FigureCheck, units: Units, dimension: str) -> str:
    """The tolerance as stated: a share of the figure, or a distance from it."""
    within = check.checked.expected.within
    return percent(within.bound) if within.relative else units.show(check.checked.verdict.tolerance, dimension)


def verdict(good: bool, yes: str, no: str) -> Markup:
    return tag("span", f"✓ {yes}" if good else f"✗ {no}", class_=f"claim {'pass' if good else 'fail'}")


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
