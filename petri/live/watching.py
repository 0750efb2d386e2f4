"""Which files a net reads, and when they were changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from petri import library

PAUSE: Final = 0.3  # seconds between two looks at the files
MOST_FILES: Final = 1000
LIBRARY_IMPORT: Final = re.compile(r"^[ \t]*import[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)
NAMED_FILE: Final = re.compile(r'"([^"\n]+\.\w+)"')


def times(files: Iterable[Path]) -> dict[Path, int]:
    """Return when the files were last changed, in nanoseconds; 0 of those missing or being replaced."""
    found = {}
    for file in files:
        try:
            found[file] = file.stat().st_mtime_ns
        except (OSError, ValueError):
            found[file] = 0
    return found


def files_named(path: Path) -> list[Path]:
    """Return the net, and all that it reads or would read if it were there: what it imports, and its tables and
    recordings.

    Their names are looked for in the text, because a net with errors has no others.
    """
    found = {path.resolve(): None}
    waiting = list(found)
    while waiting and len(found) < MOST_FILES:
        file = waiting.pop()
        try:
            text = file.read_text("utf-8", "replace")
        except (OSError, ValueError):
            continue
        modules = (library.module(one) for one in LIBRARY_IMPORT.findall(text))
        named = [*filter(None, modules), *(file.parent / one for one in NAMED_FILE.findall(text))]
        for one in map(Path, map(os.path.normpath, named)):
            if one not in found:
                found[one] = None
                waiting += [one] * (one.suffix == library.SUFFIX)
    return list(found)
