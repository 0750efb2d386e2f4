"""Writing to the terminal: results go to stdout, everything else to stderr; all of it reads without colour."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from petri.diagnostics import Diagnostic, render

if TYPE_CHECKING:
    from rich.console import Console

    from petri.file_read import FileRead

PLAIN_WIDTH = 100  # columns of output that does not go to a terminal
PIECES = 4096  # that are printed at once


class ClosedPipe(Exception):
    """Whoever read our output has gone (`pnsim … | head`)."""


def has_colour(stream: TextIO) -> bool:
    """Whether colour is wanted there: a terminal, and neither NO_COLOR nor TERM=dumb."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def tell(diagnostic: Diagnostic, sources: Mapping[str, str] | None = None) -> None:
    """Print a diagnostic on stderr."""
    print(render(diagnostic, sources, colour=has_colour(sys.stderr)), file=sys.stderr, flush=True)


def tell_all(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> None:
    """Print diagnostics on stderr, an empty line between two."""
    for number, diagnostic in enumerate(diagnostics):
        if number:
            print(file=sys.stderr)
        tell(diagnostic, sources)


def tell_missing(files: Iterable[FileRead]) -> None:
    """Warn of recordings that lack packets."""
    tell_all(one for read in files for one in read.remarks if one.severity == "warning")


def stdout_console() -> Console:
    """A rich console on stdout, as wide as the terminal."""
    from rich.console import Console

    class Stdout(Console):
        def on_broken_pipe(self) -> None:
            raise ClosedPipe

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else PLAIN_WIDTH
    return Stdout(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)


def write(text: str) -> None:
    """Print text on stdout. Raises ClosedPipe."""
    try:
        print(text, end="", flush=True)
    except BrokenPipeError as error:
        raise ClosedPipe from error


def write_pieces(pieces: Iterable[str]) -> None:
    """Print a text that may be too long to be whole in memory. Raises ClosedPipe."""
    rest = iter(pieces)
    while text := "".join(islice(rest, PIECES)):
        write(text)
