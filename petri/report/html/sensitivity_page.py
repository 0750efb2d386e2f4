"""The page of sensitivities: for each figure a tornado plot and the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from petri.experiment.sensitivity.local import Effect
from petri.experiment.sensitivity.study import Sensitivity
from petri.report.html import tables
from petri.report.html.markup import Content, aside, content, plotted
from petri.report.html.page import Figure, Page, axis, figure
from petri.report.html.run_page import banner
from petri.report.html.sweep_figures import error_bars, finite
from petri.report.telling.sensitivity import effect_tables, heading, index_tables, remarks

MOST_BARS: Final = 15
ROW, MARGIN = 26, 90  # pixels of a bar, and of the axis


def sensitivity_page(found: Sensitivity) -> Page:
    """Return the page: a section for each figure."""
    page = Page(found.net.name, "Sensitivity")
    page.head += [tables.prose(found.net.doc), tables.facts([heading(found)])]
    page.head += [banner("warn", "Not finished")] if found.interrupted else []
    shown = [*effect_tables(found, True), *index_tables(found)]
    for number, (kept, (title, columns, rest)) in enumerate(zip(found.figures, shown, strict=False)):
        bars = tornado(found.effects.get(kept.name, ()))
        height = ROW * len(bars["data"][0]["y"]) + MARGIN if bars else 0
        parts: list[Content] = [page.figure(bars, f"what changes {kept.name}", height=height)] if bars else []
        page.section(
            f"figure-{number}", title, *parts, tables.of_columns(columns, title), aside(rest) if rest else None
        )
    if said := remarks(found):
        page.section("remarks", "Remarks", content(*(aside(text) for text in said)))
    return page


def tornado(effects: Sequence[Effect]) -> Figure | None:
    """Return bars of relative changes, the greatest on top, and pale ones for the opposite change; None without any."""
    known = [effect for effect in effects if effect.certain and finite(effect.relative.mean) is not None][:MOST_BARS][
        ::-1
    ]
    if not known:
        return None
    labels = [plotted(f"{one.factor.name} {one.factor.text}") for one in known]
    common = {"type": "bar", "orientation": "h", "y": labels, "hovertemplate": "%{y}: %{x:.3g} %<extra></extra>"}
    traces: list[dict[str, Any]] = [
        {
            **common, "name": "as written", "marker": {"color": "@s0"},
            "x": [100.0 * one.relative.mean for one in known],
            "error_x": error_bars([100.0 * one.relative.half_width for one in known], "@ink"),
        },
        {
            **common, "name": "the opposite",
            "x": [-100.0 * one.relative.mean if one.factor.smooth else None for one in known],
            "marker": {"color": "@s0", "opacity": 0.35}, "hoverinfo": "skip",
        },
    ]  # fmt: skip
    up = {"type": "category", "categoryarray": labels, "automargin": True}
    return figure(traces, axis("changes by", "%", zeroline=True), up, legend=True, barmode="overlay")
