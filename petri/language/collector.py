"""Keeps the garbage collector from scanning the growing trees over and over while a net is read.

What is left of reading one declaration has cycles, and a large net has thousands of declarations: the collector looks
at what is new, once, and frees that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

NEW = 60_000  # objects between two collections
NEVER = 1_000_000_000

# How many threads read a net, and the thresholds before the first of them began.
_lock = Lock()
_readers = 0
_before = gc.get_threshold()


@contextmanager
def at_rest() -> Iterator[None]:
    """Let the collector look at new objects alone in the block. When no thread is in one, it goes on as before."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _before, _readers
    with _lock:
        if not _readers:
            _before = gc.get_threshold()
            gc.set_threshold(NEW, NEVER, NEVER)
        _readers += 1


def _leave() -> None:
    global _readers
    with _lock:
        _readers -= 1
        if not _readers:
            gc.set_threshold(*_before)
