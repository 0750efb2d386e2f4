"""A net of another tool, on its way to the text of the language.

Expressions, patterns and times are text of the language already, and names are its names: a reader gets them from
`names.Names`. What a reader cannot say becomes a finding, with its place in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeVar

from petri.diagnostics import Diagnostic, LanguageError, Value
from petri.interchange.reading.names import Names
from petri.net import Span

T = TypeVar("T")
LARGEST_NUMBER: Final = 10**9  # of tokens, also of an arc


@dataclass(slots=True)
class Constant:
    """`word` NAME = VALUE: `param`, `const`, or `fn`, whose name has its parameters."""

    name: str
    value: str
    word: str = "param"
    doc: str = ""


@dataclass(slots=True)
class Type:
    name: str
    definition: str  # `1..3`, `a | b`, `{ x: T, y: U }`
    doc: str = ""


@dataclass(slots=True)
class Place:
    """initial: tokens as the language writes them, `5 * token` or `2 * (1), 3`; discipline: its word, or none."""

    name: str
    type: str = ""
    initial: str = ""
    discipline: str = ""
    capacity: str = ""
    doc: str = ""


@dataclass(slots=True)
class Transition:
    """Arcs and clauses as the language writes them: `2 * p`, `q(x)`, `no full >= 3`; `{"after": "exp(3)"}`."""

    name: str
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    clauses: dict[str, str] = field(default_factory=dict)
    doc: str = ""

    def weigh(self, weight: str) -> None:
        self.clauses |= {} if weight in ("1", "1.0") else {"weight": weight}

    def add_doc(self, text: str) -> None:
        self.doc = "\n".join(filter(None, (self.doc, text)))


@dataclass(slots=True)
class Foreign:
    """A net that was read. `source` is the text that its findings show; `origin` names its format."""

    origin: str
    file: str
    source: str = ""
    name: str = "net"
    comments: list[str] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)  # whole lines
    findings: list[Diagnostic] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    copies: set[str] = field(default_factory=set)  # places and transitions that the file makes from one another
    wanted: str = ""  # the net that is to be read, of a file with several

    def call(self, title: str) -> None:
        """Name the net. A place may have the same name."""
        if title.strip():
            self.name = Names().give("net", title)

    def choose(self, nets: Sequence[tuple[str, T]], span: Span) -> T:
        """Return the net that is wanted, else the first of them. Raises LanguageError."""
        known = tuple(name for name, _ in nets)
        if self.wanted and self.wanted not in known:
            self.refuse("foreign-unknown-net", span, name=self.wanted, known=known)
        if not self.wanted and len(nets) > 1:
            self.warn("foreign-first-net", span, name=known[0], others=known[1:])
        return next(net for name, net in nets if not self.wanted or name == self.wanted)

    def span(self, line: int, column: int = 1, length: int = 1) -> Span:
        return Span(self.file, line, column, line, column + max(length, 1))

    def keep_alive(self) -> None:
        """Give a token to take and to give back to immediate transitions that take nothing, which cannot be written."""
        idle = [
            one
            for one in self.transitions
            if "after" not in one.clauses and all(arc.startswith(("no ", "read ", "reset ")) for arc in one.inputs)
        ]
        if not idle:
            return
        name = self.names.fresh("always")
        self.places.append(Place(name, initial="token", doc="for transitions that take nothing"))
        for transition in idle:
            transition.inputs.insert(0, name)
            transition.outputs.insert(0, name)

    def warn(self, identifier: str, span: Span | None = None, **values: Value) -> None:
        """Something that the text says otherwise than the file."""
        self.findings.append(Diagnostic(identifier, span, values, severity="warning"))

    def note(self, identifier: str, span: Span | None = None, **values: Value) -> None:
        self.findings.append(Diagnostic(identifier, span, values, severity="note"))

    def refuse(self, identifier: str, span: Span | None = None, **values: Value) -> NoReturn:
        """Raise LanguageError: the net cannot be read."""
        raise refused(self.file, self.source, identifier, span, values)


def refused(file: str, source: str, identifier: str, span: Span | None, values: Mapping[str, Value]) -> LanguageError:
    return LanguageError([Diagnostic(identifier, span, values)], {file: source})
