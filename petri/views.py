"""What a model answers: its drawing, and why a transition is enabled or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from petri.analysis.enabling import Explanation
from petri.atomic_file import write_text
from petri.display import ShownInNotebook, report
from petri.engine.firings import TracedFiring
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
        suffix = Path(path).suffix.lower()
        if suffix not in SUFFIXES:
            raise ValueError(f'a drawing is saved as .svg or .dot, not as "{visible(str(path))}"')
        write_text(path, self.dot if suffix == ".dot" else self.svg)

    def __repr__(self) -> str:
        return visible(f"Drawing of {self.name}: {self.size} places and transitions")

    def _repr_svg_(self) -> str:
        return self.svg


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
