"""The console on which tables are printed without colour, which takes no time to load."""

from __future__ import annotations

from typing import Any

from petri.report.shown import shown
from petri.report.text import PlainConsole, cell_len


class SafePlainConsole(PlainConsole):
    """As `SafeConsole` of rich, to which it leaves what must be broken into lines."""

    def print(self, *objects: Any, **how: Any) -> None:
        texts = [shown(str(one), self.encoding) for one in objects]
        if not how and any(cell_len(line) > self.width for text in texts for line in text.split("\n")):
            from .safe_console import SafeConsole

            SafeConsole.on(self.file, self.width).print(*objects)
        else:
            super().print(*texts, **how)
