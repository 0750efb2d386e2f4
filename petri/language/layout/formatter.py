"""The canonical layout of a source text.

- There is one declaration per line. The bodies of modules, threads and blocks are indented by two. One empty
  line between declarations is kept.
- Clauses have a fixed order, that of `petri.catalogue.words`.
- A declaration longer than 120 columns is split into lines, one clause on each. A line that is still too long is split
  at its outermost operators, list items or branches, and continues below the column where these started (`setting.py`).
- Consecutive declarations of one kind, without an empty line or a comment in between, have their names, clauses and
  comments in columns. A column is omitted if it would split a line or make a wide gap.
- An `expect` of a measure stays on the measure's line if it was there; otherwise it is indented below.
- Every comment is kept with its item.

Formatting is idempotent, and does not change the syntax tree except for its spans.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile

from petri.diagnostics import LanguageError, has_errors
from petri.language.layout.setting import BREAK, OPEN, STOP, flat, set_text
from petri.language.layout.writing import Piece, declaration, expect_text
from petri.language.syntax import tree
from petri.language.syntax.lexer import Comment, Token, span_of
from petri.language.syntax.parser import Parsed, doc_comments, parse_text
from petri.language.syntax.splitting import Statement
from petri.language.syntax.steps import BLOCK_WORDS, BRANCH_WORDS

WIDTH = 120
INDENT = 2
WIDEST_GAP, WIDEST_NAME_GAP = 32, 12  # widest gap that a column may make in a line, before clauses and after names

_VALUES = ("param", "const", "unit", "type", "dist", "schedule")
_OPENING = frozenset(("module", "thread", *BLOCK_WORDS, *BRANCH_WORDS))  # what follows is indented
_ALIGNED = ("place", "transition", "measure", "instance", "port")
_KINDS = {**dict.fromkeys(_VALUES, "values"), **{word: word for word in _ALIGNED}}


@dataclass(slots=True)
class _Line:
    """A declaration to be formatted, with the comments before and after it."""

    depth: int
    pieces: list[Piece]
    kind: str = ""  # consecutive declarations of one kind form a block; "" for none
    under: bool = False  # the expectation of the measure above
    behind: str = ""
    before: list[str] = field(default_factory=list)  # comments on their own lines, "" for an empty line
    code: list[str] = field(default_factory=list)

    @property
    def width(self) -> int:
        return WIDTH - INDENT * self.depth

    @property
    def commented(self) -> bool:
        """Whether the declaration contains comments."""
        return bool(self.pieces[0].behind) or any(piece.behind or piece.comments for piece in self.pieces[1:])


def format_source(text: str, path: str) -> str:
    """Return the text in canonical layout, ending in one newline. Raises LanguageError if it does not parse."""
    parsed = parse_text(text, path, tokens=True)
    if has_errors(parsed.diagnostics):
        raise LanguageError(parsed.diagnostics, {path: text})
    lines, rest = _Formatter(parsed).lines()
    for block in blocks(lines):
        set_block(block)
    shown: list[str] = []
    for line in lines:
        indent = " " * INDENT * line.depth
        shown += [f"{indent}{comment}".rstrip() for comment in line.before]
        *code, last = [f"{indent}{code}" for code in line.code]
        shown += [*code, f"{last}{line.behind}"]
    shown += rest
    while shown and not shown[0]:
        shown.pop(0)
    return "\n".join(shown).rstrip("\n") + "\n"


class _Formatter:
    def __init__(self, parsed: Parsed) -> None:
        self.path = parsed.file.path
        self.parsed = parsed.statements
        self.statements = [statement for statement, _ in parsed.statements]
        self.docs = doc_comments(self.statements, parsed.comments)
        self.leading: dict[int, list[Comment]] = {}
        self.inner: dict[int, list[Comment]] = {}
        self.behind: dict[int, Comment] = {}
        self._sort(parsed.comments)

    def _sort(self, comments: list[Comment]) -> None:
        """Assign each comment to the statement before, around or after which it is written."""
        starts = [statement.tokens[0].place for statement in self.statements]
        self.documented = {comment.place: number for number, found in self.docs.items() for comment in found}
        for comment in comments:
            place = comment.place
            number = bisect_right(starts, place) - 1
            last = self.statements[number].tokens[-1] if number >= 0 else None
            if last and place < last.place:
                self.inner.setdefault(number, []).append(comment)
            elif not comment.own_line:
                self.behind[number] = comment
            elif self.documented.get(place, number + 1) == number + 1:
                self.leading.setdefault(number + 1, []).append(comment)

    def lines(self) -> tuple[list[_Line], list[str]]:
        """Return the lines of all statements, and the comments after the last one."""
        lines: list[_Line] = []
        depth = 0
        number = 0
        while number < len(self.statements):
            statement, nodes = self.parsed[number]
            joined: list[int] = []
            if statement.word == "end":
                depth -= 1
                line = _Line(depth, [Piece("end", span_of(statement.tokens[0], statement.tokens[0], self.path))])
                line.before = [f"{' ' * INDENT}{comment}".rstrip() for comment in self._before(number)]
                if line.before and not line.before[-1]:
                    line.before.pop()
            else:
                depth -= statement.word in BRANCH_WORDS
                line, joined = self._line(number, depth, nodes)
                line.before = self._before(number) + line.before
            if number and self.statements[number - 1].word in _OPENING and line.before and not line.before[0]:
                line.before.pop(0)
            behind = self.behind.get(joined[-1] if joined else number)
            if behind and not line.behind and behind.place not in self.documented:
                line.behind = f"  {behind.text}"
            lines.append(line)
            depth += statement.word in _OPENING
            number += 1 + len(joined)
        return lines, self._before(len(self.statements))

    def _before(self, number: int) -> list[str]:
        """Return the comments on their own lines before a statement, with the empty lines between (one for several)."""
        shown: list[str] = []
        last = self.statements[number - 1].tokens[-1].line if number else 0
        for comment in self.leading.get(number, []):
            shown += [""] * (comment.line > last + 1) + [comment.text]
            last = comment.line
        if number < len(self.statements) and self.statements[number].tokens[0].line > last + 1:
            shown.append("")
        return shown

    def _joined(self, number: int, room: int) -> list[int]:
        """Return the `expect` declarations that fit on a measure's line in `room` columns; comments separate them."""
        joined: list[int] = []
        following = number + 1
        while following < len(self.statements) and self._is_under(following):
            _, (node, *_) = self.parsed[following]
            assert isinstance(node, tree.Expect)
            room -= len(flat(expect_text(node))) + 2
            if room < 0 or self.statements[following].tokens[0].first or following in self.inner:
                break
            joined.append(following)
            following += 1
        return joined

    def _is_under(self, number: int) -> bool:
        """Return whether it is the `expect` of the measure before it, not one with its own formula."""
        while number:
            _, nodes = self.parsed[number]
            if not nodes or not isinstance(nodes[0], tree.Expect) or nodes[0].formula is not None:
                return False
            number -= 1
            if self.statements[number].word == "measure":
                return True
        return False

    def _line(self, number: int, depth: int, nodes: tuple[tree.Declaration, ...]) -> tuple[_Line, list[int]]:
        """Return the formatted statement, and the following statements on its line."""
        statement = self.statements[number]
        closing = _closing(statement)
        pieces = declaration(nodes, span_of(closing, closing, self.path))
        docs = [comment for comment in self.docs.get(number, []) if comment not in self.leading.get(number, [])]
        _attach([comment for comment in self.inner.get(number, []) if comment not in docs], pieces)
        if pieces[-1].behind and (docs or number in self.behind):
            pieces[-1].comments.append(pieces[-1].behind)
            pieces[-1].behind = ""
        last, pieces[-1].behind = pieces[-1].behind, ""
        under = self._is_under(number)
        line = _Line(depth, pieces, "measure" if under else _KINDS.get(statement.word, ""), under)
        line.behind = f"  {last}" if last else ""
        if line.commented:
            line.kind = ""
        joined: list[int] = []
        if statement.word == "measure" and not last and not line.commented and number not in self.behind:
            joined = self._joined(number, line.width - len(one_line(pieces)))
        for follower in joined:
            expect = self.parsed[follower][1][0]
            assert isinstance(expect, tree.Expect)
            pieces.append(Piece(expect_text(expect), expect.span, "  " if len(pieces) > 1 else f"{STOP}  "))
        length = len(one_line(pieces))
        behind = self.behind.get(number + len(joined))
        alone = len(self.docs.get(number, [])) == 1 and behind in (None, *docs) and not line.commented
        if docs and alone and not docs[0].own_line and length + 2 + len(docs[0].text) <= line.width:
            line.behind = f"  {docs[0].text}"
        else:
            line.before += [comment.text for comment in docs]
        line.before += pieces[0].comments
        return line, joined


