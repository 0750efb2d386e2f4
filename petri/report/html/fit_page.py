"""The page of a fit: the laws, a histogram with their densities, and quantiles against quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from petri.fit import Fit, Fitted
from petri.measure.arrays import Floats
from petri.report.html import tables
from petri.report.html.markup import aside, plotted, spoken, tag
from petri.report.html.page import Figure, Page, axis, figure
from petri.report.telling.fit import columns, heading, is_whole, law_text, line, name_of, remarks, schedule_line

DRAWN = 3  # laws
BINS = 60
POINTS = 200


def fit_page(fit: Fit, table: str | None = None) -> Page:
    """Return all sections of the page."""
    page = Page(name_of(fit), "Fit of measured values")
    page.head += [tables.facts(heading(fit).split("\n"))]
    lines = [text for text in (schedule_line(fit), line(fit, table)) if text]
    page.section(
        "line", "To paste", *(tag("pre", text) for text in lines), *(aside(spoken(remark)) for remark in remarks(fit))
    )
    if fit.fitted:
        page.section("laws", "Laws", tables.of_columns([column for column in columns(fit) if column.heading], "Laws"))
    shown = _shown(fit)
    if len(fit.sample.low):
        page.section("figures", "Figures", aside("There are none of values of which only a bound is known."))
        return page
    page.section(
        "histogram", "Histogram", page.figure(_histogram(fit, shown), "Histogram of the values, with the laws")
    )
    if shown:
        label = "Quantiles of the values against those of the laws"
        page.section("quantiles", "Quantiles", aside("Where a law fits, its points are on the line."),
                     page.figure(_quantiles(fit, shown), label))  # fmt: skip
    return page


def _shown(fit: Fit) -> list[Fitted]:
    """Return the laws that are drawn, the chosen one first."""
    others = [one for one in fit.fitted if one is not fit.chosen]
    return [*([fit.chosen] if fit.chosen else []), *others][:DRAWN]


def _histogram(fit: Fit, shown: Sequence[Fitted]) -> Figure:
    """Return shares of the values in bins, and of the laws in the same, up to the 99.5 % quantile."""
    x = fit.sample.known
    last = float(np.quantile(x, 0.995))
    if is_whole(fit) and np.ptp(x) <= 2 * BINS:
        edges = np.arange(x.min() - 0.5, x.max() + 1)
    else:
        edges = np.linspace(
            min(float(x.min()), 0.0 if x.min() >= 0 and x.min() < last / 4 else x.min()), last, BINS + 1
        )
        edges = edges if np.ptp(edges) > 0 else np.array([edges[0] - 0.5, edges[0] + 0.5])
    middles = 0.5 * (edges[1:] + edges[:-1])
    shares = np.histogram(x, edges)[0] / len(x)
    traces: list[dict[str, Any]] = [
        {"type": "bar", "x": middles.tolist(), "y": shares.tolist(), "width": np.diff(edges).tolist(), "name": "values",
         "marker": {"color": "@fill"}}
    ]  # fmt: skip
    for number, one in enumerate(shown):
        heights = np.diff(one.reached(edges))
        traces.append(_trace(middles, heights, law_text(one, fit.column.unit), number, "lines"))
    return figure(traces, axis(fit.column.name, fit.column.unit), axis("share of values", tickformat="~%"), legend=True)


def _quantiles(fit: Fit, shown: Sequence[Fitted]) -> Figure:
    """Return the quantiles of the values against those of each law."""
    x = np.sort(fit.sample.known)
    shares = (np.unique(np.linspace(0, len(x) - 1, POINTS).astype(int)) + 0.5) / len(x)
    own = x[(shares * len(x)).astype(int)]
    ends = [float(own[0]), float(own[-1])]
    traces: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "lines", "x": ends, "y": ends, "line": {"color": "@soft", "dash": "dot"},
         "showlegend": False, "hoverinfo": "skip"}
    ]  # fmt: skip
    for number, one in enumerate(shown):
        traces.append(_trace(one.quantiles(shares), own, law_text(one, fit.column.unit), number, "markers"))
    unit = fit.column.unit
    return figure(traces, axis("quantile of the law", unit), axis("quantile of the values", unit), legend=True)


def _trace(x: Floats, y: Floats, name: str, number: int, mode: str) -> dict[str, Any]:
    rounded = [[float(f"{one:.6g}") if math.isfinite(one) else None for one in of.tolist()] for of in (x, y)]
    style = {"color": f"@s{number}", "width": 2} if mode == "lines" else {"color": f"@s{number}", "size": 5}
    return {"type": "scatter", "mode": mode, "x": rounded[0], "y": rounded[1], "name": plotted(name),
            "line" if mode == "lines" else "marker": style}  # fmt: skip
