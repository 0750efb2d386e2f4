"""What a model answers: its drawing, and why a transition is enabled or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from petri.analysis.enabling import Explanation
from petri.atomic_file import write_text
from petri.display import ShownInNotebook, report
from petri.engine.firings import TracedFiring
from petri.net import Expr, Net
from petri.run.arguments import check_path
from petri.run.dropped import Dropped
from petri.run.instant import Moment
from petri.structs import Frozen, field
from petri.visible import visible

SUFFIXES: Final = (".svg", ".dot")


class Drawing(ShownInNotebook, Frozen):
    """A net as SVG and as Graphviz DOT. `size`: how many places and transitions are drawn, after folding."""

    name: str
    svg: str
    dot: str
    size: int

    def save(self, path: str | Path) -> None:
        """Write the drawing, as SVG or DOT by the suffix. Raises ValueError for another suffix, OSError."""
        check_path("path", path)
        suffix = Path(path).suffix.lower()
        if suffix not in SUFFIXES:
            raise ValueError(f'a drawing is saved as .svg or .dot, not as "{visible(str(path))}"')
        write_text(path, self.dot if suffix == ".dot" else self.svg)

    def __repr__(self) -> str:
        return visible(f"Drawing of {self.name}: {self.size} places and transitions")

    def _repr_svg_(self) -> str:
        return self.svg


def graph_of(net: Net) -> Any:
    """Return the net as a networkx.MultiDiGraph.

    A node is a place or a transition, by its name, with `kind`; a place has `tokens` (at the start), `type` and
    `capacity` (or None). An edge has `kind` (input, output, read, inhibitor or reset) and `count`, which is None
    where the marking decides it.
    """
    import networkx  # takes longer than a run of a small net

    graph = networkx.MultiDiGraph(name=net.name)
    for place in net.places:
        about = {"tokens": place.held, "capacity": place.capacity, "type": place.colour.name}
        graph.add_node(place.name, kind="place", **about)
    for transition in net.transitions:
        name = transition.name
        graph.add_node(name, kind="transition", priority=transition.priority)
        for arc in transition.inputs:
            kind = "read" if arc.keep else "input"
            graph.add_edge(net.places[arc.place].name, name, kind=kind, count=_count(arc.count))
        for inhibitor in transition.inhibitors:
            place = net.places[inhibitor.place]
            graph.add_edge(place.name, name, kind="inhibitor", count=_count(inhibitor.threshold))
        for emptied in transition.resets:
            graph.add_edge(net.places[emptied].name, name, kind="reset", count=None)
        for taken in transition.sets:
            graph.add_edge(net.places[taken.place].name, name, kind="input", count=None)
        for output in transition.outputs:
            for at in output.places:
                graph.add_edge(name, net.places[at].name, kind="output", count=_count(output.count))
    return graph


def _count(count: Expr | None) -> int | None:
    return 1 if count is None else int(count.value or 0) if count.op == "const" else None


class Why(Frozen):
    """An explanation with what the run does around it: `print(why)` shows it in 80 columns.

    following: the next firing of the transition, if it was looked for and found. run: which run it is, in words.
    dropped: when a clock of it has stopped last before it had run down, if that was looked for and found.
    """

    explanation: Explanation
    moment: Moment
    following: TracedFiring | None = None
    run: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    dropped: Dropped | None = None

    @property
    def enabled(self) -> bool:
        """Whether the transition could fire at this instant."""
        return self.explanation.enabled

    def __str__(self) -> str:
        return report().text(self)

    __repr__ = __str__