def _closing(statement: Statement) -> Token:
    """Return the last token, or of an instance the one before its condition: the closing bracket, if there is one."""
    depth = 0
    for before, token in pairwise(statement.tokens if statement.word == "instance" else ()):
        if token.kind == "if" and depth == 0:
            return before
        depth += (token.kind in "([{") - (token.kind in ")]}")
    return statement.tokens[-1]


def _attach(comments: list[Comment], pieces: list[Piece]) -> None:
    """Comments within a declaration stay with the piece in or after which they are written, or get their own line
    before it.

    A `##` inside brackets does not document the declaration, and must not start to do so if it leaves the brackets.
    """
    order = sorted(pieces, key=lambda piece: (piece.span.line, piece.span.column))
    starts = [(piece.span.line, piece.span.column) for piece in order]
    for comment in comments:
        number = bisect_right(starts, comment.place)
        piece = order[max(number - 1, 0)]
        beyond = piece is pieces[0] or comment.place > (piece.span.end_line, piece.span.end_column)
        if comment.own_line and beyond:
            piece = order[min(number, len(order) - 1)]
        before = piece is pieces[0] or not piece.bracketed
        if piece.behind:
            piece.comments.append(_undocumenting(piece.behind) if before else piece.behind)
            piece.behind = ""
        if comment.own_line:
            piece.comments.append(_undocumenting(comment.text) if before else comment.text)
        else:
            piece.behind = comment.text if piece.bracketed else _undocumenting(comment.text)


