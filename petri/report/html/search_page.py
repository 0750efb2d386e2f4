"""The page of a search: what was found, the measures over the values tried, and every value."""

from __future__ import annotations

from collections.abc import Sequence

from petri.analysis.cautions import cautions
from petri.diagnostics import Diagnostic
from petri.experiment.threshold.outcome import SearchOutcome
from petri.measure.figures import Figure as Kept
from petri.report.html import sweep_figures as figures
from petri.report.html import tables
from petri.report.html.markup import Content, Markup, aside, content, tag
from petri.report.html.page import Figure, Page
from petri.report.html.run_page import banner, caution_banners
from petri.report.html.sweep_figures import PlotAxis
from petri.report.html.sweep_page import add_trials, heading
from petri.report.telling.quantities import Units, number
from petri.report.telling.search import answer, ending, figures_in_order, found_columns, question, remarks, share


def search_page(outcome: SearchOutcome) -> Page:
    """Return all sections of a search's page."""
    trials = outcome.outcome
    units = Units.of(trials.net)
    page = Page(trials.title or f"{trials.net.name}: {question(outcome)}", f"Search of {trials.net.name}")
    page.head += [tables.prose(trials.description or trials.net.doc), _facts(outcome), *_banners(outcome)]
    page.section("found", "What was found", tables.of_columns(found_columns(outcome), "What was found"))
    axes = search_axes(outcome)
    parts = [_measure(page, outcome, one, units, axes) for one in figures_in_order(outcome)] if axes else []
    if parts:
        note = aside("Bars are 95 % confidence intervals over the replications; the line is the bound.")
        page.section("measures", "Measures", note, parts)
    add_trials(page, trials, "value", axes)
    return page


def search_axes(outcome: SearchOutcome) -> list[PlotAxis]:
    """Return the parameter that was searched first, then those that differ between the points."""
    known = {axis.name: axis for axis in figures.axes(outcome.outcome)}
    first = known.pop(outcome.find, None)
    return ([] if first is None else [first]) + list(known.values())


def _facts(outcome: SearchOutcome) -> Markup:
    rows = [row for point in outcome.outcome.points for row in point.rows]
    facts: list[Content] = [
        (tag("b", number(len(outcome.outcome.points))), " values tried"),
        (tag("b", number(len(rows))), " replications"),
        ("confidence ", tag("b", share(outcome.confidence))),
        (tag("b", Units(1.0).show(sum(row.seconds for row in rows), "Time", 3)), " of computing"),
    ]
    return tables.facts(facts)


def _banners(outcome: SearchOutcome) -> list[Markup]:
    made = [banner("warn", "Not finished")] if outcome.interrupted else []
    made += caution_banners(cautions(outcome.outcome.net))
    if len(outcome.found) == 1:
        kind = "pass" if outcome.done else "fail"
        made.append(banner(kind, answer(outcome, outcome.found[0])))
    for found in outcome.found:
        made += [banner("fail", said(one)) for one in ending(outcome, found)]
    return made + [banner("warn", said(remark)) for remark in remarks(outcome)]


def said(diagnostic: Diagnostic) -> str:
    """Return a diagnostic in one line, without its hints."""
    return " – ".join([diagnostic.message, *diagnostic.notes])


def _measure(page: Page, outcome: SearchOutcome, kept: Kept, units: Units, axes: Sequence[PlotAxis]) -> Markup:
    """Return the measure along the parameter, a line for each point, with the bounds of the condition."""
    figure = figures.curves(outcome.outcome, kept, units, axes)
    figure["layout"]["shapes"] = _bounds(outcome, kept, units)
    return content(heading(outcome.outcome, kept), page.figure(figure, f"{kept.name} along {outcome.find}"))


def _bounds(outcome: SearchOutcome, kept: Kept, units: Units) -> list[Figure]:
    factor = figures.scale_of(outcome.outcome, kept, units).factor
    return [
        {
            "type": "line", "xref": "paper", "x0": 0, "x1": 1,
            "y0": comparison.bound * factor, "y1": comparison.bound * factor,
            "line": {"color": "@soft", "width": 1.5, "dash": "dot"},
        }
        for comparison in outcome.condition.comparisons
        if comparison.figure.name == kept.name
    ]  # fmt: skip
