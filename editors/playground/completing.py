"""Completion in the page, by the functions of the language server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from playground import written

from petri.editor.completion import complete
from petri.editor.positions import Text
from petri.editor.workspace import Workspace

MOST: Final = 30  # that are offered
WORD: Final = re.compile(r"\w*\Z")
WORKSPACE: Final = Workspace()


def offers(name: str, source: str, line: int, column: int) -> tuple[str, list[tuple[str, str]]]:
    """Return the word before a position, and with what it can go on, each with a note on it."""
    path = Path(written(name, source)).resolve()
    WORKSPACE.open(path, source)
    text = Text(source, "utf-32")
    found = WORD.search(text.lines[line - 1][: column - 1])
    word = found[0] if found else ""
    items = sorted(complete(WORKSPACE.check(path), text, line, column), key=lambda one: getattr(one, "sort_text", ""))
    fitting = {one.places[0]: one.detail or "" for one in items if one.places[0].lower().startswith(word.lower())}
    return word, [] if list(fitting) == [word] else list(fitting.items())[:MOST]
