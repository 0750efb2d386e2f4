"""The canonical layout of a source text.

- One declaration a line; modules indent their bodies by two; up to one empty line between declarations is kept.
- Clauses stand in a fixed order: arcs, draw, takes, when, priority, weight; type, discipline, capacity, marking.
- A declaration longer than 100 columns goes on several lines: a clause (a field, a parameter) on each.
- Neighbouring declarations of values, of places and of measures have their names and comments in columns.
- Every comment is kept, at what it stood at.

Formatting twice changes nothing more, and the syntax tree stays the same but for its spans.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from petri.diagnostics import LanguageError, has_errors
from petri.language import tree
from petri.language.lexer import Comment, span_of
from petri.language.parser import Parsed, doc_comments, parse_text
from petri.language.writing import TIE, Piece, declaration, expect_text

WIDTH = 100
INDENT = 2

_VALUES = ("param", "const", "unit", "type", "dist")
_COLUMNS = {**dict.fromkeys(_VALUES, "values"), "place": "places", "measure": "measures"}


@dataclass(slots=True)
class _Line:
    """A declaration as it will be set: lines of code at a depth, with what stands before and behind it."""

    depth: int
    code: list[str]
    block: str  # declarations of one block that follow each other have their names in a column; "" for none
    behind: str = ""
    before: list[str] = field(default_factory=list)  # comments on their own lines, "" for an empty line


def format_source(text: str, path: str) -> str:
    """The text in canonical layout, ending in one newline. Raises LanguageError where it does not parse."""
    parsed = parse_text(text, path)
    if has_errors(parsed.diagnostics):
        raise LanguageError(parsed.diagnostics, {path: text})
    lines, rest = _Formatter(parsed).lines()
    shown: list[str] = []
    for block in _blocks(lines):
        _align(block)
        for line in block:
            shown += [f"{' ' * INDENT * line.depth}{comment}".rstrip() for comment in line.before]
            *code, last = [f"{' ' * INDENT * line.depth}{code}" for code in line.code]
            shown += [*code, f"{last}{line.behind}"]
    shown += rest
    while shown and not shown[0]:
        shown.pop(0)
    return "\n".join(shown).replace(TIE, " ").rstrip("\n") + "\n"


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
        """Each comment to the statement that it stands before, within or behind."""
        starts = [(statement.tokens[0].line, statement.tokens[0].column) for statement in self.statements]
        self.documented = {_place(comment): number for number, found in self.docs.items() for comment in found}
        for comment in comments:
            place = _place(comment)
            number = bisect_right(starts, place) - 1
            last = self.statements[number].tokens[-1] if number >= 0 else None
            if last and place < (last.line, last.column):
                self.inner.setdefault(number, []).append(comment)
            elif not comment.own_line:
                self.behind[number] = comment
            elif self.documented.get(place, number + 1) == number + 1:
                self.leading.setdefault(number + 1, []).append(comment)

    def lines(self) -> tuple[list[_Line], list[str]]:
        """The lines of all statements, and the comments behind the last one."""
        lines: list[_Line] = []
        depth = 0
        number = 0
        while number < len(self.statements):
            statement, nodes = self.parsed[number]
            joined: list[int] = []
            if statement.word == "end":
                depth -= 1
                line = _Line(depth, ["end"], "")
                line.before = [f"{' ' * INDENT}{comment}".rstrip() for comment in self._before(number)]
                if line.before and not line.before[-1]:
                    line.before.pop()
            else:
                line, joined = self._line(number, depth, nodes)
                line.before = self._before(number) + line.before
            if number and self.statements[number - 1].word == "module" and line.before and not line.before[0]:
                line.before.pop(0)
            behind = self.behind.get(joined[-1] if joined else number)
            if behind and not line.behind and _place(behind) not in self.documented:
                line.behind = f"  {behind.text}"
            lines.append(line)
            depth += statement.word == "module"
            number += 1 + len(joined)
        return lines, self._before(len(self.statements))

    def _before(self, number: int) -> list[str]:
        """The comments on their own lines before a statement, with the empty lines between (one for several)."""
        shown: list[str] = []
        last = self.statements[number - 1].tokens[-1].line if number else 0
        for comment in self.leading.get(number, []):
            shown += [""] * (comment.line > last + 1) + [comment.text]
            last = comment.line
        if number < len(self.statements) and self.statements[number].tokens[0].line > last + 1:
            shown.append("")
        return shown

    def _joined(self, number: int) -> list[int]:
        """The `expect` declarations of a measure that stand on its line: those without a formula of their own.

        Comments within the measure or at a line between keep them apart.
        """
        joined: list[int] = []
        following = number + 1
        while self.statements[number].word == "measure" and following < len(self.statements):
            statement, nodes = self.parsed[following]
            node = nodes[0] if nodes else None
            if not isinstance(node, tree.Expect) or node.formula is not None:
                break
            commented = following in self.behind or following - 1 in self.behind
            if following in self.leading or following in self.inner or (statement.tokens[0].first and commented):
                break
            joined.append(following)
            following += 1
        return joined

    def _line(self, number: int, depth: int, nodes: tuple[tree.Declaration, ...]) -> tuple[_Line, list[int]]:
        """The statement as it is set, and the statements after it that stand on its line."""
        statement = self.statements[number]
        pieces = declaration(nodes, span_of(statement.tokens[-1], statement.tokens[-1], self.path))
        docs = [comment for comment in self.docs.get(number, []) if comment not in self.leading.get(number, [])]
        _attach([comment for comment in self.inner.get(number, []) if comment not in docs], pieces)
        if pieces[-1].behind and (docs or number in self.behind):
            pieces[-1].comments.append(pieces[-1].behind)
            pieces[-1].behind = ""
        commented = pieces[0].behind or any(piece.behind or piece.comments for piece in pieces[1:])
        joined = [] if commented else self._joined(number)
        for follower in joined:
            expect = self.parsed[follower][1][0]
            if isinstance(expect, tree.Expect):
                pieces.append(Piece(expect_text(expect), expect.span, "  "))
        behind = self.behind.get(number + len(joined))
        last, pieces[-1].behind = pieces[-1].behind, ""
        width = WIDTH - INDENT * depth
        code = _set(pieces, width)
        line = _Line(depth, code, _COLUMNS.get(statement.word, "") if len(code) == 1 else "")
        line.behind = f"  {last}" if last else ""
        alone = len(self.docs.get(number, [])) == 1 and behind in (None, *docs)
        if docs and alone and len(code) == 1 and not docs[0].own_line and len(code[0]) + 2 + len(docs[0].text) <= width:
            line.behind = f"  {docs[0].text}"
        else:
            line.before += [comment.text for comment in docs]
        line.before += pieces[0].comments
        return line, joined


def _place(comment: Comment) -> tuple[int, int]:
    return (comment.line, comment.column)


def _attach(comments: list[Comment], pieces: list[Piece]) -> None:
    """Comments within a declaration go with the piece that they stand in or behind, or on a line of their own before.

    A `##` that was in brackets, and so did not document the declaration, must not begin to where it comes out of them.
    """
    order = sorted(pieces, key=lambda piece: (piece.span.line, piece.span.column))
    starts = [(piece.span.line, piece.span.column) for piece in order]
    for comment in comments:
        number = bisect_right(starts, _place(comment))
        piece = order[max(number - 1, 0)]
        beyond = piece is pieces[0] or _place(comment) > (piece.span.end_line, piece.span.end_column)
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


def _set(pieces: list[Piece], width: int) -> list[str]:
    """The lines of a declaration: one if it fits and has no comments within, otherwise as its pieces say."""
    whole = pieces[0].text + "".join(piece.gap + piece.text for piece in pieces[1:])
    if len(whole) <= width and not any(piece.behind or piece.comments for piece in pieces[1:]) and not pieces[0].behind:
        return [whole]
    lines: list[str] = []
    open_line = False
    for number, piece in enumerate(pieces):
        indent = " " * (piece.indent if number else 0)
        if number:
            lines += [f"{indent or ' ' * INDENT}{comment}" for comment in piece.comments]
        joins = open_line and piece.fills and not piece.comments
        if joins and len(lines[-1]) + len(piece.gap) + len(piece.text) <= width:
            lines[-1] += piece.gap + piece.text
        else:
            lines += _wrapped(indent + piece.text, width)
        open_line = not piece.behind
        if piece.behind:
            lines[-1] += f"  {piece.behind}"
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    """A piece that is too long breaks at its spaces."""
    lines: list[str] = []
    indent = len(text) - len(text.lstrip())
    deeper = " " * (indent + 2 * INDENT)
    while len(text) > width:
        cut = text.rfind(" ", len(deeper) + 1, width + 1)
        if cut < 0:
            cut = text.find(" ", width)
        if cut < 0:
            break
        lines.append(text[:cut])
        text = deeper + text[cut + 1 :]
    return [*lines, text]


# ---------------------------------------------------------------- columns


def _blocks(lines: list[_Line]) -> list[list[_Line]]:
    """Runs of one-line declarations of one kind with nothing between them."""
    blocks: list[list[_Line]] = []
    for line in lines:
        last = blocks[-1][-1] if blocks else None
        if last and line.block and (line.block, line.depth) == (last.block, last.depth) and not line.before:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _align(block: list[_Line]) -> None:
    """Names, signs and comments of a block in columns, as long as no line grows too long by that."""
    if block[0].block:
        split = [_split(line) for line in block]
        words = max(len(word) for word, _, _ in split)
        names = max(len(name) for _, name, _ in split)
        aligned = [f"{word:<{words}} {name:<{names}} {rest}".rstrip() for word, name, rest in split]
        if all(_fits(line, code) for line, code in zip(block, aligned, strict=True)):
            for line, code in zip(block, aligned, strict=True):
                line.code = [code]
    if len(block) > 1:
        column = max((len(line.code[0]) for line in block if line.behind), default=0)
        padded = [" " * (column - len(line.code[0])) + line.behind for line in block]
        if all(_fits(line, line.code[0] + behind) for line, behind in zip(block, padded, strict=True) if line.behind):
            for line, behind in zip(block, padded, strict=True):
                line.behind = behind if line.behind else ""


def _fits(line: _Line, code: str) -> bool:
    return len(code) + INDENT * line.depth <= WIDTH


def _split(line: _Line) -> tuple[str, str, str]:
    """A declaration as its word, its name (with the type of a parameter) and the rest, from `=` or ` : ` on."""
    word, _, tail = line.code[0].partition(" ")
    for sign in (" : ", " = "):
        name, found, rest = tail.partition(sign)
        if found and " " not in name.replace(": ", ":"):
            return word, name, found.strip() + " " + rest
    return word, tail, ""
