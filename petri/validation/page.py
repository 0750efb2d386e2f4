"""The page of a validation: every table and figure of the papers beside ours, with links to the experiments' pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from petri.experiment.design.preparation import quantity
from petri.experiment.results.outcome import Outcome
from petri.measure.figures import Figure as Kept
from petri.net import in_unit
from petri.report.html import sweep_figures as figures
from petri.report.html import tables
from petri.report.html.marks import interval_mark
from petri.report.html.markup import Content, Markup, aside, content, tag
from petri.report.html.page import LOW, Page
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units
from petri.validation.account import account
from petri.validation.printed import printed
from petri.validation.statements import Judged, short
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

STATEMENTS: Final = (("", ""), ("the paper says", ""), ("ours", ""), ("source", "doc"), ("basis", ""))
FIGURE_MARKS: Final = {"within": ("✓ within", "pass"), "outside": ("✗ outside", "fail"),
                       "noisy": ("? too noisy to judge", "warn")}  # fmt: skip
STATEMENT_MARKS: Final = {"holds": ("✓ holds", "pass"), "fails": ("✗ fails", "fail"),
                          "undecided": ("? undecided at this length", "warn")}  # fmt: skip
FEWEST_DRAWN: Final = 3  # figures of a measure that make a picture
MOST_PICTURES: Final = 4  # of one experiment
NARROW: Final = 5e-4  # share of a figure; four digits do not show an interval of this half-width
LEGEND: Final = (
    ("test within", "✓ within its tolerance"), ("test outside", "✗ outside"), ("test noisy", "? too noisy to judge"),
    ("test", "a prediction, or compared"), ("given", "fitted, an input, arithmetic or trivial: no test of the model"),
)  # fmt: skip


def summary_page(validations: Sequence[Validation]) -> str:
    """Return the page, as HTML; it links to `NAME/EXPERIMENT.html`."""
    page = Page("Validation", "Published figures and ours", more=("validation.css",))
    if len(validations) > 1:
        page.section("account", "All studies", account_table(validations))
    page.section("legend", "How to read the tables", legend())
    for validation in validations:
        title = validation.name.replace("_", " ")
        said = [tag("p", line) for line in counted_figures(validation).split("\n")] if validation.figures else []
        said += [tag("p", line) for line in counted_statements(validation).split("\n")] if validation.statements else []
        moving = [tag("p", line, class_="note") for line in [unsettled_figures(validation)] if line]
        stated = {check.experiment for check in validation.figures if check.of_the_paper}
        first = sorted(validation.outcomes, key=lambda name: name not in stated)
        blocks = [experiment(page, validation, name, validation.outcomes[name]) for name in first]
        page.section(validation.name, title, *said, *blocks, rows_in_full(validation), *moving)
    return page.html()


def account_table(validations: Sequence[Validation]) -> Markup:
    columns = (("", "name"), *((validation.name.replace("_", " "), "figure") for validation in validations))
    return tables.table(columns, [(kind, *cells) for kind, cells in account(validations)], "All studies")


def legend() -> Markup:
    """Return what the colours of the cells mean."""
    said = "Each cell has the paper's figure, and below it ours with its 95 % interval."
    return content(tag("p", said), tag("ul", [tag("li", text, class_=kind) for kind, text in LEGEND], class_="legend"))


# ---------------------------------------------------------------- an experiment


def experiment(page: Page, one: Validation, name: str, outcome: Outcome) -> Markup:
    """Return a table or figure of the paper: its table with ours, both as pictures, and the paper's statements."""
    heading = tag("h3", outcome.title or name)
    checks = [check for check in one.figures if check.experiment == name]
    stated = [check for check in checks if check.of_the_paper]
    said = [judged for judged in one.statements if judged.statement.experiment == name]
    table = printed_table(stated, outcome.title or name) if stated else None
    nothing = aside("The paper states no values here; the picture is ours.") if not stated else None
    return content(
        heading,
        aside(pages(one, name, outcome)),
        table,
        nothing,
        *pictures(page, outcome, stated),
        statements_table(said) if said else None,
    )


def pages(one: Validation, name: str, outcome: Outcome) -> Content:
    """Links to the page of the experiment and, if it has one point, to that of its first run."""
    run = (", ", tag("a", "its first run in full", href=f"{one.name}/{name}_run.html"))
    link = tag("a", "All points and measures", href=f"{one.name}/{name}.html")
    return (link, run if len(outcome.points) == 1 else "")


