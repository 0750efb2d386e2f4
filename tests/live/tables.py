"""Desks of small nets, and what they answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from petri.live.desk import Desk
from petri.live.source import Source
from petri.model import LoadedFrom, Setting
from petri.run.plan import RunOptions

PATIENCE = 15.0
COUNTER = """## Customers at a counter.
net counter
time min
param gap    = 4 min  ## between customers
param clerks = 1 in 1..9
place street = token
place line
place clerk = clerks * token
transition arrive: street -> street, line  takes exp(gap)
transition serve:  line, clerk -> clerk    takes exp(3 min)
measure busy = busy(clerk)
  expect <= 0.8
measure wait = sojourn(line)
run until 1_000 h  warmup 10 h
"""


def source(path: Path | str, options: RunOptions | None = None, **parameters: Setting) -> Source:
    return Source(str(path), LoadedFrom(path, "", parameters), options or {})


@contextmanager
def desk(path: Path, text: str = COUNTER) -> Iterator[Desk]:
    """Yield a desk of a net in a file, which somebody looks at."""
    path.write_text(text, encoding="utf-8")
    made = Desk(source(path), path, threads=2)
    made.start()
    made.watched(1)
    try:
        yield made
    finally:
        made.close()


def answer(desk: Desk, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the first answer that is wanted."""
    version, end = 0, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        version, found = desk.wait(version, 1.0)
        if found and wanted(found):
            return found
    raise AssertionError(f"no such answer: {desk.wait(0, 0.0)[1]}")
