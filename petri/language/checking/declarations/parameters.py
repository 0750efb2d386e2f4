"""The net's parameters: their defaults, the values set for a run, and their bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from petri import net
from petri.catalogue.units import dimension_name
from petri.language.checking.declarations.imports import OpenSpace
from petri.language.checking.expressions.reader import Reader, numeric_kind
from petri.language.checking.state import CheckState, Value
from petri.language.meaning.nodes import Constant, Node, as_float, constant, evaluate
from petri.language.meaning.scope import ConstantSymbol, Scope
from petri.language.meaning.traced import Recording, Traced, apply
from petri.language.meaning.types import ListOf, Scalar, Type, Unknown, describe, plainly
from petri.language.problems import CheckError, Problems, Reported, needed
from petri.language.syntax import tree
from petri.language.syntax.parser import parse
from petri.net import Span

_LITERAL = re.compile(r"[-+]?[0-9._]+(e[-+]?[0-9]+)? *([A-Za-z]+|%)?", re.ASCII)


class Overrides:
    """Parameters with the values set from outside: numbers in the net's own units, or text of the language."""

    def __init__(self, checker: CheckState, given: Mapping[str, object], recording: Recording | None = None) -> None:
        self.checker = checker
        self.problems = checker.problems
        self.given = dict(given)
        self.expressions: dict[str, tree.Expr] = {}
        self.texts: dict[str, dict[str, str]] = {}  # the sources of these
        self.broken: set[str] = set()
        self.symbols: dict[str, tuple[ConstantSymbol, Scope]] = {}  # all parameters, `voice.rate` those of an import
        self.names: dict[int, str] = {}  # the same by the identity of the symbol
        self._read = False
        self.recording = recording

    def find_all(self, spaces: Iterable[OpenSpace]) -> None:
        for opened in spaces:
            for symbol in opened.scope.names.values():
                if isinstance(symbol, ConstantSymbol) and symbol.role == "parameter":
                    self.names[id(symbol)] = opened.prefix + symbol.name
                    self.symbols[opened.prefix + symbol.name] = (symbol, opened.scope)

    def read(self) -> None:
        """Parse the values that are text; report names that are not parameters."""
        if self._read:
            return
        self._read = True
        for name, value in self.given.items():
            if name not in self.symbols:
                self._no_parameter(name)
            elif isinstance(value, str):
                self._parse(name, value)
            elif not all(map(_is_number, value if isinstance(value, (list, tuple)) else [value])):
                self.problems.error(
                    "parameter-value",
                    None,
                    name=name,
                    text=repr(value),
                    reason="not a number, a list of some, or a text",
                )
                self.broken.add(name)

    def _no_parameter(self, name: str) -> None:
        known = list(self.symbols)
        none = None if known else "none"
        self.problems.fault(self.checker.unknown("unknown-parameter", None, name, known, known=known, none=none))

    def _parse(self, name: str, text: str) -> None:
        path = f"the value given for {name}"
        prefix = f"const {name.replace('.', '_')} = "
        file, found = parse(prefix + text, path)
        only = file.declarations[0] if len(file.declarations) == 1 else None
        if found or not isinstance(only, tree.Const):
            reason = found[0].message if found else "not one expression"
            self.problems.error("parameter-value", None, name=name, text=text, reason=reason)
            self.broken.add(name)
            return
        self.texts[name] = {path: prefix + text}
        self.problems.sources |= self.texts[name]
        self.expressions[name] = only.value

    # ------------------------------------------------------------ one parameter

    def resolve(self, symbol: ConstantSymbol, declaration: tree.Param) -> None:
        """Set the type and value of a parameter; raises CheckError."""
        checker, name = self.checker, self.names[id(symbol)]
        scope = self.symbols[name][1]
        reader = Reader(checker, scope, "a parameter's value")
        default = reader.read(declaration.default) if declaration.default is not None else None
        kind: Type
        if declaration.type is not None:
            kind = checker.read_type(declaration.type, scope)
        elif default is None:
            raise CheckError("parameter-untyped", declaration.name_span, name=symbol.name)
        else:
            kind = default.type
        if isinstance(kind, Unknown):
            return
        if isinstance(kind, ListOf) and default is not None:
            self._resolve_list(symbol, declaration, default, kind.element)
            return
        if not isinstance(kind, Scalar):
            raise CheckError("constant-not-scalar", declaration.name_span, kind=describe(kind))
        symbol.type = kind
        fitted = reader.fit(default, kind, declaration.default) if default is not None else None
        if fitted is not None and default is not None:
            value = evaluate(fitted[0], ())
            symbol.node = constant(value, fitted[0].kind, symbol.span, kind.dimension.time)
            if symbol.setting is None:
                self._check_bounds(symbol, declaration, value, default.span)
        if symbol.setting is not None:
            self._set(symbol, declaration, kind, *self._of_import(kind, *symbol.setting))
        if name in self.given and name not in self.broken:
            self._set(symbol, declaration, kind, *self._given(name, kind))

    def _resolve_list(self, symbol: ConstantSymbol, declaration: tree.Param, default: Value, kind: Scalar) -> None:
        """Declare a parameter that is a list, `param quota = [4, 1, 1]`; a list of another length may be set."""
        name, value, raw = self.names[id(symbol)], default, None
        if symbol.setting is not None:
            value = Reader(self.checker, symbol.setting[1], "a parameter's value").read(symbol.setting[0])
        if name in self.given and name not in self.broken:
            expression = self.expressions.get(name)
            if expression is not None:
                value = Reader(self.checker, self.checker.scope, "a parameter's value").read(expression)
            else:
                raw = self.given[name]
        values = self._items(name, kind, value, raw)
        if values is None:
            return
        symbol.type = ListOf(kind, len(values))
        for item in values:
            self._check_bounds(symbol, declaration, item, value.span if raw is None else None, kind)
        power = kind.dimension.time
        symbol.nodes = tuple([constant(item, numeric_kind(kind), symbol.span, power) for item in values])

    def _items(self, name: str, kind: Scalar, value: Value, raw: Any) -> list[Constant] | None:
        """Return the elements of a list, read from text or (raw) given as Python numbers; None if it is not one."""
        if raw is not None:
            try:
                found = [_number_as(kind, item) for item in raw]
            except (TypeError, ValueError, OverflowError):
                found = [None]
            items = [item for item in found if item is not None]
            if items and len(items) == len(found):
                return items
        elif isinstance(value.type, ListOf):
            reader = Reader(self.checker, self.checker.scope, "a parameter's value")
            element = value.type.element
            nodes = [reader.fit(Value(element, (node,), value.span), kind) for node in value.nodes]
            return [evaluate(node[0], ()) for node in nodes if node] if all(nodes) else None
        elif isinstance(value.type, Unknown):
            return None
        text = str(raw) if raw is not None else self.problems.text(value.span)
        reason = f"it is a list of {plainly(kind)}: write `[…]`"
        raise CheckError("parameter-value", None, name=name, text=text, reason=reason)

    def _of_import(self, kind: Scalar, e: tree.Expr, scope: Scope) -> tuple[Constant, Span]:
        """Return the value that an import gives a parameter. Raises CheckError."""
        if isinstance(e, tree.Name) and e.name in kind.labels and kind.kind == "enum":
            return kind.labels.index(e.name), e.span
        (node,) = needed(Reader(self.checker, scope, "a parameter's value").read_as(e, kind))
        return evaluate(node, ()), e.span

    def _given(self, name: str, kind: Scalar) -> tuple[Constant, Span | None]:
        """Return the value set from outside. Raises CheckError."""
        expression = self.expressions.get(name)
        if expression is not None:
            reader = Reader(self.checker, self.checker.scope, "a parameter's value")
            (node,) = needed(reader.read_as(expression, kind))
            given = evaluate(node, ())
            if kind.kind == "real":
                as_float(given, expression.span)
            return given, expression.span
        raw: Any = self.given[name]
        try:
            value = _number_as(kind, raw)
            if value is not None and kind.kind == "real":
                float(value)
        except (TypeError, ValueError, OverflowError):
            value = None
        if value is None:
            finite = "finite " if kind.kind == "real" and isinstance(raw, (int, float)) else ""
            reason = f"it needs {_article(finite + plainly(kind))}"
            raise CheckError("parameter-value", None, name=name, text=str(raw), reason=reason)
        return value, None

    def _set(
        self, symbol: ConstantSymbol, declaration: tree.Param, kind: Scalar, value: Constant, span: Span | None
    ) -> None:
        self._check_bounds(symbol, declaration, value, span)
        symbol.node = constant(value, numeric_kind(kind), symbol.span, kind.dimension.time)

    def trace(self, symbol: ConstantSymbol, declaration: tree.Param) -> None:
        """Make the value of a parameter one that can be another, within the bounds. Raises CheckError."""
        if self.recording is None or symbol.node is None:
            return
        node = symbol.node
        value = self.recording.parameter(self.names[id(symbol)], node.value)
        symbol.node = constant(value, node.kind, node.span, node.power)
        if isinstance(symbol.type, Scalar) and symbol.type.kind == "real":
            as_float(value, None)
        self._check_bounds(symbol, declaration, value, None)

    def another(self, name: str, given: object) -> tuple[Constant, Mapping[str, str]]:
        """Return another value of a parameter, and the text that it is read from. Raises CheckError if it is wrong, or
        depends on others.
        """
        kind, other = self.symbols[name][0].type, Overrides(self.checker, {name: given})
        other.problems, other.symbols = Problems(), self.symbols
        if not isinstance(kind, Scalar) or (isinstance(given, str) and not _LITERAL.fullmatch(given)):
            raise Reported
        other.read()
        value, _ = other._given(name, kind)
        step: Any = value
        if other.problems.found or type(step) is Traced:
            raise Reported
        return value, other.texts.get(name, {})

    def bounds(
        self, symbol: ConstantSymbol, declaration: tree.Param, kind: Scalar | None = None
    ) -> tuple[Node, Node] | None:
        """Return the least and the greatest value that a parameter, or (kind) an element of its list, may have."""
        kind = kind or symbol.type  # type: ignore[assignment]
        assert isinstance(kind, Scalar)
        if declaration.bounds is not None:
            reader = Reader(self.checker, self.symbols[self.names[id(symbol)]][1], "a parameter's bound")
            low, high = reader.read(declaration.bounds.low, kind), reader.read(declaration.bounds.high, kind)
            if kind.kind not in ("int", "real"):
                raise CheckError("bounds-of-no-number", declaration.bounds.span, kind=plainly(kind))
            wanted = reader.bare(kind)
            nodes = _fit_bound(reader, low, wanted), _fit_bound(reader, high, wanted)
            return None if nodes[0] is None or nodes[1] is None else (nodes[0], nodes[1])
        return (kind.low, kind.high) if kind.low is not None and kind.high is not None else None

    def _check_bounds(
        self,
        symbol: ConstantSymbol,
        declaration: tree.Param,
        value: Constant,
        span: Span | None,
        kind: Scalar | None = None,
    ) -> None:
        bounds = self.bounds(symbol, declaration, kind)
        if bounds is None:
            return
        low, high = evaluate(bounds[0], ()), evaluate(bounds[1], ())
        if value < low or value > high:
            text = self.problems.text(declaration.bounds.span) if declaration.bounds else f"{low}..{high}"
            shown = self.problems.text(span) if span else f"{float(value):.10g}"
            self.problems.error("parameter-out-of-bounds", span, name=symbol.name, text=shown, bounds=text)

    # ------------------------------------------------------------ the list

    def finish(self) -> None:
        """List the parameters for the flat net."""
        for name, (symbol, _) in self.symbols.items():
            if symbol.node is not None or symbol.nodes:
                try:
                    self.checker.parameters.append(self._listed(name, symbol))
                except CheckError as fault:
                    self.problems.fault(fault)

    def _listed(self, name: str, symbol: ConstantSymbol) -> net.Parameter:
        declaration, several = symbol.declaration, isinstance(symbol.type, ListOf)
        kind = symbol.type.element if isinstance(symbol.type, ListOf) else symbol.type
        assert isinstance(declaration, tree.Param)
        assert isinstance(kind, Scalar)
        written = symbol.setting[0] if symbol.setting is not None else declaration.default
        text = self.problems.whole_text if several else self.problems.text
        default = text(written.span) if written is not None else ""
        number = (
            partial(apply, int) if kind.kind != "real" and not several else partial(as_float, span=declaration.span)
        )
        ends = self.bounds(symbol, declaration, kind) or ()
        low, high = [number(evaluate(end, ())) for end in ends] or (None, None)
        return net.Parameter(
            name,
            _as_written(self.given.get(name, default)) if several else _shown(symbol, kind),
            "list" if several else describe(kind) if kind.kind == "enum" else kind.kind,
            dimension_name(kind.dimension),
            low,
            high,
            default,
            declaration.doc,
            declaration.span,
            () if several else kind.labels,
        )


