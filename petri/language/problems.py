"""Collects the diagnostics of the checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TypeVar

from petri.diagnostics import MOST_DIAGNOSTICS, Diagnostic, Label, Severity, Value, did_you_mean
from petri.net import Span

LONGEST_QUOTE = 50
MOST_NAMES = 1_000  # among which a suggestion is searched
MOST_ERRORS = 1_000  # after which the check ends

S = TypeVar("S")
T = TypeVar("T")


class CheckError(Exception):
    """An error that ends the work on the current declaration; the caller turns it into a diagnostic."""

    def __init__(self, identifier: str, span: Span | None, *labels: Label, **values: Value) -> None:
        self.identifier = identifier
        self.span = span
        self.labels = labels
        self.values = values
        super().__init__(identifier)


class Reported(CheckError):
    """What was read is wrong, and has been reported: the work ends without another message."""

    def __init__(self) -> None:
        super().__init__("", None)


class Stopped(Exception):
    """The check ends here: going on would take long, and say little more. Whoever began it reports the error."""

    def __init__(self, identifier: str, span: Span | None, **values: Value) -> None:
        self.error = Diagnostic(identifier, span, values)
        super().__init__(identifier)


def needed(value: T | None) -> T:
    """Return what was read, where None means that it was wrong and has been reported: then this raises Reported."""
    if value is None:
        raise Reported
    return value


# Errors that follow where a name means another thing than its writer thinks.
OF_ANOTHER_KIND = frozenset((
    "not-a-place", "not-a-type", "not-a-value", "not-a-function", "wrong-target", "bare-in-measure", "place-as-value",
    "nothing-inside",
))  # fmt: skip

# One missing line causes all of them, so the first is enough.
OF_ONE_CAUSE = frozenset(("time-unit-without-clock",))


class Problems:
    """The diagnostics of one load, each reported once, and the source texts that they point into."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.errors = 0
        self.sources: dict[str, str] = {}
        self.taken_twice: set[str] = set()  # names of which the second use has been reported
        self._seen: set[tuple[str, Span | None, str]] = set()
        self._lines: dict[str, list[str]] = {}

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep it, unless the same was reported for the same position, or anywhere if one cause has all of them."""
        span = None if diagnostic.id in OF_ONE_CAUSE else diagnostic.span
        key = (diagnostic.id, span, "" if diagnostic.span else str(sorted(diagnostic.values.items())))
        if key not in self._seen:
            self._seen.add(key)
            self.found.append(diagnostic)
            self.errors += diagnostic.severity == "error"
            if self.errors == MOST_ERRORS:
                raise Stopped("too-many-errors", None, limit=MOST_ERRORS)

    def report(
        self,
        identifier: str,
        span: Span | None,
        values: Mapping[str, Value],
        *,
        labels: tuple[Label, ...] = (),
        severity: Severity = "error",
    ) -> None:
        name = values.get("name", values.get("text"))
        if identifier in OF_ANOTHER_KIND and name in self.taken_twice:
            return
        self.add(Diagnostic(identifier, span, dict(values), labels, severity))

    def error(self, identifier: str, span: Span | None, *labels: Label, **values: Value) -> None:
        self.report(identifier, span, values, labels=labels)

    def twice(self, name: str, span: Span, first: Span, kind: str, **values: Value) -> None:
        """Report a name that has been declared before, as what `kind` says."""
        self.error("name-twice", span, Label(first, "first-declared"), name=name, kind=kind, **values)

    def warning(self, identifier: str, span: Span | None, *labels: Label, **values: Value) -> None:
        self.report(identifier, span, values, labels=labels, severity="warning")

    def note(self, identifier: str, span: Span | None, *labels: Label, **values: Value) -> None:
        self.report(identifier, span, values, labels=labels, severity="note")

    def fault(self, fault: CheckError, **values: Value) -> None:
        if not isinstance(fault, Reported):
            self.report(fault.identifier, fault.span, {**fault.values, **values}, labels=fault.labels)

    def attempt(self, work: Callable[..., T], *arguments: object) -> T | None:
        """Return what the work gives; None if it raises CheckError, which is reported."""
        try:
            return work(*arguments)
        except CheckError as fault:
            self.fault(fault)
            return None

    def attempt_each(self, work: Callable[[S], T], items: Iterable[S]) -> list[T]:
        """Return what the work gives for the items, without those at which it raises CheckError, which is reported."""
        found = (self.attempt(work, item) for item in items)
        return [one for one in found if one is not None]

    def meant(self, word: str, names: Iterable[str]) -> str | None:
        """Return the name that a word is most likely a slip of the pen for, or None.

        After this many problems nobody reads suggestions. And thousands of names, each of which would be compared, were
        made by a program, which makes no typing errors.
        """
        if len(self.found) >= MOST_DIAGNOSTICS:
            return None
        few = list(islice(names, MOST_NAMES + 1))
        return did_you_mean(word, few) if len(few) <= MOST_NAMES else None

    @property
    def failed(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.found)

    def text(self, span: Span) -> str:
        """Return the source text of a span, on one line and shortened."""
        words = self.whole_text(span)
        return words if len(words) <= LONGEST_QUOTE else words[: LONGEST_QUOTE - 1] + "…"

    def whole_text(self, span: Span) -> str:
        """Return what was written there, on one line."""
        if span.file not in self._lines:
            self._lines[span.file] = self.sources.get(span.file, "").splitlines()
        lines = self._lines[span.file][span.line - 1 : span.end_line]
        if not lines:
            return "…"
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return " ".join(" ".join(line.split("#")[0] for line in lines).split())
