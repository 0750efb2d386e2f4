"""The figures of a run, as plotly reads them: densities, distributions, and histories over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from petri.measure.arrays import Floats
from petri.measure.histogram import Histogram, edge
from petri.measure.intervals import student_quantile
from petri.measure.observation import beyond_doubles
from petri.report.html.markup import plotted
from petri.report.html.page import Figure, axis, figure, logarithmic
from petri.report.html.palette import SERIES
from petri.report.telling.quantities import Scale, Units, number

BINS: Final = 80
MOST_ATOMS: Final = 40  # distinct values shown as separate bars
WIDE: Final = 30.0  # the axis is logarithmic if the 99 % quantile is at least this many times the median
ABOVE: Final = {"t": 34, "l": 12, "r": 16, "b": 12}  # margins that leave room for the names of quantiles
Numbers = np.ndarray[Any, np.dtype[np.floating[Any]]]
MARKED: Final = (("median", 0.5), ("99 %", 0.99))


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """A histogram as a distribution function that is linear within each bucket, plus the share of exact zeros."""

    edges: Floats
    reached: Floats  # share of all values up to each edge
    zeros: float
    values: Floats  # for each bucket, the edge nearest to zero
    shares: Floats
    count: int

    @staticmethod
    def of(histogram: Histogram) -> Distribution | None:
        """Make the distribution of a histogram; None without values."""
        buckets = sorted(histogram.buckets)
        held = np.array([histogram.buckets[number][0] for number in buckets], dtype=np.float64)
        if not held.sum() > 0.0:
            return None
        shares = held / held.sum()
        edges: list[float] = []
        reached: list[float] = []
        sofar = 0.0
        for bucket, share in zip(buckets, shares.tolist(), strict=True):
            low, high = sorted((edge(int(bucket)), edge(int(bucket) + (1 if bucket > 0 else -1)))) if bucket else (0, 0)
            if not edges or low > edges[-1]:
                edges.append(low)
                reached.append(sofar)
            sofar += share
            if bucket == 0:
                reached[-1] = sofar
                edges[-1] = 0.0
            else:
                edges.append(high)
                reached.append(sofar)
        zeros = float(sum(share for bucket, share in zip(buckets, shares.tolist(), strict=True) if bucket == 0))
        values = np.array([edge(int(bucket)) for bucket in buckets])
        return Distribution(np.array(edges), np.array(reached), zeros, values, shares, int(held.sum()))

    def quantile(self, share: float) -> float:
        """Return the bucket edge at which this share is reached."""
        return float(
            self.values[min(int(np.searchsorted(np.cumsum(self.shares), share - 1e-12)), len(self.values) - 1)]
        )

    @property
    def is_discrete(self) -> bool:
        """Whether the values look like a few separate ones: constants, or small whole numbers."""
        whole = bool(np.all(self.values == np.round(self.values))) and float(np.abs(self.values).max()) <= 256
        return len(self.values) <= 12 or (whole and len(self.values) <= MOST_ATOMS)

    def upto(self, value: float) -> float:
        return float(np.interp(value, self.edges, self.reached, left=0.0, right=1.0))


def density(sample: Distribution, units: Units, dimension: str) -> Figure:
    """Return the density of a sample, or the shares of its few values, with the median and the 99 % quantile marked."""
    scale = units.scale(sample.quantile(0.5) or sample.quantile(0.99), dimension)
    if sample.is_discrete:
        return _atoms(sample, scale)
    low, high = max(sample.edges[0], 0.0) if sample.zeros else sample.edges[0], sample.quantile(0.999)
    bottom = sample.quantile(0.01)
    wide = bottom > 0.0 and sample.quantile(0.99) / sample.quantile(0.5) > WIDE
    if wide:
        cuts = np.geomspace(max(bottom / 4, 1e-300), high, BINS + 1)
    else:
        cuts = np.linspace(low, max(high, low + 1e-12 * abs(low)), BINS + 1)
    reached = np.interp(cuts, sample.edges, sample.reached, left=0.0, right=1.0)
    if sample.zeros and not wide and cuts[0] == 0.0:
        reached[0] = sample.zeros + sum(s for v, s in zip(sample.values, sample.shares, strict=True) if v < 0.0)
    shown = cuts * scale.factor
    widths = np.diff(np.log10(shown)) if wide else np.diff(shown)
    heights = np.diff(reached) / widths
    per = "per factor of 10" if wide else f"per {scale.unit}" if scale.unit else ""
    trace = {
        **_line(np.repeat(shown, 2)[1:-1], np.repeat(heights, 2), "@accent", 1.5),
        "fill": "tozeroy",
        "fillcolor": "@fill",
        "hovertemplate": f"%{{x:.4g}} {scale.unit}<br>density %{{y:.4g}}<extra></extra>",
    }
    marks = _marks(sample, scale, wide, float(shown[0]))
    across, up = _values_axis(scale, shown, wide), axis(f"density {per}".strip(), rangemode="tozero")
    return figure([trace], across, up, margin=ABOVE, **marks)


def _marks(sample: Distribution, scale: Scale, wide: bool, left: float) -> dict[str, Any]:
    """Vertical lines at some quantiles."""
    shapes, notes = [], []
    for name, share in MARKED:
        value = sample.quantile(share) * scale.factor
        if value < left:
            continue
        line = {"color": "@soft", "width": 1, "dash": "dot"}
        shapes.append({"type": "line", "x0": value, "x1": value, "y0": 0, "y1": 1, "yref": "paper", "line": line})
        text = f"{name} {number(value, 3)}"
        at = math.log10(value) if wide else value
        place = {"yanchor": "top", "xanchor": "right"} if share > 0.9 else {"yanchor": "bottom", "xanchor": "center"}
        font = {"color": "@soft", "size": 12}
        notes.append({"x": at, "y": 1, "yref": "paper", "text": text, "showarrow": False, "font": font, **place})
    return {"shapes": shapes, "annotations": notes}


def _atoms(sample: Distribution, scale: Scale) -> Figure:
    values = sample.values * scale.factor
    span = float(values.max() - values.min())
    gaps = np.diff(values)
    width = float(gaps.min()) * 0.8 if len(gaps) else max(abs(float(values[0])) * 0.02, 0.02)
    hover = f"%{{x:.4g}} {scale.unit}<br>%{{y:.2%}}<extra></extra>"
    trace = _bars(_rounded(values), sample.shares, hover, width=max(width, span / 120))
    across = axis("value", scale.unit)
    if len(values) == 1:
        across["range"] = [float(values[0]) - 20 * width, float(values[0]) + 20 * width]
    return figure([trace], across, axis("share of values", tickformat=".0%", rangemode="tozero"))


def tail(sample: Distribution, units: Units, dimension: str) -> Figure:
    """Return the share of values above each value, on a logarithmic axis."""
    scale = units.scale(sample.quantile(0.5) or sample.quantile(0.99), dimension)
    above = 1.0 - sample.reached
    kept = above > 0.5 / sample.count
    step = max(int(kept.sum()) // 400, 1)
    x, y = (sample.edges * scale.factor)[kept][::step], above[kept][::step]
    wide = bool(len(x) and x[0] > 0.0 and sample.quantile(0.99) / max(sample.quantile(0.5), 1e-300) > WIDE)
    trace = {
        **_line(x, y, "@accent", 1.8),
        "hovertemplate": f"%{{y:.3%}} are above %{{x:.4g}} {scale.unit}<extra></extra>",
    }
    up = axis("share above", type="log", dtick=1, tickformat="~%")
    return figure([trace], _values_axis(scale, x, wide), up, margin=ABOVE)


def counts(
    values: Sequence[float], first: int, what: str, *, skip_zero: bool, open_ended: bool, of: str = "packets"
) -> Figure | None:
    """Return a distribution of whole numbers from `first` on, as shares of all; None if there is nothing to show.

    skip_zero: leave 0 out, which would dwarf the rest. open_ended: the last entry includes all greater values.
    """
    array = np.array(values, dtype=np.float64)
    total = array.sum()
    numbers = np.arange(first, first + len(array))
    kept = (array > 0) & ~((numbers == 0) & skip_zero)
    if not kept.any():
        return None
    last = numbers[-1]
    low, high = int(numbers[kept].min()), int(numbers[kept].max())
    inside = (numbers >= low) & (numbers <= high) & ~((numbers == 0) & skip_zero)
    names = [f"{n} or more" if open_ended and n == last else str(n) for n in numbers[inside].tolist()]
    hover = "%{customdata}: %{y:.3%}<extra></extra>"
    trace = _bars(numbers[inside].tolist(), array[inside] / total, hover, customdata=names)
    across = axis(what, **({"dtick": 1} if high - low < 12 else {}))
    if open_ended and high == last:
        across |= _ticks(low, high)
    return figure([trace], across, axis(f"share of {of}", tickformat="~%", rangemode="tozero"), bargap=0.15)


def _ticks(low: int, high: int) -> Figure:
    """Return the labels of an axis whose last number stands for all from it on: 0, 50, 100, 150, 200, ≥ 255."""
    step = max(next(step for step in (1, 2, 5, 10, 20, 50, 100, high) if (high - low) / step < 8), 1)
    ticks = [number for number in range(-(-low // step) * step, high, step) if high - number > step / 2]
    room = [low - 0.6, high + max(0.6, 0.05 * (high - low))]  # else the last text is left out
    texts = [*map(str, ticks), f"≥ {high}"]
    return {"tickmode": "array", "tickvals": [*ticks, high], "ticktext": texts, "range": room}


def steps(edges: Floats, lines: Sequence[tuple[str, Floats, bool]], units: Units, title: str) -> Figure:
    """Averages in windows of time: (name, values, initially shown) for each line."""
    scale = units.scale(float(edges[-1]), "Time")
    traces = [
        {
            **_named(name, "%{y:.4g}", edges * scale.factor, np.append(values, values[-1]), index, shape="hv"),
            **({} if visible else {"visible": "legendonly"}),
        }
        for index, (name, values, visible) in enumerate(lines)
    ]
    across, up = axis("time", scale.unit), axis(title, rangemode="tozero")
    return figure(traces, across, up, legend=True, hovermode="x unified")


@beyond_doubles
def series(
    start: float, window: float, replications: Sequence[Floats], units: Units, dimension: str, name: str
) -> Figure | None:
    """Return a measure in each window: the mean over replications, and the 95 % interval of that mean as a band."""
    length = min(len(values) for values in replications)
    if not length:
        return None
    table = np.array([values[:length] for values in replications])
    mean = table.mean(axis=0)
    known = mean[np.isfinite(mean)]
    if not len(known):
        return None
    across = units.scale(start + window * length, "Time")
    up = units.scale(float(np.abs(known).max()), dimension)
    times = _middles(start, window, length) * across.factor
    traces: list[dict[str, Any]] = []
    if len(replications) > 1:
        n = len(replications)
        half = student_quantile(0.975, n - 1) * table.std(axis=0, ddof=1) / math.sqrt(n)
        band = np.concatenate((mean + half, (mean - half)[::-1])) * up.factor
        traces.append(
            {
                "type": "scatter",
                "x": _rounded(np.concatenate((times, times[::-1]))),
                "y": _rounded(band),
                "fill": "toself",
                "fillcolor": "@fill",
                "opacity": 0.5,
                "line": {"width": 0},
                "hoverinfo": "skip",
                "name": "95 % interval",
            }
        )
    traces.append(
        {
            **_line(times, mean * up.factor, "@accent"),
            "name": plotted(name),
            "hovertemplate": f"%{{y:.4g}} {up.unit}<extra></extra>",
        }
    )
    legend = len(replications) > 1
    return figure(traces, axis("time", across.unit), axis(plotted(name), up.unit), legend=legend)


def several(start: float, window: float, lines: Sequence[tuple[str, Floats]], units: Units, dimension: str) -> Figure:
    """Return several measures of one dimension in the same windows, as (name, values) of one run."""
    length = max(len(values) for _, values in lines)
    known = np.concatenate([values[np.isfinite(values)] for _, values in lines])
    across = units.scale(start + window * length, "Time")
    up = units.scale(float(np.abs(known).max()) if len(known) else 0.0, dimension)
    hover = f"%{{y:.4g}} {up.unit}"
    traces = [
        _named(name, hover, _middles(start, window, len(values)) * across.factor, values * up.factor, index)
        for index, (name, values) in enumerate(lines)
    ]
    return figure(traces, axis("time", across.unit), axis("value", up.unit), legend=True, hovermode="x unified")


def in_order(values: Floats, units: Units, dimension: str, name: str) -> Figure:
    """Return values in the order of their events, as points."""
    up = units.scale(float(np.median(np.abs(values))), dimension)
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(1, len(values) + 1)),
        "y": _rounded(values * up.factor),
        "marker": {"color": "@s0", "size": 4},
        "hovertemplate": f"%{{x}}: %{{y:.4g}} {up.unit}<extra></extra>",
    }
    return figure([trace], axis("number of the event"), axis(plotted(name), up.unit, rangemode="tozero"))


def _line(x: Numbers, y: Numbers, colour: str, width: float = 1.6, **style: str) -> dict[str, Any]:
    line = {"color": colour, "width": width, **style}
    return {"type": "scatter", "mode": "lines", "x": _rounded(x), "y": _rounded(y), "line": line}


def _named(name: str, hover: str, x: Numbers, y: Numbers, number: int, **style: str) -> dict[str, Any]:
    """Return one of several lines, in the colour of its number."""
    return {**_line(x, y, f"@s{number % SERIES}", 1.6, **style), "name": plotted(name), "hovertemplate": hover}


def _bars(x: list[Any], shares: Floats, hover: str, **more: Any) -> dict[str, Any]:
    y, marker = _rounded(shares), {"color": "@s0"}
    return {"type": "bar", "x": x, "y": y, **more, "marker": marker, "hovertemplate": hover}


def _values_axis(scale: Scale, values: Floats, wide: bool) -> dict[str, Any]:
    """Logarithmic if the values, which ascend, are wide apart."""
    return axis("value", scale.unit, **(logarithmic(float(values[0]), float(values[-1])) if wide else {}))


def _middles(start: float, window: float, count: int) -> Floats:
    """Return the middles of consecutive windows of time."""
    return start + window * (np.arange(count, dtype=np.float64) + 0.5)


def _rounded(values: Numbers) -> list[float | None]:
    """Return numbers for the page: 6 significant digits; a value that is not finite is a gap."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]
