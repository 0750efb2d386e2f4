"""One message to the user: its id, the span of the culprit and the values that fill in the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from petri.net import Span
from petri.structs import Frozen, as_dict, field
from petri.wording import fixes, hints, label, message, notes
from petri.wording.entry import Fix

Severity = Literal["error", "warning", "note"]
Value = str | int | float | Sequence[str] | None


class Label(Frozen):
    """A second place that matters; `role` names its wording (`first-declared`, `opened-here`, …)."""

    span: Span
    role: str


class Diagnostic(Frozen):
    """One message to the user.

    `id` is its name in the wording tables. `values` fill in the sentences; a hint or note that names a value which is
    missing, None or empty is left out. `span` is None if no source text is to blame (a missing file).
    """

    id: str
    span: Span | None = None
    values: Mapping[str, Value] = field(default_factory=dict)
    labels: tuple[Label, ...] = ()
    severity: Severity = "error"

    @property
    def message(self) -> str:
        """Return the sentence that says what is wrong."""
        return message(self.id, self.values)

    @property
    def hints(self) -> tuple[str, ...]:
        """Return what to write instead, a sentence each."""
        return hints(self.id, self.values)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what is known of the cause, a sentence each."""
        return notes(self.id, self.values)

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The hints that say exactly what to write, as changes to the text of the span."""
        return fixes(self.id, self.values) if self.span is not None else ()

    def to_dict(self) -> dict[str, Any]:
        """Return it for tools: JSON types only. Lines and columns count from 1, the end column is exclusive."""
        return {
            "id": self.id,
            "severity": self.severity,
            "message": self.message,
            "span": _span_dict(self.span),
            "labels": [{"span": _span_dict(mark.span), "text": label(mark.role, self.values)} for mark in self.labels],
            "notes": list(self.notes),
            "hints": list(self.hints),
            "fixes": [{"title": fix.title, "replace": fix.word or None, "with": fix.text} for fix in self.fixes],
            "values": {name: _plain(value) for name, value in self.values.items()},
        }


def _span_dict(span: Span | None) -> dict[str, Any] | None:
    return None if span is None else as_dict(span)


def _plain(value: Value) -> Any:
    return value if value is None or isinstance(value, (str, int, float)) else list(value)
