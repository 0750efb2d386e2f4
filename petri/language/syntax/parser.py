"""Turns the text of a `.net` file into its syntax tree; reports all syntax errors of the file in one run."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from petri.catalogue.words import RESERVED
from petri.diagnostics import Diagnostic, Value, in_order, limited
from petri.language.syntax import tree
from petri.language.syntax.builder import Builder
from petri.language.syntax.driver import SyntaxFailure, TooDeep, expected, run
from petri.language.syntax.foreign import LARGEST_FILE, too_large, unlike
from petri.language.syntax.lexer import Comment, Lexed, Token, lex, span_of
from petri.language.syntax.reuse import KnownStatements
from petri.language.syntax.slips import EXPLAINS_SIGNS, SPREADING, explain, names_beside
from petri.language.syntax.splitting import Statement, split
from petri.language.syntax.steps import BLOCK_WORDS, BRANCH_WORDS, STEP_WORDS, nested
from petri.language.syntax.tables import END
from petri.structs import Struct, field, replace

DEEPEST = 200  # an expression's nested operations
MOST_DECLARATIONS = 120_000  # of a file, steps of threads included
DEEPEST_MODULES = 32
_BLOCKS_OF = {"or": "choose", "unless": "do"}  # the blocks of branches other than those of an `if`
_COMPARATORS = ("<", "<=", ">", ">=", "==")


class Parsed(Struct):
    """The result of parsing a text.

    `file` lacks the declarations that are broken; `broken` holds the names they would have declared, so that a
    checker can distinguish unknown names from names whose declaration did not parse. `statements` pairs the tokens of
    each declaration with its nodes (none when it is broken), if they were to be kept.
    """

    file: tree.File
    diagnostics: list[Diagnostic]
    broken: frozenset[str]
    comments: list[Comment]
    statements: list[tuple[Statement, tuple[tree.Declaration, ...]]]


def parse(text: str, path: str) -> tuple[tree.File, list[Diagnostic]]:
    """Return the syntax tree, without the declarations that are broken, and what is wrong, in the order of the text."""
    parsed = parse_text(text, path)
    return parsed.file, parsed.diagnostics


class _OpenModule(Struct):
    """A module whose `end` has not been reached; `header` is None if it did not parse."""

    header: tree.Module | None
    keyword: Token
    body: list[tree.Declaration] = field(default_factory=list)


class _OpenThread(Struct):
    """A thread whose `end` has not been reached; `header` is None if it or one of its steps did not parse.

    steps: those read so far, an `end` of a block among them; blocks: the blocks that are open. else_if: the first `if`
    directly after an `else`, on its line. stray: an `else` or so outside blocks, of which an `end` may be the end.
    """

    header: tree.Thread | None
    keyword: Token
    steps: list[tree.Step] = field(default_factory=list)
    blocks: list[Token] = field(default_factory=list)
    else_if: Token | None = None
    stray: bool = False


def parse_text(text: str, path: str, known: KnownStatements | None = None, *, tokens: bool = False) -> Parsed:
    """Do as `parse`, with additional data for the formatter and the checker.

    known: the last parse of this file. tokens: whether the result has them; otherwise the tree of a large file gets
    their memory.
    """
    no_net = [too_large(path, len(text))] if len(text) > LARGEST_FILE else unlike(text, path)
    if no_net:
        return Parsed(tree.File(path, ()), no_net, frozenset(), [], [])
    if known is not None:
        known.begin(text)
    return _Parser(path, lex(text, path), known, tokens).parse()


class _Parser:
    def __init__(self, path: str, lexed: Lexed, known: KnownStatements | None, keeps_tokens: bool) -> None:
        self.path = path
        self.known = known
        self.keeps_tokens = keeps_tokens
        self.builder = Builder(path)
        self.statements = split(lexed.tokens, path)
        self.spaces = _join_names_of_imports(self.statements)
        self.comments = lexed.comments
        self.documentation = documentation(self.statements, lexed.comments)
        self.lexical = _by_statement(self.statements, lexed)
        starts = [statement.tokens[0].place for statement in self.statements]
        self.with_gaps = {bisect_right(starts, gap) - 1 for gap in lexed.gaps}
        self.roots: set[str] = set()  # names whose declaration has a mistake that is repeated wherever they are used
        self.failures: list[tuple[Diagnostic, frozenset[str]]] = []
        self.top: list[tree.Declaration] = []
        self.open: list[_OpenModule] = []
        self.thread: _OpenThread | None = None
        self.diagnostics: list[Diagnostic] = []
        self.broken: set[str] = set()

    def parse(self) -> Parsed:
        done: list[tuple[Statement, tuple[tree.Declaration, ...]]] = []
        if len(self.statements) > MOST_DECLARATIONS:
            values: dict[str, Value] = {"path": self.path, "count": len(self.statements), "limit": MOST_DECLARATIONS}
            refused = [Diagnostic("too-many-declarations", values=values)]
            return Parsed(tree.File(self.path, ()), refused, frozenset(), [], [])
        self.diagnostics += self.lexical.get(-1, [])
        for number, statement in enumerate(self.statements):
            self.builder.doc = self.documentation.get(number, "")
            nodes = self._statement(statement, self.lexical.get(number, []), number in self.with_gaps)
            self._place(statement, nodes)
            if self.keeps_tokens:
                done.append((statement, nodes))
            else:
                statement.tokens.clear()
        self._close_thread(None)
        for module in reversed(self.open):
            if module.header is not None:
                self._tell("module-without-end", module.keyword, module.keyword, word="module")
            self._close_module(None)
        self.diagnostics += [wrong for wrong, near in self.failures if not near & self.roots]
        diagnostics = limited(in_order(self.diagnostics), self.path)
        return Parsed(tree.File(self.path, tuple(self.top)), diagnostics, frozenset(self.broken), self.comments, done)

    def _place(self, statement: Statement, nodes: tuple[tree.Declaration, ...]) -> None:
        """Put what a statement declares where it belongs, and open and close modules and threads."""
        if self.thread is not None and (statement.word in STEP_WORDS or statement.word == "end"):
            self._add_step(self.thread, statement, nodes)
            return
        self._close_thread(None)
        if statement.word == "thread":
            header = nodes[0] if nodes else None
            self.thread = _OpenThread(header if isinstance(header, tree.Thread) else None, statement.tokens[0])
        elif statement.word == "module":
            self._open_module(statement, _with_parameter_docs(statement, nodes, self.comments))
        elif statement.word == "end":
            self._close_module(statement)
        else:
            self._add(nodes)

    def _tell(self, identifier: str, first: Token, last: Token, **values: Value) -> None:
        self.diagnostics.append(Diagnostic(identifier, span_of(first, last, self.path), values))

    def _statement(self, statement: Statement, lexical: list[Diagnostic], gap: bool) -> tuple[tree.Declaration, ...]:
        """Return the nodes of one declaration; at most one syntax error is reported besides those of the lexer.

        With a `gap` (something that the lexer left out) nothing more is said of it.
        """
        wrong = statement.wrong + lexical
        key = None
        if self.known is not None and not wrong and not gap:
            key = self.known.key(statement, self.builder.doc, self.spaces)
            known = self.known.find(key)
            if known is not None:
                return known
        self.roots |= {str(one.values["name"]) for one in statement.wrong if one.id == "reserved-name"}
        before = len(self.builder.diagnostics)
        nodes: tuple[tree.Declaration, ...] = ()
        failed = False
        try:
            nodes = () if gap else self._nodes(statement, statement.tokens)
        except SyntaxFailure as failure:
            failed = True
            explained = explain(statement, failure, self.path)
            if explained.id in EXPLAINS_SIGNS:
                wrong = []
            if not wrong:
                self._failed(statement, failure, explained)
            nodes = self._recovered(statement, failure)
        except TooDeep as deep:
            wrong.append(Diagnostic("too-deep", span_of(deep.first, deep.last, self.path), {"limit": DEEPEST}))
        found = wrong + self.builder.diagnostics[before:]
        self.diagnostics += found
        if not nodes:
            self.broken |= _names(statement)
        elif self.known is not None and key is not None and not found and not failed:
            self.known.keep(key, nodes)
        return nodes

    def _failed(self, statement: Statement, failure: SyntaxFailure, explained: Diagnostic) -> None:
        """Keep the error, unless it follows from one in the declaration of a name beside it."""
        declared = statement.tokens[1].text if len(statement.tokens) > 1 else ""
        near = names_beside(statement, failure.position)
        if explained.id in SPREADING and (failure.position == 1 or declared in near or statement.word == "type"):
            self.roots |= {str(explained.values["name"])} if "name" in explained.values else {declared}
            near = frozenset()
        self.failures.append((explained, near))

    def _nodes(self, statement: Statement, tokens: list[Token]) -> tuple[tree.Declaration, ...]:
        if statement.word == "end":
            if len(tokens) > 1:
                raise SyntaxFailure(1, frozenset((END,)))
            return ()
        start, tokens = _start(statement.word, tokens)
        node = run(self.builder, start, tokens, DEEPEST)
        return node if isinstance(node, tuple) else (node,)

    def _recovered(self, statement: Statement, failure: SyntaxFailure) -> tuple[tree.Declaration, ...]:
        """Keep a declaration that is complete before a line that does not belong to it."""
        tokens = statement.tokens[: failure.position]
        rest = statement.tokens[failure.position :]
        return self._nodes(statement, tokens) if END in failure.expected and rest and rest[0].first else ()

    def _open_module(self, statement: Statement, nodes: tuple[tree.Declaration, ...]) -> None:
        header = nodes[0] if nodes else None
        self.open.append(_OpenModule(header if isinstance(header, tree.Module) else None, statement.tokens[0]))
        if len(self.open) > DEEPEST_MODULES:
            self.open[-1].header = None
        if len(self.open) == DEEPEST_MODULES + 1:
            self._tell("modules-too-deep", statement.tokens[0], statement.tokens[0], limit=DEEPEST_MODULES)

    def _close_module(self, end: Statement | None) -> None:
        """Put the innermost module where it belongs; `end` is None at the end of the file."""
        if not self.open:
            if end:
                self._tell("stray-end", end.tokens[0], end.tokens[0], word="end")
            return
        module = self.open.pop()
        if module.header is None:
            return
        closed = module.header.span
        if end:
            last = end.tokens[0]
            closed = replace(closed, end_line=last.line, end_column=last.end_column)
        self._add((replace(module.header, body=tuple(module.body), span=closed),))

    def _add_step(self, thread: _OpenThread, statement: Statement, nodes: tuple[tree.Declaration, ...]) -> None:
        """Add a step to the open thread, or closes a block of steps or the thread."""
        word, first = statement.word, statement.tokens[0]
        if word == "end" and not thread.blocks:
            self._close_thread(statement)
            return
        if word == "end":
            thread.blocks.pop()
            span = span_of(first, first, self.path)
            thread.steps.append(tree.Step("end", span, span))
            return
        if word in BRANCH_WORDS:
            block = thread.blocks[-1].text if thread.blocks else ""
            wanted = _BLOCKS_OF.get(word, "if")
            if block != wanted:
                self._tell("stray-branch", first, first, word=word, block=wanted)
                thread.header = None
                if not block:
                    thread.stray = True
                    thread.blocks.append(first)
        elif word in BLOCK_WORDS:
            thread.blocks.append(next((token for token in statement.tokens if token.text == word), first))
            if word == "if" and thread.steps and thread.steps[-1].verb == "else" and not first.first:
                thread.else_if = thread.else_if or first
        if not nodes:
            thread.header = None
        else:
            assert isinstance(nodes[0], tree.Step)
            thread.steps.append(nodes[0])

    def _close_thread(self, end: Statement | None) -> None:
        """Put the open thread where it belongs; `end` is None where it has none."""
        thread, self.thread = self.thread, None
        if thread is None:
            return
        if end is None and not thread.stray:
            keyword = thread.else_if or (thread.blocks[-1] if thread.blocks else thread.keyword)
            identifier = "else-if" if thread.else_if else "block-without-end"
            self._tell(identifier, keyword, keyword, word=keyword.text)
        if thread.header is None or end is None:
            self.broken |= {thread.header.name} if thread.header else set()
            return
        last = end.tokens[0]
        closed = replace(thread.header.span, end_line=last.line, end_column=last.end_column)
        self._add((replace(thread.header, steps=nested(thread.steps), span=closed),))

    def _add(self, nodes: tuple[tree.Declaration, ...]) -> None:
        (self.open[-1].body if self.open else self.top).extend(nodes)


def _join_names_of_imports(statements: list[Statement]) -> frozenset[str]:
    """Make one name of `voice.Packet` where `voice` is an import with this name of its own; returns these imports."""
    spaces: set[str] = set()
    for statement in statements:
        if statement.word == "import":
            pairs = pairwise(statement.tokens)
            spaces |= {name.text for word, name in pairs if word.kind == "as" and name.kind == "NAME"}
    for statement in statements if spaces else ():
        kinds = [token.kind for token in statement.tokens]
        first = kinds.index("with") if "with" in kinds else len(kinds)
        path = first if statement.word == "import" else 0
        joined: list[Token] = statement.tokens[:path]
        for token in statement.tokens[path:]:
            if token.kind not in (*_PUNCTUATION, "NUMBER") and len(joined) > 1 and joined[-1].kind == ".":
                before = joined[-2]
                behind = len(joined) > 2 and joined[-3].kind == "."
                if before.kind == "NAME" and before.text in spaces and not behind and _touch(before, joined[-1], token):
                    del joined[-2:]
                    token = replace(before, text=f"{before.text}.{token.text}")
            joined.append(token)
        statement.tokens[:] = joined
    return frozenset(spaces)


_PUNCTUATION = frozenset("()[]{}.,:=~|+-*/<>") | {"->", "..", "==", "!=", "<=", ">=", "STRING"}


def _touch(*tokens: Token) -> bool:
    return all(a.line == b.line and a.end_column == b.column for a, b in pairwise(tokens))


def _start(word: str, tokens: list[Token]) -> tuple[str, list[Token]]:
    """Return the start rule of a statement, and its tokens with the statement's word as a keyword."""
    if word in STEP_WORDS:
        return "step", _verb_marked(tokens, word)
    if word and tokens[0].kind != word:
        tokens = [replace(tokens[0], kind=word), *tokens[1:]]
    return {"type": "type_declaration", "": "place"}.get(word, word), tokens


