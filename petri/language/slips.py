"""Why a declaration does not parse, in the words of the language: one explanation for each usual slip."""

from __future__ import annotations

from petri.diagnostics import Diagnostic
from petri.language.driver import SyntaxFailure
from petri.language.lexer import span_of
from petri.language.splitting import Statement


def explain(statement: Statement, failure: SyntaxFailure, path: str) -> Diagnostic:
    token = statement.tokens[min(failure.position, len(statement.tokens) - 1)]
    return Diagnostic(
        "unexpected", span_of(token, token, path), {"found": token.text, "expected": sorted(failure.expected)}
    )
