"""Names: what each denotes, and where it is visible.

The declarations of all files of a net share one scope. A module has its own scope inside it: there, the
constants, types, distributions and modules of the file are visible; its places, transitions and instances are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from petri.catalogue.units import PLAIN, Dimension
from petri.language.meaning.nodes import Node
from petri.language.meaning.types import BLACK, UNKNOWN, Scalar, Type
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct, field

State = Literal["waiting", "busy", "done"]


class ConstantSymbol(Struct):
    """A name for a constant. `node` is None until it has been resolved, or when that failed."""

    name: str
    role: Literal["parameter", "constant", "module parameter", "enumeration value", "loop variable"]
    span: Span
    declaration: tree.Param | tree.Const | None = None
    type: Type = UNKNOWN
    node: Node | None = None
    nodes: tuple[Node, ...] = ()  # of a list
    doc: str = ""
    local: int | None = None
    used: bool = False
    state: State = "waiting"
    setting: tuple[tree.Expr, Scope] | None = None  # the value that an import gives it, and where that was written


class Named(Struct):
    """What a name denotes, and where that is declared."""

    name: str
    span: Span


class UnitSymbol(Named):
    """A user's unit; `node` is its value in the net's own units, None until it has been resolved."""

    declaration: tree.Const
    dimension: Dimension = PLAIN
    node: Node | None = None
    state: State = "waiting"


class TypeSymbol(Named):
    declaration: tree.Type
    type: Type = UNKNOWN
    used: bool = False
    state: State = "waiting"


class DistSymbol(Named):
    declaration: tree.Dist
    type: Type = UNKNOWN
    node: Node | None = None
    used: bool = False
    state: State = "waiting"


class FnSymbol(Named):
    """A function. `nodes` are its value, with `argument` nodes for the slots of its parameters."""

    declaration: tree.Fn
    parameters: list[Type] = field(default_factory=list)
    type: Type = UNKNOWN
    nodes: tuple[Node, ...] = ()
    used: bool = False
    state: State = "waiting"


class IndexRange(Struct):
    """The values of an index: ints from `low` to `high`, or the values of an enumeration by their numbers."""

    kind: Scalar
    low: Node
    high: Node


class ScheduleSymbol(Named):
    """A value that changes with time: the constant `NAME.k` while the place `NAME.phase` has k tokens."""

    declaration: tree.Schedule


class PlaceSymbol(Named):
    """A place, an array of places with one or more indices, or a port, number `number` of its scope."""

    number: int
    type: Type = BLACK
    indices: tuple[IndexRange, ...] = ()
    direction: Literal["in", "out", "", "own"] = "own"
    outside: bool = False  # a port of the net itself: its own place, with the environment at the other end
    discipline: str = "bag"
    per: bool = False  # it shows a token for each key
    taken: bool = False  # some arc takes from it, reads it or tests it
    given: bool = False  # some arc puts tokens into it
    mentioned: bool = False
    declaration: tree.Place | tree.Port | None = None

    @property
    def array(self) -> bool:
        return bool(self.indices)

    @property
    def port(self) -> bool:
        """Return whether it is a port of a module, to which any place may be connected."""
        return self.direction != "own" and not self.outside


class TransitionSymbol(Named):
    declaration: tree.Transition


class ThreadSymbol(Named):
    """A thread; `steps` has the names of its steps and of the places in which it waits for them."""

    declaration: tree.Thread
    steps: Scope | None = None


class InstanceSymbol(Named):
    declaration: tree.Instance


class ModuleSymbol(Named):
    declaration: tree.Module
    scope: Scope | None = None
    used: bool = False
    library: bool = False


class SpaceSymbol(Named):
    """An import with a name of its own, and the names that it brings."""

    declaration: tree.Import
    scope: Scope


class MeasureSymbol(Named):
    declaration: tree.Measure


Symbol = (
    ConstantSymbol | TypeSymbol | DistSymbol | FnSymbol | ScheduleSymbol | PlaceSymbol | TransitionSymbol | ThreadSymbol
    | InstanceSymbol | ModuleSymbol | MeasureSymbol | SpaceSymbol
)  # fmt: skip
INNER = (ScheduleSymbol, PlaceSymbol, TransitionSymbol, ThreadSymbol, InstanceSymbol, MeasureSymbol)


class Scope(Struct):
    """The names of a net (`outer` is None) or of a module."""

    outer: Scope | None = None
    names: dict[str, Symbol] = field(default_factory=dict)
    units: dict[str, UnitSymbol] = field(default_factory=dict)
    local_count: int = 0
    place_count: int = 0

    def find(self, name: str) -> Symbol | None:
        """Return what a name denotes here, or None. `voice.Packet` is the name `Packet` of the import `voice`.

        The places and transitions of a thread have its name before theirs.
        """
        if "." in name and name not in self.names:
            space, _, inner = name.partition(".")
            found = self.find(space)
            return found.scope.find(inner) if isinstance(found, SpaceSymbol) else None
        symbol = self.names.get(name)
        if symbol is None and self.outer is not None:
            symbol = self.outer.names.get(name)
            if isinstance(symbol, INNER):
                return None
        return symbol

    def find_unit(self, name: str) -> UnitSymbol | None:
        if "." in name:
            space, _, inner = name.partition(".")
            found = self.find(space)
            return found.scope.find_unit(inner) if isinstance(found, SpaceSymbol) else None
        unit = self.units.get(name)
        return unit if unit is not None or self.outer is None else self.outer.units.get(name)

    def visible(self) -> Iterator[tuple[str, Symbol]]:
        """Yield the names that can be written here, those of imports with their point; not the parts of schedules."""
        for name, symbol in self.names.items():
            if "." not in name:
                yield name, symbol
            if isinstance(symbol, SpaceSymbol):
                yield from ((f"{name}.{inner}", found) for inner, found in symbol.scope.names.items())
        if self.outer is not None:
            yield from ((n, s) for n, s in self.outer.names.items() if not isinstance(s, INNER))

    def named(self, *kinds: type[Named | ConstantSymbol]) -> Iterator[str]:
        """Yield the names that can be written here, of things of these kinds."""
        return (name for name, found in self.visible() if isinstance(found, kinds))

    def unit_names(self) -> list[str]:
        return [*self.units, *(self.outer.units if self.outer is not None else ())]

    def new_local(self) -> int:
        self.local_count += 1
        return self.local_count - 1


KINDS: dict[type, str] = {
    TypeSymbol: "a type",
    DistSymbol: "a distribution",
    FnSymbol: "a function",
    ScheduleSymbol: "a schedule",
    PlaceSymbol: "a place",
    TransitionSymbol: "a transition",
    ThreadSymbol: "a thread",
    InstanceSymbol: "an instance",
    ModuleSymbol: "a module",
    MeasureSymbol: "a measure",
    SpaceSymbol: "an import",
}
_ROLES = {
    "parameter": "a parameter",
    "constant": "a constant",
    "module parameter": "a module parameter",
    "enumeration value": "an enumeration value",
    "loop variable": "a loop variable",
}


def kind_of(symbol: Symbol) -> str:
    """Return `a place`, `a parameter`, …"""
    if isinstance(symbol, ConstantSymbol):
        return _ROLES[symbol.role]
    if isinstance(symbol, PlaceSymbol):
        return (
            "a port"
            if symbol.direction != "own" and not symbol.array
            else "an array of places"
            if symbol.array
            else "a place"
        )
    return KINDS[type(symbol)]
