"""What is shown of a name: its declaration, type, value with unit, and documentation."""

from __future__ import annotations

import math
from fractions import Fraction

from petri.catalogue.units import dimension_name
from petri.editor.meant import Meant
from petri.editor.positions import Text
from petri.language.checking.checker import Checker
from petri.language.meaning.nodes import Node, evaluate
from petri.language.meaning.scope import ConstantSymbol, FnSymbol, ModuleSymbol, PlaceSymbol, ThreadSymbol, UnitSymbol
from petri.language.meaning.types import BOOL, CALLER, ListOf, Record, Request, Scalar, Type, Unknown, Vector, describe
from petri.language.problems import CheckError
from petri.net import Span
from petri.report.telling.quantities import Units, exact_quantity

MOST_LINES = 8  # of a declaration
MOST_ELEMENTS = 8  # of a list


def units_of(checker: Checker) -> Units:
    second = checker.units.second
    return Units(None if second is None else float(second))


def value_text(meant: Meant, checker: Checker) -> str:
    """Return the value of a constant, parameter or unit with its unit; "" if it has none or it varies by instance."""
    symbol = meant.symbol
    if isinstance(symbol, UnitSymbol):
        return "" if symbol.node is None else _text(symbol.node, Scalar("real", symbol.dimension), checker)
    if not isinstance(symbol, ConstantSymbol) or symbol.role not in ("parameter", "constant"):
        return ""
    if isinstance(symbol.type, ListOf):
        shown = [_text(node, symbol.type.element, checker) for node in symbol.nodes[:MOST_ELEMENTS]]
        more = ", …" if len(symbol.nodes) > MOST_ELEMENTS else ""
        return f"[{', '.join(shown)}{more}]" if all(shown) else ""
    if symbol.node is None or not isinstance(symbol.type, Scalar):
        return ""
    return _text(symbol.node, symbol.type, checker)


def _text(node: Node, kind: Scalar, checker: Checker) -> str:
    if not node.fixed:
        return ""
    try:
        value = evaluate(node, ())
    except (CheckError, LookupError):
        return ""
    if kind.labels:
        number = int(value)
        labels = BOOL.labels if kind.kind == "bool" else kind.labels
        return labels[number] if 0 <= number < len(labels) else ""
    if kind.kind == "int":
        return str(value)
    return _number(value, dimension_name(kind.dimension), checker)


def _number(value: object, dimension: str, checker: Checker) -> str:
    if not isinstance(value, (int, float, Fraction)):
        return ""
    try:
        number = float(value)
    except OverflowError:
        return ""
    return exact_quantity(units_of(checker), number, dimension) if math.isfinite(number) else ""


def type_text(kind: Type | None) -> str:
    """Return a type as users write it, a record with the types of its fields."""
    if kind is None or isinstance(kind, Unknown):
        return ""
    if isinstance(kind, Record) and not isinstance(kind, Vector):
        inner = ", ".join(f"{name}: {describe(part)}" for name, part in kind.fields.items() if name != CALLER)
        own = "" if isinstance(kind, Request) and kind.name == "request" else kind.name
        return f"{own} {{ {inner} }}".strip()
    if isinstance(kind, ListOf):
        return f"a list of {kind.length} of {describe(kind.element)}"
    return describe(kind)


def declared_span(meant: Meant) -> Span:
    """Return the whole declaration of a name; only the first line of a module, a thread or a part of one."""
    declaration = getattr(meant.symbol, "declaration", None)
    span: Span = getattr(declaration, "span", meant.span)
    return span


def hover_text(meant: Meant, checker: Checker, text: Text | None) -> str:
    """Markdown: the declaration as it is written, then kind, type and value, then the documentation."""
    parts = []
    written = _written(meant, text)
    if written:
        parts.append(f"```pnsim\n{written}\n```")
    parts.append(_kind_line(meant, checker))
    if meant.doc:
        parts.append(plain(meant.doc))
    return "\n\n".join(parts)


def _kind_line(meant: Meant, checker: Checker) -> str:
    kind = meant.kind.removeprefix("a ").removeprefix("an ")
    line = f"*{kind}* `{meant.name}`" + (f" of `{meant.owner}`" if meant.owner else "")
    found = type_text(meant.type)
    if found and found != meant.name:
        line += f" : `{found}`"
    value = value_text(meant, checker)
    if value:
        line += f" = `{value}`"
    if isinstance(meant.symbol, PlaceSymbol) and meant.symbol.direction not in ("", "own"):
        line += f", `{meant.symbol.direction}`"
    return line


def _written(meant: Meant, text: Text | None) -> str:
    if text is None or meant.symbol is None:
        return ""
    lines = text.of(declared_span(meant)).split("\n")
    if isinstance(meant.symbol, (ModuleSymbol, ThreadSymbol)):
        closed = next((number for number, line in enumerate(lines) if ")" in line), 0) if "(" in lines[0] else 0
        lines = lines[: closed + 1]
    more = ["…"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more])


def plain(text: str) -> str:
    """Return a text of a net within Markdown: it is shown as it is, and never as markup, a link or a command."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]()<>#+!|~&-" else sign for sign in text).replace("\n", "  \n")


def signature(meant: Meant) -> str:
    """Return a short description for lists: the type of a place or variable, the parameters of a function or module."""
    if isinstance(meant.symbol, FnSymbol):
        names = ", ".join(name for name, _, _ in meant.symbol.declaration.parameters)
        return f"({names})"
    return type_text(meant.type)