def follows(text: str, path: str) -> tuple[Statement | None, frozenset[str]]:
    """Return the statement in which a text ends, and the kinds of token that can follow; END if it can be complete.

    Nothing can follow a text that is already wrong.
    """
    statements = split(lex(text, path).tokens, path)
    if not statements:
        return None, frozenset((END,))
    _join_names_of_imports(statements)
    last = statements[-1]
    if last.word == "end":
        return last, frozenset((END,))
    start, tokens = _start(last.word, last.tokens)
    try:
        return last, expected(start, tokens)
    except LookupError:
        return last, frozenset()


def _verb_marked(tokens: list[Token], word: str) -> list[Token]:
    """Return the tokens of a step, with its verb as a keyword: elsewhere it is a name."""
    verb = 2 if len(tokens) > 2 and tokens[1].kind == ":" else 0
    marked = list(tokens)
    marked[verb] = replace(tokens[verb], kind=word)
    return marked


def documentation(statements: list[Statement], comments: list[Comment]) -> dict[int, str]:
    """Return the text of the `##` comments of each statement, by its number.

    They are inside it (but not in its brackets), after it on its last line (a `##` directly below, in the same column,
    continues such a comment), or on separate lines directly before it; before `net` there may be empty lines in
    between. A comment on the line of a measure and its `expect` belongs to the measure.
    """
    return {
        number: "\n".join(comment.text[2:].removeprefix(" ") for comment in found)
        for number, found in doc_comments(statements, comments).items()
    }


