"""What is wrong with a recording, as data; `petri/wording/streams.py` words it."""

from __future__ import annotations

from petri.diagnostics import Diagnostic, LanguageError, Value


def problem(identifier: str, **values: Value) -> LanguageError:
    return LanguageError([Diagnostic(identifier, values=values)], {})
