"""The outline of a file: its declarations, what modules contain, the steps of threads and the fields of types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from petri.editor.positions import Text
from petri.language.syntax import tree
from petri.net import Span

_KIND = types.SymbolKind
_KINDS: dict[type, types.SymbolKind] = {
    tree.Net: _KIND.Namespace,
    tree.Param: _KIND.Constant,
    tree.Const: _KIND.Constant,
    tree.Type: _KIND.Struct,
    tree.Dist: _KIND.Function,
    tree.Fn: _KIND.Function,
    tree.Schedule: _KIND.Variable,
    tree.Place: _KIND.Variable,
    tree.Port: _KIND.Interface,
    tree.Transition: _KIND.Event,
    tree.Thread: _KIND.Method,
    tree.Module: _KIND.Class,
    tree.Instance: _KIND.Object,
    tree.Measure: _KIND.Number,
}


def outline(declarations: Iterable[tree.Declaration], text: Text) -> list[types.DocumentSymbol]:
    """Return the symbols of a file, in the order of the text."""
    return list(_symbols(declarations, text))


def _symbols(declarations: Iterable[tree.Declaration], text: Text) -> Iterator[types.DocumentSymbol]:
    for d in declarations:
        if type(d) not in _KINDS:
            continue
        children: list[types.DocumentSymbol] = []
        if isinstance(d, tree.Module):
            children = [*_symbols(d.parameters, text), *_symbols(d.body, text)]
        elif isinstance(d, tree.Thread):
            children = [
                _symbol(step.label, step.name_span, step.span, _KIND.Event, text) for step in _labelled(d.steps)
            ]
        elif isinstance(d, tree.Type):
            children = [_symbol(name, span, span, kind, text) for name, span, kind in _inside(d.type)]
        name_span: Span = d.name_span  # type: ignore[union-attr]
        name: str = d.name  # type: ignore[union-attr]
        found = _symbol(name, name_span, d.span, _KINDS[type(d)], text)
        found.children = children
        found.detail = _detail(d, text)
        yield found


def _detail(d: tree.Declaration, text: Text) -> str:
    """Return what is beside the name: a type, the module of an instance."""
    if isinstance(d, tree.Instance):
        return d.module
    kind = getattr(d, "type", None)
    span = getattr(kind, "span", None)
    return " ".join(text.of(span).split())[:60] if isinstance(span, Span) and not isinstance(d, tree.Type) else ""


def _symbol(name: str, name_span: Span, span: Span, kind: types.SymbolKind, text: Text) -> types.DocumentSymbol:
    return types.DocumentSymbol(name, kind, text.range(span), text.range(name_span))


def _labelled(steps: Iterable[tree.Step]) -> Iterator[tree.Step]:
    for step in steps:
        if step.label:
            yield step
        yield from _labelled((*step.body, *step.others))


def _inside(e: tree.TypeExpr) -> Iterator[tuple[str, Span, types.SymbolKind]]:
    if isinstance(e, tree.EnumType):
        yield from ((name, span, _KIND.EnumMember) for name, span in e.names)
    elif isinstance(e, tree.RecordType):
        yield from ((name, span, _KIND.Field) for name, _, span in e.fields)
