"""Optimisations that the native engine can do without (`petri/native/engine/src/program/without.rs`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

OPTIMISATIONS: Final = (
    "joins",
    "preferences",
    "lanes",
    "footprints",
    "shapes",
    "calls",
    "inlining",
    "clock",
    "profile",
)


@contextmanager
def without(names: str) -> Iterator[None]:
    """Let nets that are compiled meanwhile do without these, which have commas between them."""
    with patch.dict(os.environ, PNSIM_WITHOUT=names):
        yield
