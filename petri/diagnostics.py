"""Errors, warnings and notes as data, and their formatting in one place.

Code that finds an error creates a `Diagnostic`: an id, the span of the culprit and the relevant values. The sentences
are in `petri/wording/`, one table per area, so that all messages of the project have the same style:

    Diagnostic("unknown-name", span, values={"name": "tbfu", "suggestion": "tbuf"})

    error[unknown-name]: `tbfu` is not declared
      --> ixp.net:12:21
       |
    12 | transition send: tbfu(p), mac -> mac
       |                  ^^^^
       hint: did you mean `tbuf`?

A diagnostic that stops a command is carried by a `LanguageError` (the text is wrong) or a `RunError` (the model failed
during the run).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from petri.net import Span
from petri.structs import Frozen, as_dict, field

MOST_DIAGNOSTICS = 100  # reported by a check

Severity = Literal["error", "warning", "note"]
Value = str | int | float | Sequence[str] | None


class Label(Frozen):
    """A second position of a diagnostic; `role` names its wording (`first-declared`, `opened-here`, …)."""

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
        from petri.wording import message

        return message(self.id, self.values)

    @property
    def hints(self) -> tuple[str, ...]:
        from petri.wording import hints

        return hints(self.id, self.values)

    @property
    def notes(self) -> tuple[str, ...]:
        from petri.wording import notes

        return notes(self.id, self.values)

    def to_dict(self) -> dict[str, Any]:
        """For tools: JSON types only. Lines and columns count from 1, the end column is exclusive."""
        from petri.wording import label

        return {
            "id": self.id,
            "severity": self.severity,
            "message": self.message,
            "span": _span_dict(self.span),
            "labels": [{"span": _span_dict(mark.span), "text": label(mark.role, self.values)} for mark in self.labels],
            "notes": list(self.notes),
            "hints": list(self.hints),
            "values": {name: _plain(value) for name, value in self.values.items()},
        }


class LanguageError(Exception):
    """The text of a net is wrong. `diagnostics` has all problems; `sources` the texts, by file name."""

    def __init__(self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        self.sources: Mapping[str, str] = sources or {}
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return render_all(self.diagnostics, self.sources)


class RunFailure(Frozen):
    """An error in a running model (rules X1 to X4), or in a recording that it reads.

    `id` names the wording; `transition` is its full name, empty for a recording; `binding` pairs each variable with its
    value as shown; `time` is the model time as shown (`12.5 ns`); `span` is the expression to blame.
    """

    id: str
    transition: str = ""
    binding: tuple[tuple[str, str], ...] = ()
    time: str = ""
    span: Span | None = None
    values: Mapping[str, Value] = field(default_factory=dict)

    @property
    def diagnostic(self) -> Diagnostic:
        story: dict[str, Value] = {
            "transition": self.transition,
            "time": self.time,
            "binding": ", ".join(f"{name} = {value}" for name, value in self.binding),
        }
        return Diagnostic(self.id, self.span, {**self.values, **story})

    def to_dict(self) -> dict[str, Any]:
        return {**self.diagnostic.to_dict(), "transition": self.transition, "binding": dict(self.binding)}


class RunError(Exception):
    """The model failed during the run, and the run stopped. `failure` says where and why."""

    def __init__(self, failure: RunFailure, sources: Mapping[str, str] | None = None) -> None:
        self.failure = failure
        self.sources: Mapping[str, str] = sources or {}
        super().__init__(failure)

    def __str__(self) -> str:
        return render(self.failure.diagnostic, self.sources)


def render(diagnostic: Diagnostic, sources: Mapping[str, str] | None = None, *, colour: bool = False) -> str:
    """The diagnostic as text of several lines, without a final newline.

    `sources` maps file names, as in spans, to their text; without it the source lines are left out.
    """
    from petri.drawing import draw

    return draw(diagnostic, sources or {}, colour=colour)


def render_all(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None, *, colour: bool = False
) -> str:
    """All diagnostics, separated by empty lines."""
    return "\n\n".join(render(diagnostic, sources, colour=colour) for diagnostic in diagnostics)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty if there are none."""
    found = [diagnostic.severity for diagnostic in diagnostics]
    counts = [(found.count(severity), severity) for severity in ("error", "warning", "note")]
    return ", ".join(f"{count} {severity}{'s' if count > 1 else ''}" for count, severity in counts if count)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file (in order of first appearance), then by their start; those without a span first."""
    listed = list(diagnostics)
    files: dict[str, int] = {}
    for diagnostic in listed:
        if diagnostic.span:
            files.setdefault(diagnostic.span.file, len(files))

    def key(diagnostic: Diagnostic) -> tuple[int, int, int]:
        span = diagnostic.span
        return (files[span.file], span.line, span.column) if span else (-1, 0, 0)

    return sorted(listed, key=key)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def limited(diagnostics: Sequence[Diagnostic], path: str) -> list[Diagnostic]:
    """The first ones, and the number of further ones in the file."""
    more = len(diagnostics) - MOST_DIAGNOSTICS
    rest = [Diagnostic("and-more", None, {"count": more, "path": path})] if more > 0 else []
    return [*diagnostics[:MOST_DIAGNOSTICS], *rest]


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate of which `word` is most likely a misspelling, or None. Letter case counts little."""
    from difflib import get_close_matches

    if len(word) > 60:
        return None
    folded: dict[str, str] = {}
    for candidate in candidates:
        folded.setdefault(candidate.lower(), candidate)
    if word.lower() in folded:
        return folded[word.lower()]
    near = get_close_matches(word.lower(), folded, n=1, cutoff=0.7 if len(word) > 3 else 0.6)
    return folded[near[0]] if near else None


def _span_dict(span: Span | None) -> dict[str, Any] | None:
    return None if span is None else as_dict(span)


def _plain(value: Value) -> Any:
    return value if value is None or isinstance(value, (str, int, float)) else list(value)
