"""Sensitivities as tables and sentences: what changes a figure, and what is noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from petri.experiment.sensitivity.local import Effect
from petri.experiment.sensitivity.overall import Indices
from petri.experiment.sensitivity.study import Sensitivity
from petri.measure.figures import Figure
from petri.measure.intervals import Interval
from petri.report.telling.columns import Column
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import NOTHING, Units, counted

MOST_NAMED = 12  # of what has no effect
SMALL = "~: the figure bends within the smallest step, so this may be off by more than the interval says"


def heading(found: Sensitivity) -> str:
    """`24 nets, 10 replications of each, seed 1`: what was run for it."""
    nets = counted(found.nets, "net")
    if found.replications is None:
        return f"exact differences of {nets}"
    return f"{nets}, {counted(found.replications, 'replication')} of each, seed {found.seed}, 95 % intervals"


def effect_tables(found: Sensitivity, every: bool) -> Iterator[tuple[list[Column], str]]:
    """Yield, for each figure, the table of what changes it, and what has no effect. every: with all rows."""
    units = Units.of(found.net)
    for one in found.figures:
        effects = found.effects.get(one.name, ())
        rows = [effect for effect in effects if every or effect.certain]
        title = f"{one.name} {units.show_interval(found.base[one.name], shown_dimension(one.dimension))}"
        yield _columns(title, rows, one, units), "" if every else _rest(effects)


def _columns(title: str, rows: Sequence[Effect], figure: Figure, units: Units) -> list[Column]:
    dimension = shown_dimension(figure.dimension)
    return [
        Column(title, [one.factor.name for one in rows], "name"),
        Column("if", [one.factor.text for one in rows], left=True),
        Column("changes by", [_marked(one, one.relative, "share", Units()) for one in rows]),
        Column("that is", [_marked(one, one.change, dimension, units) for one in rows], rank=1),
        *([] if all(one.certain for one in rows) else [Column("", [_verdict(one) for one in rows], left=True)]),
    ]


def _verdict(one: Effect) -> str:
    return "" if one.certain else "noise" if one.change.half_width else "none"


def _marked(effect: Effect, interval: Interval, dimension: str, units: Units) -> str:
    text = signed(interval, dimension, units)
    return f"{text}~" if effect.bends and text != NOTHING else text


def signed(interval: Interval, dimension: str, units: Units) -> str:
    """Return a difference with its sign: `+3.2 ± 0.4 %`."""
    if math.isnan(interval.mean):
        return NOTHING
    text = units.show_with_error(interval.mean, interval.half_width, dimension, difference=True)
    return text if interval.mean <= 0.0 or text.startswith("(") else f"+{text}"


def _rest(effects: Sequence[Effect]) -> str:
    """Return the sentences that name what is noise, and what changes nothing at all."""
    left = [one for one in effects if not one.certain]
    noisy = [one for one in left if not one.change.half_width == 0.0]
    none = [one for one in left if one.change.half_width == 0.0]
    widest = max((abs(one.relative.mean) + one.relative.half_width for one in noisy), default=math.nan)
    said = [f"noise, each below {100 * widest:.2g} %: {_named(noisy)}" if widest < math.inf else f"noise: {_named(noisy)}"]
    said = said if noisy else []
    return "; ".join(said + ([f"no change at all: {_named(none)}"] if none else []))


def _named(effects: Sequence[Effect]) -> str:
    names = list(dict.fromkeys(one.factor.name for one in effects))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def remarks(found: Sensitivity) -> list[str]:
    """Return what a reader must know besides: factors that could not be changed, slopes that bend."""
    said = [f"`{one.factor.name}` could not be changed: {one.reason.message}" for one in found.refused]
    bends = any(effect.bends for effects in found.effects.values() for effect in effects)
    return [*said, SMALL] if bends else said


# ---------------------------------------------------------------- over whole ranges


def index_tables(found: Sensitivity) -> Iterator[tuple[list[Column], str]]:
    """Yield, for each figure, the table of its indices, and how much it varies."""
    units = Units.of(found.net)
    for one in found.figures:
        if one.name in found.indices:
            yield _index_columns(one, found.indices[one.name], units), _varies(one, found.indices[one.name], units)


def _index_columns(figure: Figure, indices: Indices, units: Units) -> list[Column]:
    rows, dimension = indices.parameters, shown_dimension(figure.dimension)
    return [
        Column(figure.name, [one.name for one in rows], "name"),
        Column("over", [one.over for one in rows], left=True),
        Column("alone", [_share(one.alone) for one in rows]),
        Column("in total", [_share(one.total) for one in rows]),
        Column("over its range", [signed(one.effect, dimension, units) for one in rows], rank=1),
        Column("spread", [units.show(one.spread, dimension, 2) for one in rows], rank=2),
    ]


def _share(index: Interval) -> str:
    return Units().show_with_error(index.mean, index.half_width, difference=True)


def _varies(figure: Figure, indices: Indices, units: Units) -> str:
    mean, deviation, noise = (
        units.show(value, shown_dimension(figure.dimension), 3)
        for value in (indices.mean, indices.deviation, indices.noise)
    )
    taken = f"; the noise of a point, {noise}, is taken out" if indices.noise else ""
    if not indices.deviation:
        return f"mean {mean}; it varies by less than its noise, {noise}: more replications (-n) or wider ranges"
    return f"mean {mean}, deviation {deviation} over the ranges{taken}"
