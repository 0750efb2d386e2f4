"""Text to tokens, and tokens to declarations.

The whole file is read once. A declaration starts at its keyword and ends where the next one starts, independent of
lines. So each can be parsed, and fail, on its own.
"""

from __future__ import annotations

import re

from petri.catalogue.words import RESERVED
from petri.diagnostics import Diagnostic, Value
from petri.net import Span
from petri.structs import Struct, replace

_TOKEN = re.compile(
    r"""
      (?P<SPACE>[ \t\r\n\f\ufeff]+)
    | (?P<COMMENT>\#[^\r\n]*)
    | (?P<FOREIGN_COMMENT>//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?|(?<![^\s])--(?=[ \t\r\n]|\Z)[^\r\n]*)
    | (?P<MULTISET>[0-9]+`)
    | (?P<NUMBER>[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+(?![A-Za-z_]))?%?)
    | (?P<NAME>p[0-9]+\.[0-9]+(?!\w)|[^\W\d]\w*)
    | (?P<STRING>"[^"\r\n]*")
    | (?P<OPEN_STRING>"[^\r\n]*)
    | (?P<CURLY>\N{LEFT DOUBLE QUOTATION MARK}[^"\r\n\N{RIGHT DOUBLE QUOTATION MARK}]*\N{RIGHT DOUBLE QUOTATION MARK}
              | \N{LEFT SINGLE QUOTATION MARK}[^"\r\n\N{RIGHT SINGLE QUOTATION MARK}]*\N{RIGHT SINGLE QUOTATION MARK}
              | '[^'"=()\r\n]*')
    | (?P<FOREIGN>&&|\|\||=>|<>|\*\*|(?<=[ \t])@(?=[ \t]*[\w(])|(?<=[ \t\w)])@\+(?=[ \t]*[\w(])|[&!^%;](?!=))
    | (?P<SYMBOL>->|\.\.|==|!=|<=|>=|[-+*/<>=()\[\]{},:.|~])
    | (?P<OTHER>[\s\S])
    """,
    re.VERBOSE,
)

# Symbols of other languages and of word processors, and their equivalents here.
_FOREIGN = {
    "&&": "and", "&": "and", "||": "or", "!": "not", "=>": "->", "<>": "!=", "%": "mod", "**": "pow(x, y)",
    "^": "pow(x, y)", "@": "takes", "@+": "takes",
}  # fmt: skip
_LOOKALIKES = {
    "\N{RIGHTWARDS ARROW}": "->", "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{EM DASH}": "-",
    "\N{MULTIPLICATION SIGN}": "*", "\N{MIDDLE DOT}": "*", "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=", "\N{HORIZONTAL ELLIPSIS}": "..",
    "\N{LOGICAL AND}": "and", "\N{LOGICAL OR}": "or", "\N{NOT SIGN}": "not", "\N{TILDE OPERATOR}": "~",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "'": '"',
}  # fmt: skip


class Token(Struct, gc=False):
    """`kind` is NAME, NUMBER or STRING, otherwise the text of the keyword or symbol itself."""

    kind: str
    text: str
    line: int
    column: int
    first: bool  # of its line

    @property
    def end_column(self) -> int:
        return self.column + len(self.text)

    @property
    def place(self) -> tuple[int, int]:
        return (self.line, self.column)


class Comment(Struct):
    """`#` or `##` to the end of the line; `own_line` if nothing precedes it. `text` includes its marks."""

    text: str
    line: int
    column: int
    own_line: bool

    @property
    def place(self) -> tuple[int, int]:
        return (self.line, self.column)

    @property
    def documents(self) -> bool:
        return self.text.startswith("##") and not self.text.startswith("###")


class Lexed(Struct):
    """`wrong` are the errors: texts that are not tokens of the language. `gaps` are the positions (line, column) of
    those that were left out although they meant something, so that the rest of their declaration cannot be understood.
    """

    tokens: list[Token]
    comments: list[Comment]
    wrong: list[Diagnostic]
    gaps: list[tuple[int, int]]


