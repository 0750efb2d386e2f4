"""A measure over two parameters: a grid of points, of which those near the sliders get the next replications."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, Final

from petri.live.answer import figures_at
from petri.live.knobs import along, leading, least
from petri.live.refine import TOGETHER, Point
from petri.measure.intervals import Interval
from petri.net import Net
from petri.report.html.markup import Content, Markup, breakable, plotted, tag
from petri.report.html.page import Figure, axis, figure
from petri.report.html.sweep_figures import finite, heat
from petri.report.telling.quantities import Units, counted
from petri.structs import Frozen

ACROSS: Final = 7  # values of each parameter, if these are numbers
MOST_VALUES: Final = 13  # of one that has a list of them
MOST: Final = 100  # replications of a point
NEAR: Final = 0.2  # of the grid: a point that is so far from the sliders gets half as many replications as one there
LABELS: Final = 8  # along an axis
Knob = Mapping[str, Any]


class Line(Frozen):
    """One parameter of the surface, and its values in ascending order as texts of the language."""

    name: str
    values: tuple[str, ...]
    numbers: bool

    @classmethod
    def of(cls, knob: Knob) -> Line:
        ranged = knob["kind"] == "range"
        values = along({**knob, "low": least(knob)} if ranged else dict(knob), ACROSS)[:MOST_VALUES]
        return cls(knob["name"], tuple(sorted(values, key=leading) if ranged else values), ranged)

    def at(self, text: str) -> float:
        """Return where a value is, counted in values of the line; nan if it is none of them."""
        if not self.numbers:
            return float(self.values.index(text)) if text in self.values else math.nan
        known, wanted = [leading(value) for value in self.values], leading(text)
        after = min(max(bisect_right(known, wanted), 1), len(known) - 1)
        if len(known) < 2:
            return 0.0
        share = (wanted - known[after - 1]) / (known[after] - known[after - 1])
        return after - 1 + min(max(share, 0.0), 1.0)

    def axis(self) -> dict[str, Any]:
        step = math.ceil(len(self.values) / LABELS)
        shown = range(0, len(self.values), step)
        ticks = {"tickvals": [*shown], "ticktext": [plotted(self.values[one]) for one in shown]}
        return axis(plotted(self.name), tickmode="array", showgrid=False, ticks="", zeroline=False, **ticks)


class Surface:
    """Points of two parameters. A point has settled when it has the replications of an interval that is narrow enough.

    settings: of the other parameters.
    """

    def __init__(self, settings: Mapping[str, str], across: Knob, up: Knob) -> None:
        self.across, self.up = Line.of(across), Line.of(up)
        self.rows = [
            [Point({**settings, self.across.name: x, self.up.name: y}) for x in self.across.values]
            for y in self.up.values
        ]
        self.points = [point for row in self.rows for point in row]
        for point in self.points:
            point.most = MOST

    def weigh(self, here: Mapping[str, str]) -> None:
        """Give more replications to points near the sliders. here: the values of both parameters."""
        x, y = self.across.at(here[self.across.name]), self.up.at(here[self.up.name])
        for j, row in enumerate(self.rows):
            for i, point in enumerate(row):
                steps = (abs(i - x) / max(len(row) - 1, 1), abs(j - y) / max(len(self.rows) - 1, 1))
                far = math.hypot(*(0.0 if math.isnan(one) else one for one in steps))
                point.weight = 1.0 / (1.0 + (far / NEAR) ** 2)

    def told(self, measure: str, within: float, here: Mapping[str, str], net: Net, seed: int) -> dict[str, Any]:
        """Return the chart and the table. within: half of an interval that is narrow enough, as a share."""
        found = [[figures_at(point).get(measure) for point in row] for row in self.rows]
        known = [one for row in found for one in row if one is not None]
        settled = [[self._settle(point, one, within) for point, one in zip(*both, strict=True)]
                   for both in zip(self.rows, found, strict=True)]  # fmt: skip
        failed = [point for point in self.points if not point.wanted and len(point.begun) < point.most]
        done = sum(map(sum, settled))
        note = f"{done} of {counted(len(self.points), 'point')} have settled: ± {100 * within:.3g} % or less."
        note += f" Each has the seed {seed}, and its replications from the first on."
        if failed:
            note += f" {counted(len(failed), 'point')} cannot run: {_why(failed[0])}"
        if not known:
            return {"note": note, "html": "", "figure": None, "across": [], "up": []}
        units, dimension = Units.of(net), known[0][1]
        intervals = [[None if one is None else one[0] for one in row] for row in found]
        return {
            "note": note,
            "html": self._table(intervals, settled, units, dimension),
            "figure": self._chart(intervals, settled, units, measure, dimension, here),
            "names": [self.across.name, self.up.name],
            "values": [self.across.values, self.up.values],
        }

    def _settle(self, point: Point, known: tuple[Interval, str] | None, within: float) -> bool:
        """Say whether a point has settled: it gets no more replications until less is allowed."""
        one = None if known is None else known[0]
        narrow = one is not None and (one.half_width == 0.0 or one.relative <= within)
        settled = narrow and point.figures is not None and point.figures[0] >= TOGETHER
        point.most = len(point.begun) if settled else MOST
        return settled

    def _chart(
        self, found: list[list[Interval | None]], settled: list[list[bool]], units: Units, measure: str,
        dimension: str, here: Mapping[str, str],
    ) -> Figure:  # fmt: skip
        means = [one.mean for row in found for one in row if one is not None and math.isfinite(one.mean)]
        scale = units.scale(max(map(abs, means), default=0.0), dimension)
        names = (plotted(self.across.name), plotted(self.up.name))
        cells = heat([*range(len(self.across.values))], [*range(len(self.up.values))], found, scale, names)
        labels = [[plotted(f"{self.across.name} {x}, {self.up.name} {y}") for x in self.across.values]
                  for y in self.up.values]  # fmt: skip
        cells |= {"text": labels, "texttemplate": ""}
        cells["hovertemplate"] = f"%{{text}}<br>%{{z:.4g}} ± %{{customdata:.2g}} {plotted(scale.unit)}<extra></extra>"
        where = [(i, j) for j, row in enumerate(settled) for i, one in enumerate(row) if not one]
        marks = {"type": "scatter", "mode": "markers", "hoverinfo": "skip"}
        line = {"color": "@ink", "width": 1.5}
        moving = marks | {
            "name": "not settled", "x": [i for i, _ in where], "y": [j for _, j in where],
            "marker": {"symbol": "circle", "size": 8, "color": "@sheet", "line": line},
        }  # fmt: skip
        hand = marks | {
            "name": "the sliders", "x": [finite(self.across.at(here[self.across.name]))],
            "y": [finite(self.up.at(here[self.up.name]))],
            "marker": {"symbol": "diamond", "size": 13, "color": "@s1", "line": {"color": "@sheet", "width": 2}},
        }  # fmt: skip
        cells["colorbar"]["title"]["text"] = f"{plotted(measure)} [{scale.unit}]" if scale.unit else plotted(measure)
        cells["colorbar"]["title"]["side"] = "right"
        return figure([cells, moving, hand], self.across.axis(), self.up.axis(), legend=True)

    def _table(
        self, found: list[list[Interval | None]], settled: list[list[bool]], units: Units, dimension: str
    ) -> Markup:
        """Return the points as in the chart, the greatest values on top; a press on one sets the sliders."""
        corner = tag("th", f"{self.up.name} ↑  {self.across.name} →", scope="col")
        head = [corner, *(tag("th", value, scope="col", class_="figure") for value in self.across.values)]
        rows: list[Content] = []
        for j in reversed(range(len(self.rows))):
            cells: list[Content] = [tag("th", breakable(self.up.values[j]), scope="row")]
            for i, one in enumerate(found[j]):
                point, open_ = self.rows[j][i], "" if settled[j][i] else "○ "
                text = "…" if one is None else open_ + units.show_interval(one, dimension)
                said = counted(point.figures[0] if point.figures else 0, "replication") + (
                    ", not settled" if open_ else ""
                )
                button = tag("button", text, type="button", data_at=f"{i},{j}", title=said)
                cells.append(tag("td", button, class_="figure"))
            rows.append(tag("tr", cells))
        made = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows))
        return tag("div", made, class_="scroll", role="region", aria_label="The surface as a table", tabindex=0)


def _why(point: Point) -> str:
    if point.problem is not None:
        return point.problem.diagnostics[0].message
    return "an error ends the run"
