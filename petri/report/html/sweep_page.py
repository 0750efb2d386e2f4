"""The page of an experiment."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final

from petri.analysis.cautions import cautions
from petri.experiment.design.definition import shown
from petri.experiment.results.outcome import Outcome
from petri.measure.figures import Figure as Kept
from petri.report.html import sweep_figures as figures
from petri.report.html import tables
from petri.report.html.marks import interval_mark
from petri.report.html.markup import Content, Markup, aside, content, spoken, tag
from petri.report.html.page import LOW, TALL, Page
from petri.report.html.picture import picture
from petri.report.html.run_page import banner, caution_banners, missing_banner
from petri.report.html.sweep_figures import PlotAxis
from petri.report.telling.quantities import Units, exact_quantity, number
from petri.report.telling.sweep import axis_columns, expected_columns, legend, measure_columns

MOST_MAPS: Final = 12  # heat maps of one measure
SMALLEST_MAP: Final = 3  # values of an axis; for fewer, curves are clearer
OPEN: Final = 8  # measures whose figures are unfolded
MOST_ROWS: Final = 2_000
SEEDS: Final = (("point", "name"), ("seed", "figure"), ("warm-up", "figure"), ("flat net", ""))


def sweep_page(outcome: Outcome) -> Page:
    """Return all sections of an experiment's page."""
    net = outcome.net
    page = Page(outcome.title or net.name, f"Sweep of {net.name}" if outcome.title else "Sweep")
    units = Units.of(net)
    axes = figures.axes(outcome)
    page.head += [
        tables.prose(outcome.description or net.doc),
        _facts(outcome, axes),
        *missing_banner(outcome.files),
        *caution_banners(cautions(net)),
        *banners(outcome),
    ]
    if any(point.checked for point in outcome.points):
        page.section("expected", "Expected values", _expected_table(outcome))
    _distributions(page, outcome, units, axes)
    _deviations(page, outcome, units)
    _parts(page, outcome, units)
    _measures(page, outcome, units, axes)
    if outcome.points:
        page.section("points", "Every point", points_table(outcome, [axis.name for axis in axes]))
    if outcome.files:
        page.section("recordings", "Recordings", tables.recordings_table(outcome.files))
    if outcome.points and net.places:
        page.section("net", "The net", picture(net))
    page.section("provenance", "How to repeat this", *provenance(outcome))
    return page


# ---------------------------------------------------------------- head


def _facts(outcome: Outcome, axes: Sequence[PlotAxis]) -> Markup:
    replications = sum(len(point.rows) for point in outcome.points)
    counts = [len(point.rows) for point in outcome.points]
    seconds = sum(row.seconds for point in outcome.points for row in point.rows)
    many = "point" if len(outcome.points) == 1 else "points"
    facts: list[Content] = [(tag("b", number(len(outcome.points))), f" {many}")]
    each = f"{min(counts)} to {max(counts)}" if counts and min(counts) != max(counts) else f"{max(counts, default=0)}"
    facts.append((tag("b", number(replications)), f" replications, {each} of each point"))
    for axis in axes:
        values = [shown(value) for value in axis.values]
        text = ", ".join(values) if len(values) <= 10 else f"{len(values)} values from {values[0]} to {values[-1]}"
        facts.append((f"{axis.name} ", tag("b", text)))
    facts.append((tag("b", Units(1.0).show(seconds, "Time", 3)), " of computing"))
    return tables.facts(facts)


def banners(outcome: Outcome) -> list[Markup]:
    found = []
    failures = [(point, row) for point in outcome.points for row in point.failures]
    if failures:
        point, row = failures[0]
        first = tag("p", f"The first at {point.label}, replication {row.index}: {row.why()}")
        many = f"{len(failures)} replications" if len(failures) > 1 else "A replication"
        found.append(banner("fail", f"{many} stopped inside the model, or lacks a figure", first))
    empty = [point for point in outcome.points if not point.complete]
    if outcome.interrupted or empty or not outcome.done:
        more = f"; {len(empty)} of {len(outcome.points)} points have no replication yet" if empty else ""
        found.append(banner("warn", f"Not finished{more}. The same command goes on where it stopped."))
    if moving := [point for point in outcome.points if point.unsettled]:
        names = ", ".join(dict.fromkeys(name for point in moving for name in point.unsettled))
        where = f"{len(moving)} of {len(outcome.points)} points"
        said = f"Not settled at the end of the runs at {where}: {names}. These figures depend on the length of the runs"
        found.append(banner("warn", said))
    if outcome.best is not None:
        found.append(banner("pass" if outcome.best.certain else "warn", outcome.best.text))
    checked = [one for point in outcome.points for one in point.checked]
    missed = sum(not one.verdict.passed for one in checked)
    if missed:
        found.append(banner("fail", f"✗ {missed} of {len(checked)} expected values were missed"))
    elif checked:
        every = f"All {len(checked)} expected values were" if len(checked) > 1 else "The expected value was"
        found.append(banner("pass", f"✓ {every} found"))
    return found


