"""The steps of threads: where each starts in a row of tokens, and how they nest.

The words of steps are not reserved. They are words of a step only within a thread, where a step can start; elsewhere,
and in the expressions of steps, they are names.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri.catalogue.words import CLAUSES, NAMES_TOO, RESERVED, SOFT, STEPS, SYNONYMS_OF_STEPS
from petri.diagnostics import Value, did_you_mean
from petri.language.syntax import tree
from petri.language.syntax.lexer import Token
from petri.structs import replace

LABELLED = frozenset(word for word, step in STEPS.items() if step.labelled)
STEP_WORDS = frozenset(STEPS)
STEP_NAMES = STEP_WORDS - (RESERVED - SOFT)  # words that are names elsewhere
ONLY_NAMES = frozenset(  # within threads: words of clauses that no step has
    word for word, clause in CLAUSES.items() if clause.of == "transition" and word in SOFT - STEP_WORDS
)
BLOCK_WORDS = frozenset(word for word, step in STEPS.items() if step.block == "opens")  # `end` closes them
BRANCH_WORDS = frozenset(word for word, step in STEPS.items() if step.block == "branch")
_JUMPS = {"break": "no-break", "continue": "no-continue", "return": "no-return"}


def begins(tokens: Sequence[Token], position: int, statement: Sequence[Token]) -> str:
    """Return the word of the step that starts at a token outside brackets, label included; "" if none starts there.

    statement: the tokens since the last step, or the header of the thread, started.
    """
    token, after = tokens[position], _at(tokens, position + 1)
    if token.kind == "NAME" and after is not None and after.kind == ":":
        verb = _after_label(tokens, position)
        return verb if verb in LABELLED else "" if verb in STEP_WORDS else "take"
    if token.kind in NAMES_TOO | SOFT and (verb := _after_label(tokens, position)) in LABELLED:
        return verb
    if token.text == "elif" and _open_conditions(statement):
        return ""  # within an expression, where it is `else if`
    if token.kind == "NAME":
        return token.text if token.text in STEP_NAMES else ""
    if token.kind == "repeat" and (after is None or after.first):
        return ""  # without a number (`slip`)
    if token.kind in ("draw", "let", "repeat", "if"):
        return token.kind
    if token.kind == "for" and _for_each(tokens, position) and _in_after(tokens, position) is None:
        return "for"
    if token.kind == "else":
        return "else" if not _open_conditions(statement) or _step_follows(tokens, position + 1) else ""
    if token.kind == "or" and after is not None:
        branch = after.kind in ("after", "when", "weight", "priority", "if") or _step_follows(tokens, position + 1)
        return "or" if branch else ""
    return ""


def slip(tokens: Sequence[Token], position: int) -> tuple[str, str, int, dict[str, Value]] | None:
    """Return where a line of a thread starts with something that is not a step: the word of the intended step, the
    error, the position of its last token, and its values.
    """
    token, after, third = tokens[position], _at(tokens, position + 1), _at(tokens, position + 2)
    if _for_each(tokens, position) and (last := _in_after(tokens, position)) is not None:
        place = _at(tokens, last + 1)
        name = place.text if place is not None else "…"
        return "for", "each-in", last + (place is not None), {"variable": tokens[last - 1].text, "place": name}
    if token.kind == "for" and after is not None and third is not None and third.kind == "in":
        return "repeat", "no-for", position, {"variable": after.text}
    if token.kind == "repeat":
        return "repeat", "no-number", position, {}
    if token.kind != "NAME" and token.kind not in ONLY_NAMES:
        return None
    if (verb := _after_label(tokens, position)) in STEP_WORDS - LABELLED:
        return "set", "no-label", position + 1, {"name": token.text, "word": verb}  # what stands behind begins a step
    alone = after is None or after.first
    if token.text in _JUMPS and (alone or token.text == "return"):
        return "take", _JUMPS[token.text], position, {}
    if after is not None and after.kind == "=":
        return "set", "set-missing", position + 1, {"name": token.text, "value": "…"}
    if after is not None and third is not None and after.kind in ("+", "-", "*", "/") and not after.first:
        by = "…" if third.kind == "=" else "1" if third.kind == after.kind else None
        if by is not None:
            return "set", "set-missing", position + 2, {"name": token.text, "value": f"{token.text} {after.kind} {by}"}
    if after is not None and not alone and after.kind not in ("NAME", "NUMBER"):
        return None
    # Two names in a row occur nowhere within a step; after a number, one is its unit.
    if alone and tokens[position - 1].kind == "NUMBER":
        return None
    meant = SYNONYMS_OF_STEPS.get(token.text.lower()) or did_you_mean(token.text, STEP_NAMES)
    if meant and not alone:
        return meant, "misspelt-step", position, {"found": token.text, "suggestion": meant}
    return "take", "unknown-step", position, {"found": token.text, "words": sorted(STEP_WORDS)}


def _for_each(tokens: Sequence[Token], position: int) -> bool:
    """Return whether `for each` starts here, with what follows on the same line; `each` alone may be a name."""
    token, each, third = tokens[position], _at(tokens, position + 1), _at(tokens, position + 2)
    if each is None or third is None or third.first:
        return False
    return token.kind == "for" and each.text == "each" and (third.kind in ("NAME", "NUMBER") or third.kind in RESERVED)


def _in_after(tokens: Sequence[Token], position: int) -> int | None:
    """Return the position of the `in` of `for each x in place`, which is not how it is written."""
    for at in (position + 3, position + 4):
        token = _at(tokens, at)
        if token is not None and token.kind == "in" and not token.first:
            return at
    return None


def _after_label(tokens: Sequence[Token], position: int) -> str:
    """Return the word behind a label, which may be a word that is a keyword elsewhere; "" if there is no label."""
    colon, word = _at(tokens, position + 1), _at(tokens, position + 2)
    return word.text if colon is not None and colon.kind == ":" and word is not None else ""


def is_complete(word: str, statement: Sequence[Token]) -> bool:
    """Return whether a step can follow although the last token is a word that an operand follows elsewhere."""
    if word in ("else", "or", "choose", "do"):
        return len(statement) == 1
    if word in ("if", "elif") and statement[-1].kind == "then":
        kinds = [token.kind for token in statement]
        return kinds.count("then") == kinds.count("if") + (word == "elif")
    return False


def asks(statement: Sequence[Token]) -> bool:
    """Return whether the header of a thread has its condition already."""
    return any(token.kind == "if" for token in statement)


def _at(tokens: Sequence[Token], position: int) -> Token | None:
    return tokens[position] if position < len(tokens) else None


def _step_follows(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a step, not an operand, starts here: a step's name with something after it, or a label."""
    token, after = _at(tokens, position), _at(tokens, position + 1)
    if token is None or token.kind in ("draw", "let", "end"):
        return True
    if token.kind not in ("NAME", "repeat") or after is None:
        return False
    named = token.text in STEP_NAMES
    return after.kind == ":" or (named and (after.kind in ("NAME", "NUMBER") or after.kind in RESERVED - _OPERATORS))


