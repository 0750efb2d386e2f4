"""The best setting of a net's parameters, and those of measured figures, in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from shlex import quote

from petri.experiment.design.definition import shown
from petri.experiment.tuning.calibration import Calibration
from petri.experiment.tuning.evaluation import Setting
from petri.experiment.tuning.procedure import Tuned
from petri.measure.figures import figures
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units, counted
from petri.wording.entry import listed

SHOWN = 12  # settings


def setting_columns(tuned: Tuned) -> list[Column]:
    """Return the best settings; of two aims, the front."""
    rows = (tuned.front or tuned.tried)[: SHOWN if not tuned.front else None]
    units = Units.of(tuned.net)
    columns = [
        Column(axis.name, [shown(row.values[axis.name]) for row in rows], "name" if not place else "figure")
        for place, axis in enumerate(tuned.axes)
    ]
    for figure in figures(tuned.net, tuned.tuning.figures):
        dimension = shown_dimension(figure.dimension)
        texts = [_figure(row, figure.name, dimension, units) for row in rows]
        columns.append(Column(figure.name, texts))
    failing = set() if tuned.front else {id(row) for row in tuned.tried[tuned.meeting :]}
    marks = ["✓" if row is tuned.best else "✗" if id(row) in failing else "" for row in rows]
    runs = ["exact" if row.exact else f"{row.replications:,}" for row in rows]
    return [*columns, Column("runs", runs, rank=1), Column("", marks, left=True)]


def _figure(one: Setting, name: str, dimension: str, units: Units) -> str:
    return (
        units.show(one.mean(name), dimension)
        if one.exact
        else units.show_with_error(one.mean(name), one.half_width(name), dimension)
    )


def heading(tuned: Tuned) -> str:
    """Return what was asked, and what it took."""
    aims = " and ".join(f"{'least' if sign > 0 else 'greatest'} {name}" for name, sign in tuned.tuning.aims.items())
    where = f" where {tuned.tuning.where}" if tuned.tuning.where else ""
    return f"{aims}{where}: {counted(len(tuned.tried), 'setting')} tried, {counted(tuned.replications, 'replication')}"


def answer(tuned: Tuned) -> str:
    """Return the best setting in a line that `--set` takes."""
    if tuned.front:
        return f"{counted(len(tuned.front), 'setting')} that no other beats in both."
    if not tuned.tried and tuned.failed:
        return "The net has figures at no setting that was tried."
    if not tuned.tried:
        return "No setting has all its replications yet: --store FILE.db keeps them for the next time."
    if tuned.best is None:
        return "No setting that was tried meets the condition."
    values = tuned.best.values.items()
    return "best: " + " ".join(f"--set {name}={quote(shown(value))}" for name, value in values)


def remarks(tuned: Tuned) -> Iterator[str]:
    """Yield what is not certain."""
    if tuned.failed:
        first = tuned.failed[0]
        place = ", ".join(f"{name}={shown(value)}" for name, value in first.values.items())
        yield f"Without figures: {counted(len(tuned.failed), 'setting')}, the first of them {place}: {first.failed}."
    if tuned.tried and not tuned.meeting:
        nearest = tuned.tried[0].values.items()
        yield "nearest to it: " + ", ".join(f"{name}={shown(value)}" for name, value in nearest)
    if tuned.best is not None and not tuned.certain and not tuned.interrupted:
        yield "Others may be as good: --max-replications lets more replications decide."
    at_end = [
        axis.name for axis in tuned.axes
        if tuned.best is not None and not axis.named and tuned.best.values[axis.name] in _ends(axis.name, tuned)
    ]  # fmt: skip
    if at_end:
        names = listed([f"`{name}`" for name in at_end])
        yield f"{names} is at an end of its range: a wider one may have a better setting."


def _ends(name: str, tuned: Tuned) -> tuple[object, object]:
    axis = next(one for one in tuned.axes if one.name == name)
    return (axis.values[0], axis.values[-1]) if axis.values else (axis.at(0.0), axis.at(1.0))


def parameter_columns(found: Calibration) -> list[Column]:
    """Return the parameters with their uncertainty."""
    texts, ranges = [], []
    for axis in found.axes:
        assert axis.between is not None
        half, value, unit = found.half_widths[axis.name], found.values[axis.name], axis.between.unit
        number = float(str(value).split()[0])
        text = f"{number:.4g} ± {half:.2g}" if math.isfinite(half) else "not determined"
        texts.append(f"{text} {unit}".rstrip() if math.isfinite(half) else text)
        ranges.append(str(axis.between))
    names = [axis.name for axis in found.axes]
    return [Column("Parameter", names, "name"), Column("value ± 95%", texts), Column("range", ranges, rank=1)]


def match_columns(found: Calibration) -> list[Column]:
    """Return the measured figures beside those of the net."""
    units = Units.of(found.net)
    kinds = {figure.name: shown_dimension(figure.dimension) for figure in figures(found.net, list(found.figures))}
    rows = found.figures.items()
    return [
        Column("Figure", list(found.figures), "name"),
        Column("measured", [units.show_with_error(value, error, kinds[name]) for name, (value, error, _) in rows]),
        Column("net", [units.show(own, kinds[name]) for name, (_, _, own) in rows]),
        Column("off by", [f"{(own - value) / error:+.1f} errors" for _, (value, error, own) in rows]),
    ]


def match_remarks(found: Calibration) -> Iterator[str]:
    """Yield what the figures do not determine."""
    for names in found.alike:
        quoted = listed([f"`{name}`" for name in names])
        if len(names) > 1:
            yield f"The figures cannot tell {quoted} apart: fix one, or measure what they change differently."
        else:
            yield f"The figures say nothing of {quoted}: fix it, or measure a figure on which it acts."
    if found.probability < 0.01:
        yield (
            f"The net does not fit these figures at any setting (p = {found.probability:.1g}): the intervals hold only"
            " if it does."
        )
