"""Output to the terminal: results go to stdout, everything else to stderr; colour is never needed to understand it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from petri.diagnostics import Diagnostic, render

if TYPE_CHECKING:
    from rich.console import Console

ENDLESS = 100_000  # columns of output that does not go to a terminal: no table is too wide
PIECES = 4096  # printed at once


class ClosedPipe(Exception):
    """The reader of our output has closed the pipe (`pnsim … | head`)."""


def has_colour(stream: TextIO) -> bool:
    """Whether to use colour: on a terminal, unless NO_COLOR is set or TERM=dumb."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def tell(diagnostic: Diagnostic, sources: Mapping[str, str] | None = None) -> None:
    """Print a diagnostic on stderr."""
    print(render(diagnostic, sources, colour=has_colour(sys.stderr)), file=sys.stderr, flush=True)


def tell_all(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> None:
    """Print diagnostics on stderr, separated by empty lines."""
    for number, diagnostic in enumerate(diagnostics):
        if number:
            print(file=sys.stderr)
        tell(diagnostic, sources)


def stdout_console() -> Console:
    """A rich console on stdout, as wide as the terminal; a file or a pipe has room for everything."""
    from rich.console import Console

    class Stdout(Console):
        def on_broken_pipe(self) -> None:
            raise ClosedPipe

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else ENDLESS
    return Stdout(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)


def write(text: str) -> None:
    """Print text on stdout. Raises ClosedPipe."""
    try:
        print(text, end="", flush=True)
    except BrokenPipeError as error:
        raise ClosedPipe from error


def write_pieces(pieces: Iterable[str]) -> None:
    """Print a text that may be too long to hold in memory. Raises ClosedPipe."""
    rest = iter(pieces)
    while text := "".join(islice(rest, PIECES)):
        write(text)
