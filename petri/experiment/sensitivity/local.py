"""How much figures change with each factor: differences of replications with common random numbers.

The slope of a figure along a real parameter or a time is taken from four nets, one and two steps h to each side:
f′ = (8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12h, whose bias is of the order h⁴. What this takes off the difference
with one step, b, tells how far the figure is from a line; the bias that is left is about 4 b² / |f′|, as if each order
were b/f′ of the one before. Where b is not noise and this is more than an eighth of the interval's half-width, the step
is halved, as long as that makes b smaller: of a figure with jumps it does not. The interval is wider by a b that stays.
At the end of a parameter's range, the nets are all to one side: f′ = (4 f(h) − f(2h) − 3 f(0)) / 2h.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from petri.diagnostics import Diagnostic, LanguageError
from petri.experiment.errors import ExperimentError
from petri.experiment.procedure.points import Interrupted
from petri.experiment.sensitivity.factors import STEP, Factor
from petri.experiment.sensitivity.measuring import LEVEL, Measured, Sampled, weighted
from petri.measure.intervals import Interval
from petri.net import Net

HALVINGS: Final = 4
EXACT_STEP: Final = 1e-3
NEGLIGIBLE: Final = 1 / 8  # a bias, as a share of the half-width
RESOLUTION: Final = 1e-3  # the same, as a share of the slope where nothing is random
ROUNDING: Final = 1e-9  # of a figure: a difference that is none, as ends of runs are rounded to ticks

Weights = Mapping[float, float]
Watcher = Callable[[int, int, str], None]
"""Is told how many nets or factors are done, of how many, and which is next."""


@dataclass(frozen=True)
class Effect:
    """How much a figure changes with a factor. change: in the figure's unit; relative: as a share of it.

    slope: per unit of a real parameter. certain: it is not noise (the error is shared by all factors). step: of the
    differences, as a share.
    """

    factor: Factor
    change: Interval
    relative: Interval
    slope: Interval | None
    certain: bool
    step: float

    @property
    def size(self) -> float:
        """What effects are ordered by."""
        sizes = [abs(one.mean) for one in (self.relative, self.change)]
        return next((size for size in sizes if math.isfinite(size)), -1.0)


@dataclass
class Local:
    """Finds the effects of factors, one after the other: by figure. refused: why a factor has none, by its name."""

    measure: Callable[[Net], Measured]
    net: Net
    names: Sequence[str]
    factors: Sequence[Factor]
    exact: bool = False
    effects: dict[str, list[Effect]] = field(default_factory=dict)
    refused: dict[str, Diagnostic] = field(default_factory=dict)
    base: Measured = field(default_factory=dict)
    nets: int = 1

    def run(self, watch: Watcher | None = None) -> bool:
        """Until all are done; returns whether it was interrupted. Raises as `measure` does for the net itself."""
        self.effects = {name: [] for name in self.names}
        try:
            self.base = self.measure(self.net)
            for number, factor in enumerate(self.factors):
                if watch is not None:
                    watch(number, len(self.factors), factor.name)
                self._follow(factor)
        except (Interrupted, KeyboardInterrupt):
            return True
        finally:
            for found in self.effects.values():
                found.sort(key=lambda one: (not one.certain, -one.size))
        return False

    def _follow(self, factor: Factor) -> None:
        known: dict[float, Measured] = {0.0: self.base}

        def at(offset: float) -> Measured:
            if offset not in known:
                known[offset] = self.measure(factor.at(offset))
                self.nets += 1
            return known[offset]

        try:
            found = self._slopes(factor, at) if factor.smooth else self._differences(factor, at)
        except LanguageError as error:
            self.refused[factor.name] = error.diagnostics[0]
        except ExperimentError as error:
            self.refused[factor.name] = error.diagnostic
        else:
            for name, effect in found.items():
                self.effects[name].append(effect)

    def _differences(self, factor: Factor, at: Callable[[float], Measured]) -> dict[str, Effect]:
        there = at(1.0)
        return {
            name: self._effect(factor, name, weighted([(1.0, there[name]), (-1.0, self.base[name])]), 1.0)
            for name in self.names
        }

    def _slopes(self, factor: Factor, at: Callable[[float], Measured]) -> dict[str, Effect]:
        """Halve the step for those figures of which the bias matters."""
        found: dict[str, Effect] = {}
        biases = dict.fromkeys(self.names, math.inf)  # of those whose bias matters
        share = min(EXACT_STEP if self.exact else STEP, max(factor.high, -factor.low) / 2.0)
        for _ in range(HALVINGS):
            step = factor.step(share)
            if not found and not self.exact and (noise := self._noise(factor, step, at)):
                return noise
            high, low = self._difference(factor, step, at)
            for name, before in list(biases.items()):
                slope, lower = (weighted([(w, at(x)[name]) for x, w in weights.items()]) for weights in (high, low))
                slope, bias = self._with_bias(slope, lower)
                if bias <= before / 2.0:
                    found[name], biases[name] = self._effect(factor, name, slope, step), bias
                if not 0.0 < bias <= before / 2.0:
                    del biases[name]
            share = step / 2
            if not biases or factor.step(share) >= step:
                break
        return found

    def _noise(self, factor: Factor, step: float, at: Callable[[float], Measured]) -> dict[str, Effect]:
        """Return the differences with one step if all are noise: what bias they have is a small part of them."""
        if not factor.low <= -step < step <= factor.high:
            return {}
        weights = _both_sides(step)[1]
        found = {name: weighted([(w, at(offset)[name]) for offset, w in weights.items()]) for name in self.names}
        if any(abs(one.interval().mean) > one.interval().half_width for one in found.values()):
            return {}
        return {name: self._effect(factor, name, one, step) for name, one in found.items()}

    def _difference(self, factor: Factor, h: float, at: Callable[[float], Measured]) -> tuple[Weights, Weights]:
        """Return the weights of the nets in the slope, and in the one of lower order.

        A side that the parameter's range or an error closes is left out.
        """
        for sides, (high, low) in _differences(h):
            if all(factor.low <= side * h <= factor.high for side in sides):
                try:
                    for offset in high:
                        at(offset)
                except (LanguageError, ExperimentError) as error:
                    reason = error
                    continue
                return high, low
        raise reason

    def _with_bias(self, slope: Sampled, lower: Sampled) -> tuple[Sampled, float]:
        """Return a slope that may be off by its bias, and that bias if it matters, else 0. lower: of a lower order."""
        mean, b = slope.interval(), weighted([(1.0, lower), (-1.0, slope)]).interval()
        off = abs(b.mean)
        bias = min(off, 4.0 * off**2 / abs(mean.mean)) if mean.mean else off
        if self.exact:
            return replace(slope, error=slope.error + bias), 0.0
        matters = off > b.half_width and bias > max(NEGLIGIBLE * mean.half_width, RESOLUTION * abs(mean.mean))
        return (replace(slope, error=off), off) if matters else (slope, 0.0)

    def _effect(self, factor: Factor, name: str, slope: Sampled, step: float) -> Effect:
        return effect(factor, self.base[name], slope, step, len(self.factors))


def effect(factor: Factor, base: Sampled, slope: Sampled, step: float, rows: int) -> Effect:
    """Return what a slope, or a difference, does to a figure. rows: between how many factors the error is shared."""
    now, change = base.interval().mean, weighted([(factor.change, slope)])
    if np.all(np.abs(change.values) <= ROUNDING * abs(now)):
        slope = change = Sampled(np.zeros_like(change.values), change.error)
    ratio = change.interval().mean / now if now else math.nan
    # The delta method: the ratio of two means that vary together.
    along = weighted([(1.0 / abs(now), change), (-ratio / abs(now), base)]) if now else change
    half = along.interval().half_width if now else math.nan
    relative = Interval(change.interval().mean / abs(now) if now else math.nan, half, change.interval().level, 0)
    strict = change.interval(1.0 - (1.0 - LEVEL) / max(rows, 1))
    certain = abs(strict.mean) > strict.half_width
    of_unit = None if math.isnan(factor.value) else weighted([(1.0 / factor.value, slope)]).interval()
    return Effect(factor, change.interval(), relative, of_unit, certain, step)


def _differences(h: float) -> Iterator[tuple[Sequence[float], tuple[Weights, Weights]]]:
    """Yield how far the nets lie to each side, in steps, and their weights: on both sides, or on one."""
    yield (-2.0, 2.0), _both_sides(h)
    for one in (h, -h):
        high = {one: 2 / one, 2 * one: -1 / (2 * one), 0.0: -3 / (2 * one)}
        yield (2.0 * one / h,), (high, {one: 1 / one, 0.0: -1 / one})


def _both_sides(h: float) -> tuple[Weights, Weights]:
    one, two = 2 / (3 * h), 1 / (12 * h)
    return {h: one, -h: -one, 2 * h: -two, -2 * h: two}, {h: 1 / (2 * h), -h: -1 / (2 * h)}