def _as_written(given: Any) -> str:
    """Show a list as it is written, which is also how it is set."""
    return given if isinstance(given, str) else f"[{', '.join(map(str, given))}]"


def _shown(symbol: ConstantSymbol, kind: Scalar) -> net.Scalar | bool | str:
    assert symbol.node is not None
    value = evaluate(symbol.node, ())
    if kind.kind == "enum":
        return kind.labels[int(value)]
    if kind.kind == "real":
        return as_float(value, symbol.span)
    return apply(bool if kind.kind == "bool" else int, value)  # type: ignore[no-any-return]


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float, Fraction)) or hasattr(value, "__float__")


def _number_as(kind: Scalar, raw: Any) -> Constant | None:
    """Return a Python number converted exactly to a value of a type; None if it is not one."""
    if kind.kind == "bool":
        return bool(raw) if raw in (0, 1) else None
    if isinstance(raw, bool) or kind.kind == "enum":
        return None
    if kind.kind == "int":
        return int(raw) if raw == int(raw) else None
    return Fraction(raw if isinstance(raw, (int, Fraction)) else float(raw))


def _fit_bound(reader: Reader, bound: Value, wanted: Scalar) -> Node | None:
    """Return a bound converted to the parameter's type; a real bound of an int is allowed."""
    if wanted.kind == "int" and isinstance(bound.type, Scalar) and bound.type.kind == "real":
        return bound.node
    nodes = reader.fit(bound, wanted)
    return nodes[0] if nodes else None


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
