"""Keeps the garbage collector from scanning the growing trees over and over while a net is read.

What is left of reading one declaration has cycles, and a large net has thousands of declarations: the collector looks
at what is new, once, and frees that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

NEW = 20_000  # objects between two collections
NEVER = 1_000_000_000


@contextmanager
def at_rest() -> Iterator[None]:
    """Let the collector look at new objects alone in the block. Afterwards it goes on as before."""
    before = gc.get_threshold()
    gc.set_threshold(NEW, NEVER, NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
