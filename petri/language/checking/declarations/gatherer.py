"""Collects every declared name of every file into its scope; reports clashes with both positions."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import Any

from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS
from petri.catalogue.units import UNITS
from petri.diagnostics import Label
from petri.language.checking.declarations.imports import OpenSpace
from petri.language.checking.state import CheckState
from petri.language.meaning.nodes import constant
from petri.language.meaning.scope import (
    ConstantSymbol,
    DistSymbol,
    FnSymbol,
    InstanceSymbol,
    MeasureSymbol,
    ModuleSymbol,
    PlaceSymbol,
    ScheduleSymbol,
    Scope,
    Symbol,
    ThreadSymbol,
    TransitionSymbol,
    TypeSymbol,
    UnitSymbol,
    kind_of,
)
from petri.language.meaning.types import BUILTIN, Scalar
from petri.language.syntax import tree
from petri.net import Span

OF_THE_NET = (tree.Net, tree.Time, tree.Import, tree.Module, tree.Expect, tree.Run)
KEYWORDS: dict[type, str] = {
    tree.Net: "net",
    tree.Time: "time",
    tree.Import: "import",
    tree.Module: "module",
    tree.Expect: "expect",
    tree.Run: "run",
    tree.Port: "port",
    tree.Param: "param",
}

_NAMED: dict[type, Callable[[str, Span, Any], Symbol]] = {
    tree.Schedule: ScheduleSymbol,
    tree.Transition: TransitionSymbol,
    tree.Thread: ThreadSymbol,
    tree.Instance: InstanceSymbol,
    tree.Measure: MeasureSymbol,
}


class Gatherer:
    """Fills the scopes. `net`, `clock` and `run` are the declarations that occur at most once in a net.

    `part`: the first file is not a net, but modules and other declarations to import.
    """

    def __init__(self, checker: CheckState) -> None:
        self.checker = checker
        self.problems = checker.problems
        self.net: tree.Net | None = None
        self.clock: tree.Time | None = None
        self.run: tree.Run | None = None
        self.part = False
        self.clash = False  # two files declare one name
        self.home: dict[int, Scope] = {}

    def gather(self, opened: OpenSpace) -> None:
        """Gather the first file as the net itself, and all others as imported."""
        kinds = (tree.Net, tree.Place, tree.Port, tree.Transition, tree.Thread, tree.Instance, tree.Run)
        files, own = opened.space.files, opened.prefix == ""
        if own:
            self.part = bool(files and files[0].declarations) and not any(
                isinstance(declaration, kinds) for declaration in files[0].declarations
            )
        for number, file in enumerate(files):
            imported = number > 0 or not own
            for declaration in file.declarations:
                if imported and isinstance(declaration, (tree.Net, tree.Run)):
                    keyword = KEYWORDS[type(declaration)]
                    self.problems.error("not-in-import", declaration.span, keyword=keyword, file=file.path)
                elif isinstance(declaration, (tree.Net, tree.Time, tree.Run)):
                    self._single(declaration, imported=imported)
                else:
                    self.declare(opened.scope, declaration)

    def _single(self, declaration: tree.Net | tree.Time | tree.Run, imported: bool) -> None:
        first: tree.Net | tree.Time | tree.Run | None
        match declaration:
            case tree.Net():
                first, self.net = self.net, self.net or declaration
            case tree.Time():
                first, self.clock = self.clock, self.clock or declaration
                if first is not None and first.unit == declaration.unit and imported:
                    return
            case tree.Run():
                first, self.run = self.run, self.run or declaration
        if first is not None:
            label = Label(first.span, "first-declared")
            self.problems.error("declared-twice", declaration.span, label, keyword=KEYWORDS[type(declaration)])

    def declare(self, scope: Scope, d: tree.Declaration) -> None:
        """Enter a declaration and the enumeration values that it introduces."""
        inside = scope.outer is not None
        if inside and isinstance(d, OF_THE_NET):
            example = "expect engine.load < 0.9" if isinstance(d, tree.Expect) else None
            self.problems.error("not-in-module", d.span, keyword=KEYWORDS[type(d)], expect=example)
            return
        match d:
            case tree.Param():
                if inside:
                    self.problems.error("not-in-module", d.span, keyword="param", parameter=d.name)
                    return
                self._enumerations(scope, d.type)
                self._enter(scope, ConstantSymbol(d.name, "parameter", d.name_span, d, doc=d.doc))
            case tree.Const():
                self._constant(scope, d)
            case tree.Type():
                self._enumerations(scope, d.type, d.name)
                self._enter(scope, TypeSymbol(d.name, d.name_span, d))
            case tree.Dist():
                self._enter(scope, DistSymbol(d.name, d.name_span, d))
            case tree.Fn():
                for _, kind, _ in d.parameters:
                    self._enumerations(scope, kind)
                self._enter(scope, FnSymbol(d.name, d.name_span, d))
            case tree.Place() | tree.Port():
                self._place(scope, d)
            case tree.Schedule() | tree.Transition() | tree.Thread() | tree.Instance() | tree.Measure():
                self._enter(scope, _NAMED[type(d)](d.name, d.name_span, d))
            case tree.Module():
                self._module(scope, d)

    def hide(self, scope: Scope, d: tree.Const | tree.Place | tree.Transition) -> None:
        """Enter a declaration that is part of another, whose name it has before its own."""
        symbol: Symbol
        match d:
            case tree.Const():
                symbol = ConstantSymbol(d.name, "constant", d.name_span, d, used=True)
            case tree.Place():
                symbol = PlaceSymbol(d.name, d.name_span, scope.place_count, declaration=d, mentioned=True)
                scope.place_count += 1
            case _:
                symbol = TransitionSymbol(d.name, d.name_span, d)
        scope.names[d.name] = symbol
        self.home[id(symbol)] = scope

    def _constant(self, scope: Scope, d: tree.Const) -> None:
        if not d.unit:
            self._enter(scope, ConstantSymbol(d.name, "constant", d.name_span, d, doc=d.doc))
        elif d.name in UNITS:
            self.problems.error("unit-exists", d.name_span, unit=d.name)
        elif d.name in scope.units:
            self.problems.twice(d.name, d.name_span, scope.units[d.name].span, "a unit")
        else:
            unit = scope.units[d.name] = UnitSymbol(d.name, d.name_span, d)
            self.home[id(unit)] = scope

    def _place(self, scope: Scope, d: tree.Place | tree.Port) -> None:
        self._enumerations(scope, d.type)
        symbol = PlaceSymbol(d.name, d.name_span, scope.place_count, declaration=d)
        symbol.discipline, symbol.per = d.discipline, d.per is not None
        if isinstance(d, tree.Port):
            symbol.direction, symbol.outside = d.direction, scope.outer is None
            if symbol.outside and not d.direction:
                self.problems.error("port-without-direction", d.span, name=d.name)
            elif (symbol.per or d.discipline != "bag") and not (symbol.outside and d.direction == "in"):
                where = "out" if symbol.outside else "module"
                self.problems.error("port-order", d.span, name=d.name, **{where: d.name})
        scope.place_count += 1
        self._enter(scope, symbol)

    def _module(self, scope: Scope, d: tree.Module) -> None:
        library = d.span.file in self.checker.sources.library_files
        symbol = ModuleSymbol(d.name, d.name_span, d, Scope(scope), library=library)
        if not self._enter(scope, symbol):
            return
        assert symbol.scope is not None
        for parameter in d.parameters:
            self._enumerations(symbol.scope, parameter.type)
            inner = ConstantSymbol(
                parameter.name, "module parameter", parameter.name_span, parameter, doc=parameter.doc
            )
            self._enter(symbol.scope, inner)
        for declaration in d.body:
            self.declare(symbol.scope, declaration)

    def _enter(self, scope: Scope, symbol: Symbol) -> bool:
        """Report an error and return False if the name is taken."""
        first = scope.names.get(symbol.name)
        if first is not None:
            imported = symbol.span.file if symbol.span.file != first.span.file else None
            alias = posixpath.splitext(posixpath.basename(imported))[0] if imported else None
            self.clash = self.clash or imported is not None
            self.problems.twice(symbol.name, symbol.span, first.span, kind_of(first), alias=alias)
            self.problems.taken_twice.add(symbol.name)
            return False
        if "." in symbol.name:
            self.problems.error("name-of-import", symbol.span, name=symbol.name)
            return False
        builtin = symbol.name in BUILTIN and (symbol.name != "token" or isinstance(symbol, TypeSymbol))
        if isinstance(symbol, (TypeSymbol, DistSymbol, FnSymbol)) and symbol.name in (*FUNCTIONS, *DISTRIBUTIONS):
            builtin = True
        if builtin:
            what = "a type" if symbol.name in BUILTIN else "a function"
            self.problems.error("name-builtin", symbol.span, name=symbol.name, what=what)
            return False
        scope.names[symbol.name] = symbol
        self.home[id(symbol)] = scope
        return True

    def _enumerations(self, scope: Scope, e: tree.TypeExpr | None, name: str = "") -> None:
        """Enter the values of every enumeration within a type; `name` is that of the type itself."""
        for enumeration in _enumerations_in(e):
            labels = tuple(name for name, _ in enumeration.names)
            kind = Scalar("enum", labels=labels, name=name if enumeration is e else "", span=enumeration.span)
            seen: set[str] = set()
            for number, (value, span) in enumerate(enumeration.names):
                if value in seen:  # which the parser has told
                    continue
                seen.add(value)
                known, here = scope.find(value), scope.names.get(value)
                if isinstance(known, ConstantSymbol) and isinstance(known.type, Scalar) and known.type.labels == labels:
                    continue
                if isinstance(here, ConstantSymbol) and here.role == "enumeration value":
                    continue  # where it stands, its type is known
                node = constant(number, "int", span)
                self._enter(
                    scope,
                    ConstantSymbol(value, "enumeration value", span, type=kind, node=node, state="done", used=True),
                )


def _enumerations_in(e: tree.TypeExpr | None) -> Iterator[tree.EnumType]:
    if isinstance(e, tree.EnumType):
        yield e
    elif isinstance(e, tree.RecordType):
        for _, field, _ in e.fields:
            yield from _enumerations_in(field)
