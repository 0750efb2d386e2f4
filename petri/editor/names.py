"""What each name in the texts of a net denotes: the walk over the syntax tree that hover, references and rename share.

The scopes and the types of expressions are those of the checker (`CheckState.seen`). The walk adds what a check does
not keep: the position of each name, and the variables of transitions, threads and functions. Nodes of the tree without
names of their own are walked by their fields, so a new kind of node needs no change here.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from petri.catalogue.operations import DISTRIBUTIONS, FUNCTIONS, OF_EACH
from petri.editor.meant import Meant
from petri.language import Study
from petri.language.checking.checker import Checker
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS
from petri.language.checking.nets.patterns import WORDS
from petri.language.checking.nets.terms import split_term
from petri.language.meaning.scope import (
    ConstantSymbol,
    InstanceSymbol,
    ModuleSymbol,
    PlaceSymbol,
    Scope,
    SpaceSymbol,
    Symbol,
    ThreadSymbol,
    TransitionSymbol,
    UnitSymbol,
    kind_of,
)
from petri.language.meaning.types import Record, Type
from petri.language.syntax import tree
from petri.net import Span
from petri.structs import Struct, field, fields, replace

_FUNCTIONS = frozenset((*FUNCTIONS, *OF_EACH, *DISTRIBUTIONS, *MEASURE_FUNCTIONS))
Key = tuple[str, int, int]
Locals = dict[str, Meant]


class Occurrence(Struct):
    """A name at a position. `beside` says what else a bare field `{seq}` means there: the field, or the variable."""

    span: Span
    meant: Meant
    declares: bool = False
    beside: str = ""  # "field" of a bare field's own entry, "value" of its variable


class Names(Struct):
    """All occurrences of a net, by file in the order of the text."""

    found: dict[str, list[Occurrence]] = field(default_factory=dict)
    variables: dict[Key, Locals] = field(default_factory=dict)  # of each declaration, by the position of its name

    def at(self, file: str, line: int, column: int) -> Occurrence | None:
        """Return the name under a cursor: on it, or directly after it."""
        occurrences = self.found.get(file, [])
        number = bisect_right(occurrences, (line, column), key=_start)
        for occurrence in reversed(occurrences[max(0, number - 2) : number]):
            if occurrence.span.line == line and column <= occurrence.span.end_column:
                return occurrence
        return None

    def of(self, meant: Meant) -> list[Occurrence]:
        """Return all occurrences of what a name denotes, in all files."""
        return [one for listed in self.found.values() for one in listed if one.meant.key == meant.key]


def _start(occurrence: Occurrence) -> tuple[int, int]:
    return (occurrence.span.line, occurrence.span.column)


class _Within(Struct):
    """Where the walk is: the scope, the variables, and names that are known only if nothing else has them."""

    scope: Scope
    local: Locals = field(default_factory=dict)
    fallback: Locals = field(default_factory=dict)


def find_names(study: Study) -> Names:
    """Return the names of a net that was checked with the types of its expressions."""
    names = Names()
    if study.checker is not None:
        walker = _Walker(study.checker, names)
        for opened in study.checker.spaces:
            for declaration in opened.declarations():
                walker.record_types(declaration)
        for opened in study.checker.spaces:
            for declaration in opened.declarations():
                walker.declaration(declaration, opened.scope)
    for file, listed in names.found.items():
        listed.sort(key=_start)
        names.found[file] = listed
    return names


class _Walker:
    def __init__(self, checker: Checker, names: Names) -> None:
        self.checker = checker
        self.seen = checker.seen or {}
        self.names = names
        self._meant: dict[int, Meant] = {}
        self._fields: dict[Span, dict[str, Meant]] = {}
        self._labels: dict[int, Locals] = {}
        self._of_transition: dict[int, Locals] = {}

    # ------------------------------------------------------------ occurrences

    def add(self, span: Span, meant: Meant | None, *, declares: bool = False, beside: str = "") -> None:
        if meant is not None:
            self.names.found.setdefault(span.file, []).append(Occurrence(span, meant, declares, beside))

    def symbol(self, symbol: Symbol | UnitSymbol) -> Meant:
        """Return what a declared name denotes; the same object for the same symbol."""
        if id(symbol) not in self._meant:
            kind = "a unit" if isinstance(symbol, UnitSymbol) else kind_of(symbol)
            found = getattr(symbol, "type", None)
            doc = getattr(symbol, "doc", "") or getattr(getattr(symbol, "declaration", None), "doc", "")
            self._meant[id(symbol)] = Meant(symbol.name, kind, symbol.span, doc, found, symbol)
        return self._meant[id(symbol)]

    def variable(self, name: str, span: Span, kind: str = "a variable") -> Meant:
        return Meant(name, kind, span, type=self.seen.get(span))

    # ------------------------------------------------------------ types

    def record_types(self, node: object) -> None:
        """Enter the fields of every record type, by the position of the type."""
        if isinstance(node, tree.RecordType):
            self._fields[node.span] = {name: Meant(name, "a field", span) for name, _, span in node.fields}
        for part in _parts(node):
            self.record_types(part)
        if isinstance(node, tree.ServiceType):
            parts = [part.span for part in (node.request, node.reply) if part is not None]
            self._fields[node.span] = {n: m for span in parts for n, m in self._fields.get(span, {}).items()}

    def member(self, kind: Type | None, name: str) -> Meant | None:
        """Return a field of a type."""
        if not isinstance(kind, Record) or kind.span is None:
            return None
        meant = self._fields.get(kind.span, {}).get(name)
        if meant is not None and meant.type is None:
            meant.type = kind.fields.get(name)
            meant.owner = kind.name
        return meant

    # ------------------------------------------------------------ declarations

    def declaration(self, d: tree.Declaration, scope: Scope) -> None:
        within = _Within(scope)
        self._declared(d, scope)
        match d:
            case tree.Module():
                self._module(d, scope)
                return
            case tree.Import():
                self._import(d, within)
                return
            case tree.Time():
                self._clock(d, scope)
            case tree.Fn():
                within.local = {name: self.variable(name, span, "a parameter") for name, _, span in d.parameters}
                for name, _, span in d.parameters:
                    within.local[name].type = self._parameter_type(d, name, scope)
                    self.add(span, within.local[name], declares=True)
            case tree.Place() | tree.Port():
                within.local = self._loops(index for index in d.size if isinstance(index, tree.Loop))
                fields = self._token_fields(scope.names.get(d.name))
                self.walk((d.key, d.per, d.weight), _Within(scope, {**within.local, **fields}))
                d = replace(d, key=None, per=None, weight=None)
            case tree.Transition():
                within.local = self.variables_of(d, scope)
                self._outputs(d.outputs, within)
                d = replace(d, outputs=())
            case tree.Thread():
                within.local = self._thread(d, scope)
            case tree.Instance():
                within.local = self._loops(d.loops)
                self._instance(d, scope)
            case _:
                within.local = self._loops(getattr(d, "loops", ()))
        unit_span: Span | None = getattr(d, "unit_span", None)  # of a measure with a unit to show it in
        unit = scope.find_unit(getattr(d, "unit", "")) if unit_span is not None else None
        if unit is not None and unit_span is not None:
            self.add(_last(unit_span, unit.name), self.symbol(unit))
        at = getattr(d, "name_span", None)
        if at is not None and within.local:
            self.names.variables[(at.file, at.line, at.column)] = within.local
        for part in _parts(d):
            self.walk(part, within)

    def _declared(self, d: tree.Declaration, scope: Scope) -> None:
        name = getattr(d, "name", "")
        span = getattr(d, "name_span", None)
        unit = isinstance(d, tree.Const) and d.unit
        symbol = scope.units.get(name) if unit else scope.names.get(name)
        if symbol is not None and span is not None and symbol.span == span:
            self.add(span, self.symbol(symbol), declares=True)

    def _clock(self, d: tree.Time, scope: Scope) -> None:
        """Note the user's unit of a `time` line, which the tree gives no position of its own."""
        unit = scope.units.get(d.unit)
        written = self.checker.problems.whole_text(replace(d.span, end_line=d.span.line, end_column=sys.maxsize))
        if unit is not None and written.startswith(f"time {d.unit}"):
            column = d.span.column + len("time ")
            span = replace(d.span, column=column, end_line=d.span.line, end_column=column + len(d.unit))
            self.add(span, self.symbol(unit))

    def _module(self, d: tree.Module, scope: Scope) -> None:
        symbol = scope.names.get(d.name)
        if isinstance(symbol, ModuleSymbol) and symbol.declaration is d and symbol.scope is not None:
            for inner in (*d.parameters, *d.body):
                self.declaration(inner, symbol.scope)

    def _import(self, d: tree.Import, within: _Within) -> None:
        space = within.scope.names.get(d.alias) if d.alias is not None else None
        inner = within.scope
        if isinstance(space, SpaceSymbol) and d.alias_span is not None:
            self.add(d.alias_span, self.symbol(space), declares=space.declaration is d)
            inner = space.scope
        for setting in d.settings:
            symbol = inner.names.get(setting.name)
            if symbol is not None:
                self.add(setting.name_span, self.symbol(symbol))
            self.walk(setting.value, within)

    def _instance(self, d: tree.Instance, scope: Scope) -> None:
        module = scope.find(d.module)
        if not isinstance(module, ModuleSymbol):
            return
        self._named(d.module, d.module_span, module, scope)
        for argument in d.arguments:
            symbol = module.scope.names.get(argument.name) if module.scope and argument.name else None
            if symbol is not None:
                self.add(_first(argument.span, symbol.name), self.symbol(symbol))

    def _parameter_type(self, d: tree.Fn, name: str, scope: Scope) -> Type | None:
        symbol = scope.names.get(d.name)
        kinds: list[Type] = getattr(symbol, "parameters", [])
        return next((kind for (own, _, _), kind in zip(d.parameters, kinds, strict=False) if own == name), None)

    # ------------------------------------------------------------ variables

    def _loops(self, loops: Iterable[tree.Loop]) -> Locals:
        found = {}
        for loop in loops:
            span = _first(loop.span, loop.variable)
            found[loop.variable] = self.variable(loop.variable, span, "a loop variable")
        return found

    def variables_of(self, d: tree.Transition, scope: Scope) -> Locals:
        """Return the variables of a transition; each is declared where it is bound first."""
        if id(d) not in self._of_transition:
            found = self._loops(d.loops)
            for draw in d.draws:
                found[draw.name] = self.variable(draw.name, draw.name_span, "a drawn variable")
                found[draw.name].type = self.seen.get(draw.distribution.span)
            for let in d.lets:
                found[let.name] = self.variable(let.name, let.name_span, "a `let`")
                found[let.name].type = self.seen.get(let.value.span)
            self._bound(d.inputs, scope, found)
            self._of_transition[id(d)] = found
        return self._of_transition[id(d)]

    def _bound(self, arcs: Iterable[tree.Arc], scope: Scope, found: Locals) -> None:
        for arc in arcs:
            term = arc.term
            if isinstance(term, tree.Binary) and term.operator != "*":
                term = term.left
            for argument in split_term(term)[2]:
                self._pattern(argument, scope, found)

    def _pattern(self, pattern: tree.Expr, scope: Scope, found: Locals) -> None:
        for name, span in _binding(pattern):
            constant = isinstance(scope.find(name), ConstantSymbol)
            if name not in found and name not in WORDS and "." not in name and name != "_" and not constant:
                found[name] = self.variable(name, span)

    def _thread(self, d: tree.Thread, scope: Scope) -> Locals:
        found = self._loops(d.loops)
        labels = self._labels.setdefault(id(d), {})
        for step in _steps(d.steps):
            if step.label:
                labels.setdefault(step.label, Meant(step.label, "a step", step.name_span, step.doc))
                self.add(step.name_span, labels[step.label], declares=labels[step.label].span == step.name_span)
        for step in _steps(d.steps):
            if step.within is not None and step.within.label in labels:
                self.add(step.within.label_span, labels[step.within.label])
            self._bound(step.arcs, scope, found)
            for draw in step.draws:
                found.setdefault(draw.name, self.variable(draw.name, draw.name_span, "a drawn variable"))
            if step.verb in ("let", "set") and step.name:
                meant = found.setdefault(step.name, self.variable(step.name, step.name_span))
                if meant.type is None and step.value is not None:
                    meant.type = self.seen.get(step.value.span)
                self.add(step.name_span, meant, declares=meant.span == step.name_span)
            if step.verb == "call" and step.value is not None:
                self._pattern(step.value, scope, found)
        return found

    # ------------------------------------------------------------ expressions

    def walk(self, node: object, within: _Within) -> None:
        """Enter the names of a part of a declaration."""
        match node:
            case tree.Name():
                self._name(node, within)
            case tree.Field():
                self.walk(node.base, within)
                self._field(node, within)
            case tree.Call():
                self._call(node, within)
            case tree.Index():
                for part in _parts(node):
                    self._head(part, within) if part is node.base else self.walk(part, within)
            case tree.Arc():
                self._term(node.term, within)
                self.walk(node.condition, within)
            case tree.Step():
                self._outputs(node.outputs, within)
                for part in _parts(replace(node, outputs=())):
                    self.walk(part, within)
            case tree.Record():
                self._record(node, self.seen.get(node.span), within)
            case tree.With():
                self.walk(node.base, within)
                self._record(node.changes, self.seen.get(node.span), within)
            case tree.At():
                local = {**within.local, **self._variables_at(node.event, within)}
                for part in _parts(node):
                    self.walk(part, within if part is node.event else replace(within, local=local))
            case tree.Each() | tree.ListFor():
                self.walk(node.over, within)
                meant = self.variable(node.over.variable, _first(node.over.span, node.over.variable), "an element")
                self.walk(node.value, replace(within, local={**within.local, meant.name: meant}))
                self.add(meant.span, meant, declares=True)
            case tree.Number():
                self._unit(node, within.scope)
            case _:
                self._other(node, within)

    def _other(self, node: object, within: _Within) -> None:
        """Do the same for types, and for what declares a variable."""
        match node:
            case tree.NamedType():
                self._named(node.name, node.span, within.scope.find(node.name), within.scope)
            case tree.EnumType():
                self._enumeration(node, within.scope)
            case tree.RecordType():
                self._record_type(node, within)
            case tree.Loop():
                span = _first(node.span, node.variable)
                meant = within.local.setdefault(node.variable, self.variable(node.variable, span, "a loop variable"))
                self.add(span, meant, declares=meant.span == span)
                self.walk(node.range, within)
            case tree.Draw() | tree.Let():
                self.add(node.name_span, within.local.get(node.name), declares=True)
                self.walk(node.distribution if isinstance(node, tree.Draw) else node.value, within)
            case tree.Initial():
                inner = replace(within, local={**within.local, **self._loops(node.loops)})
                self.walk(node.loops, inner)
                self.walk(node.value, inner)
            case _:
                for part in _parts(node):
                    self.walk(part, within)

    def _name(self, e: tree.Name, within: _Within, *, head: bool = False, beside: str = "") -> None:
        """head: the name is that of a place, transition or function rather than of a value."""
        symbol = within.scope.find(e.name)
        meant = within.local.get(e.name)
        if meant is not None and not (head and symbol is not None):
            self.add(e.span, meant, declares=meant.span == e.span, beside=beside)
        elif symbol is not None:
            self._named(e.name, e.span, symbol, within.scope, beside)
        elif e.name in within.fallback:
            self.add(e.span, within.fallback[e.name], beside=beside)

    def _named(self, name: str, span: Span, symbol: Symbol | None, scope: Scope, beside: str = "") -> None:
        """Note a name as it is written, `Packet` or `voice.Packet`."""
        if "." in name and name not in scope.names:
            space = scope.find(name.partition(".")[0])
            if isinstance(space, SpaceSymbol):
                self.add(_first(span, space.name), self.symbol(space))
            span = _last(span, name.rpartition(".")[2])
        if symbol is not None:
            self.add(span, self.symbol(symbol), beside=beside)

    def _head(self, e: object, within: _Within) -> None:
        if isinstance(e, tree.Name):
            self._name(e, within, head=True)
        else:
            self.walk(e, within)

    def _term(self, term: tree.Expr, within: _Within) -> None:
        if isinstance(term, tree.Range):
            self.walk(term.low, within)
            self._term(term.high, within)
        elif isinstance(term, tree.Binary):
            self.walk(term.left, within) if term.operator == "*" else self._term(term.left, within)
            self._term(term.right, within) if term.operator == "*" else self.walk(term.right, within)
        elif isinstance(term, tree.Call):
            self._call(term, within, of_place=True)
        else:
            self._head(term, within)

    def _outputs(self, outputs: Iterable[tree.Expr | None], within: _Within) -> None:
        for e in outputs:
            if isinstance(e, tree.If):
                self.walk(e.condition, within)
                self._outputs((e.then, e.otherwise), within)
            elif isinstance(e, tree.Delayed):
                self.walk(e.delay, within)
                self._outputs((e.output,), within)
            elif isinstance(e, tree.ForEach):
                self._term(e.output, within)
            elif e is not None:
                self._term(e, within)

    def _call(self, e: tree.Call, within: _Within, *, of_place: bool = False) -> None:
        """of_place: an arc. Elsewhere the functions of the language go before places and parameters of their names."""
        if of_place or not (isinstance(e.function, tree.Name) and e.function.name in _FUNCTIONS):
            self._head(e.function, within)
        if e.arguments and isinstance(e.function, tree.Name) and e.function.name in MEASURE_FUNCTIONS:
            first = self.denoted(e.arguments[0], within.scope)
            local = self._variables_at(e.arguments[0], within)
            known = self._token_fields(first)
            if e.function.name in ("mean", "max") and known:  # of a place, and then of the fields of its tokens
                self._head(e.arguments[0], within)
                self.walk(e.arguments[1:], replace(within, local={**within.local, **known}))
                return
            within = _Within(within.scope, {**within.local, **local}, {**within.fallback, **known})
        for argument in e.arguments:
            self._head(argument, within) if within.fallback else self.walk(argument, within)

    def _token_fields(self, symbol: object) -> Locals:
        """Yield, in a measure of a place, the fields of its tokens, which are names there."""
        kind = symbol.type if isinstance(symbol, PlaceSymbol) else None
        names = kind.fields if isinstance(kind, Record) else ()
        return {name: meant for name in names if (meant := self.member(kind, name)) is not None}

    def _variables_at(self, e: tree.Expr, within: _Within) -> Locals:
        """Return the variables of a transition that a measure names."""
        symbol = self.denoted(e, within.scope)
        if not isinstance(symbol, TransitionSymbol):
            return {}
        return self.variables_of(symbol.declaration, self.checker.gatherer.home.get(id(symbol), within.scope))

    def denoted(self, e: object, scope: Scope) -> Symbol | None:
        """Return the symbol that a path such as `chip[*].forward.enter` denotes."""
        if isinstance(e, tree.Name):
            return scope.find(e.name)
        if isinstance(e, tree.Index):
            return self.denoted(e.base, scope)
        if isinstance(e, tree.Field):
            base = self.denoted(e.base, scope)
            home = self.checker.gatherer.home.get(id(base), scope)
            inner = inside(base, home)
            if inner is not None:
                return inner.names.get(e.name)
            return None if base is None else home.names.get(f"{base.name}.{e.name}")  # what a schedule is made of
        return None

    def _field(self, e: tree.Field, within: _Within) -> None:
        span = _last(e.span, e.name)
        base = self.denoted(e.base, within.scope)
        label = self._labels.get(id(base.declaration), {}).get(e.name) if isinstance(base, ThreadSymbol) else None
        if label is not None:
            self.add(span, label)
            return
        local = isinstance(e.base, tree.Name) and e.base.name in within.local
        symbol = None if local else self.denoted(e, within.scope)
        if symbol is not None:
            self.add(span, self.symbol(symbol))
        else:
            self.add(span, self.member(self.seen.get(e.base.span), e.name))

    def _record(self, e: tree.Record, kind: Type | None, within: _Within) -> None:
        for name, value, span in e.fields:
            bare = value is None
            self.add(span, self.member(kind, name), beside="field" if bare else "")
            if value is None:
                self._name(tree.Name(name, span), within, beside="value")
            else:
                self.walk(value, within)

    def _unit(self, e: tree.Number, scope: Scope) -> None:
        unit = scope.find_unit(e.unit) if e.unit is not None else None
        if unit is not None:
            self.add(_last(e.span, unit.name), self.symbol(unit))

    def _enumeration(self, e: tree.EnumType, scope: Scope) -> None:
        for name, span in e.names:
            symbol = scope.find(name)
            if isinstance(symbol, ConstantSymbol):
                self.add(span, self.symbol(symbol), declares=symbol.span == span)

    def _record_type(self, e: tree.RecordType, within: _Within) -> None:
        own = self._fields[e.span]
        for name, kind, span in e.fields:
            self.add(span, own.get(name), declares=True)
            self.walk(kind, within)