_OPERATORS = frozenset(("and", "or", "div", "mod", "then", "else", "with", "when", "for", "priority", "weight", "in"))


def _open_conditions(statement: Sequence[Token]) -> bool:
    """Return whether an `if … then …` of an expression, or a time limit, still waits for its `else`."""
    kinds = [token.kind for token in statement][1:]
    return kinds.count("if") + kinds.count("within") > kinds.count("else")


def nested(steps: Sequence[tree.Step]) -> tuple[tree.Step, ...]:
    """Return the steps of a thread in their blocks, each of which the marker `end` closes."""
    rest = list(reversed(steps))
    found: list[tree.Step] = []
    while rest:
        found.append(_one(rest))
    return tuple(found)


def _one(rest: list[tree.Step]) -> tree.Step:
    step = rest.pop()
    if step.verb not in BLOCK_WORDS:
        return step
    branches = [replace(step, body=_body(rest))]
    while rest and rest[-1].verb in BRANCH_WORDS:
        branches.append(replace(rest.pop(), body=_body(rest)))
    if rest:
        rest.pop()  # its `end`
    return replace(branches[0], others=tuple(branches[1:]))


def _body(rest: list[tree.Step]) -> tuple[tree.Step, ...]:
    found: list[tree.Step] = []
    while rest and rest[-1].verb not in BRANCH_WORDS and rest[-1].verb != "end":
        found.append(_one(rest))
    return tuple(found)
