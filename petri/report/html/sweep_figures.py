"""The figures of a sweep: measures along one parameter, over two, and against samples of any."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from petri.experiment.design.definition import shown
from petri.experiment.design.preparation import in_one_unit
from petri.experiment.design.sampling import Value
from petri.experiment.results.outcome import Outcome
from petri.experiment.results.summary import PointOutcome
from petri.experiment.results.tables import ordered
from petri.measure.figures import Figure as Kept
from petri.measure.intervals import Interval
from petri.report.html.markup import plotted
from petri.report.html.page import Figure, axis, figure, logarithmic
from petri.report.html.palette import SERIES
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Scale, Units
from petri.report.telling.quantities import number as short

MOST_LINES: Final = 2 * SERIES
FEWEST_SHARES: Final = 4  # percentiles of one measure that make a distribution
DASHES: Final = ("solid", "dash")
# For an expected value: whether it was found, the name in the legend, colour and symbol.
VERDICTS: Final = ((True, "expected", "@pass", "diamond"), (False, "missed", "@fail", "diamond-open"))


@dataclass(frozen=True)
class PlotAxis:
    """A parameter that differs between points.

    `numbers` are the places of its values on an axis of numbers, in `unit`; None where they have none, such as names.
    """

    name: str
    values: tuple[Value, ...]
    numbers: tuple[float, ...] | None = None
    unit: str = ""

    @staticmethod
    def of(name: str, values: Sequence[Value]) -> PlotAxis:
        """Return the axis in ascending order if these are numbers, or quantities such as `600 kbps`, else in order of
        appearance.
        """
        distinct = ordered(list(values))
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in distinct):
            return PlotAxis(name, tuple(distinct), tuple(float(value) for value in distinct))
        quantities = in_one_unit(distinct)
        if quantities is None:
            return PlotAxis(name, tuple(distinct))
        numbers, unit = quantities
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        return PlotAxis(name, tuple(distinct[i] for i in order), tuple(numbers[i] for i in order), unit)

    @property
    def logarithmic(self) -> bool:
        """Whether the values look like powers: 1, 2, 4, 8."""
        if self.numbers is None or len(self.numbers) < 4 or self.numbers[0] <= 0.0:
            return False
        steps = [b / a if a else 1.0 for a, b in pairwise(self.numbers)]
        return min(steps) > 1.3 and max(steps) / min(steps) < 2.1

    def layout(self) -> dict[str, Any]:
        made = axis(plotted(self.name))
        if self.numbers is None:
            return {**made, "type": "category", "categoryarray": [label(value) for value in self.values]}
        if self.logarithmic:
            made |= logarithmic(self.numbers[0], self.numbers[-1])
        if len(self.values) <= 12:
            made |= {"tickmode": "array", "tickvals": list(self.numbers), "ticktext": [label(v) for v in self.values]}
        elif self.unit:
            made |= axis(plotted(self.name), plotted(self.unit))
        return made

    def position(self, value: Value) -> Value:
        if self.numbers is None:
            return label(value)
        return self.numbers[self.values.index(value)] if self.unit else value


def label(value: Value) -> str:
    return plotted(shown(value))


def axis_name(kept: Kept) -> str:
    """Short enough for the height of a figure; the heading above has the whole name."""
    return plotted(kept.name.rpartition(".")[2])


def axes(outcome: Outcome) -> list[PlotAxis]:
    """Return the parameters that differ, the one with the most values first; numbers before texts."""
    found = []
    for name in outcome.axes:
        one = PlotAxis.of(name, [point.parameters[name] for point in outcome.points if name in point.parameters])
        if len(one.values) > 1:
            found.append(one)
    return sorted(found, key=lambda one: (one.numbers is None, -len(one.values)))


def is_grid(outcome: Outcome, known: Sequence[PlotAxis]) -> bool:
    """Return whether the points are most of the combinations of few values, rather than a sample."""
    combinations = math.prod(len(axis.values) for axis in known)
    few = all(len(axis.values) < len(outcome.points) for axis in known)
    return len(known) == 1 or (few and 2 * len(outcome.points) >= combinations)


def scale_of(outcome: Outcome, kept: Kept, units: Units) -> Scale:
    """Return the unit that suits the greatest value."""
    return units.scale(max(map(abs, known_values(outcome, kept)), default=0.0), shown_dimension(kept.dimension))


def known_values(outcome: Outcome, kept: Kept) -> list[float]:
    """Return the values of the points that have the figure."""
    values = [point.intervals[kept.name].mean for point in outcome.points]
    return [value for value in values if math.isfinite(value)]


def curves(outcome: Outcome, kept: Kept, units: Units, known: Sequence[PlotAxis]) -> Figure:
    """Return the measure along the first axis, a line for each value of the others, with error bars and expected
    values.
    """
    along, others = known[0], known[1:]
    scale = scale_of(outcome, kept, units)
    traces: list[dict[str, Any]] = []
    colours: dict[str, str] = {}
    for number, (key, points) in enumerate(curve_lines(outcome, known)):
        colours |= {point.label: f"@s{number % SERIES}" for point in points}
        traces.append(_line(points, kept, along, scale, plotted(line_name(others, key) or kept.name), number))
    traces += _expected(outcome, kept, along, scale, colours if others else {})
    up = axis(axis_name(kept), scale.unit, **_range(outcome, kept, along, scale))
    return figure(traces, along.layout(), up, legend=len(traces) > 1)


def stated_curves(outcome: Outcome, kept: Kept, units: Units, known: Sequence[PlotAxis]) -> Figure:
    """Return the expected values of a measure alone, with the axes, the lines and the colours of `curves`."""
    along, others = known[0], known[1:]
    scale = scale_of(outcome, kept, units)
    traces: list[dict[str, Any]] = []
    for number, (key, points) in enumerate(curve_lines(outcome, known)):
        stated = [(p, one.value) for p in points for one in p.checked if one.expected.measure == kept.name]
        name = plotted(line_name(others, key) or kept.name)
        if stated:
            traces.append(
                {
                    **line(number, name),
                    "x": [along.position(point.parameters[along.name]) for point, _ in stated],
                    "y": [finite(value * scale.factor) for _, value in stated],
                    "hovertemplate": f"%{{y:.4g}} {scale.unit}<extra>{name}</extra>",
                }
            )
    legend = len(traces) > 1
    traces.append(_unseen(outcome, kept, along, scale))
    up = axis(axis_name(kept), scale.unit, **_range(outcome, kept, along, scale))
    return figure(traces, along.layout(), up, legend=legend)


def _unseen(outcome: Outcome, kept: Kept, along: PlotAxis, scale: Scale) -> dict[str, Any]:
    """Return the ends of our intervals, so that axes that adapt to what they show cover the same range as in
    `curves`.
    """
    points = [point for point in outcome.points if along.name in point.parameters]
    known = [(point.parameters[along.name], point.intervals[kept.name]) for point in points]
    reached = [(along.position(at), end * scale.factor) for at, one in known for end in (one.low, one.mean, one.high)]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x for x, _ in reached],
        "y": [finite(y) for _, y in reached],
        "opacity": 0,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def curve_lines(outcome: Outcome, known: Sequence[PlotAxis]) -> list[tuple[tuple[Value, ...], list[PointOutcome]]]:
    """Return the points of each combination of the other axes, in the order of the first one."""
    along, others = known[0], known[1:]
    lines: dict[tuple[Value, ...], list[PointOutcome]] = {}
    for point in outcome.points:
        if along.name in point.parameters:
            lines.setdefault(tuple(point.parameters.get(axis.name, "") for axis in others), []).append(point)
    order = {value: number for number, value in enumerate(along.values)}
    for points in lines.values():
        points.sort(key=lambda point: order[point.parameters[along.name]])
    return sorted_lines(lines, others)[:MOST_LINES]


def line_name(others: Sequence[PlotAxis], key: Sequence[Value]) -> str:
    return ", ".join(f"{axis.name} {shown(value)}" for axis, value in zip(others, key, strict=True))


def deviations(outcome: Outcome) -> list[tuple[str, Kept, Kept]]:
    """Add the measures of which the mean and the standard deviation were kept: name, mean, deviation."""
    kept = {one.name: one for one in outcome.figures}
    names = [name.removesuffix(".std") for name in kept if name.endswith(".std")]
    means = [(name, kept.get(f"{name}.mean", kept.get(name)), kept[f"{name}.std"]) for name in names]
    return [(name, mean, deviation) for name, mean, deviation in means if mean is not None]


def with_deviation(outcome: Outcome, name: str, mean: Kept, deviation: Kept, units: Units) -> Figure:
    """Return the mean of a measure at every point, with bars of one standard deviation of its values."""
    scale = scale_of(outcome, mean, units)
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [plotted(point.label) for point in outcome.points],
        "y": [finite(point.intervals[mean.name].mean * scale.factor) for point in outcome.points],
        "error_y": error_bars([point.intervals[deviation.name].mean * scale.factor for point in outcome.points], "@s0"),
        "marker": {"color": "@s0", "size": 8},
        "hovertemplate": f"%{{x}}<br>%{{y:.4g}}, deviation %{{error_y.array:.4g}} {scale.unit}<extra></extra>",
    }
    return figure([trace], {"type": "category"}, axis(plotted(name), scale.unit))


def stacked(outcome: Outcome, name: str, parts: Sequence[Kept], units: Units) -> Figure:
    """Return measures that add up to a whole at every point, as one bar of coloured pieces."""
    scale = max((scale_of(outcome, part, units) for part in parts), key=lambda scale: 1.0 / scale.factor)
    traces = [
        {
            "type": "bar",
            "name": plotted(part.name),
            "x": [plotted(point.label) for point in outcome.points],
            "y": [finite(point.intervals[part.name].mean * scale.factor) for point in outcome.points],
            "marker": {"color": f"@s{number % SERIES}"},
        }
        for number, part in enumerate(parts)
    ]
    up = axis(plotted(name), scale.unit, rangemode="tozero")
    return figure(traces, {"type": "category"}, up, legend=True, barmode="stack")


def sorted_lines(
    lines: Mapping[tuple[Value, ...], list[PointOutcome]], others: Sequence[PlotAxis]
) -> list[tuple[tuple[Value, ...], list[PointOutcome]]]:
    """Return the lines in the order of the axes' values."""
    places = [{value: number for number, value in enumerate(axis.values)} for axis in others]
    return sorted(lines.items(), key=lambda item: [p.get(v, -1) for p, v in zip(places, item[0], strict=True)])


