"""Sensitivities as tables and sentences: what changes a figure, and what is noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from petri.experiment.sensitivity.factors import Factor
from petri.experiment.sensitivity.local import Effect
from petri.experiment.sensitivity.overall import Indices
from petri.experiment.sensitivity.study import Sensitivity
from petri.measure.figures import Figure
from petri.measure.intervals import Interval
from petri.net import Net
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import NOTHING, Units, counted, number, parameter_text

MOST_NAMED = 12  # of what has no effect


def heading(found: Sensitivity) -> str:
    """`24 nets, 10 replications of each, seed 1`: what was run for it."""
    nets = counted(found.nets, "net")
    if found.replications is None:
        return f"exact differences of {nets}"
    return f"{nets}, {counted(found.replications, 'replication')} of each, seed {found.seed}, 95 % intervals"


def effect_tables(found: Sensitivity, every: bool) -> Iterator[tuple[str, list[Column], str]]:
    """Yield, for each figure, it itself, what changes it, and what has no effect. every: with rows for all."""
    units = Units.of(found.net)
    for one in (figure for figure in found.figures if figure.name in found.base):
        effects = found.effects[one.name]
        rows = [effect for effect in effects if every or effect.certain]
        title = f"{one.name} {units.show_interval(found.base[one.name], shown_dimension(one.dimension))}"
        yield title, _columns(rows, one, units, found.net), "" if every else _rest(effects)


def _columns(rows: Sequence[Effect], figure: Figure, units: Units, net: Net) -> list[Column]:
    dimension = shown_dimension(figure.dimension)
    return [
        Column("if", [row.factor.name for row in rows], "name"),
        Column("", [change_text(row.factor, units, net) for row in rows], left=True),
        Column("changes by", [signed(row.relative, "share", Units()) for row in rows]),
        Column("that is", [signed(row.change, dimension, units) for row in rows], rank=1),
        *([] if all(row.certain for row in rows) else [Column(" ", [_verdict(row) for row in rows], left=True)]),
    ]


def change_text(factor: Factor, units: Units, net: Net) -> str:
    """`+10%`, `10% faster`, `64 B → 61 B`."""
    if factor.to is None:
        return factor.text
    of = next(parameter for parameter in net.parameters if parameter.name == factor.name)
    return f"{parameter_text(units, of, of.value)} → {parameter_text(units, of, factor.to)}"


def _verdict(one: Effect) -> str:
    return "" if one.certain else "noise" if one.change.half_width else "none"


def signed(interval: Interval, dimension: str, units: Units) -> str:
    """Return a difference with its sign: `+3.2 ± 0.4 %`."""
    if math.isnan(interval.mean):
        return NOTHING
    text = units.show_with_error(interval.mean, interval.half_width, dimension, difference=True)
    return text if interval.mean <= 0.0 or text.startswith("(") else f"+{text}"


def _rest(effects: Sequence[Effect]) -> str:
    """Return the sentences that name what is noise, and what changes nothing at all."""
    left = [effect for effect in effects if not effect.certain]
    noisy = [one for one in left if one.change.half_width != 0.0]
    none = [one for one in left if one.change.half_width == 0.0]
    widest = max((abs(one.relative.mean) + one.relative.half_width for one in noisy), default=math.nan)
    below = f", each below {number(100 * widest, 2)} %" if widest < math.inf else ""
    said = [f"noise{below}: {_named(noisy)}"] if noisy else []
    return "; ".join([*said, f"no change at all: {_named(none)}"] if none else said)


def _named(effects: Sequence[Effect]) -> str:
    names = list(dict.fromkeys(effect.factor.name for effect in effects))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def remarks(found: Sensitivity) -> list[str]:
    """Return what a reader must know besides: factors that could not be changed."""
    return [f"`{name}` could not be changed: {reason.message}" for name, reason in found.refused.items()]


# ---------------------------------------------------------------- over whole ranges


def index_tables(found: Sensitivity) -> Iterator[tuple[str, list[Column], str]]:
    """Yield, for each figure, its name, the table of its indices, and how much it varies."""
    units = Units.of(found.net)
    for figure in found.figures:
        if figure.name in found.indices:
            indices = found.indices[figure.name]
            yield figure.name, _index_columns(figure, indices, units), _varies(figure, indices, units)


def _index_columns(figure: Figure, indices: Indices, units: Units) -> list[Column]:
    rows, dimension = indices.parameters, shown_dimension(figure.dimension)
    return [
        Column("if", [row.name for row in rows], "name"),
        Column("over", [row.over for row in rows], left=True),
        Column("alone", [_share(row.alone) for row in rows]),
        Column("in total", [_share(row.total) for row in rows]),
        Column("over its range", [signed(row.effect, dimension, units) for row in rows], rank=1),
        Column("spread", [units.show(row.spread, dimension, 2) for row in rows], rank=2),
    ]


def _share(index: Interval) -> str:
    return Units().show_with_error(index.mean, index.half_width, "share", difference=True)


def _varies(figure: Figure, indices: Indices, units: Units) -> str:
    mean, deviation, noise = (
        units.show(value, shown_dimension(figure.dimension), 3)
        for value in (indices.mean, indices.deviation, indices.noise)
    )
    taken = f"; the noise of a point, {noise}, is taken out" if indices.noise else ""
    if not indices.deviation:
        return f"mean {mean}; it varies by less than its noise, {noise}: more replications (-n) or wider ranges"
    return f"mean {mean}, deviation {deviation} over the ranges{taken}"
