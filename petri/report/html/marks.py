"""Small drawings within tables: an interval compared with its bound, and the history of a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from petri.report.html.markup import Markup, tag

_WIDTH: Final = 180.0
_HEIGHT: Final = 22.0


def interval_mark(value: float, half_width: float, comparison: str, bound: float, tolerance: float) -> Markup | None:
    """Return the estimate as a dot with its interval; the accepted range is shaded. None if nothing can be drawn.

    half_width may be nan. comparison: "<", "<=", ">", ">=" or "==" (within ±tolerance).
    """
    if not (math.isfinite(value) and math.isfinite(bound)):
        return None
    spread = half_width if math.isfinite(half_width) else 0.0
    points = [value - spread, value + spread, bound - tolerance, bound + tolerance]
    low, high = min(points), max(points)
    margin = 0.18 * (high - low) or 0.5 * abs(value) or 1.0
    low, high = low - margin, high + margin

    def x(at: float) -> float:
        return _WIDTH * (min(max(at, low), high) - low) / (high - low)

    if comparison == "==":
        allowed = (x(bound - tolerance), x(bound + tolerance))
    else:
        allowed = (0.0, x(bound)) if comparison.startswith("<") else (x(bound), _WIDTH)
    width = max(allowed[1] - allowed[0], 2.0)
    middle = _HEIGHT / 2
    shapes = [
        tag("rect", x=0, y=middle - 0.5, width=_WIDTH, height=1, fill="var(--rule)"),
        tag(
            "rect",
            x=f"{allowed[0]:.1f}",
            y=3,
            width=f"{width:.1f}",
            height=_HEIGHT - 6,
            fill="var(--fill)",
            opacity=0.45,
        ),
        tag("rect", x=f"{x(bound) - 0.75:.1f}", y=2, width=1.5, height=_HEIGHT - 4, fill="var(--accent)"),
    ]
    if spread:
        left, right = x(value - spread), x(value + spread)
        path = f"M{left:.1f},{middle - 4}v8M{left:.1f},{middle}H{right:.1f}M{right:.1f},{middle - 4}v8"
        shapes.append(tag("path", d=path, stroke="var(--ink)", stroke_width=1.5, fill="none"))
    shapes.append(tag("circle", cx=f"{x(value):.1f}", cy=middle, r=3.5, fill="var(--ink)"))
    return _svg(_WIDTH, _HEIGHT, shapes, "mark")


def spark(values: Sequence[float], *, width: float = 130.0, height: float = 26.0) -> Markup | None:
    """Return a line from 0 to the greatest value; None if there is nothing to show."""
    known = [value for value in values if math.isfinite(value)]
    if len(known) < 2 or not max(known) > 0.0:
        return None
    top = max(known)
    step = width / len(known)
    heights = [height - 2 - (height - 4) * max(value, 0.0) / top for value in known]
    path = f"M0,{heights[0]:.1f}" + "".join(f"V{y:.1f}H{step * (number + 1):.1f}" for number, y in enumerate(heights))
    area = f"{path}V{height - 1}H0Z"
    shapes = [
        tag("path", d=area, fill="var(--fill)", opacity=0.35),
        tag("path", d=path, stroke="var(--accent)", stroke_width=1.2, fill="none"),
    ]
    return _svg(width, height, shapes, "spark")


def _svg(width: float, height: float, shapes: Sequence[Markup], kind: str) -> Markup:
    """Return a drawing that is decoration only: the numbers are beside it as text."""
    return tag(
        "svg",
        *shapes,
        class_=kind,
        width=f"{width:g}",
        height=f"{height:g}",
        viewBox=f"0 0 {width:g} {height:g}",
        aria_hidden="true",
    )