def _line(
    points: Sequence[PointOutcome], kept: Kept, along: PlotAxis, scale: Scale, name: str, number: int
) -> dict[str, Any]:
    intervals = [point.intervals[kept.name] for point in points]
    trace = {
        **line(number, name),
        "x": [along.position(point.parameters[along.name]) for point in points],
        **estimates(intervals, scale, number),
        "customdata": [interval.n for interval in intervals],
        "hovertemplate": f"%{{y:.4g}} %{{text}} {scale.unit}, n = %{{customdata}}<extra>{name}</extra>",
    }
    return marked(trace, intervals, [kept.name in point.unsettled for point in points])


def line(number: int, name: str) -> dict[str, Any]:
    """Return the look of the line with this number, by its colour and its dashes."""
    colour = f"@s{number % SERIES}"
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "line": {"color": colour, "width": 2, "dash": DASHES[number // SERIES % len(DASHES)]},
        "marker": {"color": colour, "size": 6},
    }


def estimates(intervals: Sequence[Interval], scale: Scale, number: int, along: str = "y") -> dict[str, Any]:
    """Estimates along an axis, with the error bars of the line with this number."""
    return {
        along: [finite(interval.mean * scale.factor) for interval in intervals],
        f"error_{along}": error_bars(
            [interval.half_width * scale.factor for interval in intervals], f"@s{number % SERIES}"
        ),
        "text": [_error(interval.half_width * scale.factor) for interval in intervals],
    }


def _error(half_width: float) -> str:
    return "±?" if math.isnan(half_width) else f"± {half_width:.2g}"


def marked(trace: dict[str, Any], intervals: Sequence[Interval], moving: Sequence[bool] = ()) -> dict[str, Any]:
    """Return the same line with open marks where nothing is known of the error, or the figure still moves at the
    end.
    """
    known = moving or [False] * len(intervals)
    is_open = [math.isnan(one.half_width) or moves for one, moves in zip(intervals, known, strict=True)]
    if not any(is_open):
        return trace
    mark = trace["marker"]
    colours = ["@sheet" if one else mark["color"] for one in is_open]
    sizes = [mark["size"] + 2 if one else mark["size"] for one in is_open]
    return {
        **trace,
        "marker": {**mark, "color": colours, "size": sizes, "line": {"color": mark["color"], "width": 2}, "opacity": 1},
    }


def error_bars(half_widths: Sequence[float], colour: str) -> dict[str, Any]:
    array = [0.0 if math.isnan(width) else finite(width) for width in half_widths]
    return {"type": "data", "array": array, "color": colour, "thickness": 1.2, "width": 4, "visible": True}


def _expected(
    outcome: Outcome, kept: Kept, along: PlotAxis, scale: Scale, colours: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Draw expected values as diamonds with their tolerance, in the colours of their points if these have one.

    Missed ones are open.
    """
    traces = []
    for passed, name, colour, symbol in VERDICTS:
        found = [
            (point, one)
            for point in outcome.points
            for one in point.checked
            if one.expected.measure == kept.name and one.verdict.passed == passed and along.name in point.parameters
        ]
        if not found:
            continue
        marks = [colours.get(point.label, colour) for point, _ in found]
        outlines = ["@ink" if passed and colours else mark for mark in marks]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [along.position(point.parameters[along.name]) for point, _ in found],
                "y": [finite(one.value * scale.factor) for _, one in found],
                "error_y": error_bars([one.verdict.tolerance * scale.factor for _, one in found], "@soft"),
                "marker": {
                    "color": marks,
                    "size": 11,
                    "symbol": symbol,
                    "opacity": 0.6,  # our own point may be below
                    "line": {"width": 2, "color": outlines},
                },
                "text": [plotted(point.label) for point, _ in found],
                "hovertemplate": (
                    f"{name} at %{{text}}<br>%{{y:.4g}} ± %{{error_y.array:.2g}} {scale.unit}<extra></extra>"
                ),
            }
        )
    return traces


def distributed(outcome: Outcome) -> dict[str, list[tuple[float, Kept]]]:
    """Return measures of which several percentiles were kept, with these in order as (share, figure)."""
    found: dict[str, list[tuple[float, Kept]]] = {}
    for kept in outcome.figures:
        name, _, field = kept.name.rpartition(".p")
        if name and field.replace(".", "", 1).isdigit():
            found.setdefault(name, []).append((float(field) / 100.0, kept))
    return {name: sorted(ones, key=lambda one: one[0]) for name, ones in found.items() if len(ones) >= FEWEST_SHARES}


def distribution(
    outcome: Outcome, name: str, shares: Sequence[tuple[float, Kept]], units: Units, known: Sequence[PlotAxis]
) -> Figure:
    """Return the distribution function of a measure, one line for each point, from the percentiles that were kept."""
    scale = scale_of(outcome, shares[-1][1], units)
    traces = []
    for number, point in enumerate(outcome.points[:MOST_LINES]):
        values = {axis.name: point.parameters[axis.name] for axis in known if axis.name in point.parameters}
        title = plotted(", ".join(f"{name} {shown(value)}" for name, value in values.items()) or name)
        traces.append(
            {
                **line(number, title),
                **estimates([point.intervals[kept.name] for _, kept in shares], scale, number, "x"),
                "y": [100.0 * share for share, _ in shares],
                "hovertemplate": f"%{{y:.3g}} % up to %{{x:.4g}} {scale.unit}<extra>{title}</extra>",
            }
        )
    across = axis(plotted(name), scale.unit, rangemode="tozero")
    up_to = axis("share of values up to this", "%", range=[0, 102])
    return figure(traces, across, up_to, legend=len(traces) > 1)


def heat_map(
    outcome: Outcome, kept: Kept, units: Units, across: PlotAxis, up: PlotAxis, rest: Mapping[str, Value]
) -> Figure:
    """Return the measure over two axes, with the values of `rest` for the other parameters; each cell shows its
    value.
    """
    scale = scale_of(outcome, kept, units)
    cells = {
        (point.parameters[across.name], point.parameters[up.name]): point.intervals[kept.name]
        for point in outcome.points
        if across.name in point.parameters
        and up.name in point.parameters
        and all(point.parameters.get(name) == value for name, value in rest.items())
    }
    grid = [[cells.get((x, y)) for x in across.values] for y in up.values]
    names = (plotted(across.name), plotted(up.name))
    trace = heat([*map(label, across.values)], [*map(label, up.values)], grid, scale, names)
    made = (axis(plotted(one.name), type="category", showgrid=False, ticks="") for one in (across, up))
    return figure([trace], *made)


def heat(
    across: Sequence[Any], up: Sequence[Any], grid: Sequence[Sequence[Interval | None]], scale: Scale,
    names: tuple[str, str],
) -> dict[str, Any]:  # fmt: skip
    """Return cells by their places on two axes with these names."""
    return {
        "type": "heatmap",
        "x": across,
        "y": up,
        "z": [[None if one is None else finite(one.mean * scale.factor) for one in row] for row in grid],
        "customdata": [
            [None if one is None or math.isnan(one.half_width) else one.half_width * scale.factor for one in row]
            for row in grid
        ],
        "colorscale": "@scale",
        "xgap": 2,
        "ygap": 2,
        "text": [["" if one is None else short(one.mean * scale.factor, 3) for one in row] for row in grid],
        "texttemplate": "" if len(across) * len(up) > 150 else "%{text}",
        "colorbar": {"title": {"text": scale.unit}, "thickness": 12, "outlinewidth": 0, "len": 1},
        "hovertemplate": (
            f"{names[0]} %{{x}}, {names[1]} %{{y}}<br>%{{z:.4g}} ± %{{customdata:.2g}} {scale.unit}<extra></extra>"
        ),
    }


def cloud(outcome: Outcome, kept: Kept, units: Units, along: PlotAxis) -> Figure:
    """Return the measure of every point against one parameter of a sample."""
    scale = scale_of(outcome, kept, units)
    points = [point for point in outcome.points if along.name in point.parameters]
    intervals = [point.intervals[kept.name] for point in points]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [along.position(point.parameters[along.name]) for point in points],
        **estimates(intervals, scale, 0),
        "marker": {"color": "@s0", "size": 7},
        "customdata": [plotted(point.label) for point in points],
        "hovertemplate": f"%{{customdata}}<br>%{{y:.4g}} %{{text}} {scale.unit}<extra></extra>",
    }
    trace = marked(trace, intervals, [kept.name in point.unsettled for point in points])
    layout = along.layout()
    if not along.logarithmic:
        for name in ("tickmode", "tickvals", "ticktext"):
            layout.pop(name, None)
    up = axis(axis_name(kept), scale.unit, rangemode=_range_mode(outcome, kept))
    return figure([trace, *_expected(outcome, kept, along, scale, {})], layout, up)


def _range(outcome: Outcome, kept: Kept, along: PlotAxis, scale: Scale) -> dict[str, Any]:
    """Logarithmic where the parameter is and the values cover more than a decade."""
    known = known_values(outcome, kept)
    if along.logarithmic and known and min(known) > 0.0 and max(known) > 10.0 * min(known):
        return logarithmic(min(known) * scale.factor, max(known) * scale.factor)
    return {"rangemode": _range_mode(outcome, kept)}


def _range_mode(outcome: Outcome, kept: Kept) -> str:
    """Begin the axis at 0 unless all values are close together far away from it."""
    known = known_values(outcome, kept)
    if not known or min(known) < 0.0 or max(known) <= 0.0:
        return "normal"
    return "tozero" if min(known) < 0.7 * max(known) else "normal"


def finite(value: float) -> float | None:
    return float(f"{value:.7g}") if math.isfinite(value) else None
