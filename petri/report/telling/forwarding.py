"""The table of RFC 2544 in words, for the terminal and the page."""

from __future__ import annotations

import math
from collections.abc import Iterable

from petri.experiment.design.definition import shown
from petri.experiment.design.sampling import Value
from petri.experiment.forwarding.definition import SHARES
from petri.experiment.forwarding.outcome import ForwardingOutcome, SizeResult
from petri.experiment.results.summary import PointOutcome
from petri.measure.intervals import Interval
from petri.net import split_unit
from petri.report.telling.columns import Column
from petri.report.telling.quantities import NOTHING, Scale, Units, number
from petri.report.telling.search import share as percent
from petri.report.telling.unsettled import marked, movement, note

DIGITS = 4


def columns(outcome: ForwardingOutcome) -> list[Column]:
    """Return the table, with a row for each size; a heading may have two lines. Figures without intervals."""
    rows, units = outcome.rows, Units.of(outcome.net)
    made = [Column(name, [_value(row.found.parameters.get(name)) for row in rows]) for name in outcome.others]
    if outcome.roles.size:
        made.append(Column(outcome.roles.size, [_value(row.size) for row in rows], style="cyan"))
    made.append(Column(outcome.roles.load, [_load(row) for row in rows]))
    carried = [_moves(row.carried, outcome.roles.throughput) for row in rows]
    rates = [outcome.frame_rate(row) for row in rows]
    if any(rates):
        cells = [_shown(units, rate, "events") for rate in rates]
        made.append(Column("frames", list(map(marked, cells, carried))))
    throughput = outcome.figure("throughput")
    if throughput is not None and split_unit(throughput.dimension)[0] == "Rate":
        cells = [_shown(units, outcome.throughput(row), throughput.dimension) for row in rows]
        made.append(Column("throughput", list(map(marked, cells, carried)), rank=3))
    made += _delay_columns(outcome)
    loss = outcome.figure("loss")
    if loss is not None:
        cells = [_shown(units, outcome.full_loss(row), loss.dimension, 3) for row in rows]
        moving = [_moves(_at_full_load(row), outcome.roles.loss) for row in rows]
        made.append(Column("loss", list(map(marked, cells, moving)), rank=1))
    if any(row.bursts for row in rows):
        made.append(Column("burst", [_burst(outcome, row, units) for row in rows], rank=2))
    return made


def _delay_columns(outcome: ForwardingOutcome) -> list[Column]:
    if not outcome.roles.delay:
        return []
    scale = delay_scale(outcome)
    return [
        Column(
            f"{'delay' if share == 1.0 else ''}\n{share:.0%}",
            [
                marked(_scaled(outcome.delay(row, share), scale), _moves(row.delays.get(share), outcome.roles.delay))
                for row in outcome.rows
            ],
        )
        for share in SHARES
    ]


def legend(outcome: ForwardingOutcome) -> list[str]:
    """Return what the columns are."""
    roles = outcome.roles
    found = [row.found.probability for row in outcome.rows if row.found.status == "found"]
    right = f"; right with a probability of at least {percent(min(found))} each" if found else ""
    lines = [f"{roles.load}: the throughput of RFC 2544{right}"]
    if roles.delay:
        unit = delay_scale(outcome).unit
        lines.append(f"delay: {roles.delay}{f' in {unit}' if unit else ''} at 100, 75, 50 and 25 % of this load")
    lines.append(f"loss: {roles.loss} at full load")
    if any(row.bursts for row in outcome.rows):
        unit = "frames" if any(map(outcome.counts_frames, outcome.rows)) else "time"
        lines.append(f"burst: {unit} at full load before the first loss")
    if moving := _unsettled_note(outcome):
        lines.append(moving)
    return lines


def _unsettled_note(outcome: ForwardingOutcome) -> str:
    """Return what the marks of the table mean; "" without any."""
    units, found = Units.of(outcome.net), []
    for row in outcome.rows:
        shown_at = [(row.carried, "throughput"), *((point, "delay") for point in row.delays.values())]
        for point, role in [*shown_at, (_at_full_load(row), "loss")]:
            figure = outcome.figure(role)
            if point is not None and figure is not None and _moves(point, figure.name):
                found.append(movement(point, point.unsettled[figure.name], figure.dimension, units))
    return note(found)


def _at_full_load(row: SizeResult) -> PointOutcome | None:
    return row.losses[0][1] if row.losses else None


def _moves(point: PointOutcome | None, name: str) -> bool:
    """Return whether a figure of a point still moves at the end of the runs."""
    return point is not None and name in point.unsettled


def delay_scale(outcome: ForwardingOutcome) -> Scale:
    """Return one unit for all delays: that of the least."""
    figure = outcome.figure("delay")
    means = [delay.mean for delay in _delays(outcome) if math.isfinite(delay.mean)]
    return Units.of(outcome.net).scale(min(means, default=0.0), figure.dimension if figure else "")


def _delays(outcome: ForwardingOutcome) -> Iterable[Interval]:
    return [one for row in outcome.rows for share in SHARES if (one := outcome.delay(row, share)) is not None]


def _value(value: Value | None) -> str:
    return NOTHING if value is None else shown(value)


def _load(row: SizeResult) -> str:
    return _value(row.found.value) + ("" if row.found.certain else "?")


def _shown(units: Units, one: Interval | None, dimension: str, digits: int = DIGITS) -> str:
    return NOTHING if one is None else units.show(one.mean, dimension, digits)


def _scaled(one: Interval | None, scale: Scale) -> str:
    return NOTHING if one is None or math.isnan(one.mean) else number(one.mean * scale.factor, DIGITS)


def _burst(outcome: ForwardingOutcome, row: SizeResult, units: Units) -> str:
    found = outcome.burst(row)
    if found is None or row.bursts is None:
        return NOTHING
    text = number(math.floor(found.mean)) if outcome.counts_frames(row) else units.show(found.mean, "Time")
    return text if row.bursts.complete else f">{text}"
