"""Targets of measures: places and transitions by their full names, one element or (`[*]`) all of an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from petri import net
from petri.diagnostics import Label
from petri.language.checking.expressions import Reader
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Constant, Node, evaluate
from petri.language.meaning.scope import (
    INNER,
    ConstantSymbol,
    InstanceSymbol,
    MeasureSymbol,
    ModuleSymbol,
    PlaceSymbol,
    Scope,
    SpaceSymbol,
    Symbol,
    ThreadSymbol,
    TransitionSymbol,
    TypeSymbol,
    kind_of,
)
from petri.language.meaning.types import INT, UNKNOWN, Scalar, Unknown
from petri.language.problems import CheckError
from petri.language.syntax import tree
from petri.net import Span, Term
from petri.structs import Struct, replace

Loops = Mapping[str, ConstantSymbol]

_PLACE_FIGURES = ("mean", "max", "busy", "occupied", "arrivals", "sojourn")
_TRANSITION_FIGURES = ("rate", "count", "mean", "active")


class Index(Struct):
    """An index in a path; `labels` are the names of its values, if it is that of an enumeration."""

    node: Node
    labels: tuple[str, ...]

    def shown(self, values: Sequence[Constant]) -> str:
        number = int(evaluate(self.node, values))
        return self.labels[number] if self.labels else str(number)


Step = tuple[str, tuple[Index | None, ...]]


class Target(Struct):
    """A place or transition. `steps` are the names of its path with their indices, None for `[*]`."""

    symbol: PlaceSymbol | TransitionSymbol
    steps: tuple[Step, ...]
    text: str
    span: Span
    conditions: tuple[Span, ...] = ()  # under which it is in the net

    @property
    def is_place(self) -> bool:
        return isinstance(self.symbol, PlaceSymbol)

    @property
    def single(self) -> bool:
        return all(index is not None for _, indices in self.steps for index in indices)

    def indices(self, names: dict[str, int], values: Sequence[Constant]) -> list[int]:
        """The elements meant, by their full names; raises CheckError when there is none."""
        parts = []
        for name, indices in self.steps:
            shown = [r"\[-?\w+\]" if index is None else rf"\[{index.shown(values)}\]" for index in indices]
            parts.append(re.escape(name) + "".join(shown))
        if self.single:
            name = ".".join(parts).replace("\\", "")
            found = [names[name]] if name in names else []
        else:
            wanted = re.compile(r"\.".join(parts))
            found = [index for name, index in names.items() if wanted.fullmatch(name)]
        if not found and self.conditions:
            raise CheckError("switched-off", self.span, Label(self.conditions[0], "condition"), name=self.text)
        if not found:
            raise CheckError("no-such-element", self.span, text=self.text)
        return found


class Flat(Protocol):
    """The part of flattening that measures use."""

    def places(self, target: Target) -> list[int]: ...

    def transitions(self, target: Target) -> list[int]: ...

    def expression(self, node: Node, transition: int | None = None) -> net.Expr: ...

    def quantity(self, node: Node, transition: int | None) -> net.Expr: ...

    def leaf(self, owner: object, span: Span, make: Callable[[], tuple[int, Term]]) -> Term: ...

    def probe(self, owner: object, make: Callable[[], net.Probe]) -> int: ...

    def measure(self, name: str) -> int: ...


def split_path(e: tree.Expr) -> list[tuple[str, list[tree.Expr | None], Span]] | None:
    """`engine[3].alu` as [(engine, [3]), (alu, [])]; None if it is not a path."""
    match e:
        case tree.Name():
            return [(name, [], e.span) for name in e.name.split(".")]
        case tree.Field():
            base = split_path(e.base)
            return None if base is None else [*base, (e.name, [], e.span)]
        case tree.Index():
            base = split_path(e.base)
            if base is not None:
                base[-1][1].append(e.index)
            return base
        case _:
            return None


def find_target(checker: CheckState, e: tree.Expr, wanted: str, loops: Loops) -> Target | None:
    """The place or transition of a path; None, and reported, if there is none. `wanted` is for the message.

    loops: the names that indices may use, those of an array of measures.
    """
    problems = checker.problems
    path = split_path(e)
    if path is None:
        problems.error("not-a-path", e.span, text=problems.text(e.span), wanted=wanted)
        return None
    scope: Scope = checker.scope
    steps: list[Step] = []
    conditions: list[Span] = []
    for position, (name, written, span) in enumerate(path):
        symbol = scope.names.get(name)
        if isinstance(symbol, SpaceSymbol) and not written and position + 1 < len(path):
            steps.append((name, ()))
            scope = symbol.scope
            continue
        if not isinstance(symbol, INNER) or isinstance(symbol, MeasureSymbol):
            _unknown(checker, scope, name, span, symbol, wanted)
            return None
        indices = _indices(checker, scope, symbol, written, e, loops)
        if indices is None:
            return None
        steps.append((name, indices))
        condition = getattr(symbol.declaration, "condition", None)
        conditions += [] if condition is None else [condition.span]
        if position + 1 == len(path):
            target = _end(checker, e, symbol, steps, wanted, scope)
            return None if target is None else replace(target, conditions=tuple(conditions))
        if isinstance(symbol, ThreadSymbol):
            if symbol.steps is None:
                return None
            scope = symbol.steps
            continue
        if not isinstance(symbol, InstanceSymbol):
            problems.error("nothing-inside", e.span, name=name, kind=kind_of(symbol), inside=path[position + 1][0])
            return None
        module = scope.find(symbol.declaration.module)
        if not isinstance(module, ModuleSymbol) or module.scope is None:
            return None
        scope = module.scope
    return None


def _end(
    checker: CheckState, e: tree.Expr, symbol: Symbol, steps: list[Step], wanted: str, scope: Scope
) -> Target | None:
    text = checker.problems.text(e.span)
    if isinstance(symbol, PlaceSymbol) and symbol.port:
        checker.problems.error("measure-of-port", e.span, text=text)
        return None
    if isinstance(symbol, ThreadSymbol):
        if symbol.steps is not None:
            known = [name for name, step in symbol.steps.names.items() if isinstance(step, TransitionSymbol)]
            checker.problems.error("measure-of-thread", e.span, text=text, inside=known[:8])
        return None
    if isinstance(symbol, InstanceSymbol):
        module = scope.find(symbol.declaration.module)
        inside: list[str] = []
        if isinstance(module, ModuleSymbol) and module.scope is not None:
            names = module.scope.names.items()
            inside = [
                n for n, s in names if isinstance(s, TransitionSymbol) or (isinstance(s, PlaceSymbol) and not s.port)
            ]
        checker.problems.error("measure-of-instance", e.span, text=text, wanted=wanted, inside=inside[:8])
        return None
    assert isinstance(symbol, (PlaceSymbol, TransitionSymbol))
    symbol_is_place = isinstance(symbol, PlaceSymbol)
    if isinstance(symbol, PlaceSymbol):
        symbol.mentioned = True
    if (wanted == "a place" and not symbol_is_place) or (wanted == "a transition" and symbol_is_place):
        figures = _PLACE_FIGURES if symbol_is_place else _TRANSITION_FIGURES
        checker.problems.error("wrong-target", e.span, text=text, kind=kind_of(symbol), wanted=wanted, figures=figures)
        return None
    return Target(symbol, tuple(steps), text, e.span)


def _unknown(checker: CheckState, scope: Scope, name: str, span: Span, symbol: object, wanted: str) -> None:
    if symbol is not None:
        kind = kind_of(symbol)  # type: ignore[arg-type]
        checker.problems.error("wrong-target", span, text=name, kind=kind, wanted=wanted)
    elif not checker.excused(name):
        known = (known for known, found in scope.names.items() if isinstance(found, INNER))
        suggestion = checker.problems.meant(name, known)
        checker.problems.error("unknown-target", span, name=name, wanted=wanted, suggestion=suggestion)


def _indices(
    checker: CheckState,
    scope: Scope,
    symbol: Symbol,
    written: list[tree.Expr | None],
    e: tree.Expr,
    loops: Loops,
) -> tuple[Index | None, ...] | None:
    kinds = _index_kinds(checker, scope, symbol)
    if len(written) != len(kinds):
        identifier = "measure-of-array" if len(kinds) > len(written) else "index-on-single"
        stars = "[*]" * len(kinds)
        checker.problems.error(identifier, e.span, name=symbol.name, suggestion=f"{symbol.name}{stars}")
        return None
    reader = Reader(checker, checker.scope, "an index", loops=loops)
    found: list[Index | None] = []
    for index, kind in zip(written, kinds, strict=True):
        if isinstance(kind, Unknown):
            return None
        node = None if index is None else reader.read_fixed(index, kind)
        if index is not None and node is None:
            return None
        found.append(None if node is None else Index(node, kind.labels))
    return tuple(found)


def _index_kinds(checker: CheckState, scope: Scope, symbol: Symbol) -> Sequence[Scalar | Unknown]:
    """The types of the indices of an array."""
    if isinstance(symbol, PlaceSymbol):
        return [index.kind for index in symbol.indices]
    ranges = [loop.range for loop in symbol.declaration.loops]  # type: ignore[union-attr]
    return [index_kind(checker, scope, one) for one in ranges]


def index_kind(checker: CheckState, scope: Scope, e: tree.Range | tree.Name) -> Scalar | Unknown:
    """The type of an index, INT unless its range is that of an enumeration; UNKNOWN if there is no such type."""
    symbol = scope.find(e.name) if isinstance(e, tree.Name) else None
    if isinstance(e, tree.Name) and symbol is None:
        return UNKNOWN
    kind = checker.resolve_type(symbol) if isinstance(symbol, TypeSymbol) else INT
    return kind if isinstance(kind, Scalar) and kind.kind == "enum" else INT
