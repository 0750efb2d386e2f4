"""A declaration that does not parse, as those who explain its mistake see it."""

from __future__ import annotations

from petri.catalogue.words import LINKING
from petri.diagnostics import Diagnostic, Label, Value
from petri.language.syntax.lexer import Token, span_of
from petri.language.syntax.splitting import Statement
from petri.language.syntax.tables import END
from petri.net import Span
from petri.structs import Struct

PAIRS = {"(": ")", "[": "]", "{": "}"}
CLAUSE_WORDS = frozenset(LINKING)


class Case(Struct):
    """A declaration that failed to parse: at `found` (None: it ends too early), after `before`, in the file `path`."""

    statement: Statement
    position: int
    expected: frozenset[str]
    path: str

    @property
    def tokens(self) -> list[Token]:
        return self.statement.tokens

    @property
    def word(self) -> str:
        return self.statement.word

    @property
    def found(self) -> Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    @property
    def kind(self) -> str:
        return self.found.kind if self.found else END

    @property
    def after(self) -> str:
        return self.tokens[self.position + 1].kind if self.position + 1 < len(self.tokens) else END

    @property
    def before(self) -> Token:
        return self.tokens[max(self.position - 1, 0)]

    @property
    def wants_value(self) -> bool:
        return {"NAME", "NUMBER"} <= self.expected

    @property
    def ends_here(self) -> bool:
        """Whether the text continues with something that cannot be part of an expression."""
        return self.found is None or self.kind in CLAUSE_WORDS or self.kind in ("->", "=", "~", ")", "]", "}", ",", ":")

    def span(self) -> Span:
        """Return the culprit; if the declaration ends too early, the position directly after it."""
        if self.found:
            return span_of(self.found, self.found, self.path)
        last = self.tokens[-1]
        return Span(self.path, last.line, last.end_column, last.line, last.end_column + 1)

    def open_brackets(self) -> list[Token]:
        stack: list[Token] = []
        for token in self.tokens[: self.position]:
            if token.kind in PAIRS:
                stack.append(token)
            elif stack and token.kind == PAIRS[stack[-1].kind]:
                stack.pop()
        return stack

    def tell(self, identifier: str, *labels: Label, span: Span | None = None, **values: Value) -> Diagnostic:
        return Diagnostic(identifier, span or self.span(), {"found": shown(self.found), **values}, labels)


def shown(token: Token | None) -> str:
    return f"`{token.text}`" if token else "the end of the declaration"
