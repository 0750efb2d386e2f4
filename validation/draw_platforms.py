"""Draws the figures of docs/models/platforms.md from the experiments of validation/platforms.

    python validation/draw_platforms.py                       # pictures into docs/images/platforms
    python validation/draw_platforms.py --stores FOLDER       # with the results of `pnsim validate --stores FOLDER`

Replications that are in the stores are not run again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

import petri
from petri.atomic_file import write_text

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURES: Final = ROOT / "docs" / "images" / "platforms"
COLOURS: Final = ("#0b6bcb", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#be185d", "#475569")
WIDTH: Final = 660
HEIGHT: Final = 300
LEFT: Final = 62
RIGHT: Final = 240
TOP: Final = 34
BOTTOM: Final = 46
GBPS: Final = 8.0  # per byte and nanosecond
Line = list[tuple[float, float]]


@dataclass(frozen=True)
class Plot:
    """A picture: the experiment, its axis, the measure with its factor and unit, and what makes a line.

    lines: the parameters that tell lines apart. at: keeps the points with these values.
    """

    file: str
    experiment: str
    title: str
    along: str
    measures: Mapping[str, str]  # the name of each in the legend
    unit: str
    factor: float = 1.0
    lines: Sequence[str] = ()
    at: Mapping[str, str] | None = None


PLOTS: Final = (
    Plot("figure_4", "figure_4", "Memory reads over PCI-X", "agent_burst",
         {"efficiency": "efficiency", "utilisation": "utilisation"}, "share"),
    Plot("figure_4_throughput", "figure_4", "Memory reads over PCI-X", "agent_burst",
         {"throughput": "throughput"}, "MB/s", 1000.0),
    Plot("figure_5", "figure_5", "One processor forwards", "frame",
         {"throughput": ""}, "Gbps", GBPS, ("function", "rules")),
    Plot("figure_6", "figure_6", "Two processors forward", "frame", {"throughput": ""}, "Gbps", GBPS, ("routing",)),
    Plot("figure_8", "figure_8", "IPSec, two processors", "frame",
         {"throughput": ""}, "Mbps", GBPS * 1000, ("encrypt", "authenticate"), {"processors": "2"}),
    Plot("figure_9", "figure_9", "Time of the processors, IPSec", "frame",
         {"tdes_share": "3DES", "md5_share": "MD5", "maintenance_share": "maintenance", "system_share": "system"},
         "%", 100.0),
    Plot("figure_12", "figure_12", "Latency of IPv4", "frame", {"latency": ""}, "us", 0.001, ("load",)),
    Plot("figure_13", "figure_13", "Forwarding rate under route updates", "updates",
         {"forwarding": ""}, "%", 100.0, ("operation", "frame", "sizes")),
    Plot("figure_16", "figure_16", "MPLS at the edge: labels pushed", "ip_packet",
         {"forwarding": ""}, "% of the packets", 100.0, ("labels",)),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", type=Path, default=ROOT / "validation-results", help="the folder of the stores")
    stores = parser.parse_args().stores / "platforms"
    stores.mkdir(parents=True, exist_ok=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, Any] = {}
    for plot in PLOTS:
        if plot.experiment not in outcomes:
            experiment = petri.Experiment.load(ROOT / "validation" / "platforms" / f"{plot.experiment}.yaml")
            outcomes[plot.experiment] = experiment.run(stores / f"{plot.experiment}.db")
        write_text(PICTURES / f"{plot.file}.svg", drawn(plot, lines_of(plot, outcomes[plot.experiment])))


def lines_of(plot: Plot, outcome: Any) -> dict[str, Line]:
    """Return the points of each line, along the axis."""
    found: dict[str, Line] = {}
    for point in outcome.points:
        values = {name: str(value) for name, value in point.parameters.items()}
        if plot.at is not None and any(values[name].lower() != value for name, value in plot.at.items()):
            continue
        own = ", ".join(said(name, values[name]) for name in plot.lines)
        for measure, name in plot.measures.items():
            place = float(values[plot.along].split()[0])
            mean = point.intervals[measure].mean * plot.factor
            found.setdefault(name or own, []).append((place, mean))
    return {name: sorted(line) for name, line in found.items()}


def said(name: str, value: str) -> str:
    return value if value.replace("_", "").isalpha() and value.lower() not in ("true", "false") else f"{name} {value}"


def drawn(plot: Plot, lines: Mapping[str, Line]) -> str:
    """Return the picture, as SVG. The values of the axis are equal steps apart."""
    places = sorted({x for line in lines.values() for x, _ in line})
    least, most = limits([y for line in lines.values() for _, y in line])
    across = {x: LEFT + (WIDTH - LEFT - RIGHT) * n / (len(places) - 1) for n, x in enumerate(places)}

    def down(y: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (y - least) / (most - least))

    shapes = [text(LEFT, 18, plot.title, "start", 14)]
    shapes += grid(least, most, down)
    shapes += [text(x, HEIGHT - BOTTOM + 16, f"{place:g}", "middle") for place, x in across.items()]
    shapes.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, plot.along.replace("_", " "), "middle"))
    shapes.append(text(LEFT, TOP - 6, plot.unit, "end"))
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{across[x]:.1f},{down(y):.1f}" for x, y in line)
        shapes.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        shapes += [f'<circle cx="{across[x]:.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
        below = TOP + 12 + 18 * number
        shapes.append(f'<circle cx="{WIDTH - RIGHT + 14}" cy="{below - 4}" r="4" fill="{colour}"/>')
        shapes.append(text(WIDTH - RIGHT + 23, below, name, "start"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" role="img"><title>{escape(plot.title)}</title>'
        f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def limits(values: Sequence[float]) -> tuple[float, float]:
    """Begin the axis at 0, unless all values are close together."""
    least, most = min(values), max(values)
    if least > 0.8 * most:
        room = max(most - least, 0.02 * most)
        return least - 0.1 * room, most + 0.1 * room
    return 0.0, 1.05 * most


def grid(least: float, most: float, down: Callable[[float], float]) -> list[str]:
    shapes = []
    for n in range(6):
        value = least + (most - least) * n / 5
        y = down(value)
        shapes.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        shapes.append(text(LEFT - 6, y + 4, f"{value:.3g}", "end"))
    return shapes


def text(x: float, y: float, content: str, anchor: str, size: int = 11) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#222">{escape(content)}</text>'
    )


if __name__ == "__main__":
    main()
