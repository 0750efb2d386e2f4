"""What the page shows of a setting: figures through the same records as every other page, as JSON.

Texts that are HTML come from `petri.report.html`, which escapes what it is given; all others the page shows as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from petri.bounds import Bound
from petri.live.refine import Point
from petri.measure.figures import evaluate_columns
from petri.measure.figures import figures as figures_of_net
from petri.measure.intervals import Interval, paired_interval, student_interval
from petri.net import Net, Transition
from petri.report.html import figures, tables
from petri.report.html.markup import Content, Markup, aside, breakable, content, plotted, spoken, tag
from petri.report.html.page import Figure, axis, figure, logarithmic
from petri.report.html.picture import Loads, heat_of
from petri.report.html.run_page import banners, busy
from petri.report.html.sweep_figures import estimates, line, marked
from petri.report.picture import Diagram
from petri.report.picture.diagram import TRANSITION
from petri.report.picture.folding import starred
from petri.report.picture.svg import quoted
from petri.report.telling.bounds import share_columns
from petri.report.telling.cells import Cells
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units, counted, number
from petri.report.telling.record import RunRecord, of_result, shown_figures
from petri.report.telling.source import first_sentence
from petri.result import Result
from petri.result.history import history
from petri.result.tables import Row
from petri.run.ensemble import Ensemble
from petri.structs import replace

MOST_OF_STRIP: Final = 3
LINES: Final = 5  # places in the chart over time
WIDE: Final = 100.0  # the axis of a curve is logarithmic if its values are so far apart
MOST_PLACES: Final = 200  # that one can choose from
Figures = Mapping[str, tuple[Interval, str]]
"""Figures of measures with their dimensions, by name."""
COMPARED: Final = (("measure", "name"), ("pinned", "figure"), ("now", "figure"), ("difference ± 95 %", "figure"))


# ---------------------------------------------------------------- measures


def names(net: Net) -> list[str]:
    """Return every figure that a measure shows: `wait`, or `delay.p99` of one that records several."""
    return [
        name
        for measure in net.measures
        for name in _names(measure.name, measure.record if measure.probe is not None else ())
    ]


def places(net: Net) -> list[str]:
    """Return the places that can be shown over time."""
    return [place.name for place in net.places[:MOST_PLACES]]


def _names(measure: str, fields: Sequence[str]) -> list[str]:
    return [f"{measure}.{field}" for field in fields] or [measure]


def shown(record: RunRecord) -> Figures:
    """Return the figures of the measures and their dimensions, by name."""
    return {
        measured.name if field is None else f"{measured.name}.{field}": (interval, dimension)
        for measured in record.measures
        for field, interval, dimension in shown_figures(measured)
    }


def named_figures(result: Result) -> Figures:
    """Return the same of a result."""
    return shown(of_result(result))


def told(record: RunRecord, judged: bool) -> Markup:
    """Return the measures, with their verdicts if `judged`: a part of a replication says nothing of a count."""
    if not record.measures and not record.verdicts:
        return aside("The net declares no measures.")
    if judged:
        return tables.measures_table(record.units, record.measures, record.verdicts)
    return tables.measures_table(record.units, [replace(measure, verdicts=()) for measure in record.measures])


def bounded(bounds: Sequence[Bound], result: Result) -> Markup:
    """Return how near the measures are to their bounds."""
    columns = share_columns(bounds, result)
    return tables.of_columns(columns, "Shares of bounds") if columns[0].cells else aside("No measure has a bound.")


def figures_of(record: RunRecord) -> list[dict[str, Any]]:
    """Return each figure as numbers, in the net's units; None where there is none."""
    return [
        {"name": name, "value": _finite(one.mean), "half_width": _finite(one.half_width), "n": one.n}
        for name, (one, _) in shown(record).items()
    ]


