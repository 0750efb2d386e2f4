"""The console on which tables are printed. It is imported when there is one to print, since rich takes its time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Span, Text

from petri.visible import visible

from .streams import PLAIN


class SafeConsole(Console):
    """Everything that is printed passes `render`, the parts of tables too, before it is laid out."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        return super().render(self._shown(renderable), options)

    def _shown(self, renderable: RenderableType) -> RenderableType:
        if isinstance(renderable, str):
            return self._signs(renderable)
        if isinstance(renderable, Text):
            return self._text(renderable)
        if isinstance(renderable, Table):  # here as a whole, for its columns to be as wide as what is shown
            for column in renderable.columns:
                column.header = self._shown(column.header)
                column._cells = [self._shown(cell) for cell in column._cells]
        return renderable

    def _signs(self, text: str) -> str:
        return visible(text).encode(self.encoding, PLAIN).decode(self.encoding)

    def _text(self, text: Text) -> Text:
        """The text with its styles on the same characters, which may have become several."""
        if self._signs(text.plain) == text.plain:
            return text
        signs = [self._signs(character) for character in text.plain]
        at = list(accumulate(map(len, signs), initial=0))
        shown = text.blank_copy("".join(signs))
        shown.spans = [Span(at[span.start], at[min(span.end, len(signs))], span.style) for span in text.spans]
        return shown