def printed_table(checks: Sequence[FigureCheck], label: str) -> Markup:
    table = printed(checks)
    columns = ((table.corner, "name"), *((column, "") for column in table.columns))
    rows = [
        (row, *(cell(table.cells.get((row, column), ())) for column in table.columns)) for row in table.rows
    ]  # fmt: skip
    return tag("div", tables.table(columns, rows, label), class_="printed")


def cell(checks: Sequence[FigureCheck]) -> Content:
    return [
        tag(
            "div",
            tag("span", stated_value(check)),
            tag("b", f"{FIGURE_MARKS[check.verdict][0][0]} {ours_as_stated(check)}"),
            tag("small", check.role) if check.role else None,
            class_=f"{'given' if check.role else 'test'} {check.verdict}",
            title=f"{check.checked.expected.source}: {FIGURE_MARKS[check.verdict][0][2:]}{said_of(check)}",
        )
        for check in checks
    ]


def stated_value(check: FigureCheck) -> str:
    """Return the paper's figure as the study has it; a number without a unit as ours is shown."""
    text, dimension = str(check.checked.expected.value), shown_dimension(check.dimension)
    plain = not text.strip("0123456789.e+-")
    return check.units.show(check.checked.value, dimension) if plain and dimension else text


def ours_as_stated(check: FigureCheck) -> str:
    """Ours in the unit of the paper's figure; its interval where it is wide enough to matter."""
    number, unit = quantity(str(check.checked.expected.value)) or (0, None)
    dimension = shown_dimension(check.dimension)
    if unit and number:
        dimension = in_unit(check.dimension, unit, check.checked.value / float(number))
    narrow = check.ours.half_width < NARROW * abs(check.ours.mean) and check.drift is None
    return check.units.show(check.ours.mean, dimension) if narrow else ours(check, dimension)


def said_of(check: FigureCheck) -> str:
    return f", {basis(check)}" if basis(check) else ""


def pictures(page: Page, outcome: Outcome, stated: Sequence[FigureCheck]) -> Iterator[Markup]:
    """Draw each measure along the experiment's axis: what the paper states, beside ours with the same axes."""
    axes = figures.axes(outcome)
    if not axes or not figures.is_grid(outcome, axes):
        return
    units = Units.of(outcome.net)
    for kept in drawn_measures(outcome, stated):
        label = f"{kept.name} along {axes[0].name}"
        mine = page.figure(figures.curves(outcome, kept, units, axes), f"ours: {label}", tag("b", "ours"), LOW)
        theirs = None
        if stated:
            paper = figures.stated_curves(outcome, kept, units, axes)
            theirs = page.figure(paper, f"the paper: {label}", tag("b", "the paper"), LOW)
        yield content(tag("p", tag("code", kept.name)), tag("div", theirs, mine, class_="pair"))


def drawn_measures(outcome: Outcome, stated: Sequence[FigureCheck]) -> list[Kept]:
    """Return those of which the paper states several figures; the first one if it states nothing."""
    if not stated:
        return [figure for figure in outcome.figures if figures.known_values(outcome, figure)][:1]
    counts = {figure.name: sum(check.measure == figure.name for check in stated) for figure in outcome.figures}
    return [figure for figure in outcome.figures if counts[figure.name] >= FEWEST_DRAWN][:MOST_PICTURES]


def statements_table(said: Sequence[Judged]) -> Markup:
    rows = [
        (
            mark(STATEMENT_MARKS[judged.verdict]),
            judged.statement.says,
            judged.values,
            judged.statement.source,
            judged.statement.role,
        )
        for judged in said
    ]
    return tag("div", tables.table(STATEMENTS, rows, "Statements"), class_="said")


# ---------------------------------------------------------------- all figures, one in each row


def rows_in_full(one: Validation) -> Markup | None:
    shown = [
        tables.table(columns(stated), [figure_row(one.name, check) for check in checks], f"{one.name}: {stated}")
        for stated, checks in by_origin(one.figures)
    ]
    return tag("details", tag("summary", "Each figure with its tolerance and difference"), shown) if shown else None


def columns(stated: str) -> tables.Columns:
    """Write a table of figures; `stated` heads the values that ours are compared with."""
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
    """Return the tolerance as stated: a share of the figure, or a distance from it."""
    within = check.checked.expected.within
    return percent(within.bound) if within.relative else check.units.show(check.checked.verdict.tolerance, dimension)


def mark(shown: tuple[str, str]) -> Markup:
    said, kind = shown
    return tag("span", said, class_=f"claim {kind}")
