"""The console on which tables are printed in colour. It is imported when there is one, since rich takes its time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from petri.report.shown import shown


class SafeConsole(Console):
    """Everything that is printed passes `render`. Tables have been converted before, by `petri.report.columns`."""

    @classmethod
    def on(cls, stream: TextIO, width: int | None) -> SafeConsole:
        return cls(file=stream, width=width, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        if isinstance(renderable, str | Text):
            renderable = shown(renderable, self.encoding)
        return super().render(renderable, options)