def doc_comments(statements: list[Statement], comments: list[Comment]) -> dict[int, list[Comment]]:
    """Do as `documentation`, the comments themselves."""
    starts = [statement.tokens[0].place for statement in statements]
    found: dict[int, list[Comment]] = {}
    own_lines = {comment.line for comment in comments if comment.own_line}
    previous: tuple[int, Comment] | None = None  # the last trailing doc comment and its statement
    for comment in comments:
        if not comment.documents:
            continue
        number = bisect_right(starts, comment.place) - 1
        last = statements[number].tokens[-1] if number >= 0 else None
        within = last is not None and comment.place < last.place
        if within and in_brackets(statements[number], comment):
            continue
        if number < 0 and not comment.own_line:
            continue  # after something that is not a declaration
        if within or not comment.own_line:
            owner = number if within else _measure_on_line(statements, number)
            previous = (owner, comment)
        elif previous and comment.place == (previous[1].line + 1, previous[1].column):
            owner = previous[0]
            previous = (owner, comment)
        else:
            owner = number + 1
            if owner >= len(statements) or not _adjoins(comment, statements[owner], own_lines):
                continue
        if statements[owner].word != "end":
            found.setdefault(owner, []).append(comment)
    return found


def _measure_on_line(statements: list[Statement], number: int) -> int:
    """Return the statement itself; for an `expect < 0.01` after a measure on the same line, the measure."""
    owner = number
    while statements[owner].word == "expect" and owner > 0 and not statements[owner].tokens[0].first:
        if len(statements[owner].tokens) < 2 or statements[owner].tokens[1].kind not in _COMPARATORS:
            break
        owner -= 1
    return owner if statements[owner].word == "measure" else number


