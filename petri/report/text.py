"""Styled text, and what it is printed on: of rich's `Text` and `Console` what reports need, which loads in no time.

rich takes as long to load as Python itself, and is needed only where there are colours. A text here has a style and
spans as one of rich does, and becomes one where it is printed on a console of rich.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TextIO

if TYPE_CHECKING:
    import rich.text

_SINGLE: Final = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("±×·µ²³–—…≤≥≈→←↑↓✓✗━─▁▂▃▄▅▆▇█")


def cell_len(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if _SINGLE.issuperset(text):
        return len(text)
    from rich import cells

    return cells.cell_len(text)


class Span(NamedTuple):
    """The characters from `start` up to `end`, and their style."""

    start: int
    end: int
    style: str

    def moved(self, by: int) -> Span:
        return Span(self.start + by, self.end + by, self.style)


class Text:
    """A text with a style, and spans with further styles."""

    __slots__ = ("plain", "spans", "style")

    def __init__(self, plain: str = "", style: str = "", spans: Iterable[Span] = ()) -> None:
        self.plain = plain
        self.style = style
        self.spans = [*spans]

    def __len__(self) -> int:
        return len(self.plain)

    def __str__(self) -> str:
        return self.plain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and (self.plain, self.spans) == (other.plain, other.spans)

    __hash__ = None  # type: ignore[assignment]

    def __rich__(self) -> rich.text.Text:
        import rich.text as rich

        return rich.Text(self.plain, self.style, spans=[rich.Span(*span) for span in self.spans])

    @property
    def cell_len(self) -> int:
        return cell_len(self.plain)

    def copy(self) -> Text:
        return Text(self.plain, self.style, self.spans)

    def append(self, text: str | Text, style: str = "") -> Text:
        if isinstance(text, Text):
            return self.append_text(text)
        if style and text:
            self.spans.append(Span(len(self), len(self) + len(text), style))
        self.plain += text
        return self

    def append_text(self, text: Text) -> Text:
        start = len(self)
        if text.style:
            self.spans.append(Span(start, start + len(text), text.style))
        self.spans += [span.moved(start) for span in text.spans]
        self.plain += text.plain
        return self

    def join(self, texts: Iterable[Text]) -> Text:
        joined = Text(style=self.style)
        for number, text in enumerate(texts):
            if number and self.plain:
                joined.append_text(self)
            joined.append_text(text)
        return joined

    def rstrip(self) -> None:
        self.plain = self.plain.rstrip()
        end = len(self)
        self.spans = [span._replace(end=min(span.end, end)) for span in self.spans if span.start < end]

    def divide(self, offsets: Iterable[int]) -> list[Text]:
        """The pieces between these places."""
        ends = [*offsets, len(self)]
        return [self._piece(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def _piece(self, start: int, end: int) -> Text:
        within = [
            Span(max(span.start, start) - start, min(span.end, end) - start, span.style)
            for span in self.spans
            if span.start < end and span.end > start
        ]
        return Text(self.plain[start:end], self.style, within)

    def split(self, separator: str = "\n") -> list[Text]:
        """The pieces between separators."""
        pieces, start = [], 0
        for part in self.plain.split(separator):
            pieces.append(self._piece(start, start + len(part)))
            start += len(part) + len(separator)
        return pieces


class Console(Protocol):
    """What reports print on: a `PlainConsole`, or a console of rich."""

    @property
    def width(self) -> int: ...

    @property
    def encoding(self) -> str: ...

    @property
    def is_terminal(self) -> bool: ...

    def print(self, *objects: Any, **how: Any) -> None: ...


class PlainConsole:
    """Texts without their styles, each on a line."""

    is_terminal: Final = False

    def __init__(self, file: TextIO, width: int) -> None:
        self.file = file
        self.width = width

    @property
    def encoding(self) -> str:
        return (getattr(self.file, "encoding", None) or "utf-8").lower()

    def print(self, *objects: Any, **how: Any) -> None:
        """One text, or none for an empty line; how: for rich. A text does not become lines here: `print_prose` does."""
        self.file.write("".join(map(str, objects)) + "\n")
        self.file.flush()
