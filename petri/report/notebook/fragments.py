"""HTML that a notebook shows below a cell. It contains no script, and all its texts are escaped by `markup`."""

from __future__ import annotations

from functools import singledispatch
from typing import Final

from petri.exact.solution import Solution
from petri.experiment.results.outcome import Outcome
from petri.experiment.sensitivity.study import Sensitivity
from petri.model import Model
from petri.report.html import solution_page, sweep_figures, sweep_page, tables
from petri.report.html.figures import Distribution, density
from petri.report.html.markup import Content, Markup, content, tag
from petri.report.html.page import asset
from petri.report.html.palette import DARK, LIGHT
from petri.report.html.run_page import banners
from petri.report.notebook.descriptions import (
    describe_model,
    describe_outcome,
    describe_result,
    describe_sensitivity,
    describe_solution,
)
from petri.report.notebook.drawing import draw, drawing_html
from petri.report.notebook.plots import plot
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units
from petri.report.telling.record import of_result
from petri.report.telling.sensitivity import effect_tables, index_tables
from petri.result import MeasureResult, Result
from petri.views import Drawing

MOST_PLOTS: Final = 6


@singledispatch
def html(shown: object) -> str:
    """Return what a notebook shows of an object."""
    raise TypeError(type(shown))


html.register(Drawing, drawing_html)


@html.register
def model_html(model: Model) -> str:
    """Return the drawing of a net and its parameters."""
    net = model.net
    parts: list[Content] = [tag("p", describe_model(model), class_="headline"), tables.prose(net.doc)]
    try:
        parts.append(drawing_html(draw(model)))
    except ValueError as error:
        parts.append(tag("p", str(error), class_="note"))
    if net.parameters:
        parts.append(tables.parameters_of(net))
    return fragment(parts)


@html.register
def result_html(result: Result) -> str:
    """Return the verdicts and measures of a run, the distributions of its samples, and its places and transitions."""
    record = of_result(result)
    parts: list[Content] = [tag("p", describe_result(result), class_="headline"), *banners(record)]
    if record.measures or record.verdicts:
        parts.append(tables.measures_table(record.units, record.measures, record.verdicts))
    drawn = [distribution(measure, record.units) for measure in result.measures]
    parts.append(tag("div", [one for one in drawn if one is not None][:MOST_PLOTS], class_="plots"))
    parts += [folded(kind, tables.figures_table(record, kind, record.rows(kind, True))) for kind in tables.KINDS]
    return fragment(parts)


@html.register
def solution_html(solution: Solution) -> str:
    """Return the verdicts and measures of an exact solution, and its places and transitions."""
    parts: list[Content] = [tag("p", describe_solution(solution), class_="headline"), *solution_page.banners(solution)]
    for title, table in solution_page.sections(solution, Units.of(solution.net)):
        parts.append(table if title == "Measures" else folded(title.lower(), table))
    return fragment(parts)


@html.register
def measure_html(measured: MeasureResult) -> str:
    """Return one measure with its verdicts, and the distribution of its samples."""
    units = Units.named(measured.seconds, measured.time_unit)
    return fragment([tables.measures_table(units, [measured]), distribution(measured, units)])


def distribution(measured: MeasureResult, units: Units) -> Markup | None:
    sample = None if measured.histogram is None else Distribution.of(measured.histogram)
    if sample is None:
        return None
    return plot(density(sample, units, shown_dimension(measured.measure.dimension)), measured.name)


@html.register
def outcome_html(outcome: Outcome) -> str:
    """Return the points of a sweep as a table, and each measure along the parameters."""
    units, axes = Units.of(outcome.net), sweep_figures.axes(outcome)
    parts: list[Content] = [tag("p", describe_outcome(outcome), class_="headline"), *sweep_page.banners(outcome)]
    if axes and sweep_figures.is_grid(outcome, axes):
        measured = [figure for figure in outcome.figures if sweep_figures.known_values(outcome, figure)]
        made = [plot(sweep_figures.curves(outcome, one, units, axes), one.name) for one in measured[:MOST_PLOTS]]
        parts.append(tag("div", made, class_="plots"))
    if outcome.points:
        parts.append(sweep_page.points_table(outcome, [axis.name for axis in axes]))
    return fragment(parts)


@html.register
def sensitivity_html(found: Sensitivity) -> str:
    """Return the tables of what changes each figure, or of its indices."""
    parts: list[Content] = [tag("p", describe_sensitivity(found), class_="headline")]
    for title, columns, rest in [*effect_tables(found, False), *index_tables(found)]:
        parts += [tag("p", title), tables.of_columns(columns, title), tag("p", rest, class_="note") if rest else None]
    return fragment(parts)


def folded(title: str, inside: Content) -> Markup:
    return tag("details", tag("summary", title), inside)


def fragment(parts: list[Content]) -> Markup:
    """Return the parts with their style, which reaches nothing else in the notebook."""
    return tag("div", tag("style", Markup(style())), content(parts), class_="pnsim")


def style() -> str:
    """Light or dark as the notebook is, where it says so, and otherwise as the system is."""
    light, dark = ("".join(f"--{name}:{colour};" for name, colour in palette.items()) for palette in (LIGHT, DARK))
    themes = (
        f".pnsim{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{.pnsim{{color-scheme:dark;{dark}}}}}\n"
        f"[data-jp-theme-light=true] .pnsim,.vscode-light .pnsim{{color-scheme:light;{light}}}\n"
        f"[data-jp-theme-light=false] .pnsim,.vscode-dark .pnsim,html[theme=dark] .pnsim{{color-scheme:dark;{dark}}}\n"
    )
    return themes + asset("notebook.css")
