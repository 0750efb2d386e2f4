"""The picture of a net in which the tokens of the first firings of a run move: an SVG that loads nothing."""

from __future__ import annotations

import re
from math import dist

import petri
from petri.engine.firings import TracedFiring

FIRINGS = 16
STEP = 0.7  # seconds in which the tokens of a start or of an end go along their arcs

_ARC = re.compile(r'<path class="arc" d="([^"]+)"')
_NODE = re.compile(
    r'id="n-([a-z]+)\w*">\n<(?:circle class="\w+" cx|rect class="\w+" x)="([-\d.]+)" c?y="([-\d.]+)"(?: width="(\d+)")?'
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

Point = tuple[float, float]


def moving(model: petri.Model, drawing: str) -> str:
    """Return the drawing with tokens on their way along its arcs: to a transition as it starts, from it as it ends."""
    net, fired = model.net, list[TracedFiring]()
    model.run(max_firings=FIRINGS, replications=1, warmup=0.0, trace=lambda _, firings: fired.extend(firings))
    fired = fired[:FIRINGS]
    events = [(one.start, number, False) for number, one in enumerate(fired)]
    events = sorted(events + [(one.end, number, True) for number, one in enumerate(fired)])
    paths, circles = _paths(drawing), []
    for turn, (_, number, ends) in enumerate(events):
        transition = net.transitions[fired[number].transition]
        places = [arc.places[0] for arc in transition.outputs] if ends else [arc.place for arc in transition.inputs]
        for place in places:
            path, from_transition = paths[net.places[place].name, transition.name]
            circles.append(_circle(path, turn, len(events), ends != from_transition))
    return drawing.replace("</svg>", "".join(circles) + "</svg>")


def _paths(drawing: str) -> dict[tuple[str, str], tuple[str, bool]]:
    """Return the path between each place and transition, and whether it begins at the transition."""
    nodes = {
        name: (float(x) + float(width or 0) / 2, float(y) + (18 if width else 0))
        for name, x, y, width in _NODE.findall(drawing)
    }
    transitions = {name for name, _, _, width in _NODE.findall(drawing) if width}
    found = {}
    for path in _ARC.findall(drawing):
        numbers = list(map(float, _NUMBER.findall(path)))
        first, last = (_nearest(nodes, (x, y)) for x, y in (numbers[:2], numbers[-2:]))
        begins = first in transitions
        found[(last, first) if begins else (first, last)] = path, begins
    return found


def _nearest(nodes: dict[str, Point], point: Point) -> str:
    return min(nodes, key=lambda name: dist(nodes[name], point))


def _circle(path: str, turn: int, turns: int, backwards: bool) -> str:
    """Return a token that goes along a path in one of the turns of the picture."""
    begin, end, seconds = turn / turns, (turn + 1) / turns, turns * STEP
    points = "1;1;0;0" if backwards else "0;0;1;1"
    times = f'keyTimes="0;{begin:.4f};{end:.4f};1" dur="{seconds:.1f}s" repeatCount="indefinite"'
    shown = f'<animate attributeName="opacity" calcMode="discrete" values="0;1;0;0" {times}/>'
    moved = f'<animateMotion path="{path}" calcMode="linear" keyPoints="{points}" {times}/>'
    return f'<circle class="token" r="4" opacity="0">{shown}{moved}</circle>\n'