def strip(record: RunRecord) -> list[tuple[str, str]]:
    """Return the first figure of each measure, for a line at the edge of a small screen."""
    found = []
    for measured in record.measures[:MOST_OF_STRIP]:
        (_, interval, dimension), *_ = shown_figures(measured)
        found.append((measured.name, record.units.show_interval(interval, dimension)))
    return found


def said(record: RunRecord) -> Markup:
    """Return what must be known of the figures: an error, a death, failed expectations."""
    return content(banners(record))


def progress(point: Point, result: Result, rate: float) -> str:
    """`12 replications of 1,000 h, 350,000 firings at 8 M/s`."""
    record = of_result(result)
    per = f", {Units(1.0).show(rate, 'events', 2)}" if rate else ""
    if not point.ran:
        first = result.replications[0]
        share = first.time / result.plan.until
        part = f" ({share:.0%} of its time)" if 0.0 < share < 1.0 else ""
        part += "" if first.warm else ", still in the warm-up"
        return f"the first replication, at {record.time(first.time)}{part}{per}"
    firings = number(record.firings)
    return f"{counted(len(point.ran), 'replication')} until {record.end}, {firings} firings{per}"


# ---------------------------------------------------------------- comparison


def per_replication(point: Point) -> list[list[float]]:
    """Return for each replication the figures of the measures, in the order in which they are shown."""
    ran, known = point.ran, len(point.values)
    if point.model is not None and len(ran) > known:
        new = Ensemble.joined(ran[known:]).windows
        columns, _ = evaluate_columns(figures_of_net(point.model.net, None), new)
        point.values += [list(row) for row in zip(*(column.tolist() for column in columns.values()), strict=True)]
    return point.values[: len(ran)]


def compared(pinned: Point, now: Point) -> Markup:
    """Return the figures of both and their differences by replication: both have the same random numbers."""
    first, second = pinned.result(), now.result()
    if first is None or second is None or not pinned.ran or not now.ran:
        return aside("The comparison begins when both have finished a replication.")
    if names(first.net) != names(second.net):
        return aside("The text of the net has changed: its measures are no longer the same.")
    count = min(len(pinned.ran), len(now.ran))
    before, after = (np.array(per_replication(one)[:count], dtype=np.float64) for one in (pinned, now))
    units, rows = Units.of(second.net), []
    for index, (name, (one, dimension)) in enumerate(named_figures(second).items()):
        if one.statistic != "mean":
            continue
        difference = paired_interval(after[:, index], before[:, index])
        each = [student_interval(values[:, index]) for values in (before, after)]
        texts = [units.show_without_error(one.mean, one.half_width, dimension) for one in each]
        change = units.show_with_error(difference.mean, difference.half_width, dimension, difference=True)
        clear = abs(difference.mean) > difference.half_width
        cell = tag("b", change) if clear else tag("span", change, class_="soft")
        rows.append((tag("code", breakable(name)), *texts, cell))
    changed = {name: value for name, value in now.settings.items() if pinned.settings.get(name) != value}
    changed |= {name: "as written" for name in pinned.settings if name not in now.settings}
    what = ", ".join(f"{name}: {pinned.settings.get(name, 'as written')} → {value}" for name, value in changed.items())
    note = f"Over {counted(count, 'replication')} with the same random numbers. "
    note += f"Changed: {what}. " if what else "Nothing has been changed yet. "
    return content(tables.table(COMPARED, rows, "Comparison"), aside(note + "Bold: the interval excludes 0."))


# ---------------------------------------------------------------- charts


