"""The page of a study of RFC 2544: its table, and the plots that the RFC asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from petri.analysis.cautions import cautions
from petri.experiment.design.definition import shown
from petri.experiment.forwarding.outcome import ForwardingOutcome, SizeResult
from petri.experiment.forwarding.procedure import amount
from petri.measure.intervals import Interval
from petri.report.html import tables
from petri.report.html.markup import Markup, aside, content, plotted, tag
from petri.report.html.page import Figure, Page, axis, figure
from petri.report.html.run_page import banner, caution_banners
from petri.report.html.search_page import said
from petri.report.html.sweep_figures import estimates, line, marked
from petri.report.html.sweep_page import add_trials
from petri.report.telling.forwarding import columns, delay_scale, legend
from petri.report.telling.quantities import Scale, Units
from petri.report.telling.search import ending, question, remarks

Point = tuple[Any, Interval]


def forwarding_page(outcome: ForwardingOutcome) -> Page:
    """Return all sections of the page."""
    net, units = outcome.net, Units.of(outcome.net)
    page = Page(outcome.title or f"{net.name}: RFC 2544", "RFC 2544")
    page.head += [tables.prose(net.doc), *_banners(outcome)]
    page.section("table", "What is forwarded", aside(question(outcome.search)), _table(outcome))
    if len(outcome.rows) > 1:
        page.section("throughput", "Throughput", tag("div", _throughput(page, outcome, units), class_="pair"))
    _along_loads(page, outcome, units)
    bursts: list[Point] = [(_label(row), own) for row in outcome.rows if (own := outcome.burst(row)) is not None]
    if len(bursts) > 1:
        drawn = _figure([("burst", bursts)], outcome.roles.size, "frames", Scale())
        page.section("bursts", "Back-to-back frames", page.figure(drawn, "burst by size"))
    add_trials(page, outcome.search.outcome, "load", [])
    return page


def _banners(outcome: ForwardingOutcome) -> list[Markup]:
    made = [banner("warn", "Not finished")] if outcome.interrupted else []
    made += caution_banners(cautions(outcome.net))
    for row in outcome.rows:
        if row.found.status == "fails at the start":
            made += [banner("fail", said(one)) for one in ending(outcome.search, row.found)]
    return made + [banner("warn", said(remark)) for remark in remarks(outcome.search)]


def _table(outcome: ForwardingOutcome) -> Markup:
    return content(tables.of_columns(columns(outcome), "What is forwarded"), [aside(line) for line in legend(outcome)])


# ---------------------------------------------------------------- figures


def _throughput(page: Page, outcome: ForwardingOutcome, units: Units) -> list[Markup]:
    """Return the load found, and the throughput there, over the frame sizes."""
    roles = outcome.roles
    found: list[Point] = [
        (_label(row), Interval(amount(row.found.value), math.nan, 0.95, 1))
        for row in outcome.rows
        if row.found.value is not None
    ]
    parts = [page.figure(_figure([(roles.load, found)], roles.size, roles.load, Scale()), "load by size")]
    one = outcome.figure("throughput")
    carried: list[Point] = [(_label(row), own) for row in outcome.rows if (own := outcome.throughput(row)) is not None]
    if one is not None and carried:
        scale = units.scale(max(own.mean for _, own in carried), one.dimension)
        drawn = _figure([(one.name, carried)], roles.size, one.name, scale)
        parts.append(page.figure(drawn, f"{one.name} by size"))
    return parts


def _along_loads(page: Page, outcome: ForwardingOutcome, units: Units) -> None:
    """Add the delay over the share of the throughput, and the loss over the load: a line for each size."""
    roles = outcome.roles
    if roles.delay:
        lines = [(_label(row), _delays(outcome, row)) for row in outcome.rows if row.delays]
        drawn = _figure(lines, "load [% of the throughput]", roles.delay, delay_scale(outcome))
        page.section("delay", "Delay", page.figure(drawn, "delay by load"))
    lines = [(_label(row), _losses(outcome, row)) for row in outcome.rows if row.losses]
    loss = outcome.figure("loss")
    if lines and loss is not None:
        greatest = max((own.mean for _, points in lines for _, own in points), default=0.0)
        drawn = _figure(lines, roles.load, roles.loss, units.scale(greatest, loss.dimension))
        page.section("loss", "Loss rate", page.figure(drawn, "loss by load"))


def _label(row: SizeResult) -> str:
    return ", ".join(shown(value) for value in row.found.parameters.values())


def _delays(outcome: ForwardingOutcome, row: SizeResult) -> list[Point]:
    return [(100.0 * share, own) for share in sorted(row.delays) if (own := outcome.delay(row, share)) is not None]


def _losses(outcome: ForwardingOutcome, row: SizeResult) -> list[Point]:
    """Down to the throughput, where there is none."""
    points: list[Point] = [(amount(load), point.intervals[outcome.roles.loss]) for load, point in reversed(row.losses)]
    last = row.found.last if row.found.value is not None else None
    first: list[Point] = [] if last is None else [(amount(last.value), last.point.intervals[outcome.roles.loss])]
    return [*first, *points]


def _figure(lines: Sequence[tuple[str, Sequence[Point]]], along: str, name: str, scale: Scale) -> Figure:
    """Return one line for each name; sizes are categories."""
    texts = any(isinstance(x, str) for _, points in lines for x, _ in points)
    traces = [
        marked(
            {
                **line(number, plotted(label or name)),
                "x": [plotted(x) if isinstance(x, str) else x for x, _ in points],
                **estimates([own for _, own in points], scale, number),
            },
            [own for _, own in points],
        )
        for number, (label, points) in enumerate(lines)
    ]
    across = axis(plotted(along), **({"type": "category"} if texts else {}))
    return figure(traces, across, axis(plotted(name), scale.unit, rangemode="tozero"), legend=len(lines) > 1)
