"""What formulas of measures name: places, transitions and other measures, one element or (`[*]`) all of an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from petri import net
from petri.language.checking.expressions.names import names_in
from petri.language.checking.expressions.reader import Reader
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import Constant, Node, constant, evaluate
from petri.language.meaning.scope import (
    INNER,
    ConstantSymbol,
    InstanceSymbol,
    MeasureSymbol,
    ModuleSymbol,
    PlaceSymbol,
    ScheduleSymbol,
    Scope,
    SpaceSymbol,
    Symbol,
    ThreadSymbol,
    TransitionSymbol,
    TypeSymbol,
    kind_of,
)
from petri.language.meaning.types import INT, UNKNOWN, Scalar, Unknown
from petri.language.problems import CheckError, Reported, needed
from petri.language.syntax import tree
from petri.measure.catalogue import PLACE_WORDS, TRANSITION_WORDS
from petri.net import Span, Term
from petri.structs import Struct, replace

Loops = Mapping[str, ConstantSymbol]

A_MEASURE = "a measure"
_FIGURES: Mapping[str, tuple[type, ...]] = {
    "a place": (PlaceSymbol,),
    "a transition": (TransitionSymbol,),
    A_MEASURE: (MeasureSymbol,),
}
_WAYS = (SpaceSymbol, InstanceSymbol, ThreadSymbol)  # to the rest of a path


class Index(Struct):
    """An index in a path, or with `last` several: `2..k`. labels: the names of its values if it is an enumeration's."""

    node: Node
    labels: tuple[str, ...]
    last: Node | None = None

    def shown(self, values: Sequence[Constant]) -> str:
        number = int(evaluate(self.node, values))
        return self.labels[number] if self.labels else str(number)


def _index(reader: Reader, e: tree.Expr, kind: Scalar) -> Index:
    """Raise CheckError."""
    if isinstance(e, tree.Range) and not kind.labels:
        low, high = (needed(reader.read_fixed(end, kind)) for end in (e.low, e.high))
        return Index(low, (), high)
    return Index(needed(reader.read_fixed(e, kind)), kind.labels)


Step = tuple[str, tuple[Index | None, ...]]


