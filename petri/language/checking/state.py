"""What is known of a net while it is checked, and what its readers ask of the whole.

An expression names a constant, whose declaration is an expression: who reads a part needs the whole, which needs the
parts. So the readers know `CheckState`, and `Checker`, which stands on top of them, answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from petri import net
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
)
from petri.language.meaning.templates import Body, TransitionTemplate
from petri.language.meaning.types import UNKNOWN, Request, Type
from petri.language.problems import Problems
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct, field


class Value(Struct):
    """An expression: its type, a node for each slot, and whether it is a bare `0`, which fits any dimension."""

    type: Type
    nodes: tuple[Node, ...]
    span: Span
    zero: bool = False

    @property
    def node(self) -> Node:
        return self.nodes[0]

    @classmethod
    def unknown(cls, span: Span) -> Value:
        """The type of an expression with a reported error: it fits everything."""
        return cls(UNKNOWN, (), span)


class KnownTable(NamedTuple):
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
    targets: tuple[Path, ...] = ()  # the net, and the files of the imports with `as` that led here
    read: set[Path] = field(default_factory=set)


TableReader = Callable[[tree.Text], KnownTable | None]
ColumnReader = Callable[[tree.Text, tree.Text | None], Sequence[int | float] | None]
FileFinder = Callable[[tree.Text], Path | None]


class CheckState(ABC):
    """The state of one check. What is wrong goes to `problems`."""

    def __init__(
        self,
        problems: Problems,
        space: Space,
        table: TableReader,
        stream: FileFinder,
        column: ColumnReader,
        broken: frozenset[str] = frozenset(),
    ) -> None:
        """`broken` holds names whose declarations did not parse: their uses are not reported; `*` is every name."""
        self.problems = problems
        self.space = space
        self.files = space.files
        self.table = table
        self.stream = stream
        self.column = column
        self.broken = broken
        self.units = NetUnits()
        self.scope = Scope()
        self.body = Body("", self.scope)
        self.bodies: dict[int, Body] = {id(self.scope): self.body}
        self.parameters: list[net.Parameter] = []
        self.expanded = 0  # operations that calls of functions have become
        self.transitions: dict[int, TransitionTemplate] = {}  # by the identity of their symbol
        self.requests: list[Request] = []  # the types of requests to services
        self.called: set[int] = set()  # the places that threads call, by the identity of their symbol
        self.expansions: dict[int, Any] = {}  # what threads become, by the identity of their symbol
        self.seen: dict[Span, Type] | None = None  # the type of each expression that is read, where an editor asks

    def excused(self, name: str) -> bool:
        """Whether an unknown name need not be reported, because its declaration exists but did not parse."""
        return name in self.broken or "*" in self.broken

    def resolve(self, symbol: ConstantSymbol | DistSymbol | FnSymbol | UnitSymbol, work: Callable[[], None]) -> None:
        """Do the work that finds what a name denotes, unless this was done before; its errors are reported."""
        if symbol.state == "busy":
            self.problems.error("circular-definition", symbol.span, name=symbol.name)
        if symbol.state == "waiting":
            symbol.state = "busy"
            self.problems.attempt(work)
            symbol.state = "done"

    def note(self, span: Span, kind: Type) -> None:
        """Keep the type of an expression, if anybody asks for the types of expressions."""
        if self.seen is not None:
            self.seen[span] = kind

    def module_body(self, symbol: ModuleSymbol) -> Body:
        return self.bodies[id(symbol.scope)]

    def firing(self, symbol: TransitionSymbol) -> TransitionTemplate | None:
        """A transition as it was read; None where its name was taken by another."""
        return self.transitions.get(id(symbol))

    def owner_of_unit(self, unit: UnitSymbol, scope: Scope) -> Scope:
        return scope if scope.units.get(unit.name) is unit or scope.outer is None else scope.outer

    def keep_constant(self, scope: Scope, node: Node) -> int:
        """Give a module's constant a local, which each instance computes once."""
        number = scope.new_local()
        self.bodies[id(scope)].constants.append((number, node))
        return number

    @abstractmethod
    def resolve_constant(self, symbol: ConstantSymbol) -> None:
        """Compute the type and value of a constant or parameter, unless this was done before."""

    @abstractmethod
    def resolve_dist(self, symbol: DistSymbol) -> None:
        """Find type and expression of a named distribution, if that was not done before."""

    @abstractmethod
    def resolve_fn(self, symbol: FnSymbol) -> None:
        """Find types and expression of a function, if that was not done before."""

    @abstractmethod
    def resolve_type(self, symbol: TypeSymbol) -> Type:
        """The type of a name."""

    @abstractmethod
    def resolve_unit(self, unit: UnitSymbol, scope: Scope) -> None:
        """Compute the value of a user's unit; if it has none, the error is reported and `node` stays None."""

    @abstractmethod
    def resolve_all(self, scope: Scope) -> None:
        """Constants, types, distributions and units of a scope, used or not."""

    @abstractmethod
    def read_type(self, e: tree.TypeExpr | None, scope: Scope, name: str = "") -> Type:
        """The type of a type expression; without a type expression, that of black tokens."""

    @abstractmethod
    def call(self, reader: Any, e: tree.Call) -> Value:
        """What a function or distribution of the language gives. reader: the `Reader` that met the call."""
