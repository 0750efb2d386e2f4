"""Writing to the terminal: results go to stdout, everything else to stderr; all of it reads without colour."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

COLOURS = {"red": "31", "yellow": "33", "green": "32", "bold": "1", "dim": "2"}


def has_colour(stream: TextIO) -> bool:
    """Whether colour is wanted there: a terminal, and NO_COLOR is not set."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def paint(text: str, colour: str, stream: TextIO) -> str:
    """The text in a colour, where the stream shows colours."""
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if has_colour(stream) else text


def tell_error(message: str, hint: str = "") -> None:
    """Print `error: message` and the hint on stderr."""
    _tell(paint("error", "red", sys.stderr), message, hint)


def tell_warning(message: str, hint: str = "") -> None:
    """Print `warning: message` and the hint on stderr."""
    _tell(paint("warning", "yellow", sys.stderr), message, hint)


def tell_note(message: str) -> None:
    """Print `note: message` on stderr."""
    _tell(paint("note", "bold", sys.stderr), message, "")


def _tell(label: str, message: str, hint: str) -> None:
    lines = [f"{label}: {message}"]
    if hint:
        lines.append(f"  {hint}")
    print("\n".join(lines), file=sys.stderr, flush=True)


def stdout_console() -> Console:
    """A rich console on stdout, as wide as the terminal, or 100 columns where there is none."""
    from rich.console import Console

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else 100
    return Console(file=sys.stdout, width=width, highlight=False, emoji=False, soft_wrap=False)