# ---------------------------------------------------------------- figures


def _measures(page: Page, outcome: Outcome, units: Units, axes: Sequence[PlotAxis]) -> None:
    kept = [figure for figure in outcome.figures if figures.known_values(outcome, figure)]
    if not kept or not axes:
        return
    parts = [_measure(page, outcome, units, axes, one) for one in kept]
    known = [(point.intervals[one.name], one.name in point.unsettled) for point in outcome.points for one in kept]
    is_open = any(math.isnan(one.half_width) or moves for one, moves in known if math.isfinite(one.mean))
    note = aside(
        "Bars are 95 % confidence intervals over the replications; a click on a name hides its line.",
        " Open marks have no interval, or still move at the end of the runs." * is_open,
    )
    more = tag("details", tag("summary", f"{len(parts) - OPEN} more measures"), parts[OPEN:]) if parts[OPEN:] else None
    page.section("measures", "Measures", note, parts[:OPEN], more)


def _distributions(page: Page, outcome: Outcome, units: Units, axes: Sequence[PlotAxis]) -> None:
    """Add the distributions of measures of which several percentiles were kept."""
    parts = []
    for name, shares in figures.distributed(outcome).items():
        drawn = figures.distribution(outcome, name, shares, units, axes)
        parts.append(content(tag("h3", tag("code", name)), page.figure(drawn, f"distribution of {name}")))
    if parts:
        note = aside("Bars are 95 % confidence intervals of the percentiles over the replications.")
        page.section("distributions", "Distributions", note, parts)


def _deviations(page: Page, outcome: Outcome, units: Units) -> None:
    """Add the measures of which the mean and the standard deviation were kept."""
    parts = []
    for name, mean, deviation in figures.deviations(outcome) if len(outcome.points) > 1 else ():
        drawn = figures.with_deviation(outcome, name, mean, deviation, units)
        parts.append(
            content(tag("h3", tag("code", name)), page.figure(drawn, f"{name} with its deviation", height=TALL))
        )
    if parts:
        note = aside("Bars are one standard deviation of the values, not of their mean.")
        page.section("deviations", "Means with deviations", note, parts)


def _parts(page: Page, outcome: Outcome, units: Units) -> None:
    """Add the measures that add up to a whole, of each whole that the experiment names."""
    kept = {figure.name: figure for figure in outcome.figures}
    drawn = []
    for name, measures in outcome.parts.items():
        if known := [kept[measure] for measure in measures if measure in kept]:
            bars = figures.stacked(outcome, name, known, units)
            drawn.append(content(tag("h3", name), page.figure(bars, f"{name} and its parts", height=TALL)))
    if drawn:
        page.section("parts", "Parts of a whole", drawn)


def heading(outcome: Outcome, kept: Kept) -> Content:
    """Return the name of a figure, and what is written on its measure."""
    doc = next((measure.doc for measure in outcome.net.measures if measure.name == kept.name), "")
    return [tag("h3", tag("code", kept.name)), aside(spoken(doc))]


def _measure(page: Page, outcome: Outcome, units: Units, axes: Sequence[PlotAxis], kept: Kept) -> Markup:
    if not figures.is_grid(outcome, axes):
        clouds = [
            page.figure(figures.cloud(outcome, kept, units, axis), f"{kept.name} against {axis.name}", height=LOW)
            for axis in axes
        ]
        return content(heading(outcome, kept), tag("div", clouds, class_="pair"))
    along = ", ".join(axis.name for axis in axes)
    made: list[Content] = [page.figure(figures.curves(outcome, kept, units, axes), f"{kept.name} along {along}")]
    full = len(outcome.points) == math.prod(len(axis.values) for axis in axes)
    if len(axes) > 1 and full and all(len(axis.values) >= SMALLEST_MAP for axis in axes[:2]):
        made += _maps(page, outcome, units, axes, kept)
    return content(heading(outcome, kept), tag("div", made, class_="pair"))


