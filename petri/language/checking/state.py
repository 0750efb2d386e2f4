"""What is known of a net while it is checked, and what its readers ask of the whole.

An expression names a constant, whose declaration is an expression: who reads a part needs the whole, which needs the
parts. So the readers know `CheckState`, and `Checker`, which stands on top of them, answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from petri import net
from petri.catalogue.units import Dimension
from petri.language.checking.clock import NetUnits
from petri.language.meaning.nodes import Node
from petri.language.meaning.scope import (
    ConstantSymbol,
    DistSymbol,
    FnSymbol,
    ModuleSymbol,
    Scope,
    TransitionSymbol,
    TypeSymbol,
    UnitSymbol,
    kind_of,
)
from petri.language.meaning.templates import Body, TransitionTemplate
from petri.language.meaning.types import UNKNOWN, Request, Type
from petri.language.problems import CheckError, Problems, Reported
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Frozen, Struct, field


class Value(Struct):
    """An expression: its type, a node for each slot, and whether it is a bare `0`, which fits any dimension.

    word: the value of an enumeration that it is, by its name, which may be a value of others as well.
    """

    type: Type
    nodes: tuple[Node, ...]
    span: Span
    zero: bool = False
    word: str = ""

    @property
    def node(self) -> Node:
        return self.nodes[0]

    @classmethod
    def unknown(cls, span: Span) -> Value:
        """Return the type of an expression with a reported error: it fits everything."""
        return cls(UNKNOWN, (), span)


class KnownTable(Frozen):
    """A table of values with weights: its number in the net, whether its values are whole and ascend, and its mean."""

    number: int
    whole: bool
    ascends: bool
    mean: Fraction


class Space(Struct):
    """Files that share their names: the net (first) with what it imports, or what an import with `as` brings.

    `inner` are the imports with names of their own.
    """

    files: list[tree.File] = field(default_factory=list)
    inner: list[tuple[tree.Import, Space]] = field(default_factory=list)
    targets: tuple[str, ...] = ()  # the net, and the files of the imports with `as` that led here
    read: set[str] = field(default_factory=set)


class Sources:
    """The files of a net, and the tables that it reads from others. Here there are none; see `petri.language.loader`.

    `broken` holds names whose declarations did not parse: their uses are not reported; `*` is every name.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.space = Space()
        self.broken: set[str] = set()
        self.library_files: set[str] = set()

    @property
    def files(self) -> list[tree.File]:
        """The net itself, and what it imports without a name of its own."""
        return self.space.files

    def table(self, e: tree.Text) -> KnownTable | None:
        """Return the table of values with weights in a file; None if there is none, which is reported."""
        return None

    def column(self, e: tree.Text, title: tree.Text | None) -> Sequence[int | float] | None:
        """Return the numbers in a file, or in its column of this title, in order."""
        return None

    def stream(self, e: tree.Text) -> str | None:
        """Return the path of a file whose rows become tokens."""
        return None


Resolved = ConstantSymbol | TypeSymbol | DistSymbol | FnSymbol | UnitSymbol


class CheckState(ABC):
    """The state of one check. What is wrong goes to `problems`."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.problems = sources.problems
        self.units = NetUnits()
        self.scope = Scope()
        self.body = Body("", self.scope)
        self.bodies: dict[int, Body] = {id(self.scope): self.body}
        self.parameters: list[net.Parameter] = []
        self.expanded = 0  # operations that calls of functions have become
        self.repeated = 0  # how often something was read for an element of a vector, a list or a range
        self.transitions: dict[int, TransitionTemplate] = {}  # by the identity of their symbol
        self.keeps_read = True  # whether trees and templates stay when the next step has read them
        self.requests: list[Request] = []  # the types of requests to services
        self.called: set[int] = set()  # the places that threads call, by the identity of their symbol
        self.expansions: dict[int, Any] = {}  # what threads become, by the identity of their symbol
        self.seen: dict[Span, Type] | None = None  # the type of each expression that is read, where an editor asks

    def excused(self, name: str) -> bool:
        """Return whether an unknown name need not be reported, because its declaration exists but did not parse."""
        return name in self.sources.broken or "*" in self.sources.broken

    def unknown(
        self, identifier: str, span: Span | None, name: str, others: Iterable[str], **values: Any
    ) -> CheckError:
        """Return the error that nothing has this name; one of the `others` may be meant."""
        if self.excused(name):
            return Reported()
        return CheckError(identifier, span, name=name, **{"suggestion": self.problems.meant(name, others), **values})

    def resolve(self, symbol: Resolved) -> None:
        """Find what a name denotes, unless this was done before; errors are reported."""
        if symbol.state == "busy":
            self.problems.error("circular-definition", symbol.span, name=symbol.name)
        if symbol.state == "waiting":
            symbol.state = "busy"
            self.problems.attempt(self.find, symbol)
            symbol.state = "done"

    def resolve_all(self, scope: Scope) -> None:
        """Constants, types, distributions and units of a scope, used or not."""
        for symbol in (*scope.names.values(), *scope.units.values()):
            if isinstance(symbol, Resolved):
                self.resolve(symbol)

    def resolve_type(self, symbol: TypeSymbol) -> Type:
        """Return the type of a name."""
        self.resolve(symbol)
        symbol.used = True
        return symbol.type

    def type_named(
        self, name: str, span: Span, scope: Scope, others: Sequence[str] = (), **values: str | None
    ) -> TypeSymbol:
        """Return the declared type of this name; raises CheckError. others: names that can be written here too."""
        symbol = scope.find(name)
        if isinstance(symbol, TypeSymbol):
            return symbol
        if symbol is not None:
            raise CheckError("not-a-type", span, name=name, kind=kind_of(symbol))
        raise self.unknown("unknown-type", span, name, (*scope.named(TypeSymbol), *others), **values)

    def note(self, span: Span, kind: Type) -> None:
        """Keep the type of an expression, if anybody asks for the types of expressions."""
        if self.seen is not None:
            self.seen[span] = kind

    def module_body(self, symbol: ModuleSymbol) -> Body:
        return self.bodies[id(symbol.scope)]

    def firing(self, symbol: TransitionSymbol) -> TransitionTemplate | None:
        """Return a transition as it was read; None where its name was taken by another."""
        return self.transitions.get(id(symbol))

    @abstractmethod
    def find(self, symbol: Resolved) -> None:
        """Find type and value of what a name denotes. Raises CheckError if there is none."""

    @abstractmethod
    def read_type(self, e: tree.TypeExpr | None, scope: Scope, name: str = "") -> Type:
        """Return the type of a type expression; without a type expression, that of black tokens."""

    @abstractmethod
    def call(self, reader: Any, e: tree.Call) -> Value:
        """Return what a function or distribution of the language gives. reader: the `Reader` that met the call."""

    @abstractmethod
    def list_for(self, reader: Any, e: tree.ListFor, expected: Type | None) -> Value:
        """Return what `[2 * i for i in 0..3]` gives, as `call`."""

    @abstractmethod
    def remedies(self, reader: Any, e: tree.Expr, wanted: Dimension) -> dict[str, str]:
        """Return what was probably meant by a number of another dimension, for hints."""

    @abstractmethod
    def refuse_unit_per_time(self, reader: Any, e: tree.Binary) -> None:
        """Raise CheckError for `100 Gbit/s`."""