def in_brackets(statement: Statement, comment: Comment) -> bool:
    """Return whether a comment in a statement is inside brackets, and so belongs to a part of it."""
    depth = 0
    for token in statement.tokens:
        if token.place > comment.place:
            break
        depth += (token.kind in "([{") - (token.kind in ")]}")
    return depth > 0


def _with_parameter_docs(
    statement: Statement, nodes: tuple[tree.Declaration, ...], comments: list[Comment]
) -> tuple[tree.Declaration, ...]:
    """Return a module's header whose parameters have their `##` comments, after them or on lines before them."""
    header = nodes[0] if nodes else None
    if not isinstance(header, tree.Module) or not header.parameters:
        return nodes
    first, last = statement.tokens[0], statement.tokens[-1]
    starts = [(parameter.span.line, parameter.span.column) for parameter in header.parameters]
    found: dict[int, list[str]] = {}
    for comment in comments[bisect_right(comments, first.place, key=lambda comment: comment.place) :]:
        if comment.place > last.place:
            break
        if comment.documents and in_brackets(statement, comment):
            number = max(bisect_right(starts, comment.place) - 1, 0)
            span = header.parameters[number].span
            if comment.own_line and comment.place > (span.end_line, span.end_column):
                number = min(number + 1, len(starts) - 1)
            found.setdefault(number, []).append(comment.text[2:].removeprefix(" "))
    parameters = tuple(
        replace(parameter, doc="\n".join(found.get(number, []))) for number, parameter in enumerate(header.parameters)
    )
    return (replace(header, parameters=parameters),)


