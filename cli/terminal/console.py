"""Output to the terminal: results go to stdout, everything else to stderr; colour is never needed to understand it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, TextIO

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from petri.diagnostics import Diagnostic, render
from petri.file_read import FileRead
from petri.report.terminal.shown import shown
from petri.visible import visible

from .streams import ClosedPipe, stdout_failures

QUIET = "pnsim.quiet"  # what a context knows of a command that has no option of its own
ENDLESS = 100_000  # columns of output that does not go to a terminal: no table is too wide
PIECES = 4096  # printed at once


def has_colour(stream: TextIO) -> bool:
    """Return whether to use colour: on a terminal, unless NO_COLOR is set or TERM=dumb; anywhere if FORCE_COLOR is
    set.
    """
    if os.environ.get("FORCE_COLOR", "") not in ("", "0") and not os.environ.get("NO_COLOR"):
        return True
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def is_quiet(*, outside: bool = False) -> bool:
    """Return whether the command under way shows no notes. outside: the answer where no command is under way."""
    context = click.get_current_context(silent=True)
    return outside if context is None else bool(context.params.get("quiet") or context.meta.get(QUIET))


def tell(diagnostic: Diagnostic, sources: Mapping[str, str] | None = None) -> None:
    """Print a diagnostic on stderr; a note unless the command is to be quiet."""
    if diagnostic.severity == "note" and is_quiet():
        return
    print(render(diagnostic, sources, colour=has_colour(sys.stderr)), file=sys.stderr, flush=True)


def tell_all(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> None:
    """Print diagnostics on stderr, separated by empty lines."""
    for number, diagnostic in enumerate(diagnostics):
        if number:
            print(file=sys.stderr)
        tell(diagnostic, sources)


def remark(text: str) -> None:
    """Print a line on stderr."""
    print(visible(text), file=sys.stderr, flush=True)


def tell_missing(files: Iterable[FileRead]) -> None:
    """Warn of recordings that lack packets."""
    tell_all(one for read in files for one in read.remarks if one.severity == "warning")


class SafeConsole(Console):
    """A console that shows every text as `petri.visible` does, in signs that the stream's encoding has.

    All that is printed passes `render`; tables have been converted before, by `petri.report.terminal.tables`.
    """

    def __init__(self, stream: TextIO, width: int | None = None) -> None:
        super().__init__(file=stream, width=width, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Print as rich does, but visible texts."""
        if isinstance(renderable, str | Text):
            renderable = shown(renderable, self.encoding)
        return super().render(renderable, options)


def stdout_console() -> SafeConsole:
    """Return a console on stdout, as wide as the terminal; a file or a pipe has room for everything."""
    return SafeConsole(sys.stdout, None if sys.stdout.isatty() or os.environ.get("COLUMNS") else ENDLESS)


@contextmanager
def printing() -> Iterator[None]:
    """Print in the block as long as somebody reads; the command goes on in any case, to its own exit status."""
    try:
        yield
        sys.stdout.flush()
    except ClosedPipe:
        pass


@contextmanager
def always_shown(show: Callable[[], None]) -> Iterator[None]:
    """Write files in the block. Then the figures are printed, also where a file could not be written."""
    try:
        yield
    finally:
        with printing():
            show()


def write(text: str) -> None:
    """Print text on stdout that is visible already. Raises ClosedPipe."""
    print(text, end="", flush=True)


def write_line(text: str) -> None:
    """Print a line on stdout. Raises ClosedPipe."""
    write(visible(text) + "\n")


def write_document(text: str) -> None:
    """Print a text for other programs on stdout: exact and in UTF-8, except on a terminal. Raises ClosedPipe."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        write(visible(text))
        return
    sys.stdout.flush()
    with stdout_failures():
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()


def write_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON, and a newline. Raises ClosedPipe, and ValueError for numbers that JSON lacks."""
    write_json_pieces(json.JSONEncoder(indent=indent, ensure_ascii=False, allow_nan=False).iterencode(value))


def show(result: Any, as_json: bool, printed: Callable[[Any, Console], None]) -> None:
    """Print a result on stdout, as JSON or as a console shows it. Raises ClosedPipe."""
    if as_json:
        write_json(result.to_dict())
    else:
        printed(result, stdout_console())


def write_json_pieces(pieces: Iterable[str]) -> None:
    """Print a JSON text that may be too long to be whole in memory, and a newline. Raises ClosedPipe."""
    has_all_signs = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    rest = iter(pieces)
    while text := "".join(islice(rest, PIECES)):
        write(_escaped(text, has_all_signs))
    write("\n")


def _escaped(text: str, has_all_signs: bool) -> str:
    """Return a JSON text with what is not visible, or not in the encoding, as escapes, which mean the same."""

    def escape(sign: str) -> str:
        shown = sign == "\n" or (sign.isprintable() and (has_all_signs or sign.isascii()))
        return sign if shown else f"\\u{ord(sign):04x}" if ord(sign) < 2**16 else json.dumps(sign)[1:-1]

    return "".join(map(escape, text))
