"""What formulas of measures name: places, transitions and other measures, one element or (`[*]`) all of an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from petri import net
from petri.language.checking.expressions.reader import Reader
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
from petri.language.syntax import tree
from petri.measure.catalogue import PLACE_WORDS, TRANSITION_WORDS
from petri.net import Span, Term
from petri.structs import Struct

Loops = Mapping[str, ConstantSymbol]

A_MEASURE = "a measure"
_TO_MEASURES = (MeasureSymbol, InstanceSymbol, SpaceSymbol)


class Index(Struct):
    """An index in a path; `labels` are the names of its values, if it is that of an enumeration."""

    node: Node
    labels: tuple[str, ...]

    def shown(self, values: Sequence[Constant]) -> str:
        number = int(evaluate(self.node, values))
        return self.labels[number] if self.labels else str(number)


Step = tuple[str, tuple[Index | None, ...]]


class Target(Struct):
    """A place, transition or measure, as it is seen from the body in which its measure is declared.

    steps: the names of its path with their indices, None for `[*]`. conditions: those under which it is in the net.
    """

    symbol: PlaceSymbol | TransitionSymbol | MeasureSymbol
    steps: tuple[Step, ...]
    text: str
    span: Span
    conditions: tuple[Span, ...] = ()

    @property
    def is_place(self) -> bool:
        return isinstance(self.symbol, PlaceSymbol)

    @property
    def single(self) -> bool:
        return all(index is not None for _, indices in self.steps for index in indices)


class Flat(Protocol):
    """One instance of the body in which a measure is declared, as the measure (or an element of its array) sees it."""

    @property
    def number(self) -> int:
        """The number of this measure in the flat net."""

    def value(self, node: Node) -> Constant: ...

    def places(self, target: Target) -> list[int]: ...

    def transitions(self, target: Target) -> list[int]: ...

    def measures(self, target: Target) -> Sequence[Flat]:
        """The elements of a measure, each in its own instance. Raises CheckError if there is none."""

    def expression(self, node: Node, transition: int | None = None) -> net.Expr: ...

    def quantity(self, node: Node, transition: int | None) -> net.Expr: ...

    def charge(self, terms: int, span: Span) -> None:
        """Count what formulas consist of. Raises CheckError when it has become too much."""

    def leaf(self, owner: object, span: Span, make: Callable[[], tuple[int, Term]]) -> Term: ...

    def probe(self, owner: object, make: Callable[[], net.Probe]) -> int: ...


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


def find_target(checker: CheckState, scope: Scope, e: tree.Expr, wanted: str, loops: Loops) -> Target | None:
    """The place or transition of a path; None, and reported, if there is none. `wanted` is for the message.

    scope: of the body in which the measure is declared; loops: the names that indices may use, those of an array of
    measures.
    """
    path = split_path(e)
    if path is None:
        checker.problems.error("not-a-path", e.span, text=checker.problems.text(e.span), wanted=wanted)
        return None
    walk = _Walk(checker, scope, e, wanted, loops)
    symbol = walk.follow(path)
    if symbol is None:
        return None
    if isinstance(symbol, MeasureSymbol):
        kind, name = kind_of(symbol), path[-1][0]
        checker.problems.error("wrong-target", path[-1][2], text=name, kind=kind, wanted=wanted)
        return None
    return _end(checker, walk, symbol)


def find_measure(checker: CheckState, scope: Scope, e: tree.Expr, loops: Loops) -> tuple[Target, list[str]] | None:
    """The measure with which a path begins, and the names after it; None, and reported, if there is none.

    For `engine[0].delay.p99.9` these are the measure `delay` of an instance, and `p99`, `9`.
    """
    path = split_path(e) or []
    walk = _Walk(checker, scope, e, A_MEASURE, loops)
    symbol = walk.follow(path)
    if not isinstance(symbol, MeasureSymbol):
        if symbol is not None and not _without_figures(checker, walk, symbol):
            text = checker.problems.text(e.span)
            checker.problems.error("bare-in-measure", e.span, name=text, kind=kind_of(symbol))
        return None
    rest = path[len(walk.steps) :]
    if any(written for _, written, _ in rest):
        checker.problems.error("not-a-measure", e.span, text=checker.problems.text(e.span))
        return None
    fields = [name for name, _, _ in rest]
    text = checker.problems.text(e.span).removesuffix("." + ".".join(fields))
    return Target(symbol, tuple(walk.steps), text, e.span, tuple(walk.conditions)), fields


def names_measure(scope: Scope, e: tree.Expr) -> bool:
    """Whether a path leads to a measure, or into an instance, of which nothing but a measure is a figure."""
    path = split_path(e)
    symbol = None if path is None else scope.find(path[0][0])
    if isinstance(symbol, (InstanceSymbol, SpaceSymbol)):
        return len(path or ()) > 1
    return isinstance(symbol, MeasureSymbol)


def leads_to_measure(scope: Scope, e: tree.Expr) -> bool:
    """Whether a path has a measure on it."""
    inside: Scope | None = scope
    for name, _, _ in split_path(e) or ():
        symbol = None if inside is None else inside.names.get(name)
        if isinstance(symbol, MeasureSymbol):
            return True
        if inside is not None and isinstance(symbol, (SpaceSymbol, InstanceSymbol)):
            inside = scope_inside(inside, symbol)
        else:
            return False
    return False


Path = Sequence[tuple[str, list[tree.Expr | None], Span]]


class _Walk:
    """The way along a path, from the body in which it is written into its instances and threads."""

    def __init__(self, checker: CheckState, scope: Scope, e: tree.Expr, wanted: str, loops: Loops) -> None:
        self.checker = checker
        self.home = scope
        self.scope = scope  # in which the last name was found
        self.e = e
        self.wanted = wanted
        self.loops = loops
        self.steps: list[Step] = []
        self.conditions: list[Span] = []

    def follow(self, path: Path) -> Symbol | None:
        """What the path denotes, or the first measure on it; None, and reported, where it leads nowhere."""
        scope: Scope | None = self.home
        for position, (name, written, span) in enumerate(path):
            if scope is None:
                return None
            self.scope = scope
            symbol = scope.names.get(name)
            last = position + 1 == len(path)
            if isinstance(symbol, SpaceSymbol) and not written and not last:
                self.steps.append((name, ()))
                scope = scope_inside(scope, symbol)
                continue
            if not isinstance(symbol, INNER):
                _unknown(self.checker, scope, name, span, symbol, self.wanted)
                return None
            if not self._step(symbol, written):
                return None
            if last or isinstance(symbol, MeasureSymbol):
                return symbol
            if not isinstance(symbol, (ThreadSymbol, InstanceSymbol)):
                kind, inside = kind_of(symbol), path[position + 1][0]
                self.checker.problems.error("nothing-inside", self.e.span, name=name, kind=kind, inside=inside)
                return None
            scope = scope_inside(scope, symbol)
        return None

    def _step(self, symbol: Symbol, written: list[tree.Expr | None]) -> bool:
        indices = _indices(self.checker, self.home, self.scope, symbol, written, self.e, self.loops)
        if indices is None:
            return False
        self.steps.append((symbol.name, indices))
        condition = getattr(symbol.declaration, "condition", None)
        self.conditions += [] if condition is None else [condition.span]
        return True


def scope_inside(scope: Scope, symbol: SpaceSymbol | ThreadSymbol | InstanceSymbol) -> Scope | None:
    """The names in a thread, an instance or an import; scope: where it is declared."""
    if isinstance(symbol, SpaceSymbol):
        return symbol.scope
    if isinstance(symbol, ThreadSymbol):
        return symbol.steps
    module = scope.find(symbol.declaration.module)
    return module.scope if isinstance(module, ModuleSymbol) else None


def _end(checker: CheckState, walk: _Walk, symbol: Symbol) -> Target | None:
    text, span, wanted = checker.problems.text(walk.e.span), walk.e.span, walk.wanted
    if _without_figures(checker, walk, symbol):
        return None
    if isinstance(symbol, ThreadSymbol):
        if symbol.steps is not None:
            known = [name for name, step in symbol.steps.names.items() if isinstance(step, TransitionSymbol)]
            checker.problems.error("measure-of-thread", span, text=text, inside=known[:8])
        return None
    assert isinstance(symbol, (PlaceSymbol, TransitionSymbol))
    symbol_is_place = isinstance(symbol, PlaceSymbol)
    if isinstance(symbol, PlaceSymbol):
        symbol.mentioned = True
    if (wanted == "a place" and not symbol_is_place) or (wanted == "a transition" and symbol_is_place):
        figures = list(PLACE_WORDS if symbol_is_place else TRANSITION_WORDS)
        checker.problems.error("wrong-target", span, text=text, kind=kind_of(symbol), wanted=wanted, figures=figures)
        return None
    return Target(symbol, tuple(walk.steps), text, span, tuple(walk.conditions))


def _without_figures(checker: CheckState, walk: _Walk, symbol: Symbol) -> bool:
    """Whether the path ends at an instance, or at the port of one, which is reported."""
    if isinstance(symbol, InstanceSymbol):
        _bare_instance(checker, walk, symbol)
        return True
    if isinstance(symbol, PlaceSymbol) and symbol.port and len(walk.steps) > 1:
        checker.problems.error("measure-of-port", walk.e.span, text=checker.problems.text(walk.e.span))
        return True
    return False


def _bare_instance(checker: CheckState, walk: _Walk, symbol: InstanceSymbol) -> None:
    inner = scope_inside(walk.scope, symbol)
    names = inner.names.items() if inner is not None else ()
    if walk.wanted == A_MEASURE:
        inside = [name for name, found in names if isinstance(found, MeasureSymbol)]
    else:
        inside = [n for n, s in names if isinstance(s, TransitionSymbol) or (isinstance(s, PlaceSymbol) and not s.port)]
    text, span = checker.problems.text(walk.e.span), walk.e.span
    checker.problems.error("measure-of-instance", span, text=text, wanted=walk.wanted, inside=inside[:8])


def _unknown(checker: CheckState, scope: Scope, name: str, span: Span, symbol: object, wanted: str) -> None:
    if symbol is not None:
        kind = kind_of(symbol)  # type: ignore[arg-type]
        checker.problems.error("wrong-target", span, text=name, kind=kind, wanted=wanted)
    elif not checker.excused(name):
        kinds = _TO_MEASURES if wanted == A_MEASURE else INNER
        known = (known for known, found in scope.names.items() if isinstance(found, kinds))
        suggestion = checker.problems.meant(name, known)
        checker.problems.error("unknown-target", span, name=name, wanted=wanted, suggestion=suggestion)


def _indices(
    checker: CheckState,
    home: Scope,
    scope: Scope,
    symbol: Symbol,
    written: list[tree.Expr | None],
    e: tree.Expr,
    loops: Loops,
) -> tuple[Index | None, ...] | None:
    kinds = _index_kinds(checker, scope, symbol)
    if len(written) != len(kinds):
        identifier = "measure-of-array" if len(kinds) > len(written) else "index-on-single"
        if isinstance(symbol, MeasureSymbol) and identifier == "measure-of-array":
            _array_of_measures(checker, symbol, e)
            return None
        stars = "[*]" * len(kinds)
        checker.problems.error(identifier, e.span, name=symbol.name, suggestion=f"{symbol.name}{stars}")
        return None
    reader = Reader(checker, home, "an index", loops=loops)
    found: list[Index | None] = []
    for index, kind in zip(written, kinds, strict=True):
        if isinstance(kind, Unknown):
            return None
        node = None if index is None else reader.read_fixed(index, kind)
        if index is not None and node is None:
            return None
        found.append(None if node is None else Index(node, kind.labels))
    return tuple(found)


def _array_of_measures(checker: CheckState, symbol: MeasureSymbol, e: tree.Expr) -> None:
    indices = [loop.variable for loop in symbol.declaration.loops]
    stars = f"{symbol.name}{'[*]' * len(indices)}"
    checker.problems.error("measures-of-array", e.span, name=symbol.name, indices=indices, all=stars)


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