def _adjoins(comment: Comment, statement: Statement, own_lines: set[int]) -> bool:
    """Return whether only comment lines are between the comment and the statement (before `net`: empty lines too)."""
    first = statement.tokens[0]
    if not first.first:
        return False
    return statement.word == "net" or all(line in own_lines for line in range(comment.line + 1, first.line))


def _by_statement(statements: list[Statement], lexed: Lexed) -> dict[int, list[Diagnostic]]:
    """Return the errors of the lexer, by number of statement (-1 before the first); the first of each kind."""
    starts = [statement.tokens[0].place for statement in statements]
    found: dict[int, list[Diagnostic]] = {}
    told: set[tuple[int, str]] = set()
    for diagnostic in lexed.wrong:
        span = diagnostic.span
        number = bisect_right(starts, (span.line, span.column)) - 1 if span else -1
        if (number, diagnostic.id) not in told:
            told.add((number, diagnostic.id))
            found.setdefault(number, []).append(diagnostic)
    return found


def _names(statement: Statement) -> set[str]:
    """Return the names that a broken declaration would have declared, as far as known."""
    if statement.word == "time":
        return {"time"}
    if statement.word in STEP_WORDS:
        return set()
    names = [token.text.strip('"') for token in statement.tokens[1:] if token.kind in ("NAME", "STRING")]
    if len(statement.tokens) > 1 and statement.tokens[1].kind in RESERVED:
        names.insert(0, statement.tokens[1].text)
    if statement.word in ("port", "type", "module", ""):
        return set(names)
    listed = (after for comma, after in pairwise(statement.tokens) if comma.kind == "," and after.kind == "NAME")
    return {*names[:1], *(token.text for token in listed)}  # of `place a, b` the second, too