def _undocumenting(text: str) -> str:
    return text.removeprefix("#") if text.startswith("##") and not text.startswith("###") else text


# ---------------------------------------------------------------- lines


def one_line(pieces: list[Piece]) -> str:
    """Return a declaration on one line, without marks."""
    return flat(pieces[0].text + "".join(piece.gap + piece.text for piece in pieces[1:]))


def _set(line: _Line, columns: list[int]) -> list[str]:
    """Return the lines of a declaration whose stops are aligned to these columns: one line if it fits."""
    indent = INDENT if line.under else 0
    if line.commented:
        return _set_commented(line.pieces, line.width)
    if indent + len(one_line(line.pieces)) <= line.width:
        *cells, last = cells_of(line)
        padded = [f"{cell:<{column}}" for cell, column in zip(cells, columns, strict=False)]
        return [" " * indent + "".join([*padded, *cells[len(padded) :], last])]
    first = line.pieces[0]
    words = first.text.split(STOP)
    for number, column in enumerate(columns[: _leading_stops(line)]):
        words[number] += " " * (column - len(flat(words[number])))
    shown: list[str] = []
    for text, within in _parts([replace(first, text="".join(words)), *line.pieces[1:]], line.width):
        shown += set_text(text, indent + within, line.width)
    return shown


def _parts(pieces: list[Piece], width: int) -> list[tuple[str, int]]:
    """Return the marked texts that start new lines, with their indents."""
    parts = [(pieces[0].text, 0)]
    for number, piece in enumerate(pieces[1:], 1):
        text, indent = parts[-1]
        if piece.bracketed:
            inside = 1 < number < len(pieces) - 1 and pieces[number + 1].bracketed
            parts[-1] = (f"{text}{BREAK if inside else piece.gap}{piece.text}", indent)
        elif piece.fills:
            begins_list = piece.text.startswith(OPEN) and not text.endswith(",")  # an item may be a group of its own
            parts[-1] = (f"{text}{' ' if begins_list else BREAK}{piece.text}", indent)
        elif piece.joins and len(one_line([pieces[0], *takewhile(_is_arc, pieces[1:])])) <= width:
            parts[-1] = (f"{text} {piece.text}", indent)
        else:
            parts.append((piece.text, piece.indent))
    return parts


