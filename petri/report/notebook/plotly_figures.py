"""The figures of the pages as figures of the Python library plotly, chosen by name."""

from __future__ import annotations

from functools import singledispatch
from typing import Any, Final

from petri.diagnostics import unknown_name
from petri.exact.solution import Exact, Solution
from petri.experiment.results.outcome import Outcome
from petri.experiment.sensitivity.study import Sensitivity
from petri.report.html import record_figures, sweep_figures
from petri.report.html.markup import plotted
from petri.report.html.page import Figure, axis
from petri.report.html.page import figure as of_traces
from petri.report.html.palette import themes
from petri.report.html.sensitivity_page import tornado
from petri.report.html.sweep_figures import PlotAxis, error_bars, finite
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Units
from petri.report.telling.record import of_result
from petri.result import Result
from petri.visible import visible

# The looks of the page (`page.js`), on a sheet of its own: a notebook may be dark.
AXIS: Final = {"gridcolor": "@rule", "linecolor": "@soft", "zerolinecolor": "@rule", "tickcolor": "@rule"} | {
    "ticks": "outside", "ticklen": 4, "automargin": True
}  # fmt: skip
LAYOUT: Final = {
    "paper_bgcolor": "@sheet",
    "plot_bgcolor": "@sheet",
    "font": {"color": "@ink", "size": 13},
    "margin": {"l": 12, "r": 16, "t": 14, "b": 12},
    "hoverlabel": {"bgcolor": "@sheet", "bordercolor": "@rule", "font": {"color": "@ink"}, "namelength": -1},
}


def figure(shown: Any, /, *names: str, **options: Any) -> Any:
    """Return what the names choose of a result, an outcome or a solution, as a plotly figure."""
    try:
        from plotly.graph_objects import Figure as PlotlyFigure
    except ImportError as error:
        raise ImportError("figures need plotly: pip install 'pnsim[plots]'", name="plotly") from error
    chosen = page_figure(shown, *names, **options)
    layout = LAYOUT | chosen["layout"]
    axes = {name: AXIS | settings for name, settings in layout.items() if name in ("xaxis", "yaxis")}
    return PlotlyFigure(themed({"data": chosen["data"], "layout": layout | axes}))


def themed(value: Any) -> Any:
    """Replace the names of colours by the light ones of the palette."""
    match value:
        case str():
            return themes()["light"].get(value, value)
        case list():
            return [themed(inner) for inner in value]
        case dict():
            return {key: themed(inner) for key, inner in value.items()}
    return value


@singledispatch
def page_figure(shown: object, /, *names: str, **options: Any) -> Figure:
    """Return a figure as the page has it."""
    raise TypeError(type(shown))


@page_figure.register
def run_figure(result: Result, name: str, *, kind: str | None = None) -> Figure:
    """Return the figure of a measure or a place."""
    record, net = of_result(result), result.net
    rows = {row.name: row for fold in (False, True) for row in record.rows("places", fold)}
    measures = [measure.name for measure in net.measures]
    if name in measures:
        found = next(
            (record_figures.of_measure(record, measure) for measure in record.measures if measure.name == name), {}
        )
    elif name in rows:
        found = record_figures.of_place(record, rows[name])
    else:
        transitions = [transition.name for transition in net.transitions]
        raise unknown_name(name, "measure or place", [*measures, *rows], {"transition": transitions})
    if not found:
        raise ValueError(f"`{visible(name)}` is one number, or has no data: samples, series and places have figures")
    if kind == "tokens" and name not in measures and record.occupancy() is None:
        raise ValueError("the run has not recorded how long places hold how many tokens: run(occupancy=True)")
    if kind is not None and kind not in found:
        raise unknown_name(kind, f"figure of `{name}` of the kind", list(found), {})
    return found[kind or next(iter(found))]


@page_figure.register
def sweep_figure(outcome: Outcome, y: str, *, x: str | None = None) -> Figure:
    """Return the figure of a measure over the parameter `x`."""
    kept = {one.name: one for one in outcome.figures}
    distributed, units, axes = sweep_figures.distributed(outcome), Units.of(outcome.net), sweep_figures.axes(outcome)
    if y not in kept and y not in distributed:
        raise unknown_name(y, "measure", [*kept, *distributed], {"parameter": outcome.axes})
    if x is not None and x not in outcome.axes:
        raise unknown_name(x, "parameter", outcome.axes, {"measure": list(kept)})
    if y not in kept:
        return sweep_figures.distribution(outcome, y, distributed[y], units, axes)
    if not sweep_figures.known_values(outcome, kept[y]):
        raise ValueError(f"`{visible(y)}` has nothing to draw: no point has a value of it")
    if x is not None:
        values = [point.parameters[x] for point in outcome.points if x in point.parameters]
        axes = [PlotAxis.of(x, values), *(other for other in axes if other.name != x)]
    if not axes:
        raise ValueError("no parameter differs between the points: name the one to draw over, with x=…")
    if sweep_figures.is_grid(outcome, axes):
        return sweep_figures.curves(outcome, kept[y], units, axes)
    return sweep_figures.cloud(outcome, kept[y], units, axes[0])


@page_figure.register
def solution_figure(solution: Solution, *names: str) -> Figure:
    """Return the bars of exact figures of one dimension."""
    bars = [(label, one) for name in names for label, one in _bars_of(solution, name) if one.value == one.value]
    if not bars:
        raise ValueError("nothing to draw: name exact figures that have a value, or a column such as `utilisation`")
    dimensions = {shown_dimension(one.dimension): label for label, one in bars}
    if len(dimensions) > 1:
        apart = " and ".join(f"`{visible(label)}`" for label in list(dimensions.values())[:2])
        raise ValueError(f"{apart} have different units: draw each in a figure of its own")
    scale = Units.of(solution.net).scale(max(abs(one.value) for _, one in bars), next(iter(dimensions)))
    trace = {
        "type": "bar",
        "x": [plotted(label) for label, _ in bars],
        "y": [finite(one.value * scale.factor) for _, one in bars],
        "error_y": error_bars([one.error * scale.factor for _, one in bars], "@ink"),
        "marker": {"color": "@s0"},
        "hovertemplate": f"%{{x}}: %{{y:.7g}} {scale.unit}<extra></extra>",
    }
    title = plotted(names[0]) if len(names) == 1 else "value"
    return of_traces([trace], {"type": "category"}, axis(title, scale.unit, rangemode="tozero"))


@page_figure.register
def sensitivity_figure(found: Sensitivity, name: str) -> Figure:
    """Return the tornado of what changes a figure."""
    if name not in found.effects:
        raise unknown_name(name, "figure", list(found.effects), {})
    bars = tornado(found.effects[name])
    if bars is None:
        raise ValueError(f"nothing changes `{visible(name)}` beyond noise")
    return bars


def _bars_of(solution: Solution, name: str) -> list[tuple[str, Exact]]:
    """Return one exact figure, or a column of all places or transitions, with the labels of the bars."""
    items = {one.name: one for one in (*solution.places, *solution.transitions)}
    every = {measure.name: measure for measure in solution.measures} | items
    columns = dict.fromkeys(item.rpartition(".")[2] for item in items)
    if name in every:
        return [(name, every[name])]
    if name not in columns:
        raise unknown_name(name, "figure", [*every, *columns], {})
    return [(item.rpartition(".")[0], one) for item, one in items.items() if item.rpartition(".")[2] == name]
