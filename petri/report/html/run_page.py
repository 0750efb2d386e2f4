"""The page of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from petri.analysis.cautions import Caution
from petri.diagnostics import Diagnostic
from petri.file_read import FileRead
from petri.measure.arrays import Floats
from petri.measure.formula import Verdict
from petri.measure.histogram import Histogram
from petri.measure.trend import Drift
from petri.net import Expectation, lasts
from petri.report.html import figures, record_figures, tables
from petri.report.html.markup import Content, Markup, aside, content, spoken, tag
from petri.report.html.page import LOW, TALL, Page
from petri.report.html.picture import Loads, picture
from petri.report.telling.cells import ARRAYS
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.expected import failing
from petri.report.telling.quantities import Units, number
from petri.report.telling.record import RunRecord, shown_figures
from petri.report.telling.unsettled import cold_start_values, growth_text
from petri.result import MeasureResult
from petri.result.stored import Failure, Recording
from petri.result.tables import Row

LINES: Final = 40  # places in the chart over time
LINES_AT_FIRST: Final = 5
REPLICATIONS: Final = (
    ("replication", "name"), ("ended", ""), ("time", "figure"), ("firings", "figure"), ("took", "figure"), ("hash", "")
)  # fmt: skip
OCCUPANCIES: Final = 6  # places whose distribution of tokens is drawn


def run_page(
    record: RunRecord, sources: Mapping[str, str] | None = None, gaps: Mapping[str, Floats] | None = None
) -> Page:
    """Return all sections of a run's page. `sources` are the net's texts, if available.

    gaps: the first values of some measures, in the order of their events.
    """
    page = Page(record.net.name, "Simulation run")
    page.head += [tables.prose(record.net.doc), _facts(record), *banners(record)]
    if record.measures or record.verdicts:
        table = tables.measures_table(record.units, record.measures, record.verdicts)
        page.section("measures", "Measures", table, _level_note(record))
    page.section("net", "The net", picture(record.net, sources, busy(record)))
    places, transitions = record.rows("places", True), record.rows("transitions", True)
    _utilisation(page, places, transitions)
    _over_time(page, record, places)
    _occupancy(page, record, places)
    _distributions(page, record, gaps or {})
    _details(page, record)
    if record.recordings:
        page.section("recordings", "Recordings", tables.recordings_table(record.recordings))
    page.section("provenance", "How to repeat this", *provenance(record))
    return page


def busy(record: RunRecord) -> Loads:
    """Return how much is used: of a place that starts with black tokens these, of another with a capacity this."""
    net, places = record.net, {}
    for index, (place, row) in enumerate(zip(net.places, record.rows("places", False), strict=True)):
        if place.held and not place.colour.slots:
            places[index] = row.figures["utilisation"].mean
        elif place.capacity and place.weight is None:
            places[index] = row.figures["mean"].mean / place.capacity
    transitions = {
        index: row.figures["active"].mean
        for index, (transition, row) in enumerate(zip(net.transitions, record.rows("transitions", False), strict=True))
        if lasts(transition) or transition.clock is not None
    }
    return Loads(_finite(places), _finite(transitions))


def _finite(shares: Mapping[int, float]) -> dict[int, float]:
    return {index: share for index, share in shares.items() if math.isfinite(share)}


# ---------------------------------------------------------------- head


def _facts(record: RunRecord) -> Markup:
    seconds = sum(replication.seconds for replication in record.replications)
    facts: list[Content] = [f"until {record.end}"]
    if record.plan.warmup:
        facts.append(("warm-up ", tag("b", record.time(record.plan.warmup))))
    count, _, replications = record.replications_text.partition(" ")
    facts.append((tag("b", count), f" {replications}"))
    facts.append(("seed ", tag("b", str(record.plan.seed))))
    facts.append((tag("b", number(record.firings)), " firings"))
    if seconds > 0.0 and record.firings:
        facts.append(("computed at ", tag("b", Units(1.0).show(record.firings / seconds, "events", 3))))
    return tables.facts(facts)


def banners(record: RunRecord) -> list[Markup]:
    """Return the verdict, preceded by anything that limits it."""
    found = []
    if record.failure is not None:
        found.append(_failure_banner(record.failure.diagnostic))
    if partial := record.partial_notice:
        # Of a single replication that stopped there are figures, unless it was still in its warm-up.
        before = record.asked == 1 and any(
            replication.warm and not replication.complete for replication in record.replications
        )
        said = f"It was {partial}{'; the figures cover the time before' if before else ''}."
        found.append(banner("warn", "Partial results", tag("p", said)))
    found += missing_banner(record.recordings)
    if record.dead:
        found += _death(record)
    found += caution_banners(record.cautions)
    if record.cold_start is not None:
        told = Diagnostic("begins-cold", values=cold_start_values(record.cold_start))
        found.append(banner("warn", capital(spoken(told.message))))
    if record.drifts:
        found.append(_unsettled_banner(record.units, record.drifts))
    if record.failed:
        texts = [tag("p", tag("code", one.text), _but(record, one, verdict)) for one, verdict in record.failed]
        found.append(banner("fail", f"✗ {capital(failing(len(texts), len(record.judged)))} failed", *texts))
    elif record.judged:
        found.append(banner("pass", f"✓ {capital(record.holding)}"))
    return found


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _unsettled_banner(units: Units, drifts: Sequence[Drift]) -> Markup:
    def item(one: Drift) -> Markup:
        early, late = (units.show(value, shown_dimension(one.dimension)) for value in (one.early, one.late))
        what = "the tokens of " if one.kind == "place" else "the measure "
        said = f": {early} in the first third of the run, {late} in the last"
        if one.steady and one.kind == "place":
            rate = growth_text(one.growth, units)
            said += f". It grows steadily, by {rate}: more arrives than is taken out, and no run is long enough"
        return tag("li", what, tag("code", one.name), said)

    said = "Not settled at the end of the run: these figures depend on its length"
    return banner("warn", said, tag("ul", [item(drift) for drift in drifts]))


def banner(kind: str, said: str, *more: Content) -> Markup:
    return tag("div", said, *more, class_=f"verdict {kind}", role="status" if kind == "pass" else "alert")


def caution_banners(cautions: Iterable[Diagnostic | Caution]) -> list[Markup]:
    """Add times that are rounded to ticks, and what in the net may mean something else."""
    said = ((caution.severity, capital(caution.message)) for caution in cautions)
    return [banner("warn", text) if severity == "warning" else aside(text) for severity, text in said]


def missing_banner(recordings: Iterable[FileRead | Recording]) -> list[Markup]:
    """Say that recordings lack packets, where they do."""
    remarks = (remark for read in recordings for remark in read.remarks if remark.severity == "warning")
    missing = [tag("p", spoken(remark.message)) for remark in remarks]
    return [banner("warn", "Packets of a recording are missing", *missing)] if missing else []


def _but(record: RunRecord, expectation: Expectation, verdict: Verdict) -> str:
    """Write it in the units of the measure if the expectation belongs to one."""
    owners = (measure.measure for measure in record.measures if any(own is expectation for own, _ in measure.verdicts))
    dimension = shown_dimension(next((measure.dimension for measure in owners), ""))
    return f": it is {record.units.show(verdict.value, dimension)}"


def _failure_banner(failure: Diagnostic | Failure) -> Markup:
    where = failure.span
    at = f"{where.file}, line {where.line}, column {where.column}" if where else None
    parts: list[Content] = [tag("p", at) if at else None]
    parts += [tag("p", spoken(text)) for text in (*failure.notes, *failure.hints)]
    return banner("fail", f"The run stopped: {failure.message}", *parts)


def _death(record: RunRecord) -> list[Markup]:
    """Return the death of a net; it is expected if the run was to last until then."""
    early, at = math.isfinite(record.plan.until), record.time(record.dead[0].died)
    lacks = [tag("li", tag("code", reason.transition), f" {reason.text}") for reason in record.reasons()]
    why = tag("details", tag("summary", "why no transition can fire"), tag("ul", lacks), open=early) if lacks else None
    if not early:
        return [content(aside(f"It ended at {at}, when no transition could fire."), why)]
    return [banner("warn", f"The net died at {at}: no transition can fire", tag("p", record.after_death), why)]


def _level_note(record: RunRecord) -> Markup:
    count = len(record.replications)
    how = (
        f"Student's intervals over {count} replications."
        if count > 1
        else "Intervals are from batches of the one replication; figures that grow with the run have none."
    )
    doubt = "A ? marks a figure whose interval is wider than itself: not even its size is known."
    drawings = (
        "In the charts the dot is the estimate with its interval, the vertical line the bound, and the shade what the "
        "expectation allows."
    )
    said = aside(f"± is half the 95 % confidence interval. {how} {doubt} {drawings}")
    notes = record.interval_notes(one for measured in record.measures for _, one, _ in shown_figures(measured))
    return content(said, *(aside(spoken(note)) for note in notes))


# ---------------------------------------------------------------- utilisation and histories


def _utilisation(page: Page, places: Sequence[Row], transitions: Sequence[Row]) -> None:
    resources = [row for row in places if not math.isnan(row.figures["utilisation"].mean)]
    working = [row for row in transitions if row.figures["active"].mean > 0.0]
    shown = (
        (resources, "Resources in use", "Share of the initial tokens that are in use or held by firings.",
         "utilisation", "Utilisation of resource places"),
        (working, "Active transitions", "Share of time with at least one firing in progress.",
         "active", "Activity of transitions"),
    )  # fmt: skip
    halves = [
        tag("div", tag("h3", title), aside(text), tables.bars(rows, figure, label))
        for rows, title, text, figure, label in shown
        if rows
    ]
    if halves:
        page.section("utilisation", "Utilisation", tag("div", halves, class_="pair"))


def _over_time(page: Page, record: RunRecord, places: Sequence[Row]) -> None:
    """Queues first: places that are not resources, by their number of tokens."""
    if (history := record.history()) is None:
        return
    moving = [(row, record_figures.tokens_over_time(history, row)) for row in places]
    moving = [(row, values) for row, values in moving if np.ptp(values) > 0.0]
    if not moving:
        return

    def rank(entry: tuple[Row, Any]) -> tuple[bool, float]:
        row, values = entry
        return (not math.isnan(row.figures["utilisation"].mean), -float(values.max()))

    moving.sort(key=rank)
    lines = [
        (record_figures.line_name(row), values, number < LINES_AT_FIRST)
        for number, (row, values) in enumerate(moving[:LINES])
    ]
    ran = len(record.replications)
    caption = content(
        tag("b", "Tokens in places"),
        f", averaged over {len(history.edges) - 1} windows of time{f' and {ran} replications' if ran > 1 else ''}."
        " Click on a name to show or hide its line.",
    )
    names = ", ".join(row.name for row, _ in moving[:LINES_AT_FIRST])
    figure = figures.steps(history.edges, lines, record.units, "tokens")
    rows = math.ceil(len(lines) / 4)
    height = TALL + min(22 * rows, 224)
    page.section("over-time", "Over time", page.figure(figure, f"Tokens over time in {names}", caption, height))


def _occupancy(page: Page, record: RunRecord, places: Sequence[Row]) -> None:
    """Add the queues and resources whose number of tokens varies most; the elements of an array together."""
    varied: list[tuple[bool, float, Row, np.ndarray[Any, np.dtype[np.float64]]]] = []
    for row in places:
        shares = record_figures.shares_of(record, row)
        if shares is not None and np.count_nonzero(shares) > 1:
            spread = float(shares @ np.arange(len(shares)) ** 2 - (shares @ np.arange(len(shares))) ** 2)
            varied.append((not math.isnan(row.figures["utilisation"].mean), -spread, row, shares))
    varied.sort(key=lambda entry: entry[:2])
    made = []
    for _, _, row, shares in varied[:OCCUPANCIES]:
        figure = record_figures.tokens(shares)
        if figure is not None:
            caption = content(tag("b", tag("code", row.name)), f", empty {shares[0]:.1%} of the time.")
            made.append(page.figure(figure, f"Share of time by number of tokens in {row.name}", caption, LOW))
    if made:
        page.section("occupancy", "Tokens in places", tag("div", made, class_="pair"))


# ---------------------------------------------------------------- distributions


def _distributions(page: Page, record: RunRecord, gaps: Mapping[str, Floats]) -> None:
    parts = []
    drawn: list[Any] = []  # two measures of one sample have one histogram
    for measured in record.measures:
        held = measured.histogram
        counts = held and {number: count for number, (count, _) in held.buckets.items()}
        made = [
            *([] if held is None or counts in drawn else _sample(page, record.units, measured, held)),
            *_in_order(page, record.units, measured, gaps.get(measured.name, ())),
            *_series(page, record, measured),
            *_orders(page, measured),
        ]
        drawn.append(counts)
        if made:
            parts.append(content(tag("h3", tag("code", measured.name)), tag("div", made, class_="pair")))
    parts += _together(page, record)
    if parts:
        page.section("distributions", "Distributions and series", *parts)


def _sample(page: Page, units: Units, measured: MeasureResult, histogram: Histogram) -> list[Content]:
    sample = figures.Distribution.of(histogram)
    if sample is None:
        return []
    dimension = shown_dimension(measured.measure.dimension)

    def at(share: float) -> str:
        return units.show(sample.quantile(share), dimension, 3)

    zero = f" {sample.zeros:.1%} are exactly 0." if sample.zeros and not sample.is_discrete else ""
    caption = content(tag("b", "Density"), f" of {number(sample.count)} values.{zero}")
    label = f"{measured.name}: median {at(0.5)}, 90 % below {at(0.9)}, 99 % below {at(0.99)}"
    made: list[Content] = [page.figure(figures.density(sample, units, dimension), label, caption, LOW)]
    if not sample.is_discrete:
        quantiles = f": 90 % are below {at(0.9)}, 99 % below {at(0.99)}, 99.9 % below {at(0.999)}."
        beyond = content(tag("b", "Tail"), quantiles)
        made.append(page.figure(figures.tail(sample, units, dimension), f"Tail of {label}", beyond, LOW))
    return made


def _series(page: Page, record: RunRecord, measured: MeasureResult) -> list[Content]:
    if (figure := record_figures.series_of(record, measured)) is None:
        return []
    measure = measured.measure
    length = f"windows of {record.time(measure.window)}" if measure.window else "equal windows"
    caption = content(tag("b", "Over time"), f", in {length}.")
    return [page.figure(figure, f"{measure.name} over time", caption, LOW)]


def _in_order(page: Page, units: Units, measured: MeasureResult, values: Floats | Sequence[float]) -> list[Content]:
    """Return the first values of a measure, one after the other."""
    if not len(values):
        return []
    caption = content(tag("b", "In order"), f": the first {number(len(values))} values.")
    figure = figures.in_order(np.asarray(values), units, shown_dimension(measured.measure.dimension), measured.name)
    return [page.figure(figure, f"{measured.name} in the order of events", caption, LOW)]


def _together(page: Page, record: RunRecord) -> list[Markup]:
    """Return measures with series of one unit over the same windows, in one picture."""
    alike: dict[tuple[float, str], list[tuple[str, Floats]]] = {}
    for measured in record.measures:
        measure = measured.measure
        if measure.window and measured.series:
            values = next(iter(measured.series.values()))
            alike.setdefault((measure.window, shown_dimension(measure.dimension)), []).append((measure.name, values))
    made: list[Markup] = []
    for (window, dimension), lines in alike.items():
        if len(lines) > 1:
            names = ", ".join(name for name, _ in lines)
            figure = figures.several(record.plan.warmup, window, lines, record.units, dimension)
            caption = content(tag("b", names), f" in windows of {record.time(window)}, of the first replication.")
            made.append(content(tag("h3", "Together"), page.figure(figure, f"{names} over time", caption)))
    return made


def _orders(page: Page, measured: MeasureResult) -> list[Content]:
    if not measured.distributions:
        return []
    made: list[Content] = [
        page.figure(figure, f"{heading} of {measured.name}", content(tag("b", heading), ". ", what), LOW)
        for _, heading, what, figure in record_figures.orders_of(measured)
    ]
    return made or [aside("Nothing arrived out of order.")]


# ---------------------------------------------------------------- tables


def _details(page: Page, record: RunRecord) -> None:
    folded, made = False, list[Content]()
    for kind in tables.KINDS:
        rows = record.rows(kind, True)
        if not rows:
            continue
        made.append(content(tag("h3", kind.capitalize()), tables.figures_table(record, kind, rows, docs=True)))
        if any(row.copies > 1 for row in rows):
            folded = True
            each = tables.figures_table(record, kind, record.rows(kind, False), docs=True)
            made.append(tag("details", tag("summary", "each element of the arrays"), each))
    if made:
        note = aside(f"{ARRAYS}.") if folded else None
        page.section("details", "Places and transitions", note, *made)


def provenance(record: RunRecord) -> list[Content]:
    manifest, unit = record.manifest(), record.net.time_unit
    entries: list[tuple[str, Content]] = [
        ("seed", str(manifest.seed)),
        ("until", "dead" if manifest.until is None else f"{manifest.until:.12g} {unit}"),
        ("warm-up", f"{manifest.warmup:.12g} {unit}"),
        ("engine", manifest.engine),
        ("pnsim", manifest.version),
        ("Python, machine", f"{manifest.python}, {manifest.machine}"),
        ("flat net (SHA-256)", tag("code", manifest.net_hash)),
        ("trajectories", tag("code", manifest.hash)),
    ]
    parts: list[Content] = [tables.pairs(entries)]
    if record.net.parameters:
        parts += [tag("h3", "Parameters"), tables.parameters_of(record.net)]
    rows = [
        (
            str(replication.index),
            replication.ended,
            record.time(replication.time),
            number(replication.firings),
            f"{replication.seconds:.3g} s",
            tag("code", f"{replication.hash:016x}"),
        )
        for replication in record.replications
    ]
    how = " on the JSON of this result repeats a replication and compares its hash."
    repeat = aside(tag("code", "pnsim rerun"), how)
    replications = tables.table(REPLICATIONS, rows, "Replications")
    if len(rows) > 10:
        replications = tag("details", tag("summary", f"all {len(rows)}"), replications)
    return [*parts, tag("h3", "Replications"), replications, repeat]
