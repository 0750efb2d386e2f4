"""A recording that comes line by line, as CSV or as the events of a server (SSE), and is kept in a file that grows."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

FIRST: Final = 2  # lines that are waited for: the names of the columns, and a row
EVENT: Final = b"data:"
OTHER_FIELDS: Final = (b":", b"event:", b"id:", b"retry:")  # of events; the first is a comment


def rows(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield whole lines that are not empty; of events their data, if the first line is of one."""
    events = None
    for line in lines:
        text = line.strip()
        if not text or not line.endswith(b"\n"):
            continue
        if events is None:
            events = text.startswith((EVENT, *OTHER_FIELDS))
        if not events:
            yield text + b"\n"
        elif text.startswith(EVENT):
            yield text.removeprefix(EVENT).strip() + b"\n"


def grow(lines: Iterable[bytes], file: Path) -> int:
    """Write the first lines into a file, and go on with the others on a thread as they come.

    Returns the number of lines it wrote: fewer than `FIRST` if no more came.
    """
    coming = rows(lines)
    file.touch(mode=0o600)
    first = list(islice(coming, FIRST))
    file.write_bytes(b"".join(first))
    if len(first) == FIRST:
        threading.Thread(target=_append, args=(coming, file), daemon=True).start()
    return len(first)


def _append(coming: Iterator[bytes], file: Path) -> None:
    with file.open("ab", buffering=0) as end:
        for row in coming:
            end.write(row)