def _maps(page: Page, outcome: Outcome, units: Units, axes: Sequence[PlotAxis], kept: Kept) -> list[Content]:
    """Return one heat map for each combination of the parameters that are not on its axes."""
    across, up, *rest = axes
    made: list[Content] = []
    for values in itertools.islice(itertools.product(*(axis.values for axis in rest)), MOST_MAPS):
        fixed = {axis.name: value for axis, value in zip(rest, values, strict=True)}
        figure = figures.heat_map(outcome, kept, units, across, up, fixed)
        where = ", ".join(f"{name} {shown(value)}" for name, value in fixed.items())
        label = f"{kept.name} over {across.name} and {up.name}{f' at {where}' if where else ''}"
        made.append(page.figure(figure, label, tag("b", where) if where else None, 352))
    return made


# ---------------------------------------------------------------- tables


def _expected_table(outcome: Outcome) -> Markup:
    """Return the table with a chart of each figure and its bound."""
    checked = [(point, one) for point in outcome.points for one in point.checked]
    charts = []
    for point, one in checked:
        found = point.intervals[one.expected.measure]
        charts.append(interval_mark(found.mean, found.half_width, "==", one.value, one.verdict.tolerance))
    return tables.of_columns(expected_columns(checked, outcome), "Expected values", beside={"": charts})


def points_table(outcome: Outcome, axes: Sequence[str] = ()) -> Markup:
    """Return every point, with what the marks mean. axes: parameters, instead of those of the outcome."""
    points = outcome.points[:MOST_ROWS]
    measures = measure_columns(points, outcome.figures, Units.of(outcome.net))
    columns = [*axis_columns(points, axes or outcome.axes), *measures]
    made = tables.of_columns(columns, "Every point", more=len(outcome.points) - MOST_ROWS)
    return content(made, [aside(line) for line in legend(measures, outcome.points, outcome)])


def provenance(outcome: Outcome) -> list[Content]:
    """Return what the runs depend on."""
    identity, units = outcome.identity, Units.of(outcome.net)
    rows = [row for point in outcome.points for row in point.rows]
    entries: list[tuple[str, Content]] = [
        ("net", str(identity.get("net", outcome.net.name))),
        ("flat net (SHA-256)", tag("code", str(identity.get("net_hash", "")))),
        ("seed", str(identity.get("seed", ""))),
        ("random streams", str(identity.get("streams", ""))),
        ("until, warm-up", f"{_time(identity.get('until', ''), units)}, {_time(identity.get('warmup', ''), units)}"),
        ("engine", ", ".join(sorted({row.engine for row in rows}))),
        ("pnsim", ", ".join(sorted({row.version for row in rows}))),
        ("machine", ", ".join(sorted({f"{row.machine}, Python {row.python}" for row in rows}))),
        *([("store", outcome.store.name)] if outcome.store.name else []),
    ]
    parts: list[Content] = [tables.pairs(entries)]
    varied = set(outcome.axes)
    fixed = [parameter for parameter in outcome.net.parameters if parameter.name not in varied]
    if fixed:
        made = tables.parameters((one.name, _value(one.value, one.dimension, units), one.doc) for one in fixed)
        parts += [tag("h3", "Parameters that are the same everywhere"), made]
    points = [
        (
            point.label,
            str(point.seed),
            "" if point.warmup is None else units.show(point.warmup.length, "Time"),
            tag("code", point.net_hash[:16]),
        )
        for point in outcome.points[:MOST_ROWS]
    ]
    every = tag("details", tag("summary", "seed, warm-up and net of each point"), tables.table(SEEDS, points, "Seeds"))
    if not outcome.store.name:  # a search, which has none
        return [*parts, every]
    repeat = content(
        tag("code", "pnsim rerun"), f" {outcome.store.name} repeats any replication and compares its trajectory's hash."
    )
    return [*parts, every, aside(repeat)]


def add_trials(page: Page, trials: Outcome, what: str, axes: Sequence[PlotAxis]) -> None:
    """Add the last sections of a page of a search: every value that was tried, the net, and how to repeat this."""
    if trials.points:
        page.section("tried", f"Every {what} tried", points_table(trials, [axis.name for axis in axes]))
        page.section("net", "The net", picture(trials.net))
        page.section("provenance", "How to repeat this", *provenance(trials))


def _time(value: object, units: Units) -> str:
    """Return a time of the identity, or what stands for one: "dead", "auto"."""
    return exact_quantity(units, value, "Time") if isinstance(value, int | float) else str(value)


def _value(value: object, dimension: str, units: Units) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return exact_quantity(units, value, dimension) if isinstance(value, int | float) else str(value)
