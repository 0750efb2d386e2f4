"""Divides the tokens of a file into declarations, at their keywords, and threads into steps.

Declaration keywords are reserved, but two have a second meaning (`time(…)` is a measure, `end` an instant), and users
misspell them or use them as names. The neighbouring tokens decide which case it is.
"""

from __future__ import annotations

from petri.catalogue.words import CLAUSES, DECLARATIONS, DECLARING, LINKING, NAMES_TOO, OPERATORS, RESERVED, SOFT
from petri.diagnostics import Diagnostic, did_you_mean
from petri.language.syntax import steps
from petri.language.syntax.lexer import Token, span_of
from petri.structs import Struct, field

_DECLARING = frozenset(DECLARING)
_NEWER = frozenset(DECLARATIONS) - _DECLARING  # words of declarations that are not reserved
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_SIGNS = _OPENING | _CLOSING | frozenset(",:.=<>+-*/~|") | {"..", "->", "==", "!=", "<=", ">="}
_BARE = frozenset(word for word, clause in CLAUSES.items() if clause.bare)
_WANTS_OPERAND = (_SIGNS - _CLOSING) | (
    frozenset(LINKING) - _BARE
)  # after these an operand follows: `end` is the instant
# The same within threads, whose steps have other clauses than transitions.
_STEP_WANTS_OPERAND = _WANTS_OPERAND - steps.ONLY_NAMES
# Behind these, on the same line, no declaration begins: a word is a value.
_BEFORE_VALUES = frozenset(("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "|", "=", "then", "else", *OPERATORS))
_OF_ARCS = frozenset(word for word, clause in CLAUSES.items() if clause.of == "arc")
# What follows a keyword that does start a declaration; for `expect` and `run` see below.
_FOLLOWS = {"import": ("NAME", "STRING"), "port": ("NAME", "in", "out"), "end": ("",)}
# Short words of other languages that happen to be similar to a keyword.
OTHER_WORDS = frozenset(("int", "let", "set", "get", "new", "use", "def", "var", "for", "real", "nat", "uint"))
_TYPES_ELSEWHERE = ("time", "unit")  # the check of types says what was meant
_NAMELESS = frozenset(("", "end", "run", "expect"))
_ANYTHING = frozenset(("expect", "run"))


class Statement(Struct):
    """The tokens of one declaration. `word` is its keyword (corrected if it was misspelt), "" for tokens that no
    keyword introduces. `wrong` is the error found while dividing.
    """

    word: str
    tokens: list[Token]
    first: int  # position of its first token in the file
    wrong: list[Diagnostic] = field(default_factory=list)


def split(tokens: list[Token], path: str) -> list[Statement]:
    """Return all tokens, divided into statements in order. Tokens that only look like keywords become names."""
    statements: list[Statement] = []
    depth = 0
    open_blocks: list[str] = []  # the words of modules, threads and blocks of steps that have not ended
    declared = _declared_as_names(tokens)
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else None
        after = tokens[position + 1] if position + 1 < len(tokens) else None
        word, wrong, unknown = "", None, False
        if token.text == "service" and _is_type(before, after):
            token.kind = "service"
        in_thread = bool(open_blocks) and open_blocks[-1] != "module"
        newer = _declares_newer(token, before, after, depth, statements)
        if in_thread and depth == 0 and (step := _step(tokens, position, statements[-1])):
            word = step
        elif in_thread and depth == 0 and not newer and (slip := _slip_of_step(tokens, position, statements[-1], path)):
            word, wrong = slip
        elif in_thread and token.kind == "end" and steps.is_complete(statements[-1].word, statements[-1].tokens):
            word = "end"
        elif newer:
            word = token.text
        elif token.kind in _DECLARING:
            alone = bool(statements) and position == statements[-1].first + 1 and statements[-1].word not in _NAMELESS
            word, misused = _keyword(token, before, after, depth, alone, declared)
            if misused:
                wrong = Diagnostic("reserved-name", span_of(token, token, path), {"name": token.text})
        elif token.kind == "NAME" and token.first:
            word = _misspelt(token, before, after, bool(open_blocks))
            if word:
                wrong = Diagnostic(
                    "misspelt-word", span_of(token, token, path), {"found": token.text, "suggestion": word}
                )
            unknown = before is not None and before.kind == "NUMBER" and after is not None and after.kind == "NAME"
        if word or unknown or not statements:
            statements.append(Statement(word, [token], position))
            depth = 0
            _open_or_close(open_blocks, word)
        else:
            statements[-1].tokens.append(token)
        if wrong:
            statements[-1].wrong.append(wrong)
        if token.kind in _OPENING:
            depth += 1
        elif token.kind in _CLOSING:
            depth = max(depth - 1, 0)
    return statements


def _declared_as_names(tokens: list[Token]) -> frozenset[str]:
    """Return the keywords that are declared as names, as in `place unit : int`: one error serves all their uses."""
    return frozenset(
        name.text
        for word, name, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if name.kind in _DECLARING and not name.first and word.first and word.kind in _DECLARING - _NAMELESS
        if after.kind != "NAME" and after.kind not in SOFT
    )


def _keyword(
    token: Token, before: Token | None, after: Token | None, depth: int, alone: bool, declared: frozenset[str]
) -> tuple[str, bool]:
    """Return the keyword, if the token starts a declaration; otherwise it becomes a name, and whether that is to be
    told.

    declared: the keywords that are declared as names. One is still a keyword in `unit cycle = 4 ns`, and at the start
    of a line.
    """
    used = token.kind in declared and not token.first and (after is None or after.kind != "NAME" or after.first)
    word = "" if used else _declares(token, before, after, depth, alone)
    if word:
        return word, False
    allowed = _is_name(token, before, after)
    if allowed or (token.kind != "end" and not _closing(before, token, after)):
        token.kind = "NAME"
        as_type = before is not None and before.kind == ":" and token.text in _TYPES_ELSEWHERE
        return "", alone and not allowed and not as_type
    return "", False


def _open_or_close(blocks: list[str], word: str) -> None:
    if word in _DECLARING or word in _NEWER:
        while word != "end" and blocks and blocks[-1] != "module":
            blocks.pop()  # a thread without `end`: it cannot contain a declaration
    stray = word in steps.BRANCH_WORDS and blocks[-1:] == ["thread"]
    if word in ("module", "thread") or word in steps.BLOCK_WORDS or stray:
        blocks.append(word)
    elif word == "end" and blocks:
        blocks.pop()


def _step(tokens: list[Token], position: int, statement: Statement) -> str:
    """Return the word of the step that starts at a token of a thread; "" if none does."""
    before = tokens[position - 1]
    length = position - statement.first
    if length == 2 and before.kind == ":" and statement.wrong:
        return steps.begins(tokens, position, statement.tokens)  # behind a label that it does not have
    if length == 1 and statement.word == "repeat" and tokens[position].first:
        return steps.begins(tokens, position, statement.tokens)  # behind a number that it does not have
    labelled = length == 2 and before.kind == ":" and statement.word in steps.LABELLED
    condition = statement.word == "thread" and tokens[position].kind == "if" and not steps.asks(statement.tokens)
    if labelled or condition or (statement.word == "thread" and length < 2):
        return ""
    verb = statement.word in steps.STEP_WORDS and before.text == statement.word
    if length == 1 and verb and not steps.is_complete(statement.word, statement.tokens):
        return ""  # the first word after `give`, say, is an operand
    if length == 3 and statement.tokens[1].kind == ":":
        return ""
    if _wants_operand(before, tokens[position], statement):
        return ""
    return steps.begins(tokens, position, statement.tokens)


def _wants_operand(before: Token, token: Token, statement: Statement) -> bool:
    """Return whether an operand, and no step, follows a token of a thread.

    Nobody breaks a line behind the word of an arc.
    """
    if before.kind in _OF_ARCS and token.first:
        return False
    if before.kind == "after" and statement.word not in ("choose", "or"):
        return False  # a name: no other step has this clause
    return before.kind in _STEP_WANTS_OPERAND and not steps.is_complete(statement.word, statement.tokens)


def _slip_of_step(tokens: list[Token], position: int, statement: Statement, path: str) -> tuple[str, Diagnostic] | None:
    """Return the intended step, and the error, where a line of a thread starts with something that is not a step."""
    token, before = tokens[position], tokens[position - 1]
    if not token.first or _wants_operand(before, token, statement):
        return None
    if before.text in steps.STEP_NAMES and before.text == statement.word:
        return None  # the operand of a verb
    found = steps.slip(tokens, position)
    if found is None:
        return None
    word, identifier, last, values = found
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    if identifier == "unknown-step" and _misspelt(token, before, after, in_module=True):
        return None
    return word, Diagnostic(identifier, span_of(token, tokens[last], path), values)


def _is_type(before: Token | None, after: Token | None) -> bool:
    """Return whether `service` is the word of a type: two names in a row occur in no expression."""
    return before is not None and before.kind in (":", "=") and after is not None and after.kind in ("NAME", "{")


def _declares_newer(
    token: Token, before: Token | None, after: Token | None, depth: int, statements: list[Statement]
) -> bool:
    """Return whether a word that is not reserved starts a declaration: a name follows, as in no expression."""
    if token.kind != "NAME" or token.text not in _NEWER or depth or after is None:
        return False
    if after.kind != "NAME" and after.kind not in SOFT:
        return False
    alone = before is not None and statements[-1].tokens == [before] and statements[-1].word in _DECLARING - _NAMELESS
    return before is None or not (alone or before.kind in _WANTS_OPERAND or (before.kind == "." and not token.first))


def _is_name(token: Token, before: Token | None, after: Token | None) -> bool:
    """Return whether a keyword is a valid name here: the function `time(…)`, or a field (`p.port`, `{port: 3}`)."""
    following = after.kind if after else ""
    field = (before and before.kind == "." and not token.first) or (
        following == ":" and before and before.kind in ("{", ",")
    )
    return bool(field) or (token.kind == "time" and following == "(") or _run_as_name(token, before, following)


def _run_as_name(token: Token, before: Token | None, following: str) -> bool:
    """Return whether `run` is a name: a `run` line goes on with a clause, or ends."""
    if token.kind != "run" or before is None:
        return False
    return following in _SIGNS - {"{"} or following == "in" or (before.kind in _SIGNS - _CLOSING and not token.first)


def _declares(token: Token, before: Token | None, after: Token | None, depth: int, alone: bool) -> str:
    """Return the keyword, if the token starts a declaration; `alone` if only a keyword precedes it."""
    word = token.kind
    following = after.kind if after else ""
    if before is None:
        return word
    if (before.kind == "." and not token.first) or (word == "time" and following == "("):
        return ""
    if before.kind == ":" and word in _TYPES_ELSEWHERE and not token.first:
        return ""
    if before.kind in _BEFORE_VALUES and word != "end" and not token.first:
        return ""
    if _closing(before, token, after) or _run_as_name(token, before, following):
        return ""
    if alone and not token.first and following != "NAME" and following not in SOFT:
        return ""  # `place time : int`: a reserved word for a name
    if word == "end":
        last = token.first and (not following or following in _DECLARING)
        within = depth > 0 and following in (",", ")", "]", "}")
        return word if last or not (within or before.kind in _WANTS_OPERAND - SOFT - NAMES_TOO) else ""
    suits = following in SOFT or following in _FOLLOWS.get(word, ("NAME", "STRING", "NUMBER")) or following in RESERVED
    if suits or (word in _ANYTHING and not (depth and following in (":", ",", ")", "]", "}"))):
        return word
    return "" if depth or before.kind in _WANTS_OPERAND else word


def _closing(before: Token | None, token: Token, after: Token | None) -> bool:
    """Return whether it is the second word of a line such as `end module`."""
    last = after is None or (after.first and after.kind in _DECLARING)
    return last and before is not None and before.kind == "end" and token.kind != "end" and not token.first


def _misspelt(token: Token, before: Token | None, after: Token | None, in_module: bool) -> str:
    """Return the intended keyword: two names in a row occur nowhere else at the start of a line."""
    following = after.kind if after else ""
    if (before and before.kind in _WANTS_OPERAND) or token.text in OTHER_WORDS:
        return ""
    if in_module and (after is None or after.first) and did_you_mean(token.text, ("end",)):
        return "end"
    if following not in ("NAME", "STRING", "in", "out", "until"):
        return ""
    meant = did_you_mean(token.text, DECLARING)
    if meant is None or meant == "end":
        return ""
    return meant if following in _FOLLOWS.get(meant, ("NAME",)) or meant in _ANYTHING else ""
