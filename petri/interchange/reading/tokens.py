"""The tokens of an expression of another tool, and the tree that a reader makes of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

DEEPEST: Final = 50  # expressions within expressions
LONGEST: Final = 190  # operators in a row, each of which has all before it as an operand
_NUMBER: Final = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class InfixError(Exception):
    """Not an expression; at: the place in the text, from 0."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at, self.reason = at, reason


@dataclass(frozen=True, slots=True)
class Node:
    """op: an operator of the language, `number`, `name`, `tokens` (`#p`), `call` or `index` (of `text`)."""

    op: str
    parts: tuple[Node, ...] = ()
    text: str = ""
    at: int = 0

    def everywhere(self) -> Iterator[Node]:
        yield self
        for part in self.parts:
            yield from part.everywhere()


class TokenReader:
    """Goes over the tokens of a text; the reader of a grammar has `expression` beside.

    pattern: its groups `number`, `name`, `sign`, … are the kinds of tokens. words: the names that are signs.
    """

    def __init__(self, text: str, pattern: re.Pattern[str], words: Collection[str]) -> None:
        self.text, self.pattern, self.words = text, pattern, words
        self.end, self.at, self.depth = 0, 0, 0
        self.kind, self.token = "", ""
        self.next()

    def next(self) -> str:
        """Go to the next token. Returns the one before."""
        before, found = self.token, self.pattern.match(self.text, self.end)
        if found is None:
            rest = self.text[self.end :].strip()
            self.at = len(self.text) if not rest else self.text.index(rest[0], self.end)
            if rest:
                raise InfixError(self.at, f"`{rest[0]}` is not expected")
            self.kind, self.token = "", ""
            return before
        kind = found.lastgroup or ""
        self.token, self.at, self.end = found[kind], found.start(kind), found.end()
        self.kind = "sign" if self.token in self.words else kind
        return before

    def accept(self, *tokens: str) -> str:
        return self.next() if self.kind == "sign" and self.token in tokens else ""

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise InfixError(self.at, f"`{token}` is expected")

    def finish(self) -> None:
        if self.kind:
            raise InfixError(self.at, f"`{self.token}` is not expected")

    def unexpected(self) -> InfixError:
        reason = f"`{self.token}` is not expected" if self.kind else "the expression is not complete"
        return InfixError(self.at, reason)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise InfixError(self.at, "it is nested too deeply")

    def expression(self) -> Node:
        raise NotImplementedError

    def whole(self) -> Node:
        """Return the tree of the whole text. Raises InfixError."""
        try:
            node = self.expression()
        except RecursionError:
            raise InfixError(self.at, "it is nested too deeply") from None
        self.finish()
        level, count = [node], 0
        while level := [part for one in level for part in one.parts]:
            count += 1
            if count > LONGEST:
                raise InfixError(node.at, f"it has more than {LONGEST} operators in a row")
        return node

    def number(self) -> Node:
        if is_huge(self.token):
            raise InfixError(self.at, "the number is too large")
        return Node("number", at=self.at, text=self.next())

    def listed(self, closing: str) -> Iterator[Node]:
        """Expressions with commas between them, up to a closing sign."""
        while not self.accept(closing):
            yield self.expression()
            if not self.accept(","):
                self.expect(closing)
                return


def is_number(text: str) -> bool:
    """Return whether a text is a number that is not negative, and that a double may have."""
    return _NUMBER.fullmatch(text) is not None and not is_huge(text)


def is_huge(text: str) -> bool:
    """Return whether a number has more than 400 characters, or an exponent beyond 300: no double has such a value."""
    exponent = text.lower().partition("e")[2].lstrip("+-~").lstrip("0")
    return len(text) > 400 or len(exponent) > 3 or int(exponent or 0) > 300
