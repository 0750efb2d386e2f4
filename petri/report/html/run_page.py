"""The page of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from petri.measure.occupancy import LEVELS
from petri.net import Net
from petri.report.cells import ARRAYS
from petri.report.ending import why_partial
from petri.report.html import figures, tables
from petri.report.html.markup import Content, Markup, content, spoken, tag
from petri.report.html.page import LOW, TALL, Page
from petri.report.html.picture import Busy, picture
from petri.report.html.record import RunRecord, interval, real, rows_of
from petri.report.quantities import Units, number, parameter_text
from petri.report.rounding import rounding
from petri.report.run_length import run_length_note
from petri.report.unsettled import growth_text
from petri.result.tables import Row

LINES: Final = 40  # places in the chart over time
LINES_AT_FIRST: Final = 5
REPLICATIONS: Final = (
    ("replication", "name"), ("ended", ""), ("time", "figure"), ("firings", "figure"), ("took", "figure"), ("hash", "")
)  # fmt: skip
OCCUPANCIES: Final = 6  # places whose distribution of tokens is drawn
# For an order probe: name, heading, explanation, axis, first number, whether 0 is left out and the last entry is open.
ORDERS: Final = (
    (
        "extent",
        "Reordering extent",
        "How far a reordered packet arrives behind the first packet that overtook it (RFC 4737, 4.2).",
        "extent [packets]",
        0,
        True,
        True,
    ),
    (
        "degree",
        "Degree of n-reordering",
        "The number of packets directly before it that all have greater numbers (RFC 4737, 5).",
        "n",
        0,
        True,
        True,
    ),
    (
        "displacement",
        "Reorder density",
        "The distance of packets from their position in order; packets in place are left out (RFC 5236, 4).",
        "displacement [packets]; negative is early",
        0,  # the middle of the distribution is 0
        True,
        False,
    ),
    (
        "buffer",
        "Reorder buffer density",
        "Packets held by a receiver after each arrival because an earlier one is missing (RFC 5236, 5).",
        "packets held",
        0,
        False,
        False,
    ),
)


def run_page(record: RunRecord, sources: Mapping[str, str] | None = None) -> Page:
    """All sections of a run's page. `sources` are the net's texts, if available."""
    data = record.data
    page = Page(str(data["net"]), "Simulation run")
    page.head += [tables.prose(str(data.get("doc") or "")), _facts(record), *banners(record)]
    if data["measures"] or data["expectations"]:
        page.section("measures", "Measures", tables.measures_table(record), _level_note(record))
    if record.net is not None:
        page.section("net", "The net", picture(record.net, sources, _busy(record.net, data)))
    places, transitions = rows_of(data, "places"), rows_of(data, "transitions")
    _utilisation(page, places, transitions)
    _over_time(page, record, places)
    _occupancy(page, record, places)
    _distributions(page, record)
    _details(page, record, places, transitions)
    if recordings := data.get("recordings"):
        page.section("recordings", "Recordings", tables.recordings_table(recordings))
    page.section("provenance", "How to repeat this", *provenance(record))
    return page


def _busy(net: Net, data: Mapping[str, Any]) -> Busy:
    """How much is used: of a place that starts with black tokens these, of another with a capacity this."""
    places = {}
    for index, (place, row) in enumerate(zip(net.places, data["places"], strict=True)):
        if place.held and not place.colour.slots:
            places[index] = real(row["utilisation"]["value"]) if row.get("utilisation") else math.nan
        elif place.capacity and place.weight is None:
            places[index] = real(row["mean"]["value"]) / place.capacity
    transitions = {
        index: real(row["active"]["value"])
        for index, (transition, row) in enumerate(zip(net.transitions, data["transitions"], strict=True))
        if transition.time.op != "const" or transition.time.value
    }
    kept = ({key: value for key, value in one.items() if math.isfinite(value)} for one in (places, transitions))
    return Busy(*kept)


# ---------------------------------------------------------------- head


def _facts(record: RunRecord) -> Markup:
    data = record.data
    manifest = data["manifest"]
    until = "until no transition can fire" if manifest["until"] is None else f"until {record.time(manifest['until'])}"
    firings = sum(int(one["firings"]) for one in data["replications"])
    seconds = sum(float(one["seconds"]) for one in data["replications"])
    facts: list[Content] = [until]
    if manifest["warmup"]:
        facts.append(("warm-up ", tag("b", record.time(manifest["warmup"]))))
    count = int(manifest["replications"])
    facts.append((tag("b", number(count)), f" replication{'s' if count != 1 else ''}"))
    facts.append(("seed ", tag("b", str(manifest["seed"]))))
    facts.append((tag("b", number(firings)), " firings"))
    if seconds > 0.0 and firings:
        facts.append(("computed at ", tag("b", Units(1.0).show(firings / seconds, "events", 3))))
    return tables.facts(facts)


def banners(record: RunRecord) -> list[Markup]:
    """The verdict, preceded by anything that limits it."""
    found = []
    if (failure := record.data.get("failure")) is not None:
        found.append(_failure_banner(failure))
    if partial := _partial(record):
        found.append(banner("warn", "Partial results", tag("p", partial)))
    found += missing_banner(record.data.get("recordings", ()))
    if (dead := next((one for one in record.data["replications"] if one["ended"] == "dead"), None)) is not None:
        found += _death(record, dead)
    if record.net is not None:
        found += rounding_banner(record.net)
    if unsettled := record.data.get("unsettled"):
        found.append(_unsettled_banner(record.units, unsettled))
    verdicts = record.verdicts
    failed = [one for one in verdicts if not one["passed"]]
    if failed:
        texts = [tag("p", tag("code", str(one["text"])), _but(record, one)) for one in failed]
        found.append(banner("fail", f"✗ {len(failed)} of {len(verdicts)} expectations failed", *texts))
    elif verdicts:
        said = f"All {len(verdicts)} expectations hold" if len(verdicts) > 1 else "The expectation holds"
        found.append(banner("pass", f"✓ {said}"))
    return found


def _unsettled_banner(units: Units, unsettled: Sequence[Mapping[str, Any]]) -> Markup:
    def item(one: Mapping[str, Any]) -> Markup:
        early, late = (units.show(real(one[third]), one.get("dimension", "")) for third in ("early", "late"))
        what = "the tokens of " if one["kind"] == "place" else "the measure "
        steady = one.get("steady", False)
        said = f": {early} in the first third of the run, {late} in the last"
        if steady and one["kind"] == "place":
            rate = growth_text(real(one["growth"]), units)
            said += f". It grows steadily, by {rate}: more arrives than is taken out, and no run is long enough"
        return tag("li", what, tag("code", str(one["name"])), said)

    texts = [item(one) for one in unsettled]
    said = "Not settled at the end of the run: these figures depend on its length"
    return banner("warn", said, tag("ul", texts))


def banner(kind: str, said: str, *more: Content) -> Markup:
    return tag("div", said, *more, class_=f"verdict {kind}", role="status" if kind == "pass" else "alert")


def rounding_banner(net: Net) -> list[Markup]:
    """That constant times are rounded to ticks, where they are."""
    told = rounding(net)
    if told is None:
        return []
    said = told.message[0].upper() + told.message[1:]
    return [banner("warn", said) if told.severity == "warning" else tag("p", said, class_="note")]


def missing_banner(recordings: Iterable[Mapping[str, Any]]) -> list[Markup]:
    """That recordings lack packets, where they do."""
    remarks = (one for read in recordings for one in read["remarks"] if one["severity"] == "warning")
    missing = [tag("p", spoken(str(one["message"]))) for one in remarks]
    return [banner("warn", "Packets of a recording are missing", *missing)] if missing else []


def _but(record: RunRecord, expectation: Mapping[str, Any]) -> str:
    """In the units of the measure if the expectation belongs to one."""
    dimension = next(
        (str(m["dimension"]) for m in record.data["measures"] if any(e is expectation for e in m["expectations"])), ""
    )
    return f": it is {record.units.show(real(expectation['value']), dimension)}"


def _failure_banner(failure: Mapping[str, Any]) -> Markup:
    where = failure.get("span") or {}
    parts: list[Content] = []
    if where:
        parts.append(tag("p", f"{where.get('file')}, line {where.get('line')}, column {where.get('column')}"))
    parts += [tag("p", spoken(str(text))) for text in (*failure.get("notes", ()), *failure.get("hints", ()))]
    return banner("fail", f"The run stopped: {failure.get('message', '')}", *parts)


def _partial(record: RunRecord) -> str:
    """What is missing from the run, "" if nothing is."""
    data = record.data
    ran = data["replications"]
    finished = [one for one in ran if one["ended"] in ("until", "dead")]
    asked = int(data["manifest"]["replications"])
    if len(finished) == asked and not data["partial"]:
        return ""
    stopped = next((one for one in ran if one not in finished), None)
    in_model = bool((data.get("failure") or {}).get("transition"))
    why = f"It was {why_partial(stopped['ended'] if stopped else None, in_model)}"
    if asked == 1 and stopped:
        return f"{why} at time {record.time(stopped['time'])}; the figures cover the time before."
    if finished:
        return f"{why}; the figures are from {len(finished)} of {asked} replications."
    return f"{why} before any replication finished."


def _death(record: RunRecord, dead: Mapping[str, Any]) -> list[Markup]:
    """The death of a net; it is expected if the run was to last until then."""
    early = record.data["manifest"]["until"] is not None
    lacks = [tag("li", tag("code", one.transition), f" {one.text}") for one in record.reasons]
    why = tag("details", tag("summary", "why no transition can fire"), tag("ul", lacks), open=early)
    why = why if lacks else Markup("")
    if not early:
        said = tag("p", f"It ended at {record.time(dead['time'])}, when no transition could fire.", class_="note")
        return [content(said, why)]
    return [banner("warn", f"The net died at {record.time(dead['time'])}: no transition can fire", why)]


def _level_note(record: RunRecord) -> Markup:
    count = len(record.data["replications"])
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
    said = tag("p", f"± is half the 95 % confidence interval. {how} {doubt} {drawings}", class_="note")
    short = _too_short(record)
    return content(said, tag("p", short, class_="note") if short else None)


def _too_short(record: RunRecord) -> str:
    """What `±?` means, where a measure has it."""
    one, plan = record.data["replications"][0], record.data["manifest"]
    figures = [interval(each) for measure in record.data["measures"] for each in (measure, *measure["record"].values())]
    extensible = one["ended"] != "dead" and plan["until"] is not None
    begun, ended = float(plan["warmup"]), float(one["time"])
    moving = next((str(drift["name"]) for drift in record.data.get("unsettled") or ()), "")
    return run_length_note((each.longer for each in figures), begun, ended, extensible, record.time, moving)


# ---------------------------------------------------------------- utilisation and histories


def _utilisation(page: Page, places: Sequence[Row], transitions: Sequence[Row]) -> None:
    resources = [row for row in places if not math.isnan(row.figures["utilisation"].mean)]
    working = [row for row in transitions if row.figures["active"].mean > 0.0]
    halves = []
    if resources:
        text = "Share of the initial tokens that are in use or held by firings."
        made = tables.bars(resources, "utilisation", "Utilisation of resource places")
        halves.append(tag("div", tag("h3", "Resources in use"), tag("p", text, class_="note"), made))
    if working:
        text = "Share of time with at least one firing in progress."
        made = tables.bars(working, "active", "Activity of transitions")
        halves.append(tag("div", tag("h3", "Active transitions"), tag("p", text, class_="note"), made))
    if halves:
        page.section("utilisation", "Utilisation", tag("div", halves, class_="pair"))


def _over_time(page: Page, record: RunRecord, places: Sequence[Row]) -> None:
    """Queues first: places that are not resources, by their number of tokens."""
    if record.history is None:
        return
    history = record.history
    moving = [(row, history.tokens[list(row.members)].mean(axis=0)) for row in places]
    moving = [(row, values) for row, values in moving if np.ptp(values) > 0.0]
    if not moving:
        return

    def rank(entry: tuple[Row, Any]) -> tuple[bool, float]:
        row, values = entry
        return (not math.isnan(row.figures["utilisation"].mean), -float(values.max()))

    moving.sort(key=rank)
    lines = [
        (f"{row.name} (average of {row.copies})" if row.copies > 1 else row.name, values, number < LINES_AT_FIRST)
        for number, (row, values) in enumerate(moving[:LINES])
    ]
    ran = len(record.data["replications"])
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
    """The queues and resources whose number of tokens varies most; the elements of an array together."""
    if record.occupancy is None:
        return
    varied: list[tuple[bool, float, Row, np.ndarray[Any, np.dtype[np.float64]]]] = []
    for row in places:
        rows = [record.occupancy[member] for member in row.members]
        shares = np.zeros(max(map(len, rows)))
        for one in rows:
            shares[: len(one)] += np.array(one) / len(rows)
        if np.count_nonzero(shares) > 1:
            spread = float(shares @ np.arange(len(shares)) ** 2 - (shares @ np.arange(len(shares))) ** 2)
            varied.append((not math.isnan(row.figures["utilisation"].mean), -spread, row, shares))
    varied.sort(key=lambda entry: entry[:2])
    made = []
    for _, _, row, shares in varied[:OCCUPANCIES]:
        open_ended = len(shares) == LEVELS
        figure = figures.counts(list(shares), 0, "tokens", skip_zero=False, open_ended=open_ended, of="time")
        if figure is not None:
            caption = content(tag("b", tag("code", row.name)), f", empty {shares[0]:.1%} of the time.")
            made.append(page.figure(figure, f"Share of time by number of tokens in {row.name}", caption, LOW))
    if made:
        page.section("occupancy", "Tokens in places", tag("div", made, class_="pair"))


# ---------------------------------------------------------------- distributions


def _distributions(page: Page, record: RunRecord) -> None:
    parts = []
    drawn: list[Any] = []  # two measures of one sample have one histogram
    for index, measure in enumerate(record.data["measures"]):
        held = measure.get("histogram")
        made = [
            *([] if held in drawn else _sample(page, record, measure)),
            *_in_order(page, record, measure),
            *_series(page, record, measure, index),
            *_orders(page, measure),
        ]
        drawn.append(held)
        if made:
            heading = tag("h3", tag("code", str(measure["name"])))
            parts.append(content(heading, tag("div", made, class_="pair")))
    parts += _together(page, record)
    if parts:
        page.section("distributions", "Distributions and series", *parts)


def _sample(page: Page, record: RunRecord, measure: Mapping[str, Any]) -> list[Content]:
    held = measure.get("histogram")
    sample = figures.Distribution.of(held["buckets"], held["counts"]) if held else None
    if sample is None:
        return []
    name, dimension = str(measure["name"]), str(measure["dimension"])

    def at(share: float) -> str:
        return record.units.show(sample.quantile(share), dimension, 3)

    zero = f" {sample.zeros:.1%} are exactly 0." if sample.zeros and not sample.is_discrete else ""
    caption = content(tag("b", "Density"), f" of {number(sample.count)} values.{zero}")
    label = f"{name}: median {at(0.5)}, 90 % below {at(0.9)}, 99 % below {at(0.99)}"
    made: list[Content] = [page.figure(figures.density(sample, record.units, dimension), label, caption, LOW)]
    if not sample.is_discrete:
        quantiles = f": 90 % are below {at(0.9)}, 99 % below {at(0.99)}, 99.9 % below {at(0.999)}."
        beyond = content(tag("b", "Tail"), quantiles)
        made.append(page.figure(figures.tail(sample, record.units, dimension), f"Tail of {label}", beyond, LOW))
    return made


def _series(page: Page, record: RunRecord, measure: Mapping[str, Any], index: int) -> list[Content]:
    held = measure.get("series")
    if not held:
        return []
    window = None if record.net is None else record.net.measures[index].window
    start = float(record.data["manifest"]["warmup"])
    values = [np.array([real(one) for one in row]) for row in held.values()]
    dimension = str(measure["dimension"])
    figure = figures.series(start, window or 1.0, values, record.units, dimension, str(measure["name"]))
    if figure is None:
        return []
    length = f"windows of {record.time(window)}" if window else "equal windows"
    caption = content(tag("b", "Over time"), f", in {length}.")
    return [page.figure(figure, f"{measure['name']} over time", caption, LOW)]


def _in_order(page: Page, record: RunRecord, measure: Mapping[str, Any]) -> list[Content]:
    """The first values of a measure, one after the other."""
    name = str(measure["name"])
    values = record.gaps.get(name)
    if values is None or not len(values):
        return []
    caption = content(tag("b", "In order"), f": the first {number(len(values))} values.")
    figure = figures.in_order(values, record.units, str(measure["dimension"]), name)
    return [page.figure(figure, f"{name} in the order of events", caption, LOW)]


def _together(page: Page, record: RunRecord) -> list[Markup]:
    """Measures with series of one unit over the same windows, in one picture."""
    if record.net is None:
        return []
    alike: dict[tuple[float, str], list[tuple[str, Any]]] = {}
    for measure, declared in zip(record.data["measures"], record.net.measures, strict=True):
        if declared.window and measure.get("series"):
            values = np.array([real(one) for one in next(iter(measure["series"].values()))])
            alike.setdefault((declared.window, str(measure["dimension"])), []).append((str(measure["name"]), values))
    start = float(record.data["manifest"]["warmup"])
    made: list[Markup] = []
    for (window, dimension), lines in alike.items():
        if len(lines) > 1:
            names = ", ".join(name for name, _ in lines)
            figure = figures.several(start, window, lines, record.units, dimension)
            caption = content(tag("b", names), f" in windows of {record.time(window)}, of the first replication.")
            made.append(content(tag("h3", "Together"), page.figure(figure, f"{names} over time", caption)))
    return made


def _orders(page: Page, measure: Mapping[str, Any]) -> list[Content]:
    held = measure.get("distributions")
    if not held:
        return []
    made: list[Content] = []
    for name, heading, what, axis, first, skip_zero, is_open in ORDERS:
        values = [float(value) for value in held[name]]
        first = -(len(values) // 2) if name == "displacement" else first
        figure = figures.counts(values, first, axis, skip_zero=skip_zero, open_ended=is_open)
        if figure is not None:
            caption = content(tag("b", heading), ". ", what)
            made.append(page.figure(figure, f"{heading} of {measure['name']}", caption, LOW))
    return made or [tag("p", "Nothing arrived out of order.", class_="note")]


# ---------------------------------------------------------------- tables


def _details(page: Page, record: RunRecord, places: Sequence[Row], transitions: Sequence[Row]) -> None:
    net = record.net
    place_docs = {} if net is None else {index: one.doc for index, one in enumerate(net.places)}
    docs = {} if net is None else {index: one.doc for index, one in enumerate(net.transitions)}
    made: list[Content] = []
    for title, shown, key, show, known in (
        ("Places", places, "places", tables.places_table, place_docs),
        ("Transitions", transitions, "transitions", tables.transitions_table, docs),
    ):
        if not shown:
            continue
        made.append(content(tag("h3", title), show(record, shown, known)))
        if any(row.copies > 1 for row in shown):
            each = show(record, rows_of(record.data, key, fold=False), known)
            made.append(tag("details", tag("summary", "each element of the arrays"), each))
    if made:
        folded = any(row.copies > 1 for row in (*places, *transitions))
        note = tag("p", f"{ARRAYS}.", class_="note") if folded else None
        page.section("details", "Places and transitions", note, *made)


def provenance(record: RunRecord) -> list[Content]:
    data = record.data
    manifest = data["manifest"]
    entries: list[tuple[str, Content]] = [
        ("seed", str(manifest["seed"])),
        ("until", "dead" if manifest["until"] is None else f"{manifest['until']:.12g} {data['time_unit']}"),
        ("warm-up", f"{manifest['warmup']:.12g} {data['time_unit']}"),
        ("engine", str(manifest["engine"])),
        ("pnsim", str(manifest["version"])),
        ("Python, machine", f"{manifest['python']}, {manifest['machine']}"),
        ("flat net (SHA-256)", tag("code", str(manifest["net_hash"]))),
        ("trajectories", tag("code", str(manifest["hash"]))),
    ]
    parts: list[Content] = [tables.pairs(entries)]
    if manifest["parameters"]:
        parts += [tag("h3", "Parameters"), _parameters(record, manifest["parameters"])]
    rows = [
        (
            str(one["index"]),
            str(one["ended"]),
            record.time(one["time"]),
            number(float(one["firings"])),
            f"{one['seconds']:.3g} s",
            tag("code", str(one["hash"])),
        )
        for one in data["replications"]
    ]
    how = " on the JSON of this result repeats a replication and compares its hash."
    repeat = tag("p", tag("code", "pnsim rerun"), how, class_="note")
    replications = tables.table(REPLICATIONS, rows, "Replications")
    if len(rows) > 10:
        replications = tag("details", tag("summary", f"all {len(rows)}"), replications)
    return [*parts, tag("h3", "Replications"), replications, repeat]


def _parameters(record: RunRecord, values: Mapping[str, Any]) -> Markup:
    known = {} if record.net is None else {one.name: one for one in record.net.parameters}
    rows = []
    for name, value in values.items():
        parameter = known.get(str(name))
        text = parameter_text(record.units, parameter, value)
        rows.append((str(name), text, parameter.doc if parameter else ""))
    return tables.parameters(rows)
