"""The figures of a page, drawn as SVG: a notebook shows them without a script."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from petri.report.html.markup import Markup, tag
from petri.report.html.page import Figure
from petri.report.telling.quantities import compact

WIDTH: Final = 420.0
HEIGHT: Final = 210.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 14.0, 12.0, 40.0
TICKS: Final = 5


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: what lies between its ends, and where it is in the picture. `names`: of categories, in order."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False
    names: tuple[str, ...] = ()
    marks: tuple[tuple[float, str], ...] = ()  # values with their texts, where these are given

    def at(self, value: float) -> float:
        """Return the position of a value. On a logarithmic axis, `low` and `high` are logarithms."""
        value = math.log10(value) if self.logarithmic else value
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """Positions and texts."""
        if self.names:
            return [(self.at(float(index)), name) for index, name in enumerate(self.names)]
        if self.marks:
            placed = ((self.at(value), text) for value, text in self.marks)
            first, last = sorted((self.start, self.end))
            return [(at, text) for at, text in placed if first - 0.5 <= at <= last + 0.5]
        if self.logarithmic:
            decades = [10.0**power for power in range(math.ceil(self.low), math.floor(self.high) + 1)]
            values = decades if len(decades) > 1 else [10.0**self.low, 10.0**self.high]
        else:
            values = round_values(self.low, self.high)
        return [(self.at(value), compact(value, 3)) for value in values]


def round_values(low: float, high: float) -> list[float]:
    """Return a few round numbers between two ends."""
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [count * step for count in range(first, math.floor(high / step + 1e-9) + 1)]


def plot(figure: Figure, name: str) -> Markup:
    """Return a plotly figure of lines, points and bars (`petri.report.html.figures`) as an SVG with its caption."""
    traces, settings = figure["data"], figure["layout"]
    across = axis(traces, "x", settings["xaxis"], LEFT, WIDTH - RIGHT)
    up = axis(traces, "y", settings["yaxis"], HEIGHT - BOTTOM, TOP)
    shapes = [*frame(across, up, settings)]
    for trace in traces:
        shapes += drawn(trace, across, up)
    picture = tag(
        "svg",
        shapes,
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        width=f"{WIDTH:g}",
        height=f"{HEIGHT:g}",
        role="img",
        aria_label=f"plot of {name}",
        font_size=11,
    )
    caption = tag("figcaption", tag("code", name), legend(traces) if settings.get("showlegend") else None)
    return tag("figure", caption, picture)


def axis(traces: Sequence[Mapping[str, Any]], key: str, settings: Mapping[str, Any], start: float, end: float) -> Axis:
    if settings.get("type") == "category":
        names = tuple(html.unescape(str(name)) for name in settings["categoryarray"])
        return Axis(-0.5, len(names) - 0.5, start, end, names=names)
    values = [value for trace in traces for value in known(trace[key])]
    if key == "y":
        values += [y + sign * width for trace in traces for _, y, width in points(trace) for sign in (-1, 1)]
    logarithmic = settings.get("type") == "log"
    if logarithmic:
        values = [math.log10(value) for value in values if value > 0.0]
    elif key == "y" and (settings.get("rangemode") == "tozero" or any(trace["type"] == "bar" for trace in traces)):
        values.append(0.0)
    low, high = min(values, default=0.0), max(values, default=1.0)
    widths = [float(trace["width"]) for trace in traces if key == "x" and "width" in trace]
    margin = max(widths, default=0.0) or (0.04 * (high - low) if key == "y" else 0.0)
    spare = margin or (0.0 if high > low else abs(high) * 0.1 or 1.0)
    marks = tuple(zip(settings.get("tickvals", ()), settings.get("ticktext", ()), strict=True))
    return Axis(low - (0.0 if key == "y" and low == 0.0 else spare), high + spare, start, end, logarithmic, marks=marks)


def known(values: Sequence[Any]) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)]


def points(trace: Mapping[str, Any]) -> list[tuple[Any, float, float]]:
    """x, y and the half-width of the error bar, of those points that have a y."""
    errors = trace.get("error_y", {}).get("array") or [0.0] * len(trace["y"])
    return [
        (x, float(y), float(error or 0.0))
        for x, y, error in zip(trace["x"], trace["y"], errors, strict=True)
        if y is not None
    ]


def drawn(trace: Mapping[str, Any], across: Axis, up: Axis) -> list[Markup]:
    placed = [
        (position(x, across), up.at(y), width and abs(up.at(y + width) - up.at(y)))
        for x, y, width in points(trace)
        if not (up.logarithmic and y - width <= 0.0)
    ]
    if trace["type"] == "bar":
        wide = max(abs(across.at(float(trace["width"])) - across.at(0.0)), 1.0)
        return [
            tag("rect", x=f"{x - wide / 2:.1f}", y=f"{y:.1f}", width=f"{wide:.1f}",
                height=f"{max(up.start - y, 0.0):.1f}", fill=colour(trace["marker"]["color"]))
            for x, y, _ in placed
        ]  # fmt: skip
    shapes = []
    stroke = colour(trace.get("line", trace.get("marker", {})).get("color"))
    path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y, _ in placed)
    if placed and trace.get("fill"):
        closed = f"{path}L{placed[-1][0]:.1f},{up.start:.1f}L{placed[0][0]:.1f},{up.start:.1f}Z"
        shapes.append(tag("path", d=closed, fill=colour(trace["fillcolor"]), opacity=0.45))
    if placed and "lines" in trace["mode"]:
        dash = "5 4" if trace["line"].get("dash") == "dash" else None
        shapes.append(tag("path", d=path, fill="none", stroke=stroke, stroke_width=1.5, stroke_dasharray=dash))
    for x, y, width in placed if "markers" in trace["mode"] else ():
        bar = f"M{x:.1f},{y - width:.1f}V{y + width:.1f}M{x - 3:.1f},{y - width:.1f}h6M{x - 3:.1f},{y + width:.1f}h6"
        shapes.append(tag("path", d=bar, stroke=stroke, fill="none") if width else Markup(""))
        shapes.append(tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, fill=stroke))
    return shapes


def position(x: Any, across: Axis) -> float:
    return across.at(float(across.names.index(html.unescape(str(x)))) if across.names else float(x))


def colour(name: Any) -> str:
    """Return the CSS variable of a colour of the palette, such as "@s0"; of several colours, that of the ink."""
    return f"var(--{name[1:]})" if isinstance(name, str) and name.startswith("@") else "var(--ink)"


def frame(across: Axis, up: Axis, settings: Mapping[str, Any]) -> list[Markup]:
    """Return the axes with their ticks and titles."""
    shapes = []
    for x, text in across.ticks():
        shapes.append(label(text, x, HEIGHT - BOTTOM + 14, "middle"))
    for y, text in up.ticks():
        shapes.append(tag("path", d=f"M{LEFT},{y:.1f}H{WIDTH - RIGHT}", stroke="var(--rule)"))
        shapes.append(label(text, LEFT - 5, y + 4, "end"))
    shapes.append(tag("path", d=f"M{LEFT},{up.start}H{WIDTH - RIGHT}", stroke="var(--soft)"))
    shapes.append(label(title(settings["xaxis"]), (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle"))
    turned = f"rotate(-90 11 {(TOP + up.start) / 2:g})"
    shapes.append(label(title(settings["yaxis"]), 11, (TOP + up.start) / 2, "middle", turned))
    return shapes


def title(settings: Mapping[str, Any]) -> str:
    return html.unescape(str(settings["title"]["text"]))


def label(text: str, x: float, y: float, anchor: str, transform: str | None = None) -> Markup:
    return tag("text", text, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, fill="var(--soft)", transform=transform)


def legend(traces: Sequence[Mapping[str, Any]]) -> Markup:
    names = [
        tag("span", " ● ", html.unescape(str(trace.get("name", ""))), style=f"color:{legend_colour(trace)}")
        for trace in traces
    ]
    return tag("span", names)


def legend_colour(trace: Mapping[str, Any]) -> str:
    return colour(trace.get("line", trace.get("marker", {})).get("color"))