def lex(text: str, path: str) -> Lexed:
    """Return all tokens; never fails.

    Symbols of other languages (`&&`, `//`, `;`) are reported and read as intended.
    """
    tokens: list[Token] = []
    comments: list[Comment] = []
    wrong: list[Diagnostic] = []
    gaps: list[tuple[int, int]] = []
    known: dict[str, str] = {}  # a large net has few different words
    line, line_start, first = 1, 0, True
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup or "", match.group()
        column = match.start() - line_start + 1
        if kind == "SPACE":
            if "\n" in found or "\r" in found:  # few of them, so that others need no search
                breaks = [space.end() for space in _LINE_BREAK.finditer(found)]
                line += len(breaks)
                line_start = match.start() + breaks[-1]
                first = True
            continue
        if kind == "COMMENT":
            comments.append(Comment(found.rstrip(), line, column, first))
            continue
        found = known.setdefault(found, found)
        token = Token(kind, found, line, column, first)
        own_line, first = first, False
        if kind == "NAME":
            token.kind = found if found in RESERVED else "NAME"
            if found.startswith("_") and found != "_":
                wrong.append(Diagnostic("name-begins", span_of(token, token, path), {"name": found, "any": "_"}))
        elif kind == "SYMBOL":
            token.kind = found
        elif kind not in ("NUMBER", "STRING"):
            wrong.append(_wrong(token, path))
            line, line_start = _after(match, line, line_start)
            if kind == "FOREIGN_COMMENT":
                first = own_line
            if not _repair(token):
                if kind != "FOREIGN_COMMENT" and found != ";":
                    gaps.append((token.line, token.column))
                continue
        tokens.append(token)
    return Lexed(tokens, comments, wrong, gaps)


_LINE_BREAK = re.compile(r"\r\n|\n|\r")  # a span's lines are counted in the same way by `petri.diagnostics.drawing`


def _after(match: re.Match[str], line: int, line_start: int) -> tuple[int, int]:
    """Return the line where a token ends, and where that line starts; only `/* … */` has several lines."""
    breaks = list(_LINE_BREAK.finditer(match.group()))
    return (line + len(breaks), match.start() + breaks[-1].end()) if breaks else (line, line_start)


# The errors of some kinds of token, and of some texts.
_WRONG = {
    "MULTISET": "multiset", "CURLY": "foreign-quotes", "OPEN_STRING": "open-string", "?": "conditional-operator",
    ";": "semicolon", "%": "stray-percent",
}  # fmt: skip


def _wrong(token: Token, path: str) -> Diagnostic:
    values: dict[str, Value] = {"found": token.text}
    identifier = _WRONG.get(token.kind) or _WRONG.get(token.text) or "stray-character"
    instead = _FOREIGN.get(token.text) if token.kind == "FOREIGN" else _LOOKALIKES.get(token.text)
    if token.kind == "FOREIGN_COMMENT":
        return _foreign_comment(token, path)
    if token.kind == "MULTISET":
        values = {"count": token.text.rstrip("`")}
    elif token.kind == "CURLY":
        values = {"found": token.text[0], "text": token.text[1:-1]}
    elif identifier == "stray-character" and instead is not None:
        identifier = "foreign-time" if instead == "takes" else "foreign-symbol"
        values["instead"] = instead
    elif identifier == "stray-character":
        values["code"] = f"U+{ord(token.text):04X}"
    return Diagnostic(identifier, span_of(token, token, path), values)


def _foreign_comment(token: Token, path: str) -> Diagnostic:
    """`//`, `--` and `/*`; the last may go on for many lines, of which the first is shown."""
    mark = token.text[:2]
    shown = replace(token, text=_LINE_BREAK.split(token.text)[0].rstrip())
    if mark == "//":
        return Diagnostic("slash-comment", span_of(shown, shown, path), {})
    each = "each line of it" if mark == "/*" else None
    return Diagnostic("foreign-comment", span_of(shown, shown, path), {"found": mark, "each": each})


def _repair(token: Token) -> bool:
    """Turn a wrong token into the intended one, so that the rest of its declaration can be read; False to drop it."""
    meant = {"**": "*", "^": "*"}.get(token.text) or _FOREIGN.get(token.text) or _LOOKALIKES.get(token.text)
    if token.kind == "CURLY":
        token.text = f'"{token.text[1:-1]}"'
    if token.kind in ("OPEN_STRING", "CURLY"):
        token.kind = "STRING"
        return True
    if meant is None or meant == '"':
        return False
    token.kind = meant
    return True


def span_of(first: Token, last: Token, path: str) -> Span:
    return Span(path, first.line, first.column, last.line, last.end_column)
