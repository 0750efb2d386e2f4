"""What is computed once for the object that was asked about last, such as the net whose replications run."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def kept_for_latest(make: Callable[[Key], Value]) -> Callable[[Key], Value]:
    """Return the function that keeps what `make` gave of the latest argument, which is known by its identity.

    Threads may call it at once: they may make the same value twice, and each gets that of its own argument.
    """
    latest: tuple[Key, Value] | None = None

    @wraps(make)
    def kept(key: Key) -> Value:
        nonlocal latest
        found = latest
        if found is None or found[0] is not key:
            found = latest = key, make(key)
        return found[1]

    return kept
