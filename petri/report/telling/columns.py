"""A table as data: its columns, which say how they give way where there is little room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.cells import cell_len
from rich.text import Text

from petri.structs import Struct

Cell = str | Text


class Column(Struct):
    """One column of a table. The heading may have several lines; those of a cell are for prose alone.

    kind: a "figure" is never changed; a "name" may be shortened; "prose" may take several lines.
    brief: shorter figures, without their intervals. rank: 0 stays; the greater it is, the sooner the column is left
    out. implied: other columns imply it, so it goes before anything else.
    """

    heading: str
    cells: Sequence[Cell]
    kind: Literal["figure", "name", "prose"] = "figure"
    brief: Sequence[str] | None = None
    rank: int = 0
    implied: bool = False
    left: bool = False  # figures are set to the right unless they are of different kinds
    style: str = ""

    @property
    def natural(self) -> int:
        """The width of its widest line."""
        lines = (line for cell in (self.heading, *self.cells) for line in str(cell).split("\n"))
        return max(map(cell_len, lines), default=0)
