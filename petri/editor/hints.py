"""Inlay hints: the values of constants, parameters and units whose expressions have to be evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from petri.editor.names import Names
from petri.editor.positions import Text
from petri.editor.showing import value_text
from petri.language.checking.checker import Checker
from petri.language.syntax import tree


def inlay_hints(
    declarations: Iterable[tree.Declaration], names: Names, checker: Checker, text: Text
) -> Iterator[types.InlayHint]:
    """Yield the hints of a file. A value that is written as it would be shown needs none."""
    for d in declarations:
        if isinstance(d, tree.Module):
            yield from inlay_hints(d.body, names, checker, text)
        value = d.value if isinstance(d, tree.Const) else d.default if isinstance(d, tree.Param) else None
        if value is None or not isinstance(d, (tree.Const, tree.Param)) or _literal(value):
            continue
        found = names.at(d.name_span.file, d.name_span.line, d.name_span.column)
        shown = value_text(found.meant, checker) if found is not None else ""
        if shown and shown != text.of(value.span):
            position = text.position(value.span.end_line, value.span.end_column)
            yield types.InlayHint(position, f"= {shown}", types.InlayHintKind.Type, padding_left=True)


def _literal(e: tree.Expr) -> bool:
    return isinstance(e, (tree.Number, tree.Name)) or (isinstance(e, tree.Unary) and _literal(e.operand))
