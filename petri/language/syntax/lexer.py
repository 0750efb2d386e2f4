"""Text to tokens, and tokens to declarations.

The whole file is read once. A declaration starts at its keyword and ends where the next one starts, independent of
lines. So each can be parsed, and fail, on its own.
"""

from __future__ import annotations

import re

from petri.diagnostics import Diagnostic, Value
from petri.net import Span
from petri.structs import Struct

DECLARATION_WORDS = (
    "net", "time", "param", "const", "unit", "type", "dist", "place", "transition", "module", "port", "instance",
    "import", "measure", "expect", "run", "end",
)  # fmt: skip
CLAUSE_WORDS = (
    "takes", "draw", "when", "priority", "weight", "read", "no", "reset", "cap", "fifo", "lifo", "bag", "by", "in",
    "out", "for", "if", "then", "else", "and", "or", "not", "div", "mod", "at", "record", "until", "warmup",
    "replications", "seed", "order", "within", "with",
)  # fmt: skip
VALUE_WORDS = ("token", "all", "now", "true", "false")
RESERVED = frozenset((*DECLARATION_WORDS, *CLAUSE_WORDS, *VALUE_WORDS))
SOFT_WORDS = frozenset(("at", "order", "out", "seed"))  # also names, where the keyword could not occur

_TOKEN = re.compile(
    r"""
      (?P<SPACE>[ \t\r\n\f\ufeff]+)
    | (?P<COMMENT>\#[^\r\n]*)
    | (?P<SLASHES>//[^\r\n]*)
    | (?P<NUMBER>[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+(?![A-Za-z_]))?%?)
    | (?P<NAME>p[0-9]+\.[0-9]+(?!\w)|[^\W\d]\w*)
    | (?P<STRING>"[^"\r\n]*")
    | (?P<OPEN_STRING>"[^\r\n]*)
    | (?P<FOREIGN>&&|\|\||=>|<>|\*\*|[&!^%;](?!=))
    | (?P<SYMBOL>->|\.\.|==|!=|<=|>=|[-+*/<>=()\[\]{},:.|~])
    | (?P<OTHER>[\s\S])
    """,
    re.VERBOSE,
)

# Symbols of other languages and of word processors, and their equivalents here.
_FOREIGN = {
    "&&": "and", "&": "and", "||": "or", "!": "not", "=>": "->", "<>": "!=", "%": "mod", "**": "pow(x, y)",
    "^": "pow(x, y)",
}  # fmt: skip
_LOOKALIKES = {
    "\N{RIGHTWARDS ARROW}": "->", "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{EM DASH}": "-",
    "\N{MULTIPLICATION SIGN}": "*", "\N{MIDDLE DOT}": "*", "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=", "\N{HORIZONTAL ELLIPSIS}": "..",
    "\N{LOGICAL AND}": "and", "\N{LOGICAL OR}": "or", "\N{NOT SIGN}": "not", "\N{TILDE OPERATOR}": "~",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "'": '"',
}  # fmt: skip


class Token(Struct):
    """`kind` is NAME, NUMBER or STRING, otherwise the text of the keyword or symbol itself."""

    kind: str
    text: str
    line: int
    column: int
    first: bool  # of its line

    @property
    def end_column(self) -> int:
        return self.column + len(self.text)


class Comment(Struct):
    """`#` or `##` to the end of the line; `own_line` if nothing precedes it. `text` includes its marks."""

    text: str
    line: int
    column: int
    own_line: bool

    @property
    def documents(self) -> bool:
        return self.text.startswith("##") and not self.text.startswith("###")


class Lexed(Struct):
    """`wrong` are the errors: texts that are not tokens of the language."""

    tokens: list[Token]
    comments: list[Comment]
    wrong: list[Diagnostic]


def lex(text: str, path: str) -> Lexed:
    """All tokens; never fails. Symbols of other languages (`&&`, `//`, `;`) are reported and read as intended."""
    tokens: list[Token] = []
    comments: list[Comment] = []
    wrong: list[Diagnostic] = []
    line, line_start, first = 1, 0, True
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup or "", match.group()
        column = match.start() - line_start + 1
        if kind == "SPACE":
            breaks = [space.end() for space in _LINE_BREAK.finditer(found)]
            if breaks:
                line += len(breaks)
                line_start = match.start() + breaks[-1]
                first = True
            continue
        if kind == "COMMENT":
            comments.append(Comment(found.rstrip(), line, column, first))
            continue
        token = Token(kind, found, line, column, first)
        first = False
        if kind == "NAME":
            token.kind = found if found in RESERVED else "NAME"
            if found.startswith("_") and found != "_":
                wrong.append(Diagnostic("name-begins", span_of(token, token, path), {"name": found}))
        elif kind == "SYMBOL":
            token.kind = found
        elif kind not in ("NUMBER", "STRING"):
            wrong.append(_wrong(token, path))
            if not _repair(token):
                continue
        tokens.append(token)
    return Lexed(tokens, comments, wrong)


_LINE_BREAK = re.compile(r"\r\n|\n|\r")  # a span's lines are counted in the same way by `petri.diagnostics.drawing`


def _wrong(token: Token, path: str) -> Diagnostic:
    values: dict[str, Value] = {"found": token.text}
    identifier = "stray-character"
    if token.kind == "SLASHES":
        identifier, values = "slash-comment", {}
    elif token.kind == "OPEN_STRING":
        identifier, values = "open-string", {}
    elif token.text == ";":
        identifier, values = "semicolon", {}
    elif token.text == "%":
        identifier, values = "stray-percent", {}
    elif token.kind == "FOREIGN":
        identifier = "foreign-symbol"
        values["instead"] = _FOREIGN[token.text]
    elif token.text in _LOOKALIKES:
        identifier = "foreign-symbol"
        values["instead"] = _LOOKALIKES[token.text]
    else:
        values["code"] = f"U+{ord(token.text):04X}"
    return Diagnostic(identifier, span_of(token, token, path), values)


def _repair(token: Token) -> bool:
    """Turn a wrong token into the intended one, so that the rest of its declaration can be read; False to drop it."""
    meant = {"**": "*", "^": "*"}.get(token.text) or _FOREIGN.get(token.text) or _LOOKALIKES.get(token.text)
    if token.kind == "OPEN_STRING":
        token.kind = "STRING"
        return True
    if meant is None or meant == '"':
        return False
    token.kind = meant
    return True


def span_of(first: Token, last: Token, path: str) -> Span:
    return Span(path, first.line, first.column, last.line, last.end_column)