def _is_arc(piece: Piece) -> bool:
    return piece.fills or piece.joins


def _set_commented(pieces: list[Piece], width: int) -> list[str]:
    """Return the lines of a declaration that contains comments, built from its pieces."""
    lines: list[str] = []
    open_line = False
    for number, piece in enumerate(pieces):
        indent = piece.indent if number else 0
        lines += [f"{' ' * (indent or INDENT)}{comment}" for comment in piece.comments if number]
        text = flat(piece.text)
        joins = open_line and piece.fills and not piece.comments
        if joins and len(lines[-1]) + len(flat(piece.gap)) + len(text) <= width:
            lines[-1] += flat(piece.gap) + text
        else:
            lines += set_text(piece.text, indent, width)
        open_line = not piece.behind
        if piece.behind:
            lines[-1] += f"  {piece.behind}"
    return lines


# ---------------------------------------------------------------- columns


def blocks(lines: list[_Line]) -> list[list[_Line]]:
    """Run of consecutive declarations of one kind."""
    found: list[list[_Line]] = []
    for line in lines:
        last = found[-1][-1] if found else None
        if last and line.kind and (line.kind, line.depth) == (last.kind, last.depth) and not line.before:
            found[-1].append(line)
        else:
            found.append([line])
    return found


def set_block(block: list[_Line]) -> None:
    """Set the code of the lines of a block: in as many columns, from the left, as fit."""
    plain = [_set(line, []) for line in block]
    for line, code in zip(block, plain, strict=True):
        line.code = code
    columns = _columns(block)
    for number in range(len(columns), 0, -1):
        found = [_set(line, columns[:number]) for line in block]
        if all(_as_good(*both) for both in zip(block, found, plain, strict=True)):
            for line, code in zip(block, found, strict=True):
                line.code = code
            break
    _align_comments([line for line in block if line.behind and len(line.code) == 1 and not line.under])


def cells_of(line: _Line) -> list[str]:
    """Return a declaration on one line, cut at its stops."""
    text = line.pieces[0].text + "".join(piece.gap + piece.text for piece in line.pieces[1:])
    return [flat(cell) for cell in text.split(STOP)]


def _leading_stops(line: _Line) -> int:
    """Return the stops before anything that might break."""
    return 2 if line.kind == "values" else 1


def _columns(block: list[_Line]) -> list[int]:
    """Return the width of each cell up to the first wide gap: that of the widest text before each stop."""
    rows = []
    for line in block:
        if not line.under and line.kind:
            cells = [len(cell) for cell in cells_of(line)[:-1]]
            rows.append(cells if len(line.code) == 1 else cells[: _leading_stops(line)])
    columns: list[int] = []
    while found := [row[len(columns)] for row in rows if len(row) > len(columns)]:
        gap = WIDEST_NAME_GAP if len(columns) < _leading_stops(block[0]) else WIDEST_GAP
        if max(found) - min(found) > gap:
            break
        columns.append(max(found))
    return columns


def _as_good(line: _Line, code: list[str], plain: list[str]) -> bool:
    """Return whether the columns neither split a line nor made it too long, including comments."""
    longest = max(line.width, *(len(text) for text in (*plain, plain[-1] + line.behind)))
    return len(code) <= len(plain) and all(len(text) <= longest for text in (*code, code[-1] + line.behind))


def _align_comments(lines: list[_Line]) -> None:
    """Comments in one column, that of the longest line for which all fit; after longer lines at their end."""
    for column in sorted({len(line.code[0]) for line in lines}, reverse=True):
        inside = [line for line in lines if len(line.code[0]) <= column]
        if all(column + len(line.behind) <= line.width for line in inside):
            for line in inside:
                line.behind = " " * (column - len(line.code[0])) + line.behind
            break
