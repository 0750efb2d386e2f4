"""The pages of the best setting, and of parameters of measured figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from petri.analysis.cautions import cautions
from petri.experiment.design.definition import point_label
from petri.experiment.tuning.calibration import Calibration
from petri.experiment.tuning.evaluation import Setting
from petri.experiment.tuning.procedure import Tuned
from petri.measure.figures import Figure as Kept
from petri.measure.figures import figures
from petri.report.html import sweep_figures, tables
from petri.report.html.markup import aside, content, plotted, tag
from petri.report.html.page import LOW, Figure, Page, axis, figure
from petri.report.html.picture import picture
from petri.report.html.run_page import banner, caution_banners
from petri.report.html.sweep_figures import PlotAxis
from petri.report.telling import tune as telling
from petri.report.telling.dimensions import shown_dimension
from petri.report.telling.quantities import Scale, Units

ERRORS = 3.5  # of a measured figure, which the axis shows at least


def tuning_page(tuned: Tuned) -> Page:
    """Return the page: the best settings, and each figure against each parameter over all that were tried."""
    net = tuned.net
    page = Page(tuned.tuning.runs.title or net.name, "Tuning")
    page.head += [tables.prose(tuned.tuning.runs.description or net.doc), tables.facts([telling.heading(tuned)])]
    page.head += [banner("warn", "Not finished")] if tuned.interrupted else []
    page.head += caution_banners(cautions(net))
    found = tuned.best is not None or tuned.front
    page.head += [banner("pass" if found else "fail", telling.answer(tuned))]
    page.head += [banner("warn", text) for text in telling.remarks(tuned)]
    title = "The front" if tuned.front else "The best settings"
    page.section("settings", title, tables.of_columns(telling.setting_columns(tuned), title))
    kept = figures(net, tuned.tuning.figures)
    if tuned.front and tuned.tried:
        page.section("front", "Both aims", page.figure(_front(tuned, kept), "both aims of all settings"))
    if tuned.tried:
        parts = [_against_parameters(page, tuned, one) for one in kept]
        page.section("figures", "Figures over the parameters", aside("Every setting that was tried."), parts)
    page.section("net", "The net", picture(net))
    return page


def _against_parameters(page: Page, tuned: Tuned, kept: Kept) -> Any:
    scale = _scale(tuned, kept)
    clouds = []
    for one in tuned.axes:
        along = PlotAxis.of(one.name, [setting.values[one.name] for setting in tuned.tried])
        traces = [
            {
                **_marks(settings, number),
                "x": [along.position(setting.values[one.name]) for setting in settings],
                **_heights(settings, kept, scale, number),
            }
            for number, settings in enumerate(_groups(tuned))
        ]
        drawn = figure(traces, along.layout(), axis(sweep_figures.axis_name(kept), scale.unit))
        clouds.append(page.figure(drawn, f"{kept.name} against {one.name}", height=LOW))
    return content(tag("h3", tag("code", kept.name)), tag("div", clouds, class_="pair"))


def _front(tuned: Tuned, kept: Sequence[Kept]) -> Figure:
    """Return one aim against the other: those on the front, and all others."""
    across, up = kept[:2]
    scales = [_scale(tuned, one) for one in (across, up)]
    traces = [
        {
            **_marks(settings, number),
            "x": [sweep_figures.finite(one.mean(across.name) * scales[0].factor) for one in settings],
            **_heights(settings, up, scales[1], number),
        }
        for number, settings in enumerate(_groups(tuned))
    ]
    ends = (axis(plotted(one.name), scale.unit) for one, scale in zip((across, up), scales, strict=True))
    return figure(traces, *ends)


def _groups(tuned: Tuned) -> list[list[Setting]]:
    """Return the best settings, and all others."""
    best = list(tuned.front) or ([] if tuned.best is None else [tuned.best])
    chosen = {id(one) for one in best}
    return [best, [one for one in tuned.tried if id(one) not in chosen]]


def _marks(settings: Sequence[Setting], number: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "marker": {"color": f"@s{number}", "size": 7 if number else 11, "symbol": "circle" if number else "diamond"},
        "customdata": [plotted(point_label(one.values)) for one in settings],
        "hovertemplate": "%{customdata}<br>%{y:.4g}<extra></extra>",
    }


def _heights(settings: Sequence[Setting], kept: Kept, scale: Scale, number: int) -> dict[str, Any]:
    widths = [one.half_width(kept.name) * scale.factor for one in settings]
    return {
        "y": [sweep_figures.finite(one.mean(kept.name) * scale.factor) for one in settings],
        "error_y": sweep_figures.error_bars(widths, f"@s{number}"),
    }


def _scale(tuned: Tuned, kept: Kept) -> Scale:
    known = [abs(one.mean(kept.name)) for one in tuned.tried]
    return Units.of(tuned.net).scale(max(filter(math.isfinite, known), default=0.0), shown_dimension(kept.dimension))


def calibration_page(found: Calibration) -> Page:
    """Return the page: the parameters, and how far the figures of the net are from the measured ones."""
    page = Page(found.net.name, "Calibration")
    page.head += [tables.prose(found.net.doc), *caution_banners(cautions(found.net))]
    page.head += [banner("warn", text) for text in telling.match_remarks(found)]
    page.section("parameters", "Parameters", tables.of_columns(telling.parameter_columns(found), "Parameters"))
    off = [(own - value) / error for value, error, own in found.figures.values()]
    names = [plotted(name) for name in found.figures]
    trace = {
        "type": "bar", "orientation": "h", "y": names[::-1], "x": [sweep_figures.finite(one) for one in off[::-1]],
        "marker": {"color": "@s0"}, "hovertemplate": "%{y}: %{x:+.2g} errors<extra></extra>",
    }  # fmt: skip
    reach = max([ERRORS, *(abs(one) for one in off if math.isfinite(one))])
    across = axis("off by", "errors", range=[-reach, reach], zeroline=True)
    drawn = page.figure(figure([trace], across, {"type": "category", "automargin": True}), "how far figures are off",
                        height=90 + 26 * len(names))  # fmt: skip
    page.section(
        "figures", "Figures", tables.of_columns(telling.match_columns(found), "Figures"),
        aside("The error is the standard error of the measured figure."), drawn,
    )  # fmt: skip
    page.section("net", "The net", picture(found.net))
    return page