def inside(symbol: Symbol | None, home: Scope) -> Scope | None:
    """Return the scope of what stands behind the point of `symbol.name`. home: the scope of an instance."""
    if isinstance(symbol, InstanceSymbol):
        module = home.find(symbol.declaration.module)
        return module.scope if isinstance(module, ModuleSymbol) else None
    if isinstance(symbol, SpaceSymbol):
        return symbol.scope
    return symbol.steps if isinstance(symbol, ThreadSymbol) else None


def _parts(node: object) -> Iterator[object]:
    """Yield what a node of the tree has, its positions and texts left out."""
    if isinstance(node, tuple):
        yield from (part for part in node if not isinstance(part, (str, Span)))
    elif type(node).__module__ == tree.__name__:
        for name in fields(type(node)):  # type: ignore[arg-type]
            part = getattr(node, name)
            if isinstance(part, tuple) or type(part).__module__ == tree.__name__:
                yield part


def _steps(steps: Iterable[tree.Step]) -> Iterator[tree.Step]:
    for step in steps:
        yield step
        yield from _steps((*step.body, *step.others))


def _binding(pattern: tree.Expr) -> Iterator[tuple[str, Span]]:
    """Yield the names that a pattern has where a name binds."""
    match pattern:
        case tree.Name():
            yield pattern.name, pattern.span
        case tree.Record():
            for name, value, span in pattern.fields:
                yield from _binding(value) if value is not None else ((name, span),)
        case tree.Call():
            for argument in pattern.arguments:
                yield from _binding(argument)
        case tree.List():
            for item in pattern.items:
                yield from _binding(item)
        case tree.Element():
            yield from _binding(pattern.value)


def _first(span: Span, word: str) -> Span:
    """Return the word with which a text begins."""
    return replace(span, end_line=span.line, end_column=span.column + len(word))


def _last(span: Span, word: str) -> Span:
    """Return the word with which a text ends."""
    return replace(span, line=span.end_line, column=span.end_column - len(word))