def over_time(result: Result, wanted: str) -> tuple[str, Figure] | None:
    """Return a measure with a series, or the tokens of a place, or of the fullest places; with its caption."""
    record = of_result(result)
    for measured in record.measures:
        if measured.name == wanted and measured.series:
            measure, values = measured.measure, list(measured.series.values())
            dimension, window = shown_dimension(measure.dimension), measure.window or 1.0
            drawn = figures.series(result.plan.warmup, window, values, record.units, dimension, measure.name)
            return None if drawn is None else (f"{measure.name} over time", drawn)
    course = history(result.counted)
    if course is None:
        return None
    known = {place.name: index for index, place in enumerate(result.net.places)}
    if wanted in known:
        lines = [(wanted, course.tokens[known[wanted]], True)]
    else:
        rows = sorted(((float(np.ptp(row)), index) for index, row in enumerate(course.tokens)), reverse=True)
        shown_lines = [index for spread, index in rows[:LINES] if spread > 0.0]
        lines = [(result.net.places[index].name, course.tokens[index], True) for index in sorted(shown_lines)]
    if not lines:
        return None
    return "Tokens over time", figures.steps(course.edges, lines, record.units, "tokens")


def clock(result: Result) -> dict[str, Any]:
    """Return the unit of charts over time, and its size in the net's own."""
    scale = Units.of(result.net).scale(float(result.plan.until), "Time")
    return {"unit": scale.unit, "size": 1.0 / scale.factor}


def curve(points: Sequence[Point], knob: Mapping[str, Any], measure: str, now: Point, result: Result) -> Figure | None:
    """Return a measure over a parameter, and the current setting with this result as a point of its own."""
    here = _at(result.net, named_figures(result), knob, measure)
    others = [(point.model.net, figures_at(point)) for point in points if point.model is not None and point is not now]
    known = [one for one in (_at(*each, knob, measure) for each in others) if one is not None]
    if here is None:
        return None
    known.sort(key=lambda one: (isinstance(one[0], str), one[0]))
    units, finite = Units.of(result.net), [one.mean for _, one, _ in (here, *known) if math.isfinite(one.mean)]
    scale = units.scale(max(map(abs, finite), default=0.0), here[2])
    hover = f"%{{x:.4g}}: %{{y:.4g}} %{{text}} {plotted(scale.unit)}<extra></extra>"
    mark = {"mode": "markers", "marker": {"color": "@s1", "size": 11}}
    traces = [
        marked(
            line(number, name) | more | {"x": [x for x, _, _ in each], "hovertemplate": hover}
            | estimates([one for _, one, _ in each], scale, number),
            [one for _, one, _ in each],
        )
        for number, (name, each, more) in enumerate(((plotted(measure), known, {}), ("now", [here], mark)))
    ]  # fmt: skip
    across = axis(plotted(knob["name"]), plotted(knob.get("unit", "")), **_spaced(knob, known))
    positive = [one * scale.factor for one in finite if one > 0.0]  # the logarithmic axis leaves out those that are 0
    wide = min(finite, default=-1.0) >= 0.0 and max(positive, default=0.0) >= WIDE * min(positive, default=1.0)
    up = axis(
        plotted(measure), scale.unit, **(logarithmic(min(positive), max(positive)) if wide else {"rangemode": "tozero"})
    )
    return figure(traces, across, up)


def _spaced(knob: Mapping[str, Any], known: Sequence[tuple[Any, Interval, str]]) -> dict[str, Any]:
    if knob["kind"] != "range":
        return {"type": "category", "categoryarray": [x for x, _, _ in known]}
    return logarithmic(knob["low"], knob["high"]) if knob["logarithmic"] else {}


def figures_at(point: Point) -> Figures:
    """Return the figures of a point, computed again when more replications have run."""
    count = len(point.ran)
    if point.figures is None or point.figures[0] != count:
        result = point.result()
        point.figures = (count, {} if result is None else named_figures(result))
    return point.figures[1]


def _at(net: Net, figures: Figures, knob: Mapping[str, Any], measure: str) -> tuple[Any, Interval, str] | None:
    """Return where a point is along the curve, and its figure with its dimension; None where it is not known."""
    if measure not in figures:
        return None
    value = next(parameter.value for parameter in net.parameters if parameter.name == knob["name"])
    return value / knob["per"] if "per" in knob else str(value).lower(), *figures[measure]


# ---------------------------------------------------------------- the drawing


