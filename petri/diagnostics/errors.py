"""Diagnostics that stop a command or a run, as text, in order, counted; and what a word was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from petri.diagnostics.data import Diagnostic, Severity, Value
from petri.diagnostics.drawing import draw
from petri.net import Span
from petri.structs import Frozen, field

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
MOST_NAMES = 12  # of the known names, listed with an unknown one
MOST_DIAGNOSTICS = 100  # of a check, that are reported


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
    def in_model(self) -> bool:
        """Whether a firing failed or a measure of the marking, and not the reading of a recording."""
        return bool(self.transition) or "measured" in self.values

    @property
    def diagnostic(self) -> Diagnostic:
        details: dict[str, Value] = {
            "transition": self.transition,
            "time": self.time,
            "binding": ", ".join(f"{name} = {value}" for name, value in self.binding),
        }
        return Diagnostic(self.id, self.span, {**self.values, **details})

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
    """Return the diagnostic as text of several lines, without a final newline.

    `sources` maps file names, as in spans, to their text; without it the source lines are left out.
    """
    return draw(diagnostic, sources or {}, colour=colour)


def render_all(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None, *, colour: bool = False
) -> str:
    """Return all diagnostics, separated by empty lines."""
    return "\n\n".join(render(diagnostic, sources, colour=colour) for diagnostic in diagnostics)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty if there are none."""
    found = [diagnostic.severity for diagnostic in diagnostics]
    counts = [(found.count(severity), severity) for severity in SEVERITIES]
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
    """Return at most `MOST_DIAGNOSTICS` of them. If there are more: the most severe, and one that counts the rest."""
    if len(diagnostics) <= MOST_DIAGNOSTICS:
        return list(diagnostics)
    ranked = sorted(diagnostics, key=lambda one: SEVERITIES.index(one.severity))
    told, others = ranked[:MOST_DIAGNOSTICS], ranked[MOST_DIAGNOSTICS:]
    values: dict[str, Value] = {"count": len(others), "path": path}
    return [*in_order(told), Diagnostic("and-more", None, values, severity=others[0].severity)]


class UnknownName(KeyError):
    """Nothing has this name. `diagnostic` says what was perhaps meant; a KeyError, as of a dictionary."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic)

    def __str__(self) -> str:
        return render(self.diagnostic)


def unknown_name(name: str, kind: str, known: Iterable[str], others: Mapping[str, Iterable[str]]) -> UnknownName:
    """Return what to raise where there is no `kind` of this name. others: names that may be meant, by kind."""
    listed, name = list(known), str(name)  # people ask by number as well
    elsewhere = next((other for other, names in others.items() if name in names), None)
    nearest = did_you_mean(name, [*listed, *(one for names in others.values() for one in names)])
    values = {
        "name": name,
        "kind": kind,
        "suggestion": None if nearest == name else nearest,
        "elsewhere": elsewhere,
        "known": listed[:MOST_NAMES] or None,
    }
    return UnknownName(Diagnostic("unknown-in-result", values=values))


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate of which `word` is most likely a misspelling, or None. Letter case counts little."""
    if len(word) > 60:
        return None
    folded: dict[str, str] = {}
    for candidate in candidates:
        folded.setdefault(candidate.lower(), candidate)
    if word.lower() in folded:
        return folded[word.lower()]
    near = get_close_matches(word.lower(), folded, n=1, cutoff=0.7 if len(word) > 3 else 0.6)
    return folded[near[0]] if near else None
