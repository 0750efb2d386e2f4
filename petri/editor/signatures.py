"""Signature help: what the parentheses at the cursor ask for, or how the clause at the cursor is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from petri.catalogue.operations import FUNCTIONS, OF_EACH, OPERATIONS
from petri.catalogue.words import FORMS
from petri.editor.workspace import Checked
from petri.language.checking.measures.figures import MEASURE_FUNCTIONS
from petri.language.meaning.scope import FnSymbol, ModuleSymbol
from petri.language.syntax.lexer import Token, lex
from petri.language.syntax.splitting import split

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def signature_help(checked: Checked, before: str) -> types.SignatureHelp | None:
    """before: the text up to the cursor. None in a comment, and where nothing is known."""
    lexed = lex(before, "")
    last_line = before.rpartition("\n")[2]
    if any(comment.line == before.count("\n") + 1 for comment in lexed.comments) or not last_line.strip():
        return None
    statements = split(lexed.tokens, checked.name)
    tokens = statements[-1].tokens if statements else []
    call = _call(tokens)
    if call is not None:
        name, operand = call
        measuring = statements[-1].word in ("measure", "expect")
        found = [_information(usage, doc) for usage, doc in _usages(checked, name, measuring)]
        return types.SignatureHelp(found, _fitting(found, operand), operand) if found else None
    example = FORMS.get(tokens[-1].text, "") if tokens and before[-1:].isspace() else ""
    return (
        types.SignatureHelp([types.SignatureInformation(one) for one in example.split("` or `")], 0)
        if example
        else None
    )


def _call(tokens: Sequence[Token]) -> tuple[str, int] | None:
    """Return the name before the innermost open parenthesis, and the number of the operand at the cursor, from 0."""
    depth = operand = 0
    for position in range(len(tokens) - 1, 0, -1):
        text = tokens[position].text
        if text in _CLOSING:
            depth += 1
        elif text in _OPENING and depth:
            depth -= 1
        elif text in _OPENING:
            return (tokens[position - 1].text, operand) if text == "(" else None
        elif text == "," and not depth:
            operand += 1
    return None


def _usages(checked: Checked, name: str, measuring: bool) -> Iterator[tuple[str, str]]:
    """Yield how a name is called, and what that gives."""
    scope = checked.study.checker.scope if checked.study is not None and checked.study.checker is not None else None
    symbol = scope.find(name) if scope is not None else None
    if isinstance(symbol, FnSymbol):
        yield _call_of(name, [parameter for parameter, _, _ in symbol.declaration.parameters]), symbol.declaration.doc
    elif isinstance(symbol, ModuleSymbol):
        yield _call_of(name, [parameter.name for parameter in symbol.declaration.parameters]), symbol.declaration.doc
    elif measuring and name in MEASURE_FUNCTIONS:
        for usage in MEASURE_FUNCTIONS[name].replace(" or ", ", ").split("), "):
            yield usage.rstrip(")") + ")", ""
    elif name in FUNCTIONS or name in OF_EACH:
        yield FUNCTIONS.get(name) or OF_EACH[name], ""
    else:
        told: dict[str, str] = {}
        for operation in OPERATIONS.values():
            if operation.draws and operation.word == name:
                needs = ("; ".join(operation.needs()),) if operation.usage not in told else ()
                told.setdefault(operation.usage, "\n".join((operation.doc, *filter(None, needs))))
        yield from told.items()


def _call_of(name: str, parameters: Sequence[str]) -> str:
    return f"{name}({', '.join(parameters)})"


def _information(usage: str, doc: str) -> types.SignatureInformation:
    inner = usage.partition("(")[2].removesuffix(")")
    parameters = [types.ParameterInformation(one) for one in inner.split(", ") if one]
    return types.SignatureInformation(usage, doc or None, parameters)


def _fitting(found: Sequence[types.SignatureInformation], operand: int) -> int:
    """Return the first signature with an operand at this position; the first of all if none has one."""
    return next((number for number, one in enumerate(found) if len(one.parameters or ()) > operand), 0)
