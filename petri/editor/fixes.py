"""Quick fixes: what the hints of a diagnostic would change in the text."""

from __future__ import annotations

from petri.diagnostics import Diagnostic
from petri.net import Span
from petri.structs import Frozen, replace


class Change(Frozen):
    """The text of `span` becomes `text`."""

    title: str
    span: Span
    text: str


def changes(diagnostic: Diagnostic, lines: list[str]) -> list[Change]:
    """Return the quick fixes of a diagnostic. lines: of the file of its span."""
    found = []
    for fix in diagnostic.fixes:
        span = diagnostic.span if not fix.word else _last_within(diagnostic.span, fix.word, lines)
        if span is not None:
            found.append(Change(fix.title, span, fix.text))
    return found


def _last_within(span: Span | None, word: str, lines: list[str]) -> Span | None:
    """Return where a word occurs in a span for the last time; None if it does not, or if the span has several lines."""
    if span is None or span.line != span.end_line or span.line > len(lines):
        return None
    offset = lines[span.line - 1].rfind(word, span.column - 1, span.end_column - 1)
    if offset < 0:
        return None
    return replace(span, column=offset + 1, end_column=offset + 1 + len(word))
