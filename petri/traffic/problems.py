"""Errors of a recording, as data; `petri/wording/streams.txt` words them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from petri.diagnostics import Diagnostic, LanguageError, Value

Rows = TypeVar("Rows")


def problem(identifier: str, **values: Value) -> LanguageError:
    return LanguageError([Diagnostic(identifier, values=values)], {})


def unreadable(name: str, error: Exception) -> LanguageError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return problem("stream-unreadable", path=name, reason=reason)


def longest(count: int, read: Callable[[int], Rows]) -> tuple[Rows | None, LanguageError | None]:
    """Return the readable part of the first `count` rows, or None, and the error in the row after it, if any.

    read: returns the first n rows, or raises LanguageError.
    """
    try:
        return read(count), None
    except LanguageError as error:
        wrong = error
    rows, good, bad = None, 0, count
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            rows, good = read(middle), middle
        except LanguageError as error:
            wrong, bad = error, middle
    return rows, wrong