def loads(record: RunRecord, whole: Diagram, colours: str) -> dict[str, tuple[float, str]]:
    """Return for each node of the drawing, by its id, the share of `COLOURS` that it has, and that in words."""
    return {quoted(name): heat for name, heat in heat_of(whole, record.net, COLOURS[colours](record)).items()}


def _tokens(record: RunRecord) -> Loads:
    """Return the mean number of tokens, as a share of that of the fullest place."""
    means = {index: row.figures["mean"].mean for index, row in enumerate(record.rows("places", False))}
    most = max((mean for mean in means.values() if math.isfinite(mean)), default=0.0)
    shares = {index: mean / most for index, mean in means.items() if most > 0.0 and math.isfinite(mean)}
    return Loads(shares, {}, unit=most, place="{:.3g} tokens", lead="fullest")


def _waits(record: RunRecord) -> Loads:
    """Return the share of time for which an input place was empty; for a transition, the emptiest one's."""
    empty = _empty(record)
    longest: dict[int, float] = {}
    for index, transition in enumerate(record.net.transitions):
        shares = [empty[arc.place] for arc in transition.inputs if arc.place in empty]
        if shares:
            longest[index] = max(shares)
    awaited = {arc.place for transition in record.net.transitions for arc in transition.inputs}
    places = {index: share for index, share in empty.items() if index in awaited}
    return Loads(
        places,
        longest,
        place="{:.3g}% empty",
        transition="lacks a token at least {:.3g}% of the time",
        lead="lacks most",
    )


def _empty(record: RunRecord) -> dict[int, float]:
    """Return the share of the time in which each place was empty, where it is known."""
    shares = {index: 1.0 - row.figures["occupied"].mean for index, row in enumerate(record.rows("places", False))}
    return {index: share for index, share in shares.items() if math.isfinite(share)}


COLOURS: Final[Mapping[str, Callable[[RunRecord], Loads]]] = {"use": busy, "tokens": _tokens, "waits": _waits}
"""What the colours of the drawing can show."""


def part(record: RunRecord, whole: Diagram, identifier: str) -> tuple[str, str, Markup] | None:
    """Return the kind of a node of the drawing, "p" or "t", its name and figures, by its id;

    None if there is no such node.
    """
    node = next((one for one in whole.nodes if quoted(one.name) == identifier), None)
    if node is None:
        return None
    kind = "places" if node.kind == "place" else "transitions"
    wanted = starred(node.name.removesuffix(TRANSITION))
    row = next((one for one in record.rows(kind, True) if starred(one.name) == wanted), None)
    if row is None:
        row = next((one for one in record.rows(kind, False) if one.name == node.name.removesuffix(TRANSITION)), None)
    if row is None:
        return None
    return kind[0], getattr(record.net, kind)[row.members[0]].name, _figures(record, kind, row)


def _figures(record: RunRecord, kind: str, row: Row) -> Markup:
    columns, cells = tables.columns_of(record.net, kind), Cells(record.net)
    one = getattr(record.net, kind)[row.members[0]]
    texts = [(each.heading, cells.text(row, each)) for each in columns.values()]
    entries: list[tuple[str, Content]] = [entry for entry in texts if entry[1]]
    doc = first_sentence(one.doc)
    entries += _awaited(record, one) if isinstance(one, Transition) else []
    return content(
        tag("h3", tables.name_of(row)), tag("p", spoken(doc), class_="doc") if doc else None, tables.pairs(entries)
    )


def _awaited(record: RunRecord, one: Transition) -> list[tuple[str, Content]]:
    """Return for each input place the share of the time in which it was empty: what it waits for most comes first."""
    empty = _empty(record)
    places = sorted({arc.place for arc in one.inputs if arc.place in empty}, key=lambda place: -empty[place])
    return [(f"{record.net.places[place].name} is empty", f"{100 * empty[place]:.3g}% of the time") for place in places]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