class Target(Struct):
    """A place, transition or measure, as it is seen from the body in which its measure is declared.

    steps: the names of its path with their indices, None for `[*]`; one may be a range. conditions: those under which
    it is in the net.
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
        return all(index is not None and index.last is None for _, indices in self.steps for index in indices)

    def split(self, value: Callable[[Node], Constant]) -> Iterator[Target] | None:
        """Yield for each value of its first range a target with this value; None without a range."""
        for at, (name, indices) in enumerate(self.steps):
            for position, index in enumerate(indices):
                if index is None or index.last is None:
                    continue
                before, after = indices[:position], indices[position + 1 :]
                values = range(int(value(index.node)), int(value(index.last)) + 1)
                singles = (Index(constant(one, "int"), ()) for one in values)
                return (
                    replace(self, steps=(*self.steps[:at], (name, (*before, single, *after)), *self.steps[at + 1 :]))
                    for single in singles
                )
        return None


class Flat(Protocol):
    """One instance of the body in which a measure is declared, as the measure (or an element of its array) sees it."""

    @property
    def number(self) -> int:
        """The number of this measure in the flat net."""

    def value(self, node: Node) -> Constant: ...

    def places(self, target: Target) -> list[int]: ...

    def transitions(self, target: Target) -> list[int]: ...

    def measures(self, target: Target) -> Sequence[Flat]:
        """Return the elements of a measure, each in its own instance. Raises CheckError if there is none."""

    def expression(self, node: Node, transition: int | None = None) -> net.Expr: ...

    def quantity(self, node: Node, transition: int | None) -> net.Expr: ...

    def watched(self, node: Node) -> net.Watched: ...

    def charge(self, terms: int, span: Span) -> None:
        """Count what formulas consist of. Raises CheckError when it has become too much."""

    def leaf(
        self, owner: object, span: Span, make: Callable[[], tuple[int, Term]], *, of: Target | None = None
    ) -> Term: ...

    def shared(self, op: str, elements: Sequence[int], make: Callable[[], Term]) -> Term: ...

    def probe(self, owner: object, make: Callable[[], net.Probe]) -> int: ...

    def chance(self, owner: object, make: Callable[[], net.Chance]) -> int: ...


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


def _counting(scope: Scope, e: tree.Expr, text: str) -> str | None:
    """`tokens(a) * tokens(b)` for `a * b` of places; None if no place is calculated with."""
    places = sorted(name for name in set(names_in(e)) if isinstance(scope.find(name), PlaceSymbol))
    if not places or not isinstance(e, tree.Binary):
        return None
    return re.sub(rf"\b({'|'.join(places)})\b", r"tokens(\1)", text)


def find_target(
    checker: CheckState, scope: Scope, e: tree.Expr, wanted: str, loops: Loops, *, measures: bool = False
) -> Target:
    """Return the place or transition of a path. Raises CheckError if there is none. `wanted` is for the message.

    scope: of the body in which the measure is declared; loops: the names that indices may use, those of an array of
    measures. measures: whether a measure could be there as well, and can have been meant.
    """
    path = split_path(e)
    if path is None:
        text = checker.problems.text(e.span)
        raise CheckError("not-a-path", e.span, text=text, wanted=wanted, formula=_counting(scope, e, text))
    walk = _Walk(checker, scope, e, wanted, loops)
    walk.meant += (MeasureSymbol,) if measures else ()
    symbol = walk.follow(path)
    if isinstance(symbol, MeasureSymbol):
        raise CheckError("wrong-target", path[-1][2], text=path[-1][0], kind=kind_of(symbol), wanted=wanted)
    return walk.target(symbol)


def find_measure(checker: CheckState, scope: Scope, e: tree.Expr, loops: Loops) -> tuple[Target, list[str]]:
    """Return the measure with which a path begins, and the names after it. Raises CheckError if there is none.

    For `engine[0].delay.p99.9` these are the measure `delay` of an instance, and `p99`, `9`.
    """
    path = split_path(e) or []
    walk = _Walk(checker, scope, e, A_MEASURE, loops)
    symbol = walk.follow(path)
    if not isinstance(symbol, MeasureSymbol):
        walk.require_figures(symbol)
        raise CheckError("bare-in-measure", e.span, name=walk.text, kind=kind_of(symbol))
    rest = path[len(walk.steps) :]
    if any(written for _, written, _ in rest):
        raise CheckError("not-a-measure", e.span, text=walk.text)
    fields = [name for name, _, _ in rest]
    text = walk.text.removesuffix("." + ".".join(fields))
    return Target(symbol, tuple(walk.steps), text, e.span, tuple(walk.conditions)), fields


def names_measure(scope: Scope, e: tree.Expr) -> bool:
    """Return whether a path leads to a measure, or into an instance, of which nothing but a measure is a figure."""
    path = split_path(e)
    symbol = None if path is None else scope.find(path[0][0])
    if isinstance(symbol, (InstanceSymbol, SpaceSymbol)):
        return len(path or ()) > 1
    return isinstance(symbol, MeasureSymbol)


def leads_to_measure(scope: Scope, e: tree.Expr) -> bool:
    """Return whether a path has a measure on it."""
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
    """The way along a path, from the body in which it is written into its instances and threads.

    Its methods raise CheckError where the path leads to nothing that is wanted.
    """

    def __init__(self, checker: CheckState, scope: Scope, e: tree.Expr, wanted: str, loops: Loops) -> None:
        self.checker = checker
        self.home = scope
        self.scope = scope  # in which the last name was found
        self.span = e.span
        self.text = checker.problems.text(e.span)
        self.wanted = wanted
        self.meant: tuple[type, ...] = _FIGURES.get(wanted, (PlaceSymbol, TransitionSymbol))  # at the end of the path
        self.loops = loops
        self.steps: list[Step] = []
        self.conditions: list[Span] = []

    def follow(self, path: Path) -> Symbol:
        """Return what the path denotes, or the first measure on it."""
        scope: Scope | None = self.home
        for position, (name, written, span) in enumerate(path):
            self.scope = needed(scope)
            symbol = self.scope.names.get(name)
            last = position + 1 == len(path)
            if isinstance(symbol, SpaceSymbol) and not written and not last:
                self.steps.append((name, ()))
                scope = scope_inside(self.scope, symbol)
                continue
            inner = f"{name}.{path[-1][0]}"
            if position + 2 == len(path) and inner in self.scope.names:  # of a schedule, or a place that follows one
                symbol, last = self.scope.names[inner], True
            if not isinstance(symbol, INNER) or isinstance(symbol, ScheduleSymbol):
                raise self._unknown(name, span, symbol, last)
            self._step(symbol, written)
            if last or isinstance(symbol, MeasureSymbol):
                return symbol
            if not isinstance(symbol, (ThreadSymbol, InstanceSymbol)):
                kind, inside = kind_of(symbol), path[position + 1][0]
                raise CheckError("nothing-inside", self.span, name=name, kind=kind, inside=inside)
            scope = scope_inside(self.scope, symbol)
        raise Reported

    def _unknown(self, name: str, span: Span, symbol: Symbol | None, last: bool) -> CheckError:
        """Return the error on a name of a path. Only what may be there can have been meant."""
        if symbol is not None:
            return CheckError("wrong-target", span, text=name, kind=kind_of(symbol), wanted=self.wanted)
        kinds = self.meant if last else _WAYS
        known = (known for known, found in self.scope.names.items() if isinstance(found, kinds) and "." not in known)
        return self.checker.unknown("unknown-target", span, name, known, wanted=self.wanted)

    def _step(self, symbol: Symbol, written: list[tree.Expr | None]) -> None:
        self.steps.append((symbol.name, self._indices(symbol, written)))
        condition = getattr(symbol.declaration, "condition", None)
        self.conditions += [] if condition is None else [condition.span]

    def _indices(self, symbol: Symbol, written: list[tree.Expr | None]) -> tuple[Index | None, ...]:
        kinds = _index_kinds(self.checker, self.scope, symbol)
        if len(written) != len(kinds):
            all_of_it = f"{symbol.name}{'[*]' * len(kinds)}"
            if isinstance(symbol, MeasureSymbol) and len(kinds) > len(written):
                indices = [loop.variable for loop in symbol.declaration.loops]
                raise CheckError("measures-of-array", self.span, name=symbol.name, indices=indices, all=all_of_it)
            identifier = "measure-of-array" if len(kinds) > len(written) else "index-on-single"
            raise CheckError(identifier, self.span, name=symbol.name, suggestion=all_of_it)
        reader = Reader(self.checker, self.home, "an index", loops=self.loops)
        found: list[Index | None] = []
        for index, kind in zip(written, kinds, strict=True):
            if isinstance(kind, Unknown):
                raise Reported
            found.append(None if index is None else _index(reader, index, kind))
        return tuple(found)

    # ------------------------------------------------------------ where it ends

    def target(self, symbol: Symbol) -> Target:
        """Return the place or transition at the end of the path."""
        self.require_figures(symbol)
        if isinstance(symbol, ThreadSymbol):
            steps = needed(symbol.steps).names.items()
            known = [name for name, step in steps if isinstance(step, TransitionSymbol)]
            raise CheckError("measure-of-thread", self.span, text=self.text, inside=known[:8])
        assert isinstance(symbol, (PlaceSymbol, TransitionSymbol))
        is_place = isinstance(symbol, PlaceSymbol)
        if isinstance(symbol, PlaceSymbol):
            symbol.mentioned = True
        if self.wanted == ("a transition" if is_place else "a place"):
            kind, figures = kind_of(symbol), list(PLACE_WORDS if is_place else TRANSITION_WORDS)
            raise CheckError("wrong-target", self.span, text=self.text, kind=kind, wanted=self.wanted, figures=figures)
        return Target(symbol, tuple(self.steps), self.text, self.span, tuple(self.conditions))

    def require_figures(self, symbol: Symbol) -> None:
        """Refuse an instance, and the port of one: these have no figures."""
        if isinstance(symbol, InstanceSymbol):
            inner = scope_inside(self.scope, symbol)
            inside = [name for name, found in inner.names.items() if self._counts(found)] if inner is not None else []
            raise CheckError("measure-of-instance", self.span, text=self.text, wanted=self.wanted, inside=inside[:8])
        if isinstance(symbol, PlaceSymbol) and symbol.port and len(self.steps) > 1:
            raise CheckError("measure-of-port", self.span, text=self.text)

    def _counts(self, symbol: Symbol) -> bool:
        """Return whether something within an instance is of the kind that is wanted."""
        if self.wanted == A_MEASURE:
            return isinstance(symbol, MeasureSymbol)
        return isinstance(symbol, TransitionSymbol) or (isinstance(symbol, PlaceSymbol) and not symbol.port)


def scope_inside(scope: Scope, symbol: SpaceSymbol | ThreadSymbol | InstanceSymbol) -> Scope | None:
    """Return the names in a thread, an instance or an import; scope: where it is declared."""
    if isinstance(symbol, SpaceSymbol):
        return symbol.scope
    if isinstance(symbol, ThreadSymbol):
        return symbol.steps
    module = scope.find(symbol.declaration.module)
    return module.scope if isinstance(module, ModuleSymbol) else None


def _index_kinds(checker: CheckState, scope: Scope, symbol: Symbol) -> Sequence[Scalar | Unknown]:
    """Return the types of the indices of an array."""
    if isinstance(symbol, PlaceSymbol):
        return [index.kind for index in symbol.indices]
    ranges = [loop.range for loop in symbol.declaration.loops]  # type: ignore[union-attr]
    return [index_kind(checker, scope, one) for one in ranges]


def index_kind(checker: CheckState, scope: Scope, e: tree.Range | tree.Name) -> Scalar | Unknown:
    """Return the type of an index, INT unless its range is that of an enumeration; UNKNOWN if there is no such type."""
    symbol = scope.find(e.name) if isinstance(e, tree.Name) else None
    if isinstance(e, tree.Name) and symbol is None:
        return UNKNOWN
    kind = checker.resolve_type(symbol) if isinstance(symbol, TypeSymbol) else INT
    return kind if isinstance(kind, Scalar) and kind.kind == "enum" else INT
